#include "src/turn/encode.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "src/formats/table.hpp"
#include "src/metadata/exif_turn.hpp"
#include "src/metadata/xmp.hpp"

namespace qturn {
namespace {

MetadataTurn metadata_turn(const Image& turned, Orientation applied) {
  const Page& page = turned.pages.front();
  const Size size =
      turned.canvas ? turned_size(applied, *turned.canvas) : Size{page.width, page.height};
  return {.stored = turned.stored, .pixels = applied, .size = size, .turn_embedded = turn_embedded};
}

/// The Exif block, the XMP packet and the resolution turned; all else as it was.
Metadata turn_metadata(Metadata metadata, const MetadataTurn& turn,
                       std::vector<std::string>& warnings) {
  if (!metadata.exif.empty()) {
    metadata.exif = turn_exif(metadata.exif, turn, MissingTag::stays_absent,
                              std::numeric_limits<std::uint32_t>::max(), warnings);
  }
  if (metadata.resolution && swaps_axes(turn.pixels)) {
    std::swap(metadata.resolution->x, metadata.resolution->y);
  }
  if (!metadata.xmp.empty()) {
    warn_of_other_orientation(metadata.xmp, turn.stored, warnings);
    metadata.xmp = turn_xmp(metadata.xmp, turn, warnings);
  }
  return metadata;
}

// The metadata that goes to another format, turned with the pixels.
Image with_turned_metadata(const Image& turned, Orientation applied,
                           std::vector<std::string>& warnings) {
  const std::shared_ptr<Extras> extras = turned.extras->copy();
  extras->metadata =
      turn_metadata(turned.extras->metadata, metadata_turn(turned, applied), warnings);
  Image image = turned;
  image.extras = extras;
  return image;
}

}  // namespace

Bytes turn_embedded(std::span<const std::byte> file, Orientation orientation) {
  const Codec* codec = codec_of_content(file, {});
  if (!codec || !codec->turn_embedded) throw ImageFileError("it is not a JPEG or a PNG");
  return codec->turn_embedded(file, orientation);
}

Bytes encode(const Image& image, Orientation applied, const Codec& target,
             const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  if (image.format == &target) {
    Bytes encoded = target.encode(image, applied, stop, warnings);
    if (!target.finish) return encoded;
    return target.finish(std::move(encoded), metadata_turn(image, applied), warnings);
  }
  if (!image.extras) return target.encode(image, applied, stop, warnings);
  const Image turned = with_turned_metadata(image, applied, warnings);
  const Metadata& metadata = turned.extras->metadata;
  if (!target.keeps_metadata) {
    for (const auto& [what, is_there] : {std::pair{"its colour profile is", !metadata.icc.empty()},
                                         {"its Exif block is", !metadata.exif.empty()},
                                         {"its XMP is", !metadata.xmp.empty()}}) {
      if (is_there) warnings.push_back(fmt::format("{} not kept in {}", what, target.name));
    }
  }
  return target.encode(turned, applied, stop, warnings);
}

std::string no_place_for_orientation(const Codec& codec) {
  return fmt::format("{} has no place for an orientation, so only its pixels can be turned",
                     codec.name);
}

Bytes retag(std::span<const std::byte> file, const Codec& codec, Orientation tag,
            MissingTag missing, std::vector<std::string>& warnings) {
  if (!codec.retag) throw ImageFileError(no_place_for_orientation(codec));
  return codec.retag(file, tag, missing, turn_embedded, warnings);
}

}  // namespace qturn
