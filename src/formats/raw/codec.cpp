// Camera raw files that are built like a TIFF: DNG, NEF, CR2, ARW, PEF, ORF, RW2 and others. Their
// pixels are never turned. Only the orientation tag of the first directory is changed, where it
// lies: raw developers and viewers look at it.
#include "src/formats/table.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "src/metadata/exif.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::raw {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::uint16_t width_tag = 256, height_tag = 257, orientation_tag = 274,
                        sub_directories_tag = 330, xmp_tag = 700, panasonic_preview_tag = 0x2E;

// Olympus and Panasonic have numbers of their own where a TIFF has 42.
bool has_own_number(std::span<const std::byte> head) {
  constexpr std::array marks = {"IIRO"sv, "IIRS"sv, "MMOR"sv, "IIU\0"sv};
  return std::ranges::any_of(
      marks, [&](std::string_view mark) { return text_of(head).starts_with(mark); });
}

bool recognises(std::span<const std::byte> head, std::string_view lower_suffix) {
  constexpr std::size_t canon_at = 8;
  if (head.size() < canon_at) return false;
  if (has_own_number(head)) return true;
  if (!TiffStructure::open(head)) return false;
  const bool is_canon = text_of(head.subspan(canon_at)).starts_with("CR\2");
  return is_canon ||
         (!lower_suffix.empty() && std::ranges::count(codec.suffixes, lower_suffix) > 0);
}

// The file with a TIFF's number instead.
Bytes with_tiff_number(std::span<const std::byte> file) {
  Bytes copy(file.begin(), file.end());
  if (!has_own_number(file)) return copy;
  const std::size_t low = file[0] == std::byte{'I'} ? 2 : 3, high = 5 - low;
  copy[low] = std::byte{42};
  copy[high] = std::byte{0};
  return copy;
}

TiffStructure structure_of(std::span<const std::byte> file) {
  const auto tiff = TiffStructure::open(file);
  if (!tiff) throw ImageFileError("damaged: it has no TIFF header");
  return *tiff;
}

// The first directory, the next ones, and all below them. Entries are kept, so there may be no
// more of them than the file can hold, with room for some that share their bytes.
std::vector<TiffEntries> directories_of(const TiffStructure& tiff, const Limits& limits) {
  std::vector<TiffEntries> all;
  std::unordered_set<std::uint64_t> seen;
  std::uint64_t directories = 0, entries = 0;
  MetadataCount metadata;
  const auto count = [&](std::uint64_t more) {
    directories += more;
    check_limit(limits, &Limits::directories, directories);
  };
  const auto add = [&](std::uint64_t at) -> std::uint64_t {
    if (at == 0 || !seen.insert(at).second) return 0;
    TiffEntries directory = tiff.directory(at);
    if (!directory.all_entries) throw ImageFileError("damaged: a directory is incomplete");
    entries += directory.entries.size();
    if (entries * tiff.entry_bytes() > 2 * tiff.size()) {
      throw ImageFileError("damaged: its directories share their bytes");
    }
    for (const TiffEntry& entry : directory.entries) {
      if (entry.tag == xmp_tag) metadata.add(entry.value_bytes);
    }
    metadata.check(limits);
    all.push_back(std::move(directory));
    return all.back().next;
  };
  for (std::uint64_t at = tiff.first_directory(); at != 0;) {
    count(1);
    at = add(at);
  }
  if (all.empty()) throw ImageFileError("damaged: it has no directory");
  for (std::size_t i = 0; i < all.size(); ++i) {  // NOLINT(modernize-loop-convert): it grows
    const TiffEntry* below = all[i].find(sub_directories_tag);
    if (!below || below->count == 0) continue;
    const TiffEntry places = *below;
    const auto bytes = static_cast<std::size_t>(places.value_bytes / places.count);
    if (bytes < 4) continue;
    count(places.count);
    for (std::uint64_t k = 0; k < places.count; ++k) {
      add(tiff.number(places.value_at + k * bytes, bytes));
    }
  }
  return all;
}

Header header_of(std::span<const std::byte> file, const Limits& limits) {
  if (has_own_number(file)) return header_of(with_tiff_number(file), limits);
  const TiffStructure tiff = structure_of(file);
  const std::vector<TiffEntries> all = directories_of(tiff, limits);
  Header header;
  header.stored = orientation_of_directory(tiff, all.front()).value_or(Orientation::identity);
  const auto side = [&](const TiffEntries& directory, std::uint16_t tag) {
    const TiffEntry* entry = directory.find(tag);
    return entry ? static_cast<std::int64_t>(tiff.integer(*entry).value_or(0) & 0xFFFFFFFF) : 0;
  };
  for (const TiffEntries& directory : all) {
    const std::int64_t width = side(directory, width_tag), height = side(directory, height_tag);
    if (width > header.width) {
      header.width = width;
      header.height = height;
    }
  }
  header.pixels_total =
      static_cast<std::uint64_t>(header.width) * static_cast<std::uint64_t>(header.height);
  return header;
}

