#include "src/metadata/tiff_structure.hpp"

#include <algorithm>
#include <limits>

#include "src/picture/bytes.hpp"

namespace qturn {
namespace {

constexpr std::uint16_t byte_type = 1, short_type = 3, long_type = 4, signed_byte_type = 6,
                        signed_short_type = 8, signed_long_type = 9, directory_type = 13,
                        long8_type = 16, directory8_type = 18;
constexpr std::uint64_t max_entries = 65535;

constexpr std::uint64_t bytes_of_type(std::uint16_t type) {
  constexpr std::uint64_t bytes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
  return type < std::size(bytes) ? bytes[type] : 0;
}

}  // namespace

const TiffEntry* TiffEntries::find(std::uint16_t tag) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const TiffEntry& entry) { return entry.tag == tag; });
  return found == entries.end() ? nullptr : &*found;
}

bool TiffStructure::is_marked(std::span<const std::byte> data) {
  if (data.size() < 8 || data[0] != data[1]) return false;
  return data[0] == std::byte{'I'} || data[0] == std::byte{'M'};
}

std::optional<TiffStructure> TiffStructure::open(std::span<const std::byte> data) {
  if (!is_marked(data)) return std::nullopt;
  TiffStructure tiff(data, data[0] == std::byte{'I'}, false);
  const std::uint64_t version = tiff.number(2, 2);
  tiff.big_ = version == 43;
  if (tiff.big_ && (data.size() < 16 || tiff.number(4, 2) != 8)) return std::nullopt;
  if (!tiff.big_ && version != 42) return std::nullopt;
  return tiff;
}

std::uint64_t TiffStructure::number(std::uint64_t at, std::size_t bytes) const {
  return little_ ? little_endian(data_, at, bytes) : big_endian(data_, at, bytes);
}

void TiffStructure::put(std::span<std::byte> data, std::uint64_t at, std::size_t bytes,
                        std::uint64_t value) const {
  little_ ? put_little_endian(data, at, bytes, value) : put_big_endian(data, at, bytes, value);
}

TiffEntries TiffStructure::directory(std::uint64_t at) const {
  TiffEntries directory{.at = at, .entries = {}};
  if (!holds(at, count_bytes())) return directory;
  const std::uint64_t count = number(at, count_bytes());
  if (count > max_entries) return directory;
  std::uint64_t entry_at = at + count_bytes();
  for (std::uint64_t i = 0; i < count; ++i, entry_at += entry_bytes()) {
    if (!holds(entry_at, entry_bytes())) return directory;
    TiffEntry entry{.at = entry_at,
                    .tag = static_cast<std::uint16_t>(number(entry_at, 2)),
                    .type = static_cast<std::uint16_t>(number(entry_at + 2, 2)),
                    .count = number(entry_at + 4, offset_bytes())};
    const std::uint64_t value_bytes = bytes_of_type(entry.type);
    if (value_bytes != 0 && entry.count <= data_.size() / value_bytes) {
      const std::uint64_t bytes = entry.count * value_bytes;
      entry.value_at = entry_at + 4 + offset_bytes();
      if (bytes > offset_bytes()) entry.value_at = number(entry.value_at, offset_bytes());
      if (holds(entry.value_at, bytes)) entry.value_bytes = bytes;
    }
    directory.entries.push_back(entry);
  }
  directory.all_entries = true;
  if (!holds(entry_at, offset_bytes())) return directory;
  directory.next = number(entry_at, offset_bytes());
  directory.whole = true;
  return directory;
}

std::optional<std::uint64_t> TiffStructure::integer(const TiffEntry& entry) const {
  if (entry.count != 1 || entry.value_bytes == 0) return std::nullopt;
  switch (entry.type) {
    case byte_type:
    case short_type:
    case long_type:
    case directory_type:
    case long8_type:
    case directory8_type:
      return number(entry.value_at, static_cast<std::size_t>(entry.value_bytes));
    case signed_byte_type:
    case signed_short_type:
    case signed_long_type: {
      const std::uint64_t value =
          number(entry.value_at, static_cast<std::size_t>(entry.value_bytes));
      const bool negative = (value >> (8 * entry.value_bytes - 1) & 1) != 0;
      return negative ? std::nullopt : std::optional(value);
    }
    default:
      return std::nullopt;
  }
}

void TiffStructure::put_entry(std::span<std::byte> data, const TiffEntry& entry, std::uint16_t type,
                              std::size_t bytes, std::uint32_t value) const {
  put(data, entry.at + 2, 2, type);
  put(data, entry.at + 4, offset_bytes(), 1);
  const std::uint64_t at = entry.at + 4 + offset_bytes();
  put(data, at, offset_bytes(), 0);
  put(data, at, bytes, value);
}

void TiffStructure::put_short(std::span<std::byte> data, const TiffEntry& entry,
                              std::uint16_t value) const {
  put_entry(data, entry, short_type, 2, value);
}

void TiffStructure::put_integer(std::span<std::byte> data, const TiffEntry& entry,
                                std::uint32_t value) const {
  if (entry.type == short_type && value <= std::numeric_limits<std::uint16_t>::max()) {
    put_entry(data, entry, short_type, 2, value);
  } else {
    put_entry(data, entry, long_type, 4, value);
  }
}

void TiffStructure::exchange(std::span<std::byte> data, const TiffEntries& directory,
                             std::uint16_t a, std::uint16_t b) const {
  const TiffEntry *first = directory.find(a), *second = directory.find(b);
  if (first && second) {
    const auto said_by = [&](const TiffEntry& entry) {
      return data.begin() + static_cast<std::ptrdiff_t>(entry.at + 2);
    };
    std::swap_ranges(said_by(*first),
                     said_by(*first) + static_cast<std::ptrdiff_t>(entry_bytes() - 2),
                     said_by(*second));
  } else if (first) {
    put(data, first->at, 2, b);
  } else if (second) {
    put(data, second->at, 2, a);
  }
}

}  // namespace qturn
