#include "src/formats/jpeg/libjpeg/session.hpp"

#include <fmt/format.h>
#include <jerror.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "src/formats/jpeg/codec.hpp"
#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/formats/jpeg/metadata/orientation_metadata.hpp"

namespace qturn::jpeg {
namespace {

JpegErrors& errors_of(j_common_ptr codec) { return *reinterpret_cast<JpegErrors*>(codec->err); }

[[noreturn]] void leave(JpegErrors& errors) { std::longjmp(errors.jump, 1); }

// How much of the picture was there when `decoder` met trouble: "after 812 of 3040 rows".
void describe_progress(jpeg_decompress_struct& decoder, char* text, std::size_t size) {
  if (decoder.input_scan_number == 0) {
    std::snprintf(text, size, "before the picture begins");
    return;
  }
  const auto rows =
      std::min<std::uint64_t>(std::uint64_t{decoder.input_iMCU_row} *
                                  static_cast<unsigned>(decoder.max_v_samp_factor) * DCTSIZE,
                              decoder.image_height);
  if (errors_of(reinterpret_cast<j_common_ptr>(&decoder)).several_scans) {
    std::snprintf(text, size, "after %llu of %u rows of scan %d",
                  static_cast<unsigned long long>(rows), decoder.image_height,
                  decoder.input_scan_number);
  } else {
    std::snprintf(text, size, "after %llu of %u rows", static_cast<unsigned long long>(rows),
                  decoder.image_height);
  }
}

void fail_damaged(j_common_ptr codec) {
  JpegErrors& errors = errors_of(codec);
  auto& decoder = *reinterpret_cast<j_decompress_ptr>(codec);
  char progress[80];
  describe_progress(decoder, progress, sizeof progress);
  if (errors.base.msg_code == JWRN_JPEG_EOF || errors.met_end) {
    std::snprintf(errors.message, sizeof errors.message, "truncated %s", progress);
  } else {
    char reason[JMSG_LENGTH_MAX];
    errors.base.format_message(codec, reason);
    std::snprintf(errors.message, sizeof errors.message, "damaged %s (%s)", progress, reason);
  }
  leave(errors);
}

// A warning means that libjpeg goes on with invented data, except for a few warnings that concern
// no sample.
void on_message(j_common_ptr codec, int level) {
  if (level >= 0 || !codec->is_decompressor) return;
  JpegErrors& errors = errors_of(codec);
  const auto& decoder = *reinterpret_cast<j_decompress_ptr>(codec);
  const int code = errors.base.msg_code;
  if (code == JWRN_JPEG_EOF && errors.lacks_end && !errors.goes_on) {
    // What lacks after that is met with another warning.
    errors.met_end = true;
    std::snprintf(errors.note, sizeof errors.note, "%s", no_end_marker);
    return;
  }
  const bool harmless = code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM ||
                        code == JWRN_NOT_SEQUENTIAL ||
                        (code == JWRN_EXTRANEOUS_DATA && decoder.input_scan_number == 0);
  if (!harmless && errors.goes_on) {
    errors.nothing_read |= decoder.input_scan_number <= 1 && decoder.input_iMCU_row == 0;
    return;
  }
  if (!harmless) fail_damaged(codec);
  if (errors.note[0] == '\0') errors.base.format_message(codec, errors.note);
}

void prepare(JpegErrors& errors, const std::atomic<bool>* stop) {
  errors.stop = stop;
  errors.interrupted = errors.several_scans = errors.goes_on = errors.nothing_read = false;
  errors.lacks_end = errors.met_end = false;
  errors.message[0] = errors.note[0] = '\0';
  jpeg_std_error(&errors.base);
  errors.base.error_exit = [](j_common_ptr codec) {
    JpegErrors& own = errors_of(codec);
    own.base.format_message(codec, own.message);
    leave(own);
  };
  errors.base.emit_message = on_message;
  errors.base.output_message = [](j_common_ptr) {};
}

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

// Refuses what is not supported, and headers that no file of this size can fulfil.
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
  // Each block of the first component takes at least one bit.
  const std::uint64_t blocks = (std::uint64_t{info.image_width} + DCTSIZE - 1) / DCTSIZE *
                               ((std::uint64_t{info.image_height} + DCTSIZE - 1) / DCTSIZE);
  if (blocks / 8 > file_bytes) {
    throw ImageFileError(fmt::format("{}x{} pixels cannot be in a file of {} bytes",
                                     info.image_width, info.image_height, file_bytes));
  }
}

}  // namespace

