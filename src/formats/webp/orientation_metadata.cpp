#include "src/formats/webp/orientation_metadata.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/formats/webp/chunks.hpp"
#include "src/metadata/xmp.hpp"

namespace qturn::webp {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::int32_t>::max();

}  // namespace

Bytes turn_webp_metadata(Bytes file, const MetadataTurn& turn, MissingTag missing,
                         std::vector<std::string>& warnings) {
  const std::vector<WebpChunk> chunks = webp_chunks(file);
  const auto has = [&](std::string_view type) {
    return std::any_of(chunks.begin(), chunks.end(),
                       [&](const WebpChunk& chunk) { return chunk.type == type; });
  };
  const bool adds =
      !has("EXIF") && missing == MissingTag::is_added && turn.tag != Orientation::identity;
  if (!adds && !has("EXIF") && !has("XMP ")) return file;
  if (adds && !has("VP8X")) {
    Metadata metadata;
    metadata.exif = minimal_exif(turn.tag);
    return assemble_webp(chunks, metadata);
  }

  // EXIF's place is after the pixels, before XMP.
  std::vector<std::pair<std::string_view, Bytes>> made;
  bool exif_seen = false, added = !adds;
  const auto add_exif = [&] {
    if (!std::exchange(added, true)) made.emplace_back("EXIF", minimal_exif(turn.tag));
  };
  for (const WebpChunk& chunk : chunks) {
    Bytes data(chunk.data.begin(), chunk.data.end());
    if (chunk.type == "VP8X" && adds && !data.empty()) data[0] |= std::byte{webp_has_exif};
    if (chunk.type == "EXIF") {
      const MissingTag its_missing =
          std::exchange(exif_seen, true) ? MissingTag::stays_absent : missing;
      data = turn_exif(chunk.data, turn, its_missing, no_limit, warnings);
    }
    if (chunk.type == "XMP ") {
      add_exif();
      const std::string_view packet = text_of(chunk.data);
      warn_of_other_orientation(packet, turn.stored, warnings);
      const std::string turned = turn_xmp(packet, turn, warnings);
      data.assign(bytes_of(turned).begin(), bytes_of(turned).end());
    }
    made.emplace_back(chunk.type, std::move(data));
  }
  add_exif();
  return write_webp(made);
}

}  // namespace qturn::webp
