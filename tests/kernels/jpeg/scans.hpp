// JPEGs as qturn::turn_jpegs() is told of them, and what the CPU makes of them, for the tests.
#pragma once

#include <qturn/jpeg_cuda.hpp>

#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "src/formats/jpeg/file/huffman_table.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/libjpeg/session.hpp"
#include "src/formats/jpeg/route.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"
#include "tests/fixtures/jpeg_turns.hpp"

namespace qturn::tests {

using namespace jpeg;

/// The one scan of a picture.
inline JpegScanLayout scan_layout(const qturn::jpeg::JpegPicture& picture) {
  JpegScanLayout layout;
  layout.size = {picture.width, picture.height};
  const JpegScan& scan = picture.scans.at(0);
  layout.restart_interval = scan.restart_interval;
  for (const int index : components_of(picture, scan)) {
    const auto& component = picture.components[static_cast<std::size_t>(index)];
    const auto& coded = scan.components[static_cast<std::size_t>(layout.components)];
    layout.component[layout.components++] = {component.h, component.v, coded.dc.value(),
                                             coded.ac.value()};
  }
  return layout;
}

/// A file, and how it is to be turned.
struct ScanTurn {
  Bytes file;
  JpegScanTurn turn;        ///< with neither data nor memory
  std::size_t data_at = 0;  ///< of the scan's data in the file

  ScanTurn(Bytes jpeg, Orientation orientation) : file(std::move(jpeg)) {
    JpegDecoder decoder{std::span<const std::byte>(file)};
    qturn::jpeg::JpegPicture stored = layout_of(decoder.info);
    stored.scans = decoder.file.scans;
    if (stored.scans.size() != 1) throw std::invalid_argument("not one scan");
    for (JpegScanComponent& component : stored.scans[0].components) {
      const auto *dc = decoder.info.dc_huff_tbl_ptrs[component.dc_slot],
                 *ac = decoder.info.ac_huff_tbl_ptrs[component.ac_slot];
      if (!component.dc && dc) component.dc = huffman_table_of(*dc);
      if (!component.ac && ac) component.ac = huffman_table_of(*ac);
    }
    data_at = stored.scans[0].data_at;
    turn.orientation = orientation;
    turn.src = scan_layout(stored);
    const Size whole = whole_blocks(shape_of(decoder.info), orientation);
    set_size(stored, static_cast<JDIMENSION>(whole.width), static_cast<JDIMENSION>(whole.height));
    turn.dst = scan_layout(turned(stored, orientation));
    for (int i = 0; i < turn.dst.components; ++i) {
      auto& component = turn.dst.component[i];
      component.dc = complete(component.dc, JpegSymbols::dc);
      component.ac = complete(component.ac, JpegSymbols::ac);
    }
  }

  std::span<const std::byte> data() const {
    return std::span<const std::byte>(file).subspan(data_at);
  }
};

/// The data of the one scan of a file, with the marker of its end.
inline Bytes scan_data(const Bytes& file) {
  const JpegFile parsed{std::span<const std::byte>(file)};
  const JpegScan& scan = parsed.scans.at(0);
  const auto first = file.begin() + static_cast<std::ptrdiff_t>(scan.data_at);
  return {first, first + static_cast<std::ptrdiff_t>(scan.bytes + 2)};
}

/// The same of the file turned by the CPU.
inline Bytes turned_scan_data(const Bytes& file, Orientation orientation) {
  return scan_data(turn(file, orientation, {JpegMode::lossless, JpegEdges::trim}));
}

}  // namespace qturn::tests
