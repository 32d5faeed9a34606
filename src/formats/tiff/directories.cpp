#include "src/formats/tiff/directories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>

#include "src/formats/tiff/metadata.hpp"
#include "src/formats/tiff/metamorph.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::tiff {
namespace {

constexpr std::size_t max_fields = 65535;
constexpr std::array child_tags = {tiff_tag::exif, tiff_tag::gps, tiff_tag::interoperability};

struct FieldSize {
  std::size_t value_bytes;  // 0: unknown type
  std::size_t word_bytes;   // what is swapped with the byte order: rationals are two words
};

constexpr FieldSize size_of_type(std::uint16_t type) {
  switch (type) {
    case 1:
    case 2:
    case 6:
    case 7:
      return {1, 1};
    case 3:
    case 8:
      return {2, 2};
    case 4:
    case 9:
    case 11:
    case 13:
      return {4, 4};
    case 5:
    case 10:
      return {8, 4};
    case 12:
    case 16:
    case 17:
    case 18:
      return {8, 8};
    default:
      return {0, 0};
  }
}

class DirectoryReader {
 public:
  DirectoryReader(std::span<const std::byte> file, MissingPixels missing, bool only_structure)
      : file_(file), missing_(missing), only_structure_(only_structure) {
    if (file.size() < 8) throw ImageFileError("truncated: the TIFF header is missing");
    little_ = file[0] == std::byte{'I'};
    big_ = number(2, 2) == 43;
    if (big_ && (file.size() < 16 || number(4, 2) != 8))
      throw ImageFileError("damaged TIFF header");
    claim(0, big_ ? 16 : 8);
  }

  TiffFile read() {
    TiffFile tiff{.big = big_, .pages = {}, .little = little_};
    std::unordered_set<std::uint64_t> seen;
    for (std::uint64_t at = number(big_ ? 8 : 4, offset_bytes()); at != 0;) {
      if (!seen.insert(at).second) throw ImageFileError("damaged: its pages follow in a circle");
      page_ = tiff.pages.size() + 1;
      tiff.pages.push_back(read_directory(at, 0));
      at = next_;
      check_pixels(tiff.pages.back());
      read_pictures(tiff.pages.back());
    }
    if (tiff.pages.empty()) throw ImageFileError("damaged: a TIFF without a page");
    fill_sparse(tiff);
    tiff.must_stay = std::ranges::any_of(
        tiff.pages, [](const TiffDirectory& page) { return metamorph_planes(page) != 0; });
    if (tiff.must_stay) end_ = file_.size();  // how much they lead to is not known
    tiff.end = end_;
    add_fixed_bytes(tiff);
    tiff.value_bytes = value_bytes_;
    return tiff;
  }

 private:
  std::size_t offset_bytes() const { return big_ ? 8 : 4; }

  std::uint64_t number(std::uint64_t at, std::size_t bytes) const {
    return little_ ? little_endian(file_, at, bytes) : big_endian(file_, at, bytes);
  }

  void need(std::uint64_t at, std::uint64_t bytes, const char* what) {
    if (at > file_.size() || bytes > file_.size() - at) {
      throw ImageFileError(
          fmt::format("truncated: {} of page {} lies beyond the end of the file", what, page_));
    }
    claim(at, bytes);
  }

  void claim(std::uint64_t at, std::uint64_t bytes) {
    end_ = std::max(end_, at + bytes);
    claimed_.emplace_back(at, at + bytes);
  }

  // Many fields may point to the same value, and many pages to the same directory. In an honest
  // file, all of them together are not larger than the file.
  void count_bytes_read(std::uint64_t bytes) {
    bytes_read_ += bytes;
    if (bytes_read_ > 2 * file_.size())
      throw ImageFileError("damaged: fields larger than the file");
  }

