#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string_view>

#include "src/carriers/exif.hpp"
#include "src/jpeg/codec.hpp"
#include "src/jpeg/extras.hpp"
#include "src/jpeg/markers.hpp"
#include "src/jpeg/session.hpp"

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

// Throws for what is not supported, and for headers that no file of this size can fulfil.
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

// The orientation of the first Exif block, which is the one that readers look at.
Orientation stored_in(const std::vector<JpegSegment>& segments) {
  for (const JpegSegment& segment : segments) {
    if (is_exif(segment)) return orientation_of_exif(segment.payload);
  }
  return Orientation::identity;
}

JpegHuffmanTable huffman_table(const JHUFF_TBL& table) {
  JpegHuffmanTable copied;
  std::copy_n(table.bits, copied.bits.size(), copied.bits.begin());
  std::copy_n(table.huffval, copied.symbols.size(), copied.symbols.begin());
  return copied;
}

// The tables of a picture in one scan; nothing for others, whose tables changed on the way.
void keep_huffman_tables(const jpeg_decompress_struct& info, JpegExtras& extras) {
  for (int i = 0; i < NUM_HUFF_TBLS; ++i) {
    if (info.dc_huff_tbl_ptrs[i]) {
      extras.dc_codes[i] = complete(huffman_table(*info.dc_huff_tbl_ptrs[i]), JpegSymbols::dc);
    }
    if (info.ac_huff_tbl_ptrs[i]) {
      extras.ac_codes[i] = complete(huffman_table(*info.ac_huff_tbl_ptrs[i]), JpegSymbols::ac);
    }
  }
}

// Bytes of the coefficients of the whole picture, which libjpeg holds for files of several scans.
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

Metadata metadata_of(const std::vector<JpegMarker>& markers) {
  Metadata metadata;
  std::array<std::span<const std::byte>, 256> profile;  // its parts by their number
  for (const JpegMarker& marker : markers) {
    const std::span<const std::byte> data(marker.data);
    const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
    const JpegSegment segment{static_cast<unsigned char>(marker.code), 0, data};
    if (is_exif(segment) && metadata.exif.empty()) {
      const auto body = exif_body(data);
      metadata.exif.assign(body.begin(), body.end());
    } else if (marker.code == JPEG_APP0 + 1 && text.starts_with(xmp_signature)) {
      metadata.xmp = text.substr(xmp_signature.size());
    } else if (marker.code == JPEG_APP0 + 2 && text.starts_with(icc_signature) &&
               text.size() >= icc_signature.size() + 2) {
      const auto number = std::to_integer<std::size_t>(data[icc_signature.size()]);
      profile[number] = data.subspan(icc_signature.size() + 2);
    } else if (marker.code == JPEG_COM && metadata.comment.empty()) {
      metadata.comment = text.substr(0, text.find('\0'));
    }
  }
  for (const auto part : profile) metadata.icc.insert(metadata.icc.end(), part.begin(), part.end());
  return metadata;
}

std::shared_ptr<JpegExtras> extras_of(const JpegDecoder& decoder) {
  const jpeg_decompress_struct& info = decoder.info;
  auto extras = std::make_shared<JpegExtras>();
  extras->space = info.jpeg_color_space;
  extras->component_count = std::min(info.num_components, jpeg_max_components);
  for (int i = 0; i < extras->component_count; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    extras->components[i] = {component.component_id,  component.h_samp_factor,
                             component.v_samp_factor, component.quant_tbl_no,
                             component.dc_tbl_no,     component.ac_tbl_no};
    std::copy_n(component.quant_table->quantval, DCTSIZE2, extras->tables[i].begin());
  }
  extras->interleaved = !decoder.errors.several_scans || info.progressive_mode;
  if (!decoder.errors.several_scans) keep_huffman_tables(info, *extras);
  extras->restart_interval = info.restart_interval;
  const unsigned mcu_width = static_cast<unsigned>(info.max_h_samp_factor) * DCTSIZE;
  const unsigned mcus_per_row = (info.image_width + mcu_width - 1) / mcu_width;
  if (info.restart_interval % mcus_per_row == 0) {
    extras->restart_rows = info.restart_interval / mcus_per_row;
  }
  for (const jpeg_marker_struct* saved = info.marker_list; saved; saved = saved->next) {
    const auto* data = reinterpret_cast<const std::byte*>(saved->data);
    JpegMarker marker{saved->marker, Bytes(data, data + saved->data_length)};
    const JpegSegment segment{saved->marker, 0, marker.data};
    if (is_exif(segment)) marker.data = upright_exif(marker.data);
    extras->markers.push_back(std::move(marker));
  }
  extras->metadata = metadata_of(extras->markers);
  return extras;
}

