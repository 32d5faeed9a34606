// What a GPU is asked to turn, with a device that does it on the CPU.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "src/formats/jpeg/turn.hpp"
#include "tests/fixtures/device_proof.hpp"
#include "tests/kernels/jpeg/planar_coder.hpp"
#include "tests/kernels/jpeg/scans.hpp"

namespace qturn::tests::jpeg_scan_request_test {
using namespace jpeg;

namespace {

const std::atomic<bool> never{false};
const JpegOptions trimmed{JpegMode::lossless, JpegEdges::trim};

/// A JPEG of nothing but the scan that a device is told of.
Bytes bare_jpeg(const JpegScanLayout& scan, std::span<const std::byte> data) {
  Bytes file;
  const auto put = [&](std::initializer_list<std::size_t> bytes) {
    for (const std::size_t byte : bytes) file.push_back(static_cast<std::byte>(byte & 0xFF));
  };
  const auto begin = [&](std::size_t marker, std::size_t payload) {
    put({0xFF, marker, (payload + 2) >> 8, payload + 2});
  };
  const auto height = static_cast<std::size_t>(scan.size.height);
  const auto width = static_cast<std::size_t>(scan.size.width);
  const auto count = static_cast<std::size_t>(scan.components);
  put({0xFF, 0xD8});
  begin(0xDB, 65);
  file.resize(file.size() + 65, std::byte{1});
  file[file.size() - 65] = std::byte{0};
  begin(0xC1, 6 + 3 * count);
  put({8, height >> 8, height, width >> 8, width, count});
  for (std::size_t i = 0; i < count; ++i) {
    const auto& component = scan.component[i];
    put({i + 1, static_cast<std::size_t>(component.h << 4 | component.v), 0});
  }
  for (std::size_t i = 0; i < 2 * count; ++i) {
    const auto& component = scan.component[i / 2];
    const JpegHuffmanTable& table = i % 2 == 0 ? component.dc : component.ac;
    begin(0xC4, 17 + table.symbol_count());
    put({i % 2 << 4 | i / 2});
    for (std::size_t length = 1; length <= 16; ++length) put({table.bits[length]});
    for (std::size_t k = 0; k < table.symbol_count(); ++k) put({table.symbols[k]});
  }
  if (scan.restart_interval != 0) {
    begin(0xDD, 2);
    put({scan.restart_interval >> 8, scan.restart_interval});
  }
  begin(0xDA, 4 + 2 * count);
  put({count});
  for (std::size_t i = 0; i < count; ++i) put({i + 1, i << 4 | i});
  put({0, 63, 0});
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

bool is_asked(const Bytes& file, Orientation orientation = Orientation::rotate90,
              const JpegOptions& options = trimmed) {
  return JpegTurn(file, options).request(std::span(&orientation, 1)).has_value();
}

/// How much of the data of a request belongs to its scan, with the marker of the end.
std::size_t bytes_of_scan(const JpegScanLayout& scan, std::span<const std::byte> data) {
  const Bytes file = bare_jpeg(scan, data);
  const JpegFile parsed{std::span<const std::byte>(file)};
  return parsed.end - parsed.scans.at(0).data_at;
}

/// What a device makes of a request, with the GPU's own coder.
JpegMade made_of(const JpegRequest& request) {
  JpegMade made;
  const auto add = [&](std::span<const std::byte> data, const JpegPlanarResult* planar) {
    FileBytes picture = request.head(made.pictures.size(), planar);
    CHECK(picture.size() <= request.head_bytes);
    picture.append(data);
    made.pictures.push_back(std::move(picture));
  };
  for (const JpegScanTurn& turn : request.lossless) {
    const Coefficients read = read_scan(turn.src, request.data, Cut{jpeg::most_block_bits, 128});
    add(Writer(jpeg::turn_of(turn), turn.dst, read).write(), nullptr);
  }
  for (const JpegPlanarTurn& turn : request.planar) {
    const CodedPlanes turned = turn_by_planes(turn, request.data);
    JpegPlanarResult result{};
    for (int i = 0; i < turned.layout.components; ++i) {
      result.dc[i] = turned.layout.component[i].dc;
      result.ac[i] = turned.layout.component[i].ac;
    }
    add(turned.data, &result);
  }
  const JpegScanLayout& scan =
      request.lossless.empty() ? request.planar.front().src : request.lossless.front().src;
  made.data_bytes = bytes_of_scan(scan, request.data);
  return made;
}

class EmulatedDevice final : public JpegDevice {
 public:
  std::optional<JpegMade> turn(const JpegRequest& request) override { return made_of(request); }
  FileBytes memory(std::size_t) override { return {}; }
  bool is_of_use() override { return true; }
  std::string take_problem() override { return {}; }
};

/// Checks that the turns that a device is asked for give the CPU's files.
void check_same_files(const Bytes& file, const JpegOptions& options) {
  JpegTurn jpeg(file, options);
  const auto request = jpeg.request(all_orientations);
  REQUIRE(request);
  std::vector<std::string> warnings;
  jpeg.accept(*request, made_of(*request), warnings);
  CHECK(warnings.empty());
  for (const Orientation orientation : orientations_of(*request)) {
    INFO(name(orientation));
    REQUIRE(jpeg.is_made(orientation));
    const Bytes turned = jpeg.turn(orientation, never);
    CHECK((turned == tests::turn(file, orientation, options)));
    CHECK(jpeg.is_proved_by(made_of, turned, orientation) ==
          (jpeg.route(orientation) == Route::lossless));
  }
  CHECK(jpeg.is_made(Orientation::identity));
  CHECK(jpeg.file().is_complete());
  const JpegFile whole{std::span<const std::byte>(file)};
  CHECK(jpeg.file().end == whole.end);
  CHECK(jpeg.file().scans.at(0).bytes == whole.scans.at(0).bytes);
}

}  // namespace

TEST_CASE("a device that does what it is told gives the CPU's files") {
  const JpegOptions options =
      GENERATE(trimmed, by_planes, JpegOptions{JpegMode::lossless, JpegEdges::reencode});
  for (JpegPicture kind : one_scan_kinds()) {
    for (const Size size : {Size{96, 64}, Size{91, 61}}) {
      kind.width = static_cast<int>(size.width), kind.height = static_cast<int>(size.height);
      INFO("sampling " << kind.h << "x" << kind.v << ", space " << kind.space << ", " << size.width
                       << "x" << size.height);
      kind.markers = {{0xFE, Bytes(300, std::byte{7})}};
      Bytes file = make_jpeg(kind);
      check_same_files(file, options);
      const Bytes plain = file;
      file.resize(file.size() + 1000, std::byte{0x33});
      check_same_files(file, options);
      // It ends as a picture does, so the device has to find where the first one ends.
      file.insert(file.end(), plain.begin(), plain.end());
      check_same_files(file, options);
    }
  }
}

TEST_CASE("which outputs are moved, and which re-encoded, is asked of a device as of the CPU") {
  const Bytes file = make_jpeg({.width = 91, .height = 61, .h = 2, .v = 2});
  const JpegTurn jpeg(file, {JpegMode::lossless, JpegEdges::reencode});
  const auto request = jpeg.request(all_orientations);
  REQUIRE(request);
  CHECK(orientations_of(*request) == std::vector{Orientation::transpose, Orientation::flop,
                                                 Orientation::rotate180, Orientation::flip,
                                                 Orientation::rotate90, Orientation::transverse,
                                                 Orientation::rotate270});
  CHECK(request->lossless.size() == 1);
}

TEST_CASE("a device is asked for nothing that the header rules out") {
  const Bytes plain = make_jpeg({.width = 91, .height = 61, .h = 2, .v = 2});
  CHECK(is_asked(plain));
  CHECK(is_asked(plain, Orientation::rotate90, {JpegMode::lossless, JpegEdges::reencode}));
  CHECK_FALSE(is_asked(plain, Orientation::rotate90, {JpegMode::lossless, JpegEdges::tag}));
  CHECK(is_asked(plain, Orientation::transpose, {JpegMode::lossless, JpegEdges::reencode}));
  for (const JpegOptions& options : {trimmed, by_planes}) {
    CHECK_FALSE(is_asked(plain, Orientation::identity, options));
    CHECK_FALSE(is_asked(make_jpeg({.progressive = true}), Orientation::rotate90, options));
    CHECK_FALSE(is_asked(make_jpeg({.one_scan_each = true}), Orientation::rotate90, options));
  }

  Bytes cut = plain;
  cut.resize(cut.size() - 2);
  CHECK_FALSE(is_asked(cut));

  Bytes comment_at_end = plain;
  comment_at_end.insert(comment_at_end.end() - 2,
                        {std::byte{0xFF}, std::byte{0xFE}, std::byte{0}, std::byte{2}});
  CHECK(is_asked(comment_at_end));  // whoever reads the data finds it
  // libjpeg warns of it, and the result says so.
  Bytes other_coefficients = plain;
  const JpegFile parsed{std::span<const std::byte>(plain)};
  other_coefficients[parsed.scans.at(0).data_at - 2] = std::byte{62};
  CHECK_FALSE(is_asked(other_coefficients));
}

TEST_CASE("the data of a request ends where the header says more, or else with the file") {
  const auto asked_bytes = [](const Bytes& file) {
    return JpegTurn(file, trimmed).request(std::array{Orientation::flop}).value().data.size();
  };
  Bytes file = make_jpeg({.h = 2, .v = 2});
  const std::size_t alone = asked_bytes(file);
  const Bytes plain = file;
  file.insert(file.end(), plain.begin(), plain.end());
  CHECK(asked_bytes(file) == alone + plain.size());
  file.push_back(std::byte{0});
  CHECK(asked_bytes(file) == alone);
  JpegPicture with_index{.h = 2, .v = 2};
  with_index.markers = {{0xE2, Bytes(8)}};
  std::ranges::copy(bytes_of("MPF"), with_index.markers.front().data.begin());
  Bytes indexed = make_jpeg(with_index);
  indexed.insert(indexed.end(), plain.begin(), plain.end());
  CHECK(asked_bytes(indexed) == alone);
}

TEST_CASE("what a device has turned in place is turned back there, and a fault is found") {
  EmulatedDevice device;
  check_proof_of(device);
}

TEST_CASE("what a device has not done is turned by the CPU") {
  const Bytes file = make_jpeg({.h = 2, .v = 2});
  JpegTurn jpeg(file, trimmed);
  CHECK_FALSE(jpeg.is_made(Orientation::rotate90));
  CHECK_FALSE(jpeg.is_made(Orientation::identity));
}

}  // namespace qturn::tests::jpeg_scan_request_test
