#include "src/formats/container/container_turn.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/metadata/exif.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn {

std::span<const std::byte> exif_item_body(std::span<const std::byte> content) {
  constexpr std::size_t offset_bytes = 4;
  if (content.size() < offset_bytes) return {};
  const std::uint64_t skipped = big_endian(content, 0, offset_bytes);
  if (skipped > content.size() - offset_bytes) return {};
  return exif_body(content.subspan(offset_bytes + skipped));
}

std::optional<Orientation> exif_item_says(std::span<const std::byte> content) {
  return read_exif(exif_item_body(content)).orientation;
}

void set_exif_item(std::span<std::byte> content, Orientation orientation, bool is_turned,
                   std::vector<std::string>& warnings) {
  const std::span<const std::byte> body = exif_item_body(content);
  if (body.empty() || !set_orientation(content.last(body.size()), orientation)) {
    warnings.emplace_back("its Exif block is damaged and stays as it was");
  } else if (is_turned && read_exif(body).thumbnail) {
    warnings.emplace_back("the thumbnail in its Exif block is not turned");
  }
}

void set_xmp_item(std::span<std::byte> content, Orientation orientation, bool is_turned,
                  std::vector<std::string>& warnings) {
  const std::string_view packet = text_of(content);
  std::string turned = turn_xmp(packet, {.tag = orientation}, warnings);
  if (turned.size() > packet.size()) {
    throw ImageFileError("its XMP has no room for its orientation");
  }
  turned.resize(packet.size(), ' ');
  if (is_turned && packet.find("Regions") != packet.npos) {
    warnings.emplace_back("the regions in its XMP (faces) stay as they were");
  }
  std::ranges::copy(bytes_of(turned), content.begin());
}

void check_ignored(const std::vector<IgnoredOrientation>& all, Orientation shown,
                   MetadataCheck& check) {
  for (const IgnoredOrientation& each : all) {
    if (each.says == Orientation::identity || each.says == shown) continue;
    check.add(fmt::format("{} says orientation {}, the picture is shown by {}", each.where,
                          static_cast<int>(each.says), static_cast<int>(shown)));
  }
}

}  // namespace qturn
