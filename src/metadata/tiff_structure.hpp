// The skeleton of a TIFF, classic or Big, of either byte order, read and patched where it lies.
//
// It may be an untrusted Exif block or a file of gigabytes. So nothing is copied, and no count or
// offset is trusted: an entry whose value would lie outside has no value, and a directory that ends
// early says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace qturn {

struct TiffEntry {
  std::uint64_t at = 0;  ///< of the entry itself
  std::uint16_t tag = 0, type = 0;
  std::uint64_t count = 0;
  std::uint64_t value_at = 0;     ///< of the first value
  std::uint64_t value_bytes = 0;  ///< of all values; 0: unknown type, or outside
};

struct TiffEntries {
  std::uint64_t at = 0;
  std::vector<TiffEntry> entries;
  bool all_entries = false;  ///< as many as it says it has
  bool whole = false;        ///< and the offset of the next directory is there too
  std::uint64_t next = 0;    ///< 0: it is the last one

  /// The first entry with the tag.
  const TiffEntry* find(std::uint16_t tag) const;
};

class TiffStructure {
 public:
  /// Whether there is room for a TIFF header, and the mark of a byte order at its beginning.
  static bool is_marked(std::span<const std::byte> data);

  /// Nothing if there is no TIFF header: no such mark, or another number after it than TIFF's.
  static std::optional<TiffStructure> open(std::span<const std::byte> data);

  bool big() const { return big_; }
  std::size_t size() const { return data_.size(); }
  std::size_t offset_bytes() const { return big_ ? 8 : 4; }
  std::size_t count_bytes() const { return big_ ? 8 : 2; }
  std::size_t entry_bytes() const { return big_ ? 20 : 12; }
  bool holds(std::uint64_t at, std::uint64_t bytes) const {
    return at <= data_.size() && bytes <= data_.size() - at;
  }

  std::uint64_t number(std::uint64_t at, std::size_t bytes) const;
  std::uint64_t first_directory() const { return number(first_at(), offset_bytes()); }
  std::uint64_t first_at() const { return big_ ? 8 : 4; }

  TiffEntries directory(std::uint64_t at) const;

  /// The entry's only value, if it is an offset or an integer (BYTE to LONG8, signed or not) and
  /// not negative.
  std::optional<std::uint64_t> integer(const TiffEntry& entry) const;

  /// Writes a number, in the structure's byte order, into `data`: the opened bytes or a copy of
  /// them.
  void put(std::span<std::byte> data, std::uint64_t at, std::size_t bytes,
           std::uint64_t value) const;

  /// Makes the entry one SHORT.
  void put_short(std::span<std::byte> data, const TiffEntry& entry, std::uint16_t value) const;

  /// Sets the entry to another integer. It stays a SHORT if the number fits, and otherwise becomes
  /// a LONG.
  void put_integer(std::span<std::byte> data, const TiffEntry& entry, std::uint32_t value) const;

  /// Exchanges the values of two fields of a directory. If only one exists, it gets the tag of the
  /// other (the two tags follow each other, so their order stays right).
  void exchange(std::span<std::byte> data, const TiffEntries& directory, std::uint16_t a,
                std::uint16_t b) const;

 private:
  void put_entry(std::span<std::byte> data, const TiffEntry& entry, std::uint16_t type,
                 std::size_t bytes, std::uint32_t value) const;

  TiffStructure(std::span<const std::byte> data, bool little, bool big)
      : data_(data), little_(little), big_(big) {}

  std::span<const std::byte> data_;
  bool little_, big_;
};

}  // namespace qturn
