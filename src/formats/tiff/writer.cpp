#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "src/formats/tiff/directories.hpp"
#include "src/picture/image.hpp"

// Laid out as: header, then for each page its strips or tiles, the values that do not fit in their
// directory entries, its child directories and the directory itself. Everything begins on an even
// byte, as TIFF 6.0 asks.
//
// Fixed bytes get their places on the way: what would overlap them is written after them.

namespace qturn::tiff {
namespace {

class Writer {
 public:
  Writer(bool big, bool little, std::size_t expected_bytes,
         std::span<const TiffFixedBytes> fixed = {}, std::size_t most_more_bytes = 0)
      : big_(big),
        little_(little),
        fixed_(fixed),
        next_fixed_(fixed),
        more_bytes_(most_more_bytes) {
    file_.reserve(expected_bytes);
    number(little ? 0x4949 : 0x4D4D, 2);
    number(big ? 43 : 42, 2);
    if (big) {
      number(8, 2);
      number(0, 2);
    }
    link_ = file_.size();
    number(0, offset_bytes());
    if (!fixed_.empty() && fixed_.front().at < file_.size()) give_up_fixed();
  }

  // Takes from the front of `pixels` what the page and its pictures have.
  void add_page(const TiffDirectory& page, std::span<const std::span<const std::byte>>& pixels) {
    TiffDirectory placed = placed_page(page, pixels);
    std::vector<std::uint64_t> pictures;
    for (const TiffDirectory& picture : page.pictures) {
      pictures.push_back(add_directory(placed_page(picture, pixels)));
    }
    if (!pictures.empty()) {
      placed.fields.push_back(tiff_integers(tiff_tag::sub_directories, offset_type(), pictures));
    }
    link(add_directory(placed));
  }

  // The next page is at `at`. Its directory was written last.
  void link(std::uint64_t at) {
    patch(link_, at);
    link_ = file_.size() - offset_bytes();
  }

  // Appends the directory, what it refers to first; the offset of the next one is its last word.
  std::uint64_t add_directory(const TiffDirectory& directory) {
    std::vector<TiffField> fields = directory.fields;
    for (const auto& [tag, child] : directory.children) {
      const std::uint64_t at = add_directory(child);
      fields.push_back(tiff_integers(tag, offset_type(), std::span(&at, 1)));
    }
    std::stable_sort(fields.begin(), fields.end(),
                     [](const TiffField& a, const TiffField& b) { return a.tag < b.tag; });

    std::vector<std::uint64_t> places;
    for (const TiffField& field : fields) {
      if (is_fixed(field)) {
        places.push_back(field.fixed_at);
      } else if (field.value.size() > offset_bytes()) {
        begin(field.value.size());
        places.push_back(file_.size());
        add_value(field);
      } else {
        places.push_back(0);
      }
    }
    begin((big_ ? 8 : 2) + fields.size() * (big_ ? 20 : 12) + offset_bytes());
    const std::uint64_t at = file_.size();
    number(fields.size(), big_ ? 8 : 2);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      number(fields[i].tag, 2);
      number(fields[i].type, 2);
      number(fields[i].count, offset_bytes());
      if (fields[i].value.size() > offset_bytes()) {
        number(places[i], offset_bytes());
      } else {
        add_value(fields[i]);
        file_.resize(file_.size() + offset_bytes() - fields[i].value.size());
      }
    }
    number(0, offset_bytes());
    return at;
  }

  // Nothing if the fixed bytes do not fit.
  std::optional<Bytes> take() {
    while (!next_fixed_.empty()) add_fixed();
    if (!fixed_fit_) return std::nullopt;
    return std::move(file_);
  }

 private:
  std::size_t offset_bytes() const { return big_ ? 8 : 4; }
  std::uint16_t offset_type() const {
    return static_cast<std::uint16_t>(big_ ? tiff_type::u64 : tiff_type::u32);
  }

  void put(std::size_t at, std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i, value >>= 8) {
      file_[at + (little_ ? i : bytes - 1 - i)] = static_cast<std::byte>(value & 0xFF);
    }
  }

  void number(std::uint64_t value, std::size_t bytes) {
    file_.resize(file_.size() + bytes);
    put(file_.size() - bytes, value, bytes);
  }

  void patch(std::size_t at, std::uint64_t value) { put(at, value, offset_bytes()); }

  void add_value(const TiffField& field) {
    const auto at = static_cast<std::ptrdiff_t>(file_.size());
    file_.insert(file_.end(), field.value.begin(), field.value.end());
    const auto word = static_cast<std::ptrdiff_t>(tiff_word_bytes(field.type));
    if (little_ || word < 2) return;
    for (auto from = file_.begin() + at; file_.end() - from >= word; from += word) {
      std::reverse(from, from + word);
    }
  }

  TiffDirectory placed_page(const TiffDirectory& page,
                            std::span<const std::span<const std::byte>>& pixels) {
    TiffDirectory placed = page;
    const auto from = pixels.empty() ? std::span<const std::byte>() : pixels.front();
    if (!pixels.empty()) pixels = pixels.subspan(1);
    for (const auto& [offsets_tag, counts_tag] :
         {std::pair{tiff_tag::strip_offsets, tiff_tag::strip_byte_counts},
          std::pair{tiff_tag::tile_offsets, tiff_tag::tile_byte_counts}}) {
      place_pixels(placed, offsets_tag, counts_tag, from);
    }
    return placed;
  }

