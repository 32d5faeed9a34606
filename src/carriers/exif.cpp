#include "src/carriers/exif.hpp"

#include <optional>
#include <unordered_set>

#include "src/formats/image.hpp"

namespace qturn {
namespace {

constexpr unsigned orientation_tag = 274;
constexpr std::size_t entry_bytes = 12;

// TIFF's own numbers of the types that hold one small integer.
enum FieldType : unsigned { byte_type = 1, short_type = 3, long_type = 4 };

class TiffReader {
 public:
  // Nothing if there is no TIFF header.
  static std::optional<TiffReader> open(std::span<const std::byte> data) {
    if (data.size() < 8) return std::nullopt;
    const auto mark = std::to_integer<char>(data[0]);
    if (data[0] != data[1] || (mark != 'I' && mark != 'M')) return std::nullopt;
    const TiffReader reader(data, mark == 'I');
    if (reader.u16(2) != 42) return std::nullopt;
    return reader;
  }

  unsigned u8(std::size_t at) const { return std::to_integer<unsigned>(data_[at]); }
  unsigned u16(std::size_t at) const {
    return little_ ? u8(at) | u8(at + 1) << 8 : u8(at) << 8 | u8(at + 1);
  }
  std::uint32_t u32(std::size_t at) const {
    return little_ ? u16(at) | u16(at + 2) << 16 : u16(at) << 16 | u16(at + 2);
  }
  bool little() const { return little_; }
  bool holds(std::uint64_t at, std::uint64_t bytes) const {
    return at <= data_.size() && bytes <= data_.size() - at;
  }

 private:
  TiffReader(std::span<const std::byte> data, bool little) : data_(data), little_(little) {}

  std::span<const std::byte> data_;
  bool little_;
};

// Calls visit(offset of entry) for each Orientation entry of the directory at `at`. False if the
// directory is not whole.
template <typename Visit>
bool visit_orientation_entries(const TiffReader& tiff, std::uint32_t at, Visit visit) {
  if (!tiff.holds(at, 2)) return false;
  const unsigned count = tiff.u16(at);
  for (unsigned i = 0; i < count; ++i) {
    const std::size_t entry = at + std::size_t{2} + i * entry_bytes;
    if (!tiff.holds(entry, entry_bytes)) return false;
    if (tiff.u16(entry) == orientation_tag) visit(entry);
  }
  return true;
}

Orientation orientation_of_entry(const TiffReader& tiff, std::size_t entry) {
  std::uint32_t value = 0;
  if (tiff.u32(entry + 4) == 1) {
    switch (tiff.u16(entry + 2)) {
      case byte_type:
        value = tiff.u8(entry + 8);
        break;
      case short_type:
        value = tiff.u16(entry + 8);
        break;
      case long_type:
        value = tiff.u32(entry + 8);
        break;
      default:
        break;
    }
  }
  return value >= 1 && value <= 8 ? static_cast<Orientation>(value) : Orientation::identity;
}

}  // namespace

StoredOrientation stored_orientation(std::span<const std::byte> data) {
  using Certainty = StoredOrientation::Certainty;
  StoredOrientation found;
  const auto tiff = TiffReader::open(data);
  if (!tiff || tiff->u32(4) == 0) return found;
  const bool whole = visit_orientation_entries(*tiff, tiff->u32(4), [&](std::size_t entry) {
    if (found.certainty == Certainty::absent) found.value = orientation_of_entry(*tiff, entry);
    found.certainty = Certainty::present;
  });
  if (!whole && found.certainty == Certainty::absent) found.certainty = Certainty::unknown;
  return found;
}

namespace {

void put16(std::span<std::byte> data, const TiffReader& tiff, std::size_t at, unsigned value) {
  const auto low = static_cast<std::byte>(value & 0xff);
  const auto high = static_cast<std::byte>(value >> 8);
  data[at] = tiff.little() ? low : high;
  data[at + 1] = tiff.little() ? high : low;
}

void set_entry(std::span<std::byte> data, const TiffReader& tiff, std::size_t entry,
               Orientation orientation) {
  put16(data, tiff, entry + 2, short_type);
  put16(data, tiff, entry + 4, tiff.little() ? 1 : 0);
  put16(data, tiff, entry + 6, tiff.little() ? 0 : 1);
  put16(data, tiff, entry + 8, static_cast<unsigned>(orientation));
  data[entry + 10] = data[entry + 11] = std::byte{0};
}

}  // namespace

bool set_orientation(std::span<std::byte> data, Orientation orientation) {
  const auto tiff = TiffReader::open(data);
  if (!tiff) return false;
  bool any = false;
  visit_orientation_entries(*tiff, tiff->u32(4), [&](std::size_t entry) {
    set_entry(data, *tiff, entry, orientation);
    any = true;
  });
  return any;
}

bool set_upright(std::span<std::byte> data, Directories directories) {
  const auto tiff = TiffReader::open(data);
  if (!tiff) return true;

  std::unordered_set<std::uint32_t> seen;
  for (std::uint32_t at = tiff->u32(4); at != 0;) {
    if (!seen.insert(at).second) return false;  // the chain runs in a circle
    bool any = false;
    const bool whole = visit_orientation_entries(*tiff, at, [&](std::size_t entry) {
      set_entry(data, *tiff, entry, Orientation::identity);
      any = true;
    });
    if (directories == Directories::first) return whole || any;
    if (!whole) return false;
    const std::size_t next = at + std::size_t{2} + tiff->u16(at) * entry_bytes;
    if (!tiff->holds(next, 4)) return false;
    at = tiff->u32(next);
  }
  return true;
}

std::span<const std::byte> exif_body(std::span<const std::byte> block) {
  const std::string_view text(reinterpret_cast<const char*>(block.data()), block.size());
  return text.starts_with(exif_signature) ? block.subspan(exif_signature.size()) : block;
}

Orientation orientation_of_exif(std::span<const std::byte> block) {
  const StoredOrientation stored = stored_orientation(exif_body(block));
  if (stored.certainty == StoredOrientation::Certainty::unknown) {
    throw ImageFileError("the Exif block is damaged where its orientation would be");
  }
  return stored.value;
}

std::vector<std::byte> upright_exif(std::span<const std::byte> block) {
  std::vector<std::byte> upright(block.begin(), block.end());
  if (!set_upright(std::span(upright).last(exif_body(block).size()), Directories::first)) {
    throw ImageFileError("the Exif block is damaged where its orientation would be");
  }
  return upright;
}

}  // namespace qturn
