// Feeds libFuzzer's inputs to the turning of JPEGs. Damage may only ever be an ImageFileError; what
// is turned must be readable, and give the source's coefficients when turned back. Coefficients
// that are read without libjpeg must be its own. With what a device is asked for, the file must be
// the CPU's.
#include <vector>

#include "src/formats/jpeg/codec.hpp"
#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/formats/jpeg/lossless.hpp"
#include "src/formats/jpeg/turn.hpp"
#include "tests/fixtures/jpeg_readers.hpp"
#include "tests/fuzz/target.hpp"

namespace qturn::fuzz {
namespace {

using namespace jpeg;

const std::atomic<bool> never{false};

// What libjpeg makes of the file; nothing for CMYK.
std::vector<unsigned char> pixels_of(const Bytes& file) {
  PixelArena arena;
  std::vector<std::string> warnings;
  try {
    const Image image = decode_jpeg(file, arena, never, warnings);
    const auto* data = static_cast<const unsigned char*>(image.pages.front().pixels);
    return {data, data + image.pages.front().bytes()};
  } catch (const ImageFileError& error) {
    require(std::string_view(error.what()).starts_with("a CMYK"), error.what());
    return {};
  }
}

// With the data and the tables that the CPU has made, a device's file is the CPU's.
void check_device_request(const Bytes& file, Orientation orientation, const Bytes& planar) {
  const JpegTurn asked(file, {JpegMode::planar, JpegEdges::fail});
  const auto request = asked.request(std::span(&orientation, 1));
  if (!request) return;
  // A device gives up where another marker than the end of the picture follows the data.
  const JpegFile stored{std::span<const std::byte>(file)};
  const JpegScan& only = stored.scans.at(0);
  if (only.data_at + only.bytes + 2 != stored.end) return;
  const JpegFile made{std::span<const std::byte>(planar)};
  const JpegScan& scan = made.scans.at(0);
  const JpegPlanarTurn& turn = request->planar.at(0);
  require(turn.restart_interval == scan.restart_interval, "a device is told other intervals");
  JpegPlanarResult tables{};
  for (std::size_t i = 0; i < scan.components.size(); ++i) {
    tables.dc[i] = scan.components[i].dc.value();
    tables.ac[i] = scan.components[i].ac.value();
    require(turn.dc_table[i] == scan.components[i].dc_slot &&
                turn.ac_table[i] == scan.components[i].ac_slot,
            "a device is told other tables");
  }
  constexpr std::size_t end_marker_bytes = 2;
  const auto data = made.bytes.subspan(scan.data_at, scan.bytes + end_marker_bytes);
  FileBytes device = request->head(0, &tables);
  require(device.size() <= request->head_bytes, "a head is longer than a device is told");
  device.append(data);
  device.append(made.trailing_data());
  require(Bytes(std::move(device)) == planar, "a device's file is another");
}

void check(const Bytes& file, Orientation orientation) {
  constexpr JpegOptions lossless{JpegMode::lossless, JpegEdges::fail};
  if (const auto own = tests::own_coefficients(file)) {
    try {
      require(*own == tests::libjpeg_coefficients(file), "libjpeg reads other coefficients");
    } catch (const ImageFileError& error) {
      require(false, error.what());
    }
  }
  if (JpegTurn(file, lossless).route(orientation) == Route::lossless) {
    const Bytes turned = turned_jpeg(file, orientation, lossless);
    try {
      const Bytes same = turned_jpeg(file, Orientation::identity, lossless);
      // Not the same bytes: an interval between restarts may be whole rows only when turned.
      require(pixels_of(turned_jpeg(turned, inverse(orientation), lossless)) == pixels_of(same),
              "not the same turned back");
      require(pixels_of(file) == pixels_of(same), "libjpeg sees another picture");
    } catch (const ImageFileError& error) {
      require(false, error.what());
    }
  }
  const auto require_readable = [&](const Bytes& turned) {
    try {
      turned_jpeg(turned, Orientation::identity, lossless);
    } catch (const ImageFileError& error) {
      require(false, error.what());
    }
  };
  const Bytes planar = turned_jpeg(file, orientation, {JpegMode::planar, JpegEdges::fail});
  require_readable(planar);
  pixels_of(file);  // of what is turned, libjpeg reads all, without a warning
  check_device_request(file, orientation, planar);
  require_readable(turned_jpeg(file, orientation, {JpegMode::lossless, JpegEdges::trim}));
}

void salvage(const Bytes& file) {
  if (read_jpeg_header(file).pixel_bytes_total > largest_picture) return;
  PixelArena arena;
  require(salvage_jpeg(file, arena, never).pages.size() == 1, "nothing is salvaged");
}

}  // namespace

void fuzz_jpeg(Input input) {
  const Bytes file(input.begin(), input.end());
  unsigned sum = 0;
  for (const std::byte byte : input) sum += std::to_integer<unsigned>(byte);
  const auto orientation = static_cast<Orientation>(2 + sum % 7);
  try {
    check(file, orientation);
  } catch (const ImageFileError&) {
  }
  try {
    salvage(file);
  } catch (const ImageFileError&) {
  }
}

}  // namespace qturn::fuzz