  Bytes value(std::uint64_t at, std::uint64_t bytes, std::size_t word_bytes) {
    Bytes copy(file_.begin() + static_cast<std::ptrdiff_t>(at),
               file_.begin() + static_cast<std::ptrdiff_t>(at + bytes));
    if (!little_) {
      for (std::size_t i = 0; i + word_bytes <= copy.size(); i += word_bytes) {
        std::reverse(copy.begin() + static_cast<std::ptrdiff_t>(i),
                     copy.begin() + static_cast<std::ptrdiff_t>(i + word_bytes));
      }
    }
    return copy;
  }

  TiffDirectory read_directory(std::uint64_t at, int depth) {
    const std::size_t count_bytes = big_ ? 8 : 2, entry_bytes = big_ ? 20 : 12;
    const char* what = depth == 0 ? "a directory" : "the Exif directory";
    need(at, count_bytes, what);
    const std::uint64_t count = number(at, count_bytes);
    if (count > max_fields) throw ImageFileError("damaged TIFF directory");
    need(at + count_bytes, count * entry_bytes + offset_bytes(), what);
    count_bytes_read(count_bytes + count * entry_bytes + offset_bytes());

    TiffDirectory directory;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t entry = at + count_bytes + i * entry_bytes;
      TiffField field{.tag = static_cast<std::uint16_t>(number(entry, 2)),
                      .type = static_cast<std::uint16_t>(number(entry + 2, 2)),
                      .count = number(entry + 4, offset_bytes()),
                      .value = {}};
      const FieldSize size = size_of_type(field.type);
      if (size.value_bytes == 0) {
        directory.unknown_types.push_back(field.tag);
        end_ = file_.size();  // the length of its value is not known
        continue;
      }
      if (field.count > file_.size()) need(file_.size(), field.count, "a field");
      const std::uint64_t bytes =
          metamorph_bytes(field.tag, field.type, field.count, field.count * size.value_bytes);
      std::uint64_t from = entry + 4 + offset_bytes();
      if (bytes > offset_bytes()) from = number(from, offset_bytes());
      need(from, bytes, "a field");
      if (bytes > offset_bytes()) count_bytes_read(bytes);
      value_bytes_ += bytes;
      constexpr std::uint64_t large = 1 << 16;
      const bool is_looked_into =
          field.tag == tiff_tag::xmp || field.tag == tiff_tag::photoshop_resources;
      const bool is_cut =
          only_structure_ && size.value_bytes == 1 && bytes > large && !is_looked_into;
      field.value = value(from, is_cut ? large : bytes, size.word_bytes);
      const bool is_note = field.tag == tiff_tag::maker_note && size.word_bytes == 1;
      if ((is_note || is_metamorph(field.tag)) && bytes > offset_bytes()) {
        field.fixed_at = from;
        notes_[from] = std::max(notes_[from], from + bytes);
      }
      directory.fields.push_back(std::move(field));
    }
    name_tiles(directory);
    const std::uint64_t next = number(at + count_bytes + count * entry_bytes, offset_bytes());
    for (const std::uint16_t tag : child_tags) {
      const std::uint64_t child = directory.integer(tag, 0);
      if (child != 0 && depth < 2) directory.children[tag] = read_directory(child, depth + 1);
      std::erase_if(directory.fields, [&](const TiffField& field) { return field.tag == tag; });
    }
    next_ = next;
    return directory;
  }

  // Some writers give the places of tiles in the fields for strips, and readers take them.
  static void name_tiles(TiffDirectory& directory) {
    if (!directory.find(tiff_tag::tile_width) || directory.find(tiff_tag::tile_offsets)) return;
    for (TiffField& field : directory.fields) {
      if (field.tag == tiff_tag::strip_offsets) field.tag = tiff_tag::tile_offsets;
      if (field.tag == tiff_tag::strip_byte_counts) field.tag = tiff_tag::tile_byte_counts;
    }
  }

