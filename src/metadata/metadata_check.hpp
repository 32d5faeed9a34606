// Checks whether the orientation metadata of a file agrees with itself and with the pixels. If a
// program turns a picture and forgets one place, another program turns the picture twice.
//
// A format's check finds its places and hands them over here.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/picture/image.hpp"

namespace qturn {

/// Compares what is handed over with one header. The findings are sentences.
class MetadataCheck {
 public:
  /// `smaller_are_proved`: smaller pictures are compared elsewhere. A damaged one stays as it was,
  /// which a warning said, and may be of another shape.
  explicit MetadataCheck(const Header& header, bool smaller_are_proved = false)
      : pixels_{header.width, header.height},
        stored_(header.stored),
        smaller_are_proved_(smaller_are_proved) {}

  void orientation(std::string_view where, Orientation says);
  void size(std::string_view where, std::optional<Size> says);

  /// A thumbnail, or a smaller picture that follows.
  void smaller(std::string_view where, std::optional<Size> says, std::optional<Orientation> tag);

  /// An Exif block, with or without signature. The first one is where the picture's orientation
  /// comes from.
  void exif(std::span<const std::byte> block);

  void xmp(std::string_view where, std::string_view packet);

  /// Photoshop's resources.
  void photoshop(std::span<const std::byte> resources);

  /// Bytes of `file` after `end`, where the picture ends.
  void trailing_data(std::span<const std::byte> file, std::uint64_t end);

  void add(std::string finding) { findings_.push_back(std::move(finding)); }

  const std::vector<std::string>& findings() const { return findings_; }

 private:
  Size pixels_;
  Orientation stored_;
  bool smaller_are_proved_;
  bool any_exif_ = false;
  std::vector<std::string> findings_;
};

}  // namespace qturn
