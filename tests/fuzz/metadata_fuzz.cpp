// Whatever bytes a file has, its metadata is turned or it is refused: nothing is read or written
// outside them, and what was turned says so. The first byte chooses what the rest is taken for, and
// whether thumbnails and what follows a JPEG are really turned; the second chooses the turn.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/formats/jpeg/metadata/orientation_metadata.hpp"
#include "src/formats/jpeg/turn.hpp"
#include "src/formats/tiff/orientation_metadata.hpp"
#include "src/formats/webp/chunks.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/exif_turn.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/image.hpp"
#include "tests/fixtures/every_codec.hpp"
#include "tests/fuzz/picture_checks.hpp"
#include "tests/fuzz/target.hpp"

namespace qturn::fuzz {
namespace {

using namespace jpeg;
using namespace tiff;
using namespace webp;

// A JPEG "turned": damaged, shorter, longer or as it was, by its size, so that these come often.
Bytes pretend_to_turn(std::span<const std::byte> jpeg, Orientation) {
  Bytes turned(jpeg.begin(), jpeg.end());
  if (jpeg.size() % 4 == 0) throw ImageFileError("damaged");
  if (jpeg.size() % 4 == 1) turned.insert(turned.end(), 100, std::byte{0x55});
  if (jpeg.size() % 4 == 2) turned.pop_back();
  return turned;
}

Bytes picture_alone(std::span<const std::byte> jpeg) {
  const auto alone = JpegFile(jpeg).without_trailing_data().bytes;
  return {alone.begin(), alone.end()};
}

void require_tag(std::span<const std::byte> tiff, const MetadataTurn& turn) {
  const StoredOrientation stored = stored_orientation(tiff);
  require(stored.certainty != StoredOrientation::Certainty::unknown);
  require(stored.certainty == StoredOrientation::Certainty::absent || stored.value == turn.tag);
}

}  // namespace

void fuzz_metadata(Input input) {
  if (input.size() < 2) return;
  constexpr unsigned pretends = 0x80;
  const unsigned data[] = {std::to_integer<unsigned>(input[0]),
                           std::to_integer<unsigned>(input[1])};
  const TurnEmbedded turn_one =
      data[0] & pretends ? pretend_to_turn : TurnEmbedded(turn_embedded_jpeg);
  const auto orientation_of = [](unsigned bits) { return static_cast<Orientation>(bits % 8 + 1); };
  const MetadataTurn turn{.stored = orientation_of(data[1]),
                          .pixels = orientation_of(data[1] >> 3),
                          .tag = data[1] & 0x40 ? Orientation::rotate90 : Orientation::identity,
                          .size = {48, 64},
                          .turn_embedded = turn_one};
  const MissingTag missing = data[1] & 0x80 ? MissingTag::is_added : MissingTag::stays_absent;
  const Input body = input.subspan(2);
  const Bytes file(body.begin(), body.end());
  const std::string_view text = text_of(body);
  std::vector<std::string> warnings;
  try {
    switch ((data[0] & ~pretends) % 6) {
      case 0: {
        read_exif(body);
        const Bytes turned = turn_exif(body, turn, missing, 65533, warnings);
        require_tag(exif_body(turned), turn);
        break;
      }
      case 1: {
        const std::string turned = turn_xmp(text, turn, warnings);
        if (warnings.empty()) {
          const XmpSays says = read_xmp(turned);
          require(!says.orientation || *says.orientation == (data[1] & 0x40 ? "6" : "1") ||
                  says.orientation->empty());
        }
        const auto items = container_items(text);
        with_container_lengths(text, std::vector<std::uint64_t>(items.size(), 12345));
        break;
      }
      case 2:
        check_unturned(body, jpeg::codec);
        finish_jpeg(JpegFile(body), picture_alone(body), turn.pixels, turn.size, turn_one, turn_one,
                    warnings);
        retag_jpeg(body, turn.tag, missing, turn_one, warnings);
        break;
      case 3:
        check_unturned(body, tiff::codec);
        require_tag(
            turn_tiff_metadata(file, turn,
                               data[0] & 0x40 ? OtherPages::are_tagged : OtherPages::are_turned,
                               missing, warnings),
            turn);
        break;
      case 4:
        turn_webp_metadata(file, turn, missing, warnings);
        break;
    }
  } catch (const ImageFileError&) {
  }
}

}  // namespace qturn::fuzz