void check_stop(JpegErrors& errors) {
  if (errors.stop && errors.stop->load(std::memory_order_relaxed)) {
    errors.interrupted = true;
    leave(errors);
  }
}

JpegDecoder::JpegDecoder(std::span<const std::byte> bytes, const std::atomic<bool>* stop,
                         const Limits& limits, JpegFile::Part part)
    : file(bytes, limits, part) {
  prepare(errors, stop);
  expect_parsed();
  info.err = &errors.base;
  guarded(errors, [&] { jpeg_create_decompress(&info); });
  progress_.progress_monitor = [](j_common_ptr codec) {
    JpegErrors& own = errors_of(codec);
    check_stop(own);
    if (reinterpret_cast<j_decompress_ptr>(codec)->input_scan_number > own.scan_count) {
      std::snprintf(own.message, sizeof own.message, "damaged: a scan within a marker segment");
      leave(own);
    }
  };
  info.progress = &progress_;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  try {
    guarded(errors, [&] {
      jpeg_mem_src(&info, data, static_cast<unsigned long>(bytes.size()));
      jpeg_read_header(&info, TRUE);
      errors.several_scans = jpeg_has_multiple_scans(&info);
    });
    check_header(info, bytes.size());
  } catch (...) {
    jpeg_destroy_decompress(&info);
    throw;
  }
}

void JpegDecoder::complete() {
  file.complete();
  expect_parsed();
}

void JpegDecoder::expect_parsed() {
  errors.scan_count = static_cast<int>(file.scan_count);
  errors.lacks_end = file.lacks_end;
}

// Offers `more` free bytes after the `used` ones. False if there is no memory: libjpeg's frames lie
// above, so nothing may be thrown.
bool JpegEncoder::Destination::grow(std::size_t used, std::size_t more) noexcept {
  try {
    bytes.resize(used + more);
  } catch (const std::exception&) {
    return false;
  }
  base.next_output_byte = reinterpret_cast<JOCTET*>(bytes.data() + used);
  base.free_in_buffer = more;
  return true;
}

JpegEncoder::JpegEncoder(const std::atomic<bool>* stop, std::size_t expected_bytes) {
  prepare(errors, stop);
  info.err = &errors.base;
  guarded(errors, [&] { jpeg_create_compress(&info); });
  progress_.progress_monitor = [](j_common_ptr codec) { check_stop(errors_of(codec)); };
  info.progress = &progress_;
  destination_.base.init_destination = [](j_compress_ptr) {};
  destination_.base.empty_output_buffer = [](j_compress_ptr codec) -> boolean {
    auto& to = *reinterpret_cast<Destination*>(codec->dest);
    const std::size_t used = to.bytes.size();
    if (!to.grow(used, used)) ERREXIT1(codec, JERR_OUT_OF_MEMORY, 0);
    return TRUE;
  };
  destination_.base.term_destination = [](j_compress_ptr) {};
  if (!destination_.grow(0, expected_bytes)) {
    jpeg_destroy_compress(&info);
    throw std::bad_alloc();
  }
  info.dest = &destination_.base;
}

Bytes JpegEncoder::take() {
  destination_.bytes.resize(destination_.bytes.size() - destination_.base.free_in_buffer);
  return std::move(destination_.bytes);
}

std::string jpeg_library_version() {
  constexpr int number = LIBJPEG_TURBO_VERSION_NUMBER;
  return fmt::format("libjpeg-turbo {}.{}.{}", number / 1000000, number / 1000 % 1000,
                     number % 1000);
}

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
  look_at_segments(decoder.file.segments, header);
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
