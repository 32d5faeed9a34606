#include "src/formats/jpeg/scan_request.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/jpeg/src/header.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/libjpeg/session.hpp"
#include "src/formats/jpeg/proof.hpp"
#include "src/formats/jpeg/route.hpp"
#include "src/formats/jpeg/writing/writer.hpp"

namespace qturn::jpeg {

bool is_only_scan(const JpegDecoder& decoder) {
  if (decoder.info.progressive_mode || decoder.info.arith_code) return false;
  if (decoder.file.scans.size() != 1) return false;
  const JpegScan& scan = decoder.file.scans.front();
  // libjpeg warns of other numbers when it begins the scan.
  return scan.components.size() == static_cast<std::size_t>(decoder.info.num_components) &&
         scan.first == 0 && scan.last == DCTSIZE2 - 1 && scan.high == 0 && scan.low == 0;
}

std::span<const std::byte> only_scan_data(const JpegDecoder& decoder) {
  constexpr std::size_t marker_bytes = 2;
  const JpegFile& file = decoder.file;
  if (!is_only_scan(decoder) || file.scan_count != 1) return {};
  const JpegScan& scan = file.scans.front();
  if (!file.is_complete()) return file.bytes.subspan(scan.data_at);
  // The marker that ends the scan is the end of the picture.
  if (scan.data_at + scan.bytes + marker_bytes != file.end) return {};
  return file.bytes.subspan(scan.data_at, scan.bytes + marker_bytes);
}

namespace {

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

/// Without what `orientation` would bring to an edge that does not fill a block.
JpegPicture kept_of(JpegPicture stored, const JpegDecoder& decoder, Orientation orientation) {
  const Size whole = whole_blocks(shape_of(decoder.info), orientation);
  set_size(stored, static_cast<JDIMENSION>(whole.width), static_cast<JDIMENSION>(whole.height));
  return stored;
}

JpegScanTurn lossless_turn(const JpegScanLayout& src, const JpegPicture& written,
                           Orientation orientation) {
  return {.src = src, .dst = scan_layout(written), .orientation = orientation};
}

// The header of a picture turned by planes. Its tables are known when the device has made them.
Bytes header_with_tables(JpegPicture picture, const JpegPlanarResult& made) {
  std::vector<JpegScanComponent>& components = picture.scans.front().components;
  for (std::size_t i = 0; i < components.size(); ++i) {
    components[i].dc = made.dc[i];
    components[i].ac = made.ac[i];
  }
  return header_before_scan(picture);
}

/// What comes before the data of each output.
struct Heads {
  std::vector<Bytes> lossless;
  std::vector<JpegPicture> planar;  ///< as the heads describe them, but for the tables

  Bytes of(std::size_t output, const JpegPlanarResult* made) const {
    if (output < lossless.size()) return lossless[output];
    return header_with_tables(planar[output - lossless.size()], *made);
  }
  std::size_t most_bytes() const {
    // Four components, each with two tables.
    constexpr std::size_t tables = std::size_t{8} * (4 + 17 + 256);
    std::size_t most = 0;
    for (const Bytes& head : lossless) most = std::max(most, head.size());
    for (const JpegPicture& picture : planar)
      most = std::max(most, header_before_scan(picture).size() + tables);
    return most;
  }
};

}  // namespace

std::optional<JpegRequest> scan_request(const JpegDecoder& decoder,
                                        std::span<const Orientation> lossless,
                                        std::span<const Orientation> planar) {
  JpegRequest request{.data = only_scan_data(decoder), .lossless = {}, .planar = {}};
  if (request.data.empty()) return std::nullopt;
  const auto heads = std::make_shared<Heads>();
  try {
    const JpegPicture stored = describe_by_header(decoder);
    const JpegHeader header = header_of_scan(decoder.file.bytes);
    for (const Orientation orientation : lossless) {
      const JpegPicture written =
          written_picture(kept_of(stored, decoder, orientation), orientation);
      heads->lossless.push_back(header_before_scan(written));
      request.lossless.push_back(lossless_turn(header.scan, written, orientation));
    }
    for (const Orientation orientation : planar) {
      JpegPicture picture = turned(stored, orientation);
      request.planar.push_back(header.to_turn_by_planes(orientation));
      request.planar.back().restart_interval = picture.scans.front().restart_interval;
      heads->planar.push_back(std::move(picture));
    }
  } catch (const JpegRefused&) {
    return std::nullopt;
  } catch (const ImageFileError&) {
    return std::nullopt;  // the CPU's way reads the data first, and may say something else
  }
  request.head_bytes = heads->most_bytes();
  request.head = [heads](std::size_t output, const JpegPlanarResult* made) {
    return heads->of(output, made);
  };
  return request;
}

std::optional<JpegRequest> request_back(const JpegDecoder& source, const JpegDecoder& result,
                                        Orientation applied) {
  const auto data = only_scan_data(result);
  if (data.empty() || only_scan_data(source).empty()) return std::nullopt;
  const JpegPicture stored = describe_by_header(source), found = describe_by_header(result);
  const JpegPicture kept = kept_of(stored, source, applied);
  prove_layout(kept, found, applied);
  if (kept.width != stored.width || kept.height != stored.height) return std::nullopt;
  if (components_of(stored, stored.scans.front()) != components_of(found, found.scans.front()))
    return std::nullopt;
  return JpegRequest{.data = data,
                     .lossless = {lossless_turn(scan_layout(found), stored, inverse(applied))},
                     .planar = {},
                     .head = [](std::size_t, const JpegPlanarResult*) { return Bytes(); }};
}

}  // namespace qturn::jpeg
