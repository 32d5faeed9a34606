// OpenEXR files byte by byte, without compression, and what OpenEXR's own program makes of others.
#ifndef QTURN_TESTS_EXR_FILE_HPP
#define QTURN_TESTS_EXR_FILE_HPP

#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/other_programs.hpp"

namespace qturn::tests {

/// Planes of samples of one type, by their channels' names: 0 for 32-bit integers, 1 for half, 2
/// for float.
struct Exr {
  int width = 0, height = 0, type = 1;
  std::map<std::string, std::vector<std::uint32_t>> planes;  ///< a sample's bits each
  std::map<std::string, int> other_types = {};               ///< of channels with one of their own

  int type_of(const std::string& name) const {
    const auto own = other_types.find(name);
    return own == other_types.end() ? type : own->second;
  }
  std::size_t sample_bytes(const std::string& name) const { return type_of(name) == 1 ? 2 : 4; }
  std::size_t pixel_bytes() const {
    std::size_t bytes = 0;
    for (const auto& [name, plane] : planes) bytes += sample_bytes(name);
    return bytes;
  }
  bool operator==(const Exr&) const = default;
};

inline Bytes write_exr(const Exr& exr) {
  std::string file("\x76\x2f\x31\x01\x02\0\0\0", 8);
  const auto number = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xFF);
    return text;
  };
  const auto attribute = [&](const std::string& name, const std::string& type,
                             const std::string& value) {
    file += name + '\0' + type + '\0' + number(value.size(), 4) + value;
  };
  std::string channels;
  for (const auto& [name, plane] : exr.planes) {
    channels += name + '\0' + number(static_cast<std::uint64_t>(exr.type_of(name)), 4) +
                number(0, 4) + number(1, 4) + number(1, 4);
  }
  const std::string window = number(0, 8) + number(static_cast<std::uint64_t>(exr.width - 1), 4) +
                             number(static_cast<std::uint64_t>(exr.height - 1), 4);
  const std::string one = number(0x3F800000, 4);
  attribute("channels", "chlist", channels + '\0');
  attribute("compression", "compression", std::string(1, '\0'));
  attribute("dataWindow", "box2i", window);
  attribute("displayWindow", "box2i", window);
  attribute("lineOrder", "lineOrder", std::string(1, '\0'));
  attribute("pixelAspectRatio", "float", one);
  attribute("screenWindowCenter", "v2f", number(0, 8));
  attribute("screenWindowWidth", "float", one);
  file += '\0';
  const auto rows = static_cast<std::size_t>(exr.height),
             columns = static_cast<std::size_t>(exr.width);
  const std::size_t row_bytes = columns * exr.pixel_bytes();
  const std::size_t first = file.size() + 8 * rows;
  for (std::size_t y = 0; y < rows; ++y) file += number(first + y * (8 + row_bytes), 8);
  for (std::size_t y = 0; y < rows; ++y) {
    file += number(y, 4) + number(row_bytes, 4);
    for (const auto& [name, plane] : exr.planes) {
      for (std::size_t x = 0; x < columns; ++x) {
        file += number(plane[y * columns + x], static_cast<int>(exr.sample_bytes(name)));
      }
    }
  }
  return owned(file);
}

/// The samples of any OpenEXR file: exrmaketiled makes one tile of it, without compression, in
/// which they lie row by row and channel by channel.
inline Exr read_exr(std::span<const std::byte> any, const Exr& like) {
  const Bytes file = made_by("exrmaketiled -o -t 4096 4096 -z none in out", any);
  const std::size_t samples =
      static_cast<std::size_t>(like.width) * static_cast<std::size_t>(like.height);
  const std::size_t bytes = samples * like.pixel_bytes();
  if (file.size() < bytes) throw std::runtime_error("exrmaketiled wrote too little");
  Exr exr{like.width, like.height, like.type, {}, like.other_types};
  std::size_t at = file.size() - bytes;
  const auto columns = static_cast<std::size_t>(like.width);
  for (std::size_t y = 0; y < static_cast<std::size_t>(like.height); ++y) {
    for (const auto& [name, plane] : like.planes) {
      for (std::size_t x = 0; x < columns; ++x, at += like.sample_bytes(name)) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &file[at], like.sample_bytes(name));
        exr.planes[name].push_back(bits);
      }
    }
  }
  return exr;
}

inline Exr turned(const Exr& exr, Orientation orientation) {
  const Size size{exr.width, exr.height}, to = turned_size(orientation, size);
  Exr result{
      static_cast<int>(to.width), static_cast<int>(to.height), exr.type, {}, exr.other_types};
  for (std::int64_t y = 0; y < to.height; ++y) {
    for (std::int64_t x = 0; x < to.width; ++x) {
      const Position from = source_of(orientation, {x, y}, size);
      for (const auto& [name, plane] : exr.planes) {
        result.planes[name].push_back(
            plane[static_cast<std::size_t>(from.y * size.width + from.x)]);
      }
    }
  }
  return result;
}

}  // namespace qturn::tests

#endif  // QTURN_TESTS_EXR_FILE_HPP
