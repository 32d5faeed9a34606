// libjpeg's two codecs as owners, and its errors as exceptions.
//
// libjpeg is C: an exception must not pass through its frames. So errors leave them by longjmp and
// become exceptions in guarded(), and nothing with a destructor lives between the two.
#ifndef QTURN_SRC_JPEG_SESSION_HPP
#define QTURN_SRC_JPEG_SESSION_HPP

#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <span>

// After cstdio, which it needs.
#include <jpeglib.h>

#include "src/formats/codec.hpp"
#include "src/formats/image.hpp"

namespace qturn {

static_assert(BITS_IN_JSAMPLE == 8);

/// Encoders write about ten scans. Each costs a pass over the picture, so a small file with
/// thousands of them is an attack on the reader's time.
inline constexpr int jpeg_max_scans = 200;

struct JpegErrors {
  jpeg_error_mgr base;  ///< first: libjpeg's pointer to it is a pointer to this
  std::jmp_buf jump;
  const std::atomic<bool>* stop;
  bool interrupted;
  bool several_scans;  ///< the picture is complete only with the last of its scans
  char message[JMSG_LENGTH_MAX + 100];
  char note[JMSG_LENGTH_MAX];  ///< a harmless peculiarity; empty: none
};

/// Runs `steps`, which may call libjpeg and must own nothing, and throws what libjpeg complains of:
/// ImageFileError, or Interrupted.
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

/// A decompressor that has read the header and keeps the APPn and COM markers. `file` must outlive
/// it.
///
/// Throws ImageFileError, there and in every later call under guarded(), also where libjpeg would
/// warn and go on with invented samples.
class JpegDecoder {
 public:
  JpegDecoder(std::span<const std::byte> file, const std::atomic<bool>* stop);
  ~JpegDecoder() { jpeg_destroy_decompress(&info); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  JpegErrors errors;
  jpeg_decompress_struct info{};

 private:
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

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_SESSION_HPP
