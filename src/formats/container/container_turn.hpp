// A turn that changes what all readers of a format obey, and no pixel.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/formats/codec/compressed_turn.hpp"
#include "src/metadata/metadata_check.hpp"

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
std::span<const std::byte> exif_item_body(std::span<const std::byte> content);

/// What it says, if anything. (XMP: orientation_of_xmp().)
std::optional<Orientation> exif_item_says(std::span<const std::byte> content);

/// Set what they say, if they say anything, where it lies. `is_turned`: the picture is shown
/// turned, so `warnings` tells what else depends on it. Throws ImageFileError where there is no
/// room.
void set_exif_item(std::span<std::byte> content, Orientation orientation, bool is_turned,
                   std::vector<std::string>& warnings);
void set_xmp_item(std::span<std::byte> content, Orientation orientation, bool is_turned,
                  std::vector<std::string>& warnings);

struct IgnoredOrientation {
  const char* where;  ///< "Exif"
  Orientation says;
};

/// Each should be 1, or repeat how the picture is turned, as phones do.
void check_ignored(const std::vector<IgnoredOrientation>& all, Orientation shown,
                   MetadataCheck& check);

}  // namespace qturn
