#include "src/formats/jpeg/libjpeg/header.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/formats/jpeg/codec.hpp"
#include "src/formats/jpeg/file/segments.hpp"
#include "src/metadata/xmp.hpp"

namespace qturn::jpeg {

std::uint64_t jpeg_coefficient_bytes(const jpeg_decompress_struct& info) {
  constexpr std::uint64_t block_bytes = DCTSIZE2 * sizeof(JCOEF) + 2;  // with pointers to rows
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
  return blocks * block_bytes;
}

JpegShape shape_of(const jpeg_decompress_struct& info) {
  JpegShape shape{.size = {info.image_width, info.image_height}, .components = {}};
  for (int i = 0; i < info.num_components; ++i) {
    shape.components.push_back({info.comp_info[i].h_samp_factor, info.comp_info[i].v_samp_factor});
  }
  return shape;
}

void add_notes(const JpegDecoder& decoder, std::vector<std::string>& warnings) {
  if (decoder.errors.note[0] != '\0') warnings.emplace_back(decoder.errors.note);
}

Header header_of(const JpegDecoder& decoder) {
  const jpeg_decompress_struct& info = decoder.info;
  Header header = header_of_size({info.image_width, info.image_height});
  header.stored = orientation_in(decoder.file.segments);
  for (const JpegSegment& segment : decoder.file.segments) {
    if (is_xmp(segment)) look_at_xmp(xmp_packet(segment), header);
    if (is_manifest(segment)) add_placed(signed_manifest(), header);
  }
  header.pixel_bytes_total = header.pixels_total * static_cast<std::uint64_t>(info.num_components);
  // For another format. libjpeg keeps the coefficients only of a picture of several scans.
  header.decoding_bytes =
      (1 << 20) + 32 * header.pixel_bytes_total / info.image_height + decoder.file.bytes.size();
  if (decoder.errors.several_scans) header.decoding_bytes += jpeg_coefficient_bytes(info);
  return header;
}

Header read_jpeg_header(std::span<const std::byte> file) {
  return header_of(JpegDecoder(file, nullptr, unlimited));
}

}  // namespace qturn::jpeg
