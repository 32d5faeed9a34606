// What a file holds, part by part: segments, chunks, fields. A result must have the parts of its
// original, so both are listed and the lists are compared (turn/proof.hpp).
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/metadata/xmp.hpp"
#include "src/picture/bytes.hpp"

namespace qturn {

struct FilePart {
  enum Kind : std::uint8_t {
    fixed,     ///< a turn leaves it as it is, or what it becomes is exactly known
    pixels,    ///< compressed; only a file that was not turned has them as they were
    exif,      ///< patched where it lies
    embedded,  ///< a smaller picture, which is turned with the first one
    other      ///< changes, and must only be there
  };

  FilePart(Kind of_kind, std::string with_name, std::span<const std::byte> of_content)
      : kind(of_kind), name(std::move(with_name)), content(of_content) {}
  /// The same of bytes that do not outlive the list.
  static FilePart of_copy(Kind kind, std::string name, std::span<const std::byte> bytes) {
    FilePart part(kind, std::move(name), bytes);
    part.hash = std::hash<std::string_view>()(text_of(bytes));
    part.content = {};
    return part;
  }

  /// The same of bytes that it keeps.
  static FilePart with_copy(Kind kind, std::string name, std::span<const std::byte> bytes) {
    const auto kept = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
    FilePart part(kind, std::move(name), *kept);
    part.kept = kept;
    return part;
  }

  Kind kind;
  std::string name;                    ///< "the chunk tEXt"
  std::span<const std::byte> content;  ///< in the file
  std::size_t hash = 0;                ///< of bytes that are not
  std::size_t bytes = content.size();
  std::shared_ptr<const Bytes> kept = nullptr;  ///< what `content` lies in, if not in the file
  /// Turns the videos in `content`, which turn as the picture is seen. Null: there are none.
  bool (*turn_as_seen)(std::span<std::byte> content, Orientation view,
                       std::vector<std::string>& warnings) = nullptr;
};

/// A part that is said in a few words, such as an orientation.
inline FilePart said_part(std::string name, std::string_view says) {
  return FilePart::of_copy(FilePart::fixed, std::move(name), bytes_of(says));
}

/// An XMP packet, as far as no turn changes it, and the pictures in it.
inline void add_xmp_parts(std::string name, std::string_view packet, std::vector<FilePart>& parts) {
  for (const XmpPicture& picture : pictures_in_xmp(packet))
    parts.push_back(FilePart::with_copy(FilePart::embedded, picture.name, picture.bytes));
  parts.push_back(
      FilePart::of_copy(FilePart::fixed, std::move(name), bytes_of(without_numbers(packet))));
}

}  // namespace qturn