// A file can end in order and still lack data: the scans of one component, or the last refinements
// of a progressive picture.
void check_complete(const jpeg_decompress_struct& info) {
  for (int i = 0; i < info.num_components; ++i) {
    if (!info.comp_info[i].quant_table) {
      throw ImageFileError(
          fmt::format("component {} of {} is missing", i + 1, info.num_components));
    }
    if (!info.progressive_mode) continue;
    const int* bits = info.coef_bits[i];
    if (bits[0] != 0 || std::any_of(bits + 1, bits + DCTSIZE2, [](int left) { return left > 0; })) {
      throw ImageFileError("the last scans of the progressive picture are missing");
    }
  }
}

}  // namespace

Header read_jpeg_header(std::span<const std::byte> file) {
  const std::vector<JpegSegment> segments = jpeg_header_segments(file);
  JpegDecoder decoder(file, nullptr);
  const jpeg_decompress_struct& info = decoder.info;
  check_header(info, file.size());

  Header header;
  header.width = info.image_width;
  header.height = info.image_height;
  header.stored = stored_in(segments);
  header.pixel_bytes_total = std::uint64_t{info.image_width} * info.image_height *
                             static_cast<std::uint64_t>(info.num_components);
  // The output, about as large as the input, in a buffer that may have to double; and coefficients.
  header.working_bytes = (1 << 20) + 4 * std::uint64_t{file.size()};
  if (decoder.errors.several_scans) header.working_bytes += coefficient_bytes(info);
  return header;
}

Image decode_jpeg(std::span<const std::byte> file, JpegSamples samples, PixelArena& arena,
                  const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  const std::vector<JpegSegment> segments = jpeg_header_segments(file);
  JpegDecoder decoder(file, &stop);
  jpeg_decompress_struct& info = decoder.info;
  check_header(info, file.size());

  Image image{.format = Format::jpeg, .stored = stored_in(segments), .pages = {}, .extras = {}};
  if (samples == JpegSamples::as_stored) {
    info.out_color_space = info.jpeg_color_space;
    info.do_fancy_upsampling = FALSE;
  } else if (info.num_components == 4) {
    throw ImageFileError("a CMYK JPEG can only be written as a JPEG");
  } else {
    info.out_color_space = info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  }
  // Smoothing would guess what the scans of a progressive file did not say.
  info.do_block_smoothing = FALSE;

  Page page{.width = info.image_width,
            .height = info.image_height,
            .channels = info.num_components,
            .type = SampleFormat::u8};
  page.pixels = arena.take(page.bytes());
  guarded(decoder.errors, [&] {
    jpeg_start_decompress(&info);
    JSAMPROW rows[jpeg_rows_at_a_time];
    while (info.output_scanline < info.output_height) {
      check_stop(decoder.errors);
      const JDIMENSION count =
          std::min<JDIMENSION>(jpeg_rows_at_a_time, info.output_height - info.output_scanline);
      for (JDIMENSION i = 0; i < count; ++i) {
        rows[i] = static_cast<JSAMPLE*>(page.pixels) +
                  static_cast<std::size_t>(page.row_bytes()) * (info.output_scanline + i);
      }
      jpeg_read_scanlines(&info, rows, count);
    }
    // What is kept of the file below is gone once the decoder is finished: only look for the end.
    while (jpeg_consume_input(&info) != JPEG_REACHED_EOI) {
    }
  });
  check_complete(info);
  image.pages.push_back(page);
  const std::shared_ptr<JpegExtras> extras = extras_of(decoder);
  extras->file_bytes = file.size();
  if (samples == JpegSamples::as_stored) {
    image.extras = extras;
  } else {
    auto portable = std::make_shared<Extras>();
    portable->metadata = std::move(extras->metadata);
    image.extras = portable;
  }

  if (decoder.errors.note[0] != '\0') warnings.emplace_back(decoder.errors.note);
  const std::span rest(info.src->next_input_byte, info.src->bytes_in_buffer);
  if (std::any_of(rest.begin(), rest.end(), [](JOCTET byte) { return byte != 0; })) {
    warnings.push_back(fmt::format(
        "{} bytes after the end of the picture (previews, a gain map, a video) are not kept",
        rest.size()));
  }
  return image;
}

}  // namespace qturn
