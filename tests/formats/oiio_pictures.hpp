// Files for tests, written and read by OpenImageIO itself.
#pragma once

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "src/formats/table.hpp"
#include "tests/fixtures/codec_pictures.hpp"

namespace qturn::tests {

/// A specification whose samples are written as they are.
inline OIIO::ImageSpec plain_spec(int width, int height, int channels, OIIO::TypeDesc type) {
  OIIO::ImageSpec spec(width, height, channels, type);
  spec.attribute("oiio:UnassociatedAlpha", 1);
  spec.attribute("tiff:half", 1);
  spec.attribute("DateTime", "2020:01:02 03:04:05");
  return spec;
}

/// Samples for the specification: any bits for integers, numbers that every float format holds.
inline std::vector<std::uint8_t> samples_for(const OIIO::ImageSpec& spec, std::uint32_t seed = 1) {
  std::vector<std::uint8_t> bytes = noise(spec.image_bytes(), seed);
  const std::size_t count = bytes.size() / spec.format.size();
  for (std::size_t i = 0; i < count; ++i) {
    const double value = static_cast<int>(bytes[i]) / 4.0;
    if (spec.format == OIIO::TypeDesc::FLOAT) {
      reinterpret_cast<float*>(bytes.data())[i] = static_cast<float>(value);
    } else if (spec.format == OIIO::TypeDesc::DOUBLE) {
      reinterpret_cast<double*>(bytes.data())[i] = value;
    } else if (spec.format == OIIO::TypeDesc::HALF) {
      // 1024 to 2047, exactly.
      reinterpret_cast<std::uint16_t*>(bytes.data())[i] =
          static_cast<std::uint16_t>(0x6400 + bytes[i]);
    }
  }
  return bytes;
}

inline Bytes write_with_oiio(const char* format, const OIIO::ImageSpec& spec,
                             const std::vector<std::uint8_t>& samples,
                             const char* file_name = "x") {
  std::vector<unsigned char> file;
  OIIO::Filesystem::IOVecOutput memory(file);
  const auto output = OIIO::ImageOutput::create(format);
  output->set_ioproxy(&memory);
  if (!output->open(file_name, spec) || !output->write_image(spec.format, samples.data()) ||
      !output->close()) {
    throw std::runtime_error(output->geterror());
  }
  const auto* data = reinterpret_cast<const std::byte*>(file.data());
  return {data, data + file.size()};
}

struct ReadByOiio {
  OIIO::ImageSpec spec;
  std::vector<std::uint8_t> samples;
};

inline ReadByOiio read_with_oiio(const char* format, const Bytes& file, int page = 0) {
  OIIO::Filesystem::IOMemReader memory(file.data(), file.size());
  const auto input = OIIO::ImageInput::create(format);
  input->set_ioproxy(&memory);
  OIIO::ImageSpec options;
  options.attribute("oiio:UnassociatedAlpha", 1);
  ReadByOiio read;
  if (!input->open("x", read.spec, options) || !input->seek_subimage(page, 0)) {
    throw std::runtime_error(input->geterror());
  }
  read.spec = input->spec();
  read.samples.resize(read.spec.image_bytes());
  if (!input->read_image(page, 0, 0, read.spec.nchannels, read.spec.format, read.samples.data())) {
    throw std::runtime_error(input->geterror());
  }
  return read;
}

/// The samples turned, pixel by pixel as the orientation is defined.
inline std::vector<std::uint8_t> turned_samples(const OIIO::ImageSpec& spec,
                                                const std::vector<std::uint8_t>& samples,
                                                Orientation orientation) {
  const auto pixel = static_cast<std::size_t>(spec.nchannels) * spec.format.size();
  const Size size{spec.width, spec.height}, to = turned_size(orientation, size);
  std::vector<std::uint8_t> result(samples.size());
  for (std::int64_t y = 0; y < to.height; ++y) {
    for (std::int64_t x = 0; x < to.width; ++x) {
      const Position from = source_of(orientation, {x, y}, size);
      std::memcpy(&result[static_cast<std::size_t>(y * to.width + x) * pixel],
                  &samples[static_cast<std::size_t>(from.y * size.width + from.x) * pixel], pixel);
    }
  }
  return result;
}

}  // namespace qturn::tests