  // Goes to an even place with so many bytes of room.
  void begin(std::uint64_t bytes) {
    const auto even_end = [&] { return file_.size() + file_.size() % 2; };
    while (!next_fixed_.empty() && next_fixed_.front().at < even_end() + bytes) add_fixed();
    file_.resize(even_end());
  }

  void add_fixed() {
    const TiffFixedBytes& fixed = next_fixed_.front();
    const std::uint64_t more = fixed.at - file_.size() + (fixed.is_note ? 0 : fixed.bytes.size());
    if (more > more_bytes_) return give_up_fixed();
    more_bytes_ -= more;
    file_.resize(fixed.at);
    file_.insert(file_.end(), fixed.bytes.begin(), fixed.bytes.end());
    next_fixed_ = next_fixed_.subspan(1);
  }

  void give_up_fixed() {
    fixed_fit_ = false;
    next_fixed_ = fixed_ = {};
  }

  bool is_fixed(const TiffField& field) const {
    return field.fixed_at != 0 && std::ranges::any_of(fixed_, [&](const TiffFixedBytes& one) {
             return one.is_note && one.at == field.fixed_at &&
                    one.bytes.size() == field.value.size();
           });
  }

  void place_pixels(TiffDirectory& page, std::uint16_t offsets_tag, std::uint16_t counts_tag,
                    std::span<const std::byte> pixels) {
    const auto offsets = page.integers(offsets_tag), counts = page.integers(counts_tag);
    if (offsets.empty()) return;
    if (offsets.size() != counts.size()) throw ImageFileError("strips without their sizes");
    std::vector<std::uint64_t> places;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      if (counts[i] == 0) {
        places.push_back(0);
        continue;
      }
      begin(counts[i]);
      places.push_back(file_.size());
      const auto from = pixels.subspan(offsets[i], counts[i]);
      file_.insert(file_.end(), from.begin(), from.end());
    }
    *std::find_if(page.fields.begin(), page.fields.end(), [&](const TiffField& field) {
      return field.tag == offsets_tag;
    }) = tiff_integers(offsets_tag, offset_type(), places);
  }

  bool big_, little_;
  Bytes file_;
  std::size_t link_ = 0;  // where the offset of the next page belongs
  std::span<const TiffFixedBytes> fixed_, next_fixed_;
  std::uint64_t more_bytes_ = 0;  // that they may still take
  bool fixed_fit_ = true;
};

std::optional<Bytes> write(const TiffFile& tiff, std::span<const std::span<const std::byte>> pixels,
                           std::span<const TiffFixedBytes> fixed, std::size_t most_more_bytes) {
  std::size_t expected_bytes = 4096;
  for (const auto part : pixels) expected_bytes += part.size() + part.size() / 64;
  Writer writer(tiff.big, tiff.little, expected_bytes, fixed, most_more_bytes);
  for (const TiffDirectory& page : tiff.pages) writer.add_page(page, pixels);
  return writer.take();
}

// With as much of what is fixed as fits: all, the notes, or nothing.
Bytes write_with_fixed(const TiffFile& tiff, std::span<const std::span<const std::byte>> pixels,
                       std::vector<std::string>& warnings, std::size_t most_more_bytes) {
  if (auto file = write(tiff, pixels, tiff.fixed, most_more_bytes)) return std::move(*file);
  if (tiff.must_stay)
    throw ImageFileError("what the fields of MetaMorph lead to cannot stay where it is");
  std::vector<TiffFixedBytes> notes = tiff.fixed;
  std::erase_if(notes, [](const TiffFixedBytes& one) { return !one.is_note; });
  if (auto file = write(tiff, pixels, notes, most_more_bytes)) {
    warnings.emplace_back(
        "its MakerNote may refer to data outside of itself; these data are left out");
    return std::move(*file);
  }
  warnings.emplace_back("its MakerNote had to move: what the note says by offsets may be lost");
  return *write(tiff, pixels, {}, 0);
}

}  // namespace

std::vector<std::byte> write_tiff(const TiffFile& tiff,
                                  std::span<const std::span<const std::byte>> pixels,
                                  std::vector<std::string>& warnings, std::size_t most_more_bytes) {
  std::vector<std::string> notes;
  Bytes file = write_with_fixed(tiff, pixels, notes, most_more_bytes);
  if (!tiff.big && file.size() > std::numeric_limits<std::uint32_t>::max()) {
    TiffFile big = tiff;
    big.big = true;
    return write_tiff(big, pixels, warnings, most_more_bytes);
  }
  warnings.insert(warnings.end(), notes.begin(), notes.end());
  return file;
}

std::vector<std::byte> write_tiff_header(const TiffDirectory& page, bool little) {
  Writer writer(true, little, 1024);
  writer.link(writer.add_directory(page));
  return *writer.take();
}

}  // namespace qturn::tiff
