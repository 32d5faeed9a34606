// What is remembered of a JPEG beside its samples, so that it can be written in its own way.
#ifndef QTURN_SRC_JPEG_EXTRAS_HPP
#define QTURN_SRC_JPEG_EXTRAS_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "src/formats/image.hpp"
#include "src/jpeg/huffman.hpp"
#include "src/jpeg/session.hpp"

namespace qturn {

inline constexpr int jpeg_max_components = 4;
inline constexpr int jpeg_rows_at_a_time = 16;

using JpegTable = std::array<UINT16, DCTSIZE2>;

struct JpegComponent {
  int id, h, v, table, dc_codes, ac_codes;
};

struct JpegMarker {
  int code;
  std::vector<std::byte> data;
};

struct JpegExtras final : Extras {
  J_COLOR_SPACE space{};
  int component_count = 0;
  std::array<JpegComponent, jpeg_max_components> components{};
  std::array<JpegTable, jpeg_max_components> tables{};  ///< of each component
  bool interleaved = true;
  /// Of a picture in one scan, by the numbers that components name; empty: the standard's are used.
  std::array<std::optional<JpegHuffmanTable>, NUM_HUFF_TBLS> dc_codes, ac_codes;
  unsigned restart_interval = 0;    ///< in MCUs, 0: none
  unsigned restart_rows = 0;        ///< the same, if it was whole rows of MCUs
  std::vector<JpegMarker> markers;  ///< APPn and COM, in order, the orientation set to 1
  std::size_t file_bytes = 0;
};

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_EXTRAS_HPP