  // GDAL leaves strips and tiles out whose samples all have the value that means no data, or zero.
  // The first page says it for its overviews.
  static void fill_sparse(TiffFile& tiff) {
    constexpr std::uint16_t gdal_metadata = 42112, gdal_nodata = 42113;
    const TiffDirectory& first = tiff.pages.front();
    const TiffField* nodata = first.find(gdal_nodata);
    if (!is_georeferenced(first) && !first.find(gdal_metadata) && !nodata) return;
    double fill = 0;
    if (nodata) {
      const std::string_view text = text_of(nodata->value);
      const std::size_t at = std::min(text.find_first_not_of(" +"), text.size());
      std::from_chars(text.data() + at, text.data() + text.size(), fill);
    }
    for (TiffDirectory& page : tiff.pages) {
      page.fill = fill;
      for (TiffDirectory& picture : page.pictures) picture.fill = fill;
    }
  }

  void read_pictures(TiffDirectory& page) {
    for (const std::uint64_t at : page.integers(tiff_tag::sub_directories)) {
      page.pictures.push_back(read_directory(at, 0));
      page.pictures.back().leads_on = next_ != 0;
      check_pixels(page.pictures.back());
    }
    std::erase_if(page.fields,
                  [](const TiffField& field) { return field.tag == tiff_tag::sub_directories; });
  }

  void check_pixels(const TiffDirectory& page) {
    if (missing_ == MissingPixels::are_left_out) return;
    for (const auto& [offsets_tag, counts_tag] :
         {std::pair{tiff_tag::strip_offsets, tiff_tag::strip_byte_counts},
          std::pair{tiff_tag::tile_offsets, tiff_tag::tile_byte_counts}}) {
      const auto offsets = page.integers(offsets_tag), counts = page.integers(counts_tag);
      if (counts.size() < offsets.size()) end_ = file_.size();
      for (std::size_t i = 0; i < std::min(offsets.size(), counts.size()); ++i) {
        need(offsets[i], counts[i], offsets_tag == tiff_tag::strip_offsets ? "a strip" : "a tile");
      }
    }
    // Marked as unused, or left out for a reason that is reported elsewhere.
    for (const auto& [offset_tag, count_tag] :
         {std::pair{tiff_tag::free_offsets, tiff_tag::free_byte_counts},
          std::pair{tiff_tag::jpeg_interchange, tiff_tag::jpeg_interchange_length}}) {
      const auto offsets = page.integers(offset_tag), counts = page.integers(count_tag);
      for (std::size_t i = 0; i < std::min(offsets.size(), counts.size()); ++i) {
        if (offsets[i] >= file_.size()) continue;
        claim(offsets[i], std::min(counts[i], file_.size() - offsets[i]));
      }
    }
  }

  void add_fixed_bytes(TiffFile& tiff) {
    if (notes_.empty() && !tiff.must_stay) return;
    const auto add = [&](std::uint64_t from, std::uint64_t to, bool is_note) {
      value_bytes_ += to - from;
      if (!only_structure_) tiff.fixed.push_back({from, value(from, to - from, 1), is_note});
    };
    std::ranges::sort(claimed_);
    if (tiff.must_stay) claimed_.emplace_back(file_.size(), file_.size());
    std::uint64_t done = 0, hidden = 0;
    for (const auto& [from, to] : claimed_) {
      // Zeros only fill the space between, but four may be a number of MetaMorph's.
      std::uint64_t begin = done, end = std::max(done, from);
      const bool may_be_number = tiff.must_stay && end - begin >= 4;
      while (!may_be_number && begin < end && file_[begin] == std::byte{0}) ++begin;
      while (!may_be_number && begin < end && file_[end - 1] == std::byte{0}) --end;
      const bool fits = end - begin <= most_for_fixed_bytes - hidden;
      if (end > begin && fits) {
        hidden += end - begin;
        add(begin, end, false);
      }
      tiff.is_too_much |= !fits;
      done = std::max(done, to);
    }
    std::uint64_t last = 0;
    for (const auto& [from, to] : notes_) {
      if (from >= last) add(from, to, true);
      last = std::max(last, to);
    }
    std::ranges::sort(tiff.fixed, {}, &TiffFixedBytes::at);
  }

