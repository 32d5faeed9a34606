// The header of a JPEG, read on the CPU: what the functions for the GPU need to know.
//
//   const qturn::JpegHeader header = qturn::read_jpeg_header(file.data(), file.size());
//   qturn::JpegScanDecode picture = header.to_decode();
//   picture.data = on_device;  // a copy of the file's bytes from header.data_at on
//   picture.bytes = file.size() - header.data_at;
//   picture.pixels = {.data = pixels, .width = header.scan.size.width,
//                     .height = header.scan.size.height, .pitch = pitch, .pixel_bytes = 3};
//
// Threads: any number of threads may call; nothing is kept between calls.
#ifndef QTURN_JPEG_HEADER_HPP
#define QTURN_JPEG_HEADER_HPP

#include <qturn/export.hpp>
#include <qturn/jpeg_cuda.hpp>
#include <qturn/jpeg_decode_cuda.hpp>
#include <qturn/jpeg_planar_cuda.hpp>
#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace qturn {

/// Why a JPEG is not one for the GPU.
enum class JpegRefusal : std::uint8_t {
  not_a_jpeg,      ///< it does not begin with the marker SOI
  damaged_header,  ///< it is cut or contradicts itself before the first scan
  progressive,
  arithmetic,     ///< arithmetic coding
  lossless,       ///< the lossless process of T.81 (not a turn without loss)
  hierarchical,   ///< several frames of one picture
  sample_bits,    ///< not 8 bits per sample
  several_scans,  ///< the first scan does not hold all components
  components,     ///< not 1 to 4, or they are sampled as no MCU can be
  no_size,        ///< the height comes after the scan (marker DNL)
  tables,         ///< a table is missing, as in frames of a video, or is not a prefix code
};

/// A JPEG is refused. what() says why, in words: "it is a progressive JPEG".
class QTURN_EXPORT JpegRefused : public std::runtime_error {
 public:
  /// `what` says it in words.
  JpegRefused(JpegRefusal why, const std::string& what) : std::runtime_error(what), why_(why) {}

  /// The reason.
  JpegRefusal why() const { return why_; }

 private:
  JpegRefusal why_;
};

/// What a header says about its picture, which is in one scan.
struct JpegHeader {
  JpegScanLayout scan;
  JpegSteps steps[4]{};  ///< quantisation, by component of `scan`
  /// Numbers of the Huffman tables, by component of `scan`. Equal numbers mean the same table.
  std::uint8_t dc_table[4]{}, ac_table[4]{};
  /// Whether the components are Y, Cb and Cr, by the rules of libjpeg: a JFIF marker, Adobe's, or
  /// the names of the components. Only then are JpegScanDecode::pixels the picture's.
  bool is_ycbcr = false;
  std::size_t data_at = 0;  ///< where the entropy-coded data begins in the file

  /// The picture for decode_jpegs(), without data and memory.
  JpegScanDecode to_decode() const {
    JpegScanDecode decode;
    decode.src = scan;
    for (int i = 0; i < scan.components; ++i) decode.component[i].steps = steps[i];
    return decode;
  }

  /// The picture for turn_jpegs_by_planes(), without data and memory. A restart interval stays the
  /// same number of MCUs.
  JpegPlanarTurn to_turn_by_planes(Orientation orientation) const {
    JpegPlanarTurn turn;
    turn.src = scan;
    turn.orientation = orientation;
    turn.restart_interval = scan.restart_interval;
    for (int i = 0; i < scan.components; ++i) {
      turn.steps[i] = steps[i];
      turn.dc_table[i] = dc_table[i];
      turn.ac_table[i] = ac_table[i];
    }
    return turn;
  }
};

/// Reads the header of a JPEG in host memory, `bytes` bytes at `file`. It stops after the header of
/// the first scan.
///
/// jpeg_workspace() and jpeg_decode_workspace() take its `scan` as `src`. The caller makes
/// JpegScanTurn::dst. The orientation that the file is tagged with (Exif) is not read.
///
/// Throws JpegRefused for every other JPEG, and for what is not a JPEG. Damage in the data is found
/// by the GPU (JpegFault).
///
/// The rules are in ITU T.81, annex B.
QTURN_EXPORT JpegHeader read_jpeg_header(const void* file, std::size_t bytes);

}  // namespace qturn

#endif  // QTURN_JPEG_HEADER_HPP
