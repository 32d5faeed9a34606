// The boxes of ISO/IEC 14496-12 in HEIC, AVIF and many JPEG XL files, read where they lie. No size
// and no offset is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "src/picture/bytes.hpp"
#include "src/picture/image.hpp"

namespace qturn {

/// Places in the file.
struct Box {
  std::string_view type;  ///< "meta"
  std::uint64_t begin = 0;
  std::uint64_t content = 0;  ///< after the size and the type
  std::uint64_t end = 0;
};

/// Visits the boxes in `file` from `begin` to `end`; the file's outermost boxes begin at 0. Throws
/// ImageFileError if one reaches beyond.
void for_each_box(std::span<const std::byte> file, std::uint64_t begin, std::uint64_t end,
                  const std::function<void(const Box&)>& visit);

/// The first box of the type between `begin` and `end`.
std::optional<Box> find_box(std::span<const std::byte> file, std::uint64_t begin, std::uint64_t end,
                            std::string_view type);

/// Whether it holds a signed manifest (C2PA).
bool is_manifest(std::span<const std::byte> file, const Box& box);

/// Reads a box's content, from the start to the end.
class BoxReader {
 public:
  BoxReader(std::span<const std::byte> file, const Box& box)
      : file_(file), type_(box.type), at_(box.content), end_(box.end) {}

  std::uint64_t at() const { return at_; }
  std::uint64_t end() const { return end_; }

  /// A number of 0, 1, 2, 4 or 8 bytes. Throws ImageFileError if the box ends before.
  std::uint64_t number(std::size_t bytes);

  std::string_view characters(std::size_t count);

  /// Up to a zero byte, or to the end of the box.
  std::string_view text();

  /// Skips the version and the flags of a full box, and gives both.
  struct Version {
    unsigned version = 0, flags = 0;
  };
  Version version();

 private:
  void require(std::uint64_t bytes) const;

  std::span<const std::byte> file_;
  std::string_view type_;
  std::uint64_t at_, end_;
};

void append_number(Bytes& to, std::uint64_t value, std::size_t bytes);

/// Begins a box; end_box() fills in its size. Throws ImageFileError for one of 4 GiB or more.
std::size_t begin_box(Bytes& to, std::string_view type);
void end_box(Bytes& to, std::size_t begun);

// What the boxes of HEIC, AVIF, JPEG XL and JPEG 2000 hold besides the picture, by their types.

/// Where a box is: in a HEIC or AVIF itself, in its metadata box, among the properties of its
/// items; an item counts as a box of its type. In the movie of a sequence, and in a track, whose
/// handler counts as one. In a JPEG XL, in a JPEG 2000, and in its header.
enum class BoxesOf : std::uint8_t {
  heif,
  heif_metadata,
  heif_properties,
  heif_items,
  heif_movie,
  heif_tracks,
  jxl,
  jp2
};

/// Adds what a box holds that no turn keeps true, or that nobody knows: "HEIF abcd". A box of the
/// type "uuid" begins with its name, and is known by that.
void look_at_box(BoxesOf boxes, std::string_view type, std::span<const std::byte> content,
                 Header& header);

}  // namespace qturn
