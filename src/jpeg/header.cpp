#include "src/jpeg/header.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/jpeg/codec.hpp"
#include "src/jpeg/markers.hpp"

namespace qturn {
namespace {

constexpr std::uint64_t coefficient_bytes_of_block = DCTSIZE2 * sizeof(JCOEF);

int channels_of(J_COLOR_SPACE space) {
  switch (space) {
    case JCS_GRAYSCALE:
      return 1;
    case JCS_RGB:
    case JCS_YCbCr:
      return 3;
    case JCS_CMYK:
    case JCS_YCCK:
      return 4;
    default:
      return 0;
  }
}

}  // namespace

void check_header(const jpeg_decompress_struct& info, std::size_t file_bytes) {
  if (channels_of(info.jpeg_color_space) != info.num_components) {
    throw ImageFileError(
        fmt::format("a JPEG with {} components is not supported", info.num_components));
  }
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    if (info.max_h_samp_factor % component.h_samp_factor != 0 ||
        info.max_v_samp_factor % component.v_samp_factor != 0) {
      throw ImageFileError(
          fmt::format("chroma sampled by a fraction ({}x{} against {}x{}) is not supported",
                      component.h_samp_factor, component.v_samp_factor, info.max_h_samp_factor,
                      info.max_v_samp_factor));
    }
  }
  // Each block of the first component takes one bit at the least.
  const std::uint64_t blocks = (std::uint64_t{info.image_width} + DCTSIZE - 1) / DCTSIZE *
                               ((std::uint64_t{info.image_height} + DCTSIZE - 1) / DCTSIZE);
  if (blocks / 8 > file_bytes) {
    throw ImageFileError(fmt::format("{}x{} pixels cannot be in a file of {} bytes",
                                     info.image_width, info.image_height, file_bytes));
  }
}

JpegShape shape_of(const jpeg_decompress_struct& info) {
  JpegShape shape{.size = {info.image_width, info.image_height}, .components = {}};
  for (int i = 0; i < info.num_components; ++i) {
    shape.components.push_back({info.comp_info[i].h_samp_factor, info.comp_info[i].v_samp_factor});
  }
  return shape;
}

JpegShape read_jpeg_shape(std::span<const std::byte> file) {
  jpeg_header_segments(file);
  JpegDecoder decoder(file, nullptr);
  check_header(decoder.info, file.size());
  return shape_of(decoder.info);
}

std::uint64_t coefficient_bytes(const jpeg_decompress_struct& info) {
  std::uint64_t blocks = 0;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    const auto padded = [](std::uint64_t size, int factor, int max_factor) {
      const std::uint64_t mcu = static_cast<std::uint64_t>(max_factor) * DCTSIZE;
      return (size + mcu - 1) / mcu * static_cast<std::uint64_t>(factor);
    };
    blocks += padded(info.image_width, component.h_samp_factor, info.max_h_samp_factor) *
              padded(info.image_height, component.v_samp_factor, info.max_v_samp_factor);
  }
  return blocks * coefficient_bytes_of_block;
}

void add_notes(const JpegDecoder& decoder, std::vector<std::string>& warnings) {
  if (decoder.errors.note[0] != '\0') warnings.emplace_back(decoder.errors.note);
}

std::span<const std::byte> rest_of(const JpegDecoder& decoder) {
  return std::as_bytes(
      std::span(decoder.info.src->next_input_byte, decoder.info.src->bytes_in_buffer));
}

Header read_jpeg_header(std::span<const std::byte> file) {
  const std::vector<JpegSegment> segments = jpeg_header_segments(file);
  JpegDecoder decoder(file, nullptr);
  const jpeg_decompress_struct& info = decoder.info;
  check_header(info, file.size());

  Header header;
  header.width = info.image_width;
  header.height = info.image_height;
  header.stored = orientation_in(segments);
  header.pixel_bytes_total = std::uint64_t{info.image_width} * info.image_height *
                             static_cast<std::uint64_t>(info.num_components);
  // The output, about as large as the input, in a buffer that may have to double; and coefficients.
  header.working_bytes = (1 << 20) + 4 * std::uint64_t{file.size()};
  header.working_bytes += coefficient_bytes(info) + coefficient_bytes(info) / DCTSIZE2;
  return header;
}

}  // namespace qturn
