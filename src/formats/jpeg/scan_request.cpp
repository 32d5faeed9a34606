#include "src/formats/jpeg/scan_request.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "src/formats/jpeg/libjpeg/header.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/route.hpp"
#include "src/formats/jpeg/writing/writer.hpp"

namespace qturn {
namespace {

constexpr std::size_t marker_bytes = 2;

// The data of the only scan with the marker of its end; empty if the file is of another kind.
std::span<const std::byte> only_scan_data(const JpegDecoder& decoder) {
  const JpegFile& file = decoder.file;
  if (decoder.info.progressive_mode || decoder.info.arith_code) return {};
  if (file.scan_count != 1 || file.scans.size() != 1) return {};
  const JpegScan& scan = file.scans.front();
  if (scan.components.size() != static_cast<std::size_t>(decoder.info.num_components)) return {};
  // libjpeg warns of other numbers when it begins the scan.
  if (scan.first != 0 || scan.last != DCTSIZE2 - 1 || scan.high != 0 || scan.low != 0) return {};
  // The marker that ends the scan is the end of the picture.
  if (scan.data_at + scan.bytes + marker_bytes != file.end) return {};
  return file.bytes.subspan(scan.data_at, scan.bytes + marker_bytes);
}

JpegScanLayout scan_layout(const JpegPicture& picture) {
  JpegScanLayout layout;
  layout.size = {picture.width, picture.height};
  const JpegScan& scan = picture.scans.front();
  layout.restart_interval = scan.restart_interval;
  for (const int index : components_of(picture, scan)) {
    const JpegComponent& component = picture.components[static_cast<std::size_t>(index)];
    const auto place = static_cast<std::size_t>(layout.components++);
    const JpegScanComponent& coded = scan.components[place];
    layout.component[place] = {component.h, component.v, coded.dc.value_or(JpegHuffmanTable{}),
                               coded.ac.value_or(JpegHuffmanTable{})};
  }
  return layout;
}

}  // namespace

std::optional<ScanRequest> scan_request(const JpegDecoder& decoder,
                                        std::span<const Orientation> orientations) {
  ScanRequest request{.data = only_scan_data(decoder), .turns = {}};
  if (request.data.empty()) return std::nullopt;
  auto heads = std::make_shared<std::vector<Bytes>>();
  try {
    const JpegPicture stored = describe_by_header(decoder);
    const JpegShape shape = shape_of(decoder.info);
    const JpegScanLayout src = scan_layout(stored);
    for (const Orientation orientation : orientations) {
      const Size whole = whole_blocks(shape, orientation);
      JpegPicture kept = stored;
      set_size(kept, static_cast<JDIMENSION>(whole.width), static_cast<JDIMENSION>(whole.height));
      const JpegPicture written = written_picture(kept, orientation);
      heads->push_back(header_before_scan(written));
      request.turns.push_back(
          {.src = src, .dst = scan_layout(written), .orientation = orientation});
    }
  } catch (const ImageFileError&) {
    return std::nullopt;  // the CPU's way reads the data first, and may say something else
  }
  request.finish = [heads, tail = decoder.file.trailing_data()](
                       std::size_t output, std::span<const std::byte> made, SpareBytes& spare) {
    const Bytes& head = (*heads)[output];
    Bytes file = spare.take(head.size() + made.size() + tail.size());
    file.assign(head.begin(), head.end());
    file.insert(file.end(), made.begin(), made.end());
    file.insert(file.end(), tail.begin(), tail.end());
    return file;
  };
  return request;
}

}  // namespace qturn
