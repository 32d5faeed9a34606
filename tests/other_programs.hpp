// Pictures as other programs show them: the opinion that ours is compared with. All of them are
// among the packages of scripts/setup --tests; one that is missing fails the test.
#ifndef QTURN_TESTS_OTHER_PROGRAMS_HPP
#define QTURN_TESTS_OTHER_PROGRAMS_HPP

#include <qturn/orientation.hpp>

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/codec_pictures.hpp"
#include "tests/temporary_folder.hpp"

namespace qturn::tests {

/// What the command, run in a folder of its own, makes in "out" of the bytes in "in".
inline Bytes made_by(const std::string& command, std::span<const std::byte> in) {
  const TemporaryFolder folder;
  folder.add("in", std::string(text_of(in)));
  const std::string line = "cd '" + folder.path().string() + "' && " + command + " 2>said";
  if (std::system(line.c_str()) != 0) {
    throw std::runtime_error(command + ": " + content_of(folder.path() / "said"));
  }
  return owned(content_of(folder.path() / "out"));
}

/// Interleaved samples, as in a PAM file.
struct Pam {
  int width = 0, height = 0, depth = 0, largest = 255;
  std::vector<std::uint16_t> samples;

  bool operator==(const Pam&) const = default;
};

/// Any samples.
inline Pam noise_pam(int width, int height, int depth, int largest = 255, std::uint32_t seed = 1) {
  Pam pam{width, height, depth, largest, {}};
  const std::vector<std::uint8_t> bytes =
      noise(2 * static_cast<std::size_t>(width * height * depth), seed);
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    pam.samples.push_back(
        static_cast<std::uint16_t>((bytes[i] << 8 | bytes[i + 1]) % (largest + 1)));
  }
  return pam;
}

inline Bytes write_pam(const Pam& pam) {
  constexpr const char* kinds[] = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
  std::ostringstream out;
  out << "P7\nWIDTH " << pam.width << "\nHEIGHT " << pam.height << "\nDEPTH " << pam.depth
      << "\nMAXVAL " << pam.largest << "\nTUPLTYPE " << kinds[pam.depth - 1] << "\nENDHDR\n";
  std::string text = out.str();
  for (const std::uint16_t sample : pam.samples) {
    if (pam.largest > 255) text += static_cast<char>(sample >> 8);
    text += static_cast<char>(sample & 0xFF);
  }
  return owned(text);
}

inline Pam read_pam(const Bytes& file) {
  const std::string text(text_of(file));
  const std::string end_of_header = "ENDHDR\n";
  const std::size_t begin = text.find(end_of_header);
  if (begin == std::string::npos) throw std::runtime_error("not a PAM");
  Pam pam;
  std::istringstream header(text.substr(0, begin));
  for (std::string key; header >> key;) {
    if (key == "WIDTH") header >> pam.width;
    if (key == "HEIGHT") header >> pam.height;
    if (key == "DEPTH") header >> pam.depth;
    if (key == "MAXVAL") header >> pam.largest;
  }
  const std::size_t bytes = pam.largest > 255 ? 2 : 1;
  for (std::size_t at = begin + end_of_header.size(); at + bytes <= text.size(); at += bytes) {
    int sample = 0;
    for (std::size_t i = 0; i < bytes; ++i) sample = sample << 8 | std::uint8_t(text[at + i]);
    pam.samples.push_back(static_cast<std::uint16_t>(sample));
  }
  return pam;
}

/// Red, green, blue and alpha of a picture of any depth.
inline Pam as_rgba(const Pam& pam) {
  Pam result{pam.width, pam.height, 4, pam.largest, {}};
  const auto depth = static_cast<std::size_t>(pam.depth);
  for (std::size_t i = 0; i < pam.samples.size(); i += depth) {
    for (std::size_t k = 0; k < 3; ++k) {
      result.samples.push_back(pam.samples[i + (depth < 3 ? 0 : k)]);
    }
    const auto opaque = static_cast<std::uint16_t>(pam.largest);
    result.samples.push_back(depth % 2 == 0 ? pam.samples[i + depth - 1] : opaque);
  }
  return result;
}

/// The picture as its orientation is defined, pixel by pixel.
inline Pam turned(const Pam& pam, Orientation orientation) {
  const Size size{pam.width, pam.height}, to = turned_size(orientation, size);
  Pam result{static_cast<int>(to.width), static_cast<int>(to.height), pam.depth, pam.largest, {}};
  for (std::int64_t y = 0; y < to.height; ++y) {
    for (std::int64_t x = 0; x < to.width; ++x) {
      const Position from = source_of(orientation, {x, y}, size);
      const auto first = pam.samples.begin() + (from.y * size.width + from.x) * pam.depth;
      result.samples.insert(result.samples.end(), first, first + pam.depth);
    }
  }
  return result;
}

/// By WebP's own program: red, green, blue and alpha.
inline Pam shown_by_dwebp(std::span<const std::byte> file) {
  return read_pam(made_by("dwebp -quiet in -pam -o out", file));
}

/// By ImageMagick, upright: red, green, blue and alpha of `bits` bits. `format` is its name of the
/// format.
inline Pam shown_by_imagemagick(std::span<const std::byte> file, const std::string& format,
                                int bits = 8) {
  return read_pam(made_by("convert '" + format +
                              ":in[0]' -auto-orient -type TrueColorMatte -depth " +
                              std::to_string(bits) + " pam:out",
                          file));
}

/// The frames of an animation as ImageMagick composes them, one below the other.
inline Pam frames_shown_by_imagemagick(std::span<const std::byte> file, const std::string& format) {
  return read_pam(made_by(
      "convert '" + format + ":in' -coalesce -type TrueColorMatte -depth 8 -append pam:out", file));
}

/// So many pictures, one below the other, each of them turned.
inline Pam each_turned(const Pam& frames, int count, Orientation orientation) {
  Pam result;
  const std::size_t size = frames.samples.size() / static_cast<std::size_t>(count);
  for (int i = 0; i < count; ++i) {
    Pam one{frames.width, frames.height / count, frames.depth, frames.largest, {}};
    const auto first = frames.samples.begin() + static_cast<std::ptrdiff_t>(size) * i;
    one.samples.assign(first, first + static_cast<std::ptrdiff_t>(size));
    one = turned(one, orientation);
    result.width = one.width;
    result.height += one.height;
    result.depth = one.depth;
    result.samples.insert(result.samples.end(), one.samples.begin(), one.samples.end());
  }
  return result;
}

}  // namespace qturn::tests

#endif  // QTURN_TESTS_OTHER_PROGRAMS_HPP
