// libjpeg's two codecs as owners, and its errors as exceptions.
//
// libjpeg is C: an exception must not pass through its frames. So errors leave them by longjmp and
// become exceptions in guarded(), and nothing with a destructor lives between the two.
#pragma once

#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "src/formats/jpeg/route.hpp"

// This header needs cstdio to be included before it.
#include <jpeglib.h>

#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/image.hpp"

namespace qturn::jpeg {

static_assert(BITS_IN_JSAMPLE == 8);

/// Rows of samples that libjpeg reads or writes in one call.
inline constexpr int rows_at_a_time = 16;

struct JpegErrors {
  jpeg_error_mgr base;  ///< first: libjpeg's pointer to it is a pointer to this
  std::jmp_buf jump;
  const std::atomic<bool>* stop;
  bool interrupted;
  bool goes_on;        ///< damage is left to libjpeg, which invents samples
  bool nothing_read;   ///< damage was met before a row was decoded
  bool lacks_end;      ///< the file has no marker for it, which libjpeg then invents
  bool met_end;        ///< it has done so
  int scan_count;      ///< of the file, as its markers are counted
  bool several_scans;  ///< the picture is complete only with the last of its scans
  char message[JMSG_LENGTH_MAX + 100];
  char note[JMSG_LENGTH_MAX];  ///< a harmless peculiarity; empty: none
};

/// Runs `steps`, which may call libjpeg and must own nothing. Throws ImageFileError for whatever
/// libjpeg reports, or Interrupted.
template <typename Steps>
void guarded(JpegErrors& errors, Steps steps) {
  if (setjmp(errors.jump) != 0) {
    if (errors.interrupted) throw Interrupted();
    throw ImageFileError(errors.message);
  }
  steps();
}

/// Leaves guarded() if the caller's stop flag is raised.
void check_stop(JpegErrors& errors);

/// A file that was parsed, and a decompressor that has read its header: each JPEG is opened once,
/// whatever is done with it afterwards.
///
/// Throws ImageFileError, there and in every later call under guarded(), also where libjpeg would
/// warn and go on with invented samples.
class JpegDecoder {
 public:
  /// Throws ImageFileError also for what is not supported, and for headers that no file of this
  /// size can fulfil; LimitError. `bytes` must outlive this.
  explicit JpegDecoder(std::span<const std::byte> bytes, const std::atomic<bool>* stop = nullptr,
                       const Limits& limits = {}, JpegFile::Part part = JpegFile::Part::all);
  ~JpegDecoder() { jpeg_destroy_decompress(&info); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  /// Lets decoding be given up as soon as `stop` is raised.
  void stop_by(const std::atomic<bool>& stop) { errors.stop = &stop; }

  /// Parses the file to its end, if only its header was. To be called before it is decoded. Throws
  /// LimitError.
  void complete();

  JpegFile file;
  JpegErrors errors;
  jpeg_decompress_struct info{};

 private:
  void expect_parsed();

  jpeg_progress_mgr progress_{};
};

/// A compressor that writes to memory.
class JpegEncoder {
 public:
  JpegEncoder(const std::atomic<bool>* stop, std::size_t expected_bytes);
  ~JpegEncoder() { jpeg_destroy_compress(&info); }
  JpegEncoder(const JpegEncoder&) = delete;
  JpegEncoder& operator=(const JpegEncoder&) = delete;

  /// What was written, after jpeg_finish_compress.
  Bytes take();

  JpegErrors errors;
  jpeg_compress_struct info{};

 private:
  struct Destination {
    jpeg_destination_mgr base;  // first, as above
    Bytes bytes;

    bool grow(std::size_t used, std::size_t more) noexcept;
  };

  jpeg_progress_mgr progress_{};
  Destination destination_{};
};

}  // namespace qturn::jpeg

// What a JPEG's header tells.

namespace qturn::jpeg {

JpegShape shape_of(const jpeg_decompress_struct& info);

/// The bytes that all coefficients of the picture take in memory.
std::uint64_t jpeg_coefficient_bytes(const jpeg_decompress_struct& info);

/// The header that read_jpeg_header() reads. Throws where the orientation cannot be told.
Header header_of(const JpegDecoder& decoder);

/// Adds what libjpeg found peculiar, and harmless.
void add_notes(const JpegDecoder& decoder, std::vector<std::string>& warnings);

}  // namespace qturn::jpeg
