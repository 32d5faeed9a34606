#include <algorithm>
#include <limits>
#include <utility>

#include "src/formats/image.hpp"
#include "src/tiff/directories.hpp"

// Laid out as: header, then for each page its strips or tiles, the values that do not fit in their
// directory entries, its child directories and the directory itself. Everything begins on an even
// byte, as TIFF 6.0 asks.

namespace qturn {
namespace {

using Bytes = std::vector<std::byte>;

class Writer {
 public:
  Writer(bool big, std::size_t expected_bytes) : big_(big) {
    file_.reserve(expected_bytes);
    number(0x4949, 2);
    number(big ? 43 : 42, 2);
    if (big) {
      number(8, 2);
      number(0, 2);
    }
    link_ = file_.size();
    number(0, offset_bytes());
  }

  void add_page(const TiffDirectory& page, std::span<const std::byte> pixels) {
    TiffDirectory placed = page;
    for (const auto& [offsets_tag, counts_tag] :
         {std::pair{tiff_tag::strip_offsets, tiff_tag::strip_byte_counts},
          std::pair{tiff_tag::tile_offsets, tiff_tag::tile_byte_counts}}) {
      place_pixels(placed, offsets_tag, counts_tag, pixels);
    }
    const std::uint64_t at = add_directory(placed);
    patch(link_, at);
    link_ = file_.size() - offset_bytes();
  }

  Bytes take() { return std::move(file_); }

 private:
  std::size_t offset_bytes() const { return big_ ? 8 : 4; }

  void number(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i, value >>= 8) {
      file_.push_back(static_cast<std::byte>(value & 0xFF));
    }
  }

  void patch(std::size_t at, std::uint64_t value) {
    for (std::size_t i = 0; i < offset_bytes(); ++i, value >>= 8) {
      file_[at + i] = static_cast<std::byte>(value & 0xFF);
    }
  }

  void align() {
    if (file_.size() % 2 != 0) file_.push_back(std::byte{0});
  }

  void place_pixels(TiffDirectory& page, std::uint16_t offsets_tag, std::uint16_t counts_tag,
                    std::span<const std::byte> pixels) {
    const auto offsets = page.integers(offsets_tag), counts = page.integers(counts_tag);
    if (offsets.empty()) return;
    if (offsets.size() != counts.size()) throw ImageFileError("strips without their sizes");
    TiffField placed{.tag = offsets_tag,
                     .type = big_ ? tiff_type::u64 : tiff_type::u32,
                     .count = offsets.size(),
                     .value = {}};
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      align();
      for (std::size_t byte = 0; byte < offset_bytes(); ++byte) {
        placed.value.push_back(static_cast<std::byte>(file_.size() >> 8 * byte & 0xFF));
      }
      const auto from = pixels.subspan(offsets[i], counts[i]);
      file_.insert(file_.end(), from.begin(), from.end());
    }
    *std::find_if(page.fields.begin(), page.fields.end(),
                  [&](const TiffField& field) { return field.tag == offsets_tag; }) = placed;
  }

  // Appends the directory, what it refers to first; the offset of the next one is its last word.
  std::uint64_t add_directory(const TiffDirectory& directory) {
    std::vector<TiffField> fields = directory.fields;
    for (const auto& [tag, child] : directory.children) {
      const std::uint64_t at = add_directory(child);
      TiffField pointer{.tag = tag,
                        .type = big_ ? tiff_type::directory64 : tiff_type::u32,
                        .count = 1,
                        .value = {}};
      for (std::size_t byte = 0; byte < offset_bytes(); ++byte) {
        pointer.value.push_back(static_cast<std::byte>(at >> 8 * byte & 0xFF));
      }
      fields.push_back(std::move(pointer));
    }
    std::stable_sort(fields.begin(), fields.end(),
                     [](const TiffField& a, const TiffField& b) { return a.tag < b.tag; });

    std::vector<std::uint64_t> places;
    for (const TiffField& field : fields) {
      align();
      places.push_back(file_.size());
      if (field.value.size() > offset_bytes()) {
        file_.insert(file_.end(), field.value.begin(), field.value.end());
      }
    }
    align();
    const std::uint64_t at = file_.size();
    number(fields.size(), big_ ? 8 : 2);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      number(fields[i].tag, 2);
      number(fields[i].type, 2);
      number(fields[i].count, offset_bytes());
      if (fields[i].value.size() > offset_bytes()) {
        number(places[i], offset_bytes());
      } else {
        file_.insert(file_.end(), fields[i].value.begin(), fields[i].value.end());
        file_.resize(file_.size() + offset_bytes() - fields[i].value.size());
      }
    }
    number(0, offset_bytes());
    return at;
  }

  bool big_;
  Bytes file_;
  std::size_t link_ = 0;  // where the offset of the next page belongs
};

}  // namespace

std::vector<std::byte> write_tiff(const TiffFile& tiff,
                                  std::span<const std::span<const std::byte>> pixels) {
  std::size_t expected_bytes = 4096;
  for (const auto part : pixels) expected_bytes += part.size() + part.size() / 64;
  Writer writer(tiff.big, expected_bytes);
  for (std::size_t i = 0; i < tiff.pages.size(); ++i) {
    writer.add_page(tiff.pages[i], i < pixels.size() ? pixels[i] : std::span<const std::byte>());
  }
  Bytes file = writer.take();
  if (!tiff.big && file.size() > std::numeric_limits<std::uint32_t>::max()) {
    return write_tiff({.big = true, .pages = tiff.pages}, pixels);
  }
  return file;
}

}  // namespace qturn