  std::span<const std::byte> file_;
  MissingPixels missing_;
  bool only_structure_;
  bool little_ = false, big_ = false;
  std::uint64_t next_ = 0;
  std::uint64_t bytes_read_ = 0, value_bytes_ = 0;
  std::uint64_t end_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> claimed_;  // begin and end
  std::map<std::uint64_t, std::uint64_t> notes_;                  // likewise
  std::size_t page_ = 0;
};

}  // namespace

const TiffField* TiffDirectory::find(std::uint16_t tag) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const TiffField& field) { return field.tag == tag; });
  return found == fields.end() ? nullptr : &*found;
}

std::vector<std::uint64_t> TiffDirectory::integers(std::uint16_t tag) const {
  const TiffField* field = find(tag);
  if (!field) return {};
  const std::size_t bytes = size_of_type(field->type).value_bytes;
  constexpr std::array<std::uint16_t, 4> signed_types = {6, 8, 9, 17};
  const bool is_signed = std::ranges::count(signed_types, field->type) > 0;
  std::vector<std::uint64_t> numbers;
  for (std::size_t at = 0; at + bytes <= field->value.size(); at += bytes) {
    std::uint64_t number = little_endian(field->value, at, bytes);
    if (is_signed && number >> (8 * bytes - 1) != 0) number |= ~std::uint64_t{0} << (8 * bytes - 1);
    numbers.push_back(number);
  }
  return numbers;
}

std::uint64_t TiffDirectory::integer(std::uint16_t tag, std::uint64_t otherwise) const {
  const auto numbers = integers(tag);
  return numbers.empty() ? otherwise : numbers.front();
}

TiffField tiff_integers(std::uint16_t tag, std::uint16_t type,
                        std::span<const std::uint64_t> numbers) {
  TiffField field{.tag = tag, .type = type, .count = numbers.size(), .value = {}};
  const std::size_t bytes = size_of_type(type).value_bytes;
  field.value.resize(numbers.size() * bytes);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    put_little_endian(field.value, i * bytes, bytes, numbers[i]);
  }
  return field;
}

Orientation tiff_orientation(const TiffDirectory& page) {
  return orientation_of_tag(page.integer(tiff_tag::orientation, 1)).value_or(Orientation::identity);
}

Orientation ahead_of(const TiffDirectory& page, const TiffFile& tiff) {
  return compose(tiff_orientation(page), inverse(tiff_orientation(tiff.pages.front())));
}

std::size_t tiff_word_bytes(std::uint16_t type) { return size_of_type(type).word_bytes; }

void check_tiff_limits(std::span<const std::byte> file, const Limits& limits) {
  const auto tiff = TiffStructure::open(file);
  if (!tiff) return;
  constexpr std::array metadata_tags = {tiff_tag::xmp, tiff_tag::icc_profile,
                                        tiff_tag::description};
  std::uint64_t directories = 0, entries = 0;
  MetadataCount metadata;
  std::unordered_set<std::uint64_t> seen;
  std::uint64_t at = tiff->first_directory();
  while (at != 0 && seen.insert(at).second) {
    const TiffEntries page = tiff->directory(at);
    ++directories;
    entries += page.entries.size();
    if (entries * tiff->entry_bytes() > 2 * file.size()) break;  // they share their bytes
    for (const TiffEntry& entry : page.entries) {
      if (entry.tag == tiff_tag::sub_directories) directories += entry.count;
      if (std::ranges::count(metadata_tags, entry.tag) > 0) metadata.add(entry.value_bytes);
    }
    at = page.next;
  }
  check_limit(limits, &Limits::directories, directories);
  metadata.check(limits);
}

TiffFile read_tiff(std::span<const std::byte> file, MissingPixels missing) {
  return DirectoryReader(file, missing, false).read();
}

TiffFile read_tiff_structure(std::span<const std::byte> file, MissingPixels missing) {
  return DirectoryReader(file, missing, true).read();
}

}  // namespace qturn::tiff
