// A turn that changes what all readers of a format obey, and no pixel.
#pragma once

#include <fmt/format.h>
#include <qturn/orientation.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/formats/codec/compressed_turn.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/metadata_check.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn {

/// `File` is a file that was read as far as it can be without a decoder.
template <typename File>
class ContainerTurn final : public CompressedTurn {
 public:
  using Turn = Bytes (*)(const File&, Orientation, std::vector<std::string>& warnings);
  using WhyNot = std::string (*)(const File&, Orientation);

  /// `needed` is the memory that `turned` takes; `why_not` says why it must not be called, or
  /// nothing.
  ContainerTurn(File file, Header header, std::uint64_t needed, Turn turned,
                WhyNot why_not = nullptr)
      : file_(std::move(file)),
        header_(std::move(header)),
        needed_(needed),
        turn_(turned),
        why_not_(why_not) {}

  Header header() const override { return header_; }
  Route route(Orientation applied) const override {
    return why_not(applied).empty() ? Route::lossless : Route::none;
  }
  std::string why_not(Orientation applied) const override {
    return why_not_ ? why_not_(file_, applied) : std::string();
  }
  Size turned_size(Orientation applied) const override {
    return qturn::turned_size(applied, header_.size());
  }
  std::uint64_t bytes_needed(std::span<const Orientation>) const override { return needed_; }

  void read(std::span<const Orientation>, PixelArena&, const std::atomic<bool>&,
            std::vector<std::string>&) override {}

  FileBytes turn(Orientation applied, const TurnEmbedded&, const std::atomic<bool>&,
                 std::vector<std::string>& warnings) override {
    return turn_(file_, applied, warnings);
  }

 private:
  File file_;
  Header header_;
  std::uint64_t needed_;
  Turn turn_;
  WhyNot why_not_;
};

// Exif and XMP of formats that state the orientation elsewhere, where readers must obey it. What
// Exif and XMP say is ignored by such readers; but other programs look there first.

/// The content of an Exif item or an Exif box, which begins with the offset of Exif's TIFF header.
inline std::span<const std::byte> exif_item_body(std::span<const std::byte> content) {
  constexpr std::size_t offset_bytes = 4;
  if (content.size() < offset_bytes) return {};
  const std::uint64_t skipped = big_endian(content, 0, offset_bytes);
  if (skipped > content.size() - offset_bytes) return {};
  return exif_body(content.subspan(offset_bytes + skipped));
}

/// What it says, if anything. (XMP: orientation_of_xmp().)
inline std::optional<Orientation> exif_item_says(std::span<const std::byte> content) {
  return read_exif(exif_item_body(content)).orientation;
}

/// Set what they say, if they say anything, where it lies. `is_turned`: the picture is shown
/// turned, so `warnings` tells what else depends on it. Throws ImageFileError where there is no
/// room.
inline void set_exif_item(std::span<std::byte> content, Orientation orientation, bool is_turned,
                          std::vector<std::string>& warnings) {
  const std::span<const std::byte> body = exif_item_body(content);
  if (body.empty() || !set_orientation(content.last(body.size()), orientation)) {
    warnings.emplace_back("its Exif block is damaged and stays as it was");
  } else if (is_turned && read_exif(body).thumbnail) {
    warnings.emplace_back("the thumbnail in its Exif block is not turned");
  }
}
inline void set_xmp_item(std::span<std::byte> content, Orientation orientation, bool is_turned,
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

struct IgnoredOrientation {
  const char* where;  ///< "Exif"
  Orientation says;
};

/// Each should be 1, or repeat how the picture is turned, as phones do.
inline void check_ignored(const std::vector<IgnoredOrientation>& all, Orientation shown,
                          MetadataCheck& check) {
  for (const IgnoredOrientation& each : all) {
    if (each.says == Orientation::identity || each.says == shown) continue;
    check.add(fmt::format("{} says orientation {}, the picture is shown by {}", each.where,
                          static_cast<int>(each.says), static_cast<int>(shown)));
  }
}

}  // namespace qturn