Bytes retag(std::span<const std::byte> source, Orientation tag, MissingTag, const TurnEmbedded&,
            std::vector<std::string>& warnings) {
  Bytes file = with_tiff_number(source);
  const TiffStructure tiff = structure_of(file);
  const std::vector<TiffEntries> all = directories_of(tiff, unlimited);
  const auto stored = orientation_of_directory(tiff, all.front());
  if (!stored) throw ImageFileError("it has no orientation tag, and none is added to a raw file");
  for (const TiffEntries& directory : all) {
    // A directory may have the tag more than once, and readers differ in which they believe.
    const auto says = orientation_of_directory(tiff, directory);
    for (const TiffEntry& entry : directory.entries) {
      if (entry.tag == orientation_tag && says == stored) {
        tiff.put_short(file, entry, static_cast<std::uint16_t>(tag));
      }
    }
    if (says && says != stored && says != tag) {
      warnings.emplace_back("a preview in it keeps an orientation of its own");
    }
    if (directory.find(panasonic_preview_tag)) {
      warnings.emplace_back("the Exif block of its preview stays as it was");
    }
    const TiffEntry* xmp = directory.find(xmp_tag);
    if (!xmp || xmp->value_bytes == 0) continue;
    const std::string_view packet = text_of(source.subspan(xmp->value_at, xmp->value_bytes));
    warn_of_other_orientation(packet, *stored, warnings);
    const std::string turned = turn_xmp(packet, {.stored = *stored, .tag = tag}, warnings);
    if (turned.size() == packet.size()) {
      std::ranges::copy(bytes_of(turned),
                        file.begin() + static_cast<std::ptrdiff_t>(xmp->value_at));
    } else {
      warnings.emplace_back("the orientation in its XMP stays as it was");
    }
  }
  // Where parts of the file share their bytes, changing one changes another.
  const StoredOrientation left = stored_orientation(file);
  if (left.value != tag) throw ImageFileError("damaged: parts of it share their bytes");
  std::copy_n(source.begin(), 4, file.begin());
  return file;
}

void check(std::span<const std::byte> source, MetadataCheck& check) {
  const Bytes file = with_tiff_number(source);
  const TiffStructure tiff = structure_of(file);
  for (const TiffEntries& directory : directories_of(tiff, unlimited)) {
    if (const auto says = orientation_of_directory(tiff, directory)) {
      check.orientation("a directory", *says);
    }
  }
}

// All of the file but its orientations.
std::vector<FilePart> parts(std::span<const std::byte> source, Orientation) {
  Bytes file = with_tiff_number(source);
  const TiffStructure tiff = structure_of(file);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> changed;
  for (const TiffEntries& directory : directories_of(tiff, unlimited)) {
    for (const TiffEntry& entry : directory.entries) {
      if (entry.tag == orientation_tag) changed.emplace_back(entry.at, tiff.entry_bytes());
      if (entry.tag == xmp_tag) changed.emplace_back(entry.value_at, entry.value_bytes);
    }
  }
  for (const auto& [at, bytes] : changed)
    if (tiff.holds(at, bytes)) std::fill_n(&file[at], bytes, std::byte{0});
  return {FilePart::of_copy(FilePart::fixed, "the file without its orientations", file)};
}

}  // namespace

const Codec codec = {
    .name = "raw",
    .suffixes = {".dng", ".3fr", ".arw", ".cr2", ".dcr", ".erf", ".fff", ".iiq",
                 ".k25", ".kdc", ".mef", ".mos", ".nef", ".nrw", ".orf", ".pef",
                 ".ptx", ".raw", ".rw2", ".rwl", ".sr2", ".srf", ".srw"},
    .recognises = recognises,
    .check_limits = [](std::span<const std::byte> file,
                       const Limits& limits) { header_of(file, limits); },
    .read_header = [](std::span<const std::byte> file) { return header_of(file, unlimited); },
    .retag = retag,
    .check = check,
    .parts = parts,
    .only_if_asked = true,
};

const Codec other_codec = {
    .name = "other raw",
    .suffixes = {".cr3", ".crw", ".mrw", ".raf", ".x3f"},
    .recognises =
        [](std::span<const std::byte> head, std::string_view) {
          const auto has = [&](std::size_t at, std::string_view mark) {
            return head.size() > at && text_of(head.subspan(at)).starts_with(mark);
          };
          return has(4, "ftypcrx ") || has(6, "HEAPCCDR") || has(0, "FUJIFILMCCD-RAW") ||
                 has(0, "\0MRM"sv) || has(0, "FOVb");
        },
    .read_header = [](std::span<const std::byte>) -> Header {
      throw ImageFileError("camera raw of a kind that is not supported");
    },
    .only_if_asked = true,
};

}  // namespace qturn::raw
