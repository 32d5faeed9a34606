#include "tests/fuzz/structure_mutator.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/container/boxes.hpp"
#include "src/formats/png/chunks.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn::fuzz {
namespace {

using Input = std::span<const std::byte>;
using std::string_view_literals::operator""sv;

class Chance {
 public:
  Chance(std::uint32_t seed, MutateBytes mutate) : random_(seed), mutate_(mutate) {}

  std::size_t below(std::size_t count) { return random_() % count; }
  template <typename Items>
  const auto& one_of(const Items& items) {
    return *std::next(std::begin(items), static_cast<std::ptrdiff_t>(below(std::size(items))));
  }
  // With as many bytes as before.
  void change_within(Bytes& content) {
    mutate_(reinterpret_cast<std::uint8_t*>(content.data()), content.size(), content.size());
  }
  // Half of the time like that, so that offsets to what follows stay right.
  void change(Bytes& content) {
    const std::size_t size = content.size();
    if (size > 0 && below(2) == 0) return change_within(content);
    content.resize(size + 32);
    const auto data = reinterpret_cast<std::uint8_t*>(content.data());
    content.resize(mutate_(data, size, content.size()));
  }

 private:
  std::mt19937 random_;
  MutateBytes mutate_;
};

// --- Parts one after the other: segments, chunks, boxes.

struct Part {
  Bytes type, content;
  Bytes after = {};  // the data of a JPEG's scan
};

struct Parts {
  Bytes lead;
  std::vector<Part> all;
  Bytes rest;  // what is not made of parts
};

Bytes copy_of(Input bytes) { return {bytes.begin(), bytes.end()}; }

void append(Bytes& to, Input bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

struct Form {
  std::string_view begins;
  bool is_all_parts;                    // of a whole file, which nothing else tells
  std::vector<std::string_view> types;  // none: each part has a header of its own
  // The part that begins there, and where it ends; nothing if none does.
  std::optional<std::size_t> (*read)(Input file, std::size_t at, Part& part);
  void (*write)(Bytes& to, const Part& part);
};

std::optional<std::size_t> read_segment(Input file, std::size_t at, Part& part) {
  constexpr std::byte stuffed{0}, sos{0xDA}, eoi{0xD9}, rst_first{0xD0}, rst_last{0xD7};
  if (file.size() - at < 4 || file[at] != std::byte{0xFF}) return std::nullopt;
  const std::byte marker = file[at + 1];
  if (marker < std::byte{0xC0} || (marker >= rst_first && marker <= eoi)) return std::nullopt;
  const auto length = static_cast<std::size_t>(big_endian(file, at + 2, 2));
  if (length < 2 || length > file.size() - at - 2) return std::nullopt;
  part.type = copy_of(file.subspan(at, 2));
  part.content = copy_of(file.subspan(at + 4, length - 2));
  const std::size_t data = at + 2 + length;
  std::size_t end = data;
  if (marker == sos) {
    const auto is_data = [&](std::byte next) {
      return next == stuffed || (next >= rst_first && next <= rst_last);
    };
    while (end < file.size() &&
           (file[end] != std::byte{0xFF} || (end + 1 < file.size() && is_data(file[end + 1])))) {
      ++end;
    }
  }
  part.after = copy_of(file.subspan(data, end - data));
  return end;
}

void write_segment(Bytes& to, const Part& part) {
  const std::size_t bytes = std::min<std::size_t>(part.content.size(), 65533), at = to.size();
  append(to, part.type);
  to.resize(to.size() + 2);
  put_big_endian(to, at + 2, 2, bytes + 2);
  append(to, Input(part.content).first(bytes));
  append(to, part.after);
}

std::optional<std::size_t> read_chunk(Input file, std::size_t at, Part& part) {
  constexpr std::size_t around = 12;
  if (file.size() - at < around) return std::nullopt;
  const auto length = static_cast<std::size_t>(big_endian(file, at, 4));
  if (length > file.size() - at - around) return std::nullopt;
  part.type = copy_of(file.subspan(at + 4, 4));
  part.content = copy_of(file.subspan(at + 8, length));
  return at + around + length;
}

std::optional<std::size_t> read_box(Input file, std::size_t at, Part& part) {
  if (file.size() - at < 8) return std::nullopt;
  std::size_t head = 8, size = static_cast<std::size_t>(big_endian(file, at, 4));
  part.type = copy_of(file.subspan(at + 4, 4));
  const auto is_letter = [](char c) { return c >= ' ' && c <= '~'; };
  if (!std::ranges::all_of(text_of(part.type), is_letter)) return std::nullopt;
  if (size == 0) size = file.size() - at;
  if (size == 1 && file.size() - at >= 16) {
    head = 16;
    size = static_cast<std::size_t>(big_endian(file, at + 8, 8));
  }
  if (size < head || size > file.size() - at) return std::nullopt;
  part.content = copy_of(file.subspan(at + head, size - head));
  return at + size;
}

void write_box(Bytes& to, const Part& part) {
  const std::size_t begun = begin_box(to, text_of(part.type));
  append(to, part.content);
  end_box(to, begun);
}

// A member of a tar; its type is its header.
constexpr std::size_t block = 512, tar_size_at = 124, tar_sum_at = 148, tar_mark_at = 257;

std::size_t padded(std::size_t bytes) { return (bytes + block - 1) / block * block; }

std::optional<std::size_t> read_member(Input file, std::size_t at, Part& part) {
  if (file.size() - at < block) return std::nullopt;
  part.type = copy_of(file.subspan(at, block));
  if (!text_of(part.type).substr(tar_mark_at).starts_with("ustar")) return std::nullopt;
  const std::size_t size = std::strtoull(text_of(part.type).data() + tar_size_at, nullptr, 8);
  if (size > file.size() - at - block) return std::nullopt;
  part.content = copy_of(file.subspan(at + block, size));
  return std::min(at + block + padded(size), file.size());
}

void write_member(Bytes& to, const Part& part) {
  Bytes header = part.type;
  const auto put_octal = [&](std::size_t at, int digits, std::size_t value) {
    for (int i = digits; i-- > 0; value /= 8) {
      header[at + static_cast<std::size_t>(i)] = static_cast<std::byte>('0' + value % 8);
    }
  };
  put_octal(tar_size_at, 11, part.content.size());
  std::fill_n(&header[tar_sum_at], 8, std::byte{' '});
  std::size_t sum = 0;
  for (const std::byte byte : header) sum += std::to_integer<std::size_t>(byte);
  put_octal(tar_sum_at, 6, sum);
  header[tar_sum_at + 6] = std::byte{0};
  append(to, header);
  append(to, part.content);
  to.resize(to.size() + padded(part.content.size()) - part.content.size());
}

const std::array<Form, 4>& forms() {
  static const std::array<Form, 4> all = {
      {{"\xFF\xD8",
        false,
        {"\xFF\xE0", "\xFF\xE1", "\xFF\xE2", "\xFF\xED", "\xFF\xEE", "\xFF\xFE", "\xFF\xC0",
         "\xFF\xC1", "\xFF\xC2", "\xFF\xC4", "\xFF\xDA", "\xFF\xDB", "\xFF\xDD"},
        read_segment,
        write_segment},
       {"", false, {}, read_member, write_member},
       {"\x89PNG\r\n\x1a\n"sv,
        false,
        {"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "eXIf", "iCCP", "iTXt", "zTXt", "tEXt", "pHYs",
         "sCAL", "oFFs", "orNT", "acTL", "fcTL", "fdAT", "bKGD", "sBIT"},
        read_chunk,
        [](Bytes& to, const Part& part) {
          png::append_png_chunk(to, text_of(part.type), part.content);
        }},
       {"",
        true,
        {"ftyp", "meta", "hdlr", "pitm", "iinf", "infe", "iloc", "iref", "dimg",
         "thmb", "cdsc", "auxl", "iprp", "ipco", "ipma", "ispe", "irot", "imir",
         "clap", "hvcC", "av1C", "auxC", "grpl", "idat", "mdat", "moov", "trak",
         "tkhd", "uuid", "Exif", "xml ", "jxlc", "jxlp", "jbrd", "brob", "jumb"},
        read_box,
        write_box}}};
  return all;
}

Parts read_parts(const Form& form, Input file) {
  Parts parts{.lead = copy_of(file.first(form.begins.size())), .all = {}, .rest = {}};
  std::size_t at = form.begins.size();
  for (Part part; at < file.size(); part = {}) {
    const auto end = form.read(file, at, part);
    if (!end) break;
    parts.all.push_back(std::move(part));
    at = *end;
  }
  parts.rest = copy_of(file.subspan(at));
  return parts;
}

const Form* form_of(Input file) {
  for (const Form& form : forms()) {
    if (!text_of(file).starts_with(form.begins)) continue;
    const Parts parts = read_parts(form, file);
    if (!parts.all.empty() && (!form.is_all_parts || parts.rest.empty())) return &form;
  }
  return nullptr;
}

// Where Exif, or boxes, may begin: after nothing, a version, or a name and a count.
void change_content(Bytes& content, Chance& chance, MutateBytes mutate) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{4}, std::size_t{6}}) {
    if (at >= content.size() || chance.below(4) == 0) continue;
    const auto seed = static_cast<std::uint32_t>(chance.below(1U << 31));
    const Bytes inner = mutated_structure(Input(content).subspan(at), seed, mutate);
    if (inner.empty()) continue;
    content.resize(at);
    append(content, inner);
    return;
  }
  chance.change(content);
}

void change_parts(std::vector<Part>& parts, const Form& form, Chance& chance, MutateBytes mutate) {
  const auto any = [&] { return static_cast<std::ptrdiff_t>(chance.below(parts.size())); };
  const auto some_type = [&] {
    if (!form.types.empty()) return copy_of(bytes_of(chance.one_of(form.types)));
    Bytes header = chance.one_of(parts).type;
    chance.change_within(header);
    return header;
  };
  enum { insert, erase, duplicate, exchange, retype, last_of_whole_parts = retype };
  const auto place = parts.begin() + any();
  switch (chance.below(2 * (last_of_whole_parts + 1))) {
    case insert: {
      Part made{.type = some_type(), .content = chance.one_of(parts).content};
      chance.change(made.content);
      parts.insert(place, std::move(made));
      break;
    }
    case erase:
      parts.erase(place);
      break;
    case duplicate:
      parts.insert(parts.begin() + any(), Part(*place));
      break;
    case exchange:
      std::swap(*place, parts[static_cast<std::size_t>(any())]);
      break;
    case retype:
      place->type = some_type();
      break;
    default:
      if (!place->after.empty() && chance.below(2) == 0) {
        chance.change(place->after);
        // It may not have a marker.
        std::ranges::replace(place->after, std::byte{0xFF}, std::byte{0xFE});
      } else {
        change_content(place->content, chance, mutate);
      }
  }
}

// The places of items in the data of a HEIC or AVIF (iloc), which lies elsewhere now.
void move_places(Bytes& file, std::uint64_t by) {
  const auto meta = find_box(file, 0, file.size(), "meta");
  const auto iloc = meta ? find_box(file, meta->content + 4, meta->end, "iloc") : std::nullopt;
  if (!iloc) return;
  BoxReader reader(file, *iloc);
  const unsigned version = reader.version().version;
  const std::size_t id_bytes = version < 2 ? 2 : 4;
  const auto sizes = static_cast<std::size_t>(reader.number(2));
  const std::size_t offset_bytes = sizes >> 12, length_bytes = sizes >> 8 & 15,
                    base_bytes = sizes >> 4 & 15, index_bytes = version == 0 ? 0 : sizes & 15;
  for (auto items = reader.number(id_bytes); items > 0; --items) {
    reader.number(id_bytes);
    const bool is_in_file = version == 0 || (reader.number(2) & 15) == 0;
    reader.number(2);
    const auto move = [&](std::size_t bytes, bool is_moved) {
      const std::uint64_t at = reader.at(), from = reader.number(bytes);
      if (is_moved && is_in_file) put_big_endian(file, at, bytes, from + by);
    };
    move(base_bytes, true);
    for (auto extents = reader.number(2); extents > 0; --extents) {
      reader.number(index_bytes);
      move(offset_bytes, base_bytes == 0);
      reader.number(length_bytes);
    }
  }
}

void follow_data(Input before, Bytes& file) {
  try {
    const auto from = find_box(before, 0, before.size(), "mdat");
    const auto to = find_box(file, 0, file.size(), "mdat");
    if (from && to) move_places(file, to->content - from->content);
  } catch (const ImageFileError&) {  // a damaged iloc stays so
  }
}

Bytes changed_parts(Input file, const Form& form, Chance& chance, MutateBytes mutate) {
  Parts parts = read_parts(form, file);
  change_parts(parts.all, form, chance, mutate);
  Bytes made = std::move(parts.lead);
  for (const Part& part : parts.all) form.write(made, part);
  append(made, parts.rest);
  if (form.is_all_parts) follow_data(file, made);
  return made;
}

// --- TIFF

struct Directory {
  TiffEntries read;
  std::uint64_t pointer_at = 0;  // where its own offset lies
};

std::vector<Directory> directories_of(const TiffStructure& tiff) {
  constexpr std::array<std::uint16_t, 4> leads_below = {330, 34665, 34853, 40965};
  constexpr std::size_t most = 16;
  std::vector<Directory> found;
  std::set<std::uint64_t> seen;
  std::vector<std::uint64_t> pointers = {tiff.first_at()};
  while (!pointers.empty() && found.size() < most) {
    const std::uint64_t at = pointers.back();
    pointers.pop_back();
    if (!tiff.holds(at, tiff.offset_bytes())) continue;
    const std::uint64_t to = tiff.number(at, tiff.offset_bytes());
    TiffEntries directory = tiff.directory(to);
    if (to == 0 || !directory.whole || !seen.insert(to).second) continue;
    pointers.push_back(to + tiff.count_bytes() + directory.entries.size() * tiff.entry_bytes());
    for (const TiffEntry& entry : directory.entries) {
      if (std::ranges::count(leads_below, entry.tag) > 0) pointers.push_back(entry.value_at);
    }
    found.push_back({std::move(directory), at});
  }
  return found;
}

// Whether a change of these bytes leaves the header and the directories as they are.
bool is_apart(const TiffStructure& tiff, const std::vector<Directory>& all, std::uint64_t at,
              std::uint64_t bytes) {
  return at >= tiff.first_at() + tiff.offset_bytes() &&
         std::ranges::none_of(all, [&](const Directory& each) {
           const std::uint64_t end = each.read.at + tiff.count_bytes() + tiff.offset_bytes() +
                                     each.read.entries.size() * tiff.entry_bytes();
           return at < end && each.read.at < at + bytes;
         });
}

void change_entry(const TiffStructure& tiff, const std::vector<Directory>& all, Bytes& file,
                  Bytes& entry, const TiffEntry& read, Chance& chance) {
  constexpr std::array<std::uint16_t, 36> tags = {
      254, 256, 257, 258, 259, 262, 266, 270, 273, 274, 277, 278, 279, 282, 283, 284, 292,   297,
      305, 317, 320, 322, 323, 324, 325, 330, 338, 339, 347, 513, 514, 529, 530, 700, 34665, 37500};
  constexpr std::array<std::uint64_t, 12> numbers = {
      0, 1, 2, 3, 4, 8, 16, 255, 65535, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  constexpr std::uint16_t types_and_two = 20;
  const std::size_t width = tiff.offset_bytes();
  switch (chance.below(5)) {
    case 0:
      tiff.put(entry, 0, 2, chance.one_of(tags));
      break;
    case 1:
      tiff.put(entry, 2, 2, chance.below(types_and_two));
      break;
    case 2:
      tiff.put(entry, 4, width, chance.one_of(numbers));
      break;
    case 3:
      tiff.put(entry, 4 + width, width, chance.one_of(numbers));
      break;
    default: {  // its values, wherever they lie
      Bytes values = copy_of(Input(file).subspan(read.value_at, read.value_bytes));
      const bool is_inside =
          read.value_at >= read.at && read.value_at + values.size() <= read.at + entry.size();
      if (values.empty() || !(is_inside || is_apart(tiff, all, read.value_at, values.size())))
        break;
      chance.change_within(values);
      Bytes& to = is_inside ? entry : file;
      const std::uint64_t at = is_inside ? read.value_at - read.at : read.value_at;
      std::ranges::copy(values, to.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

// At its place, or at the end of the file if it has become longer.
void write_directory(const TiffStructure& tiff, Bytes& file, const Directory& directory,
                     std::vector<Bytes> entries) {
  const auto tag_of = [little = file[0] == std::byte{'I'}](const Bytes& entry) {
    return little ? little_endian(entry, 0, 2) : big_endian(entry, 0, 2);
  };
  std::ranges::stable_sort(entries, {}, tag_of);
  std::uint64_t at = directory.read.at;
  const std::size_t bytes =
      tiff.count_bytes() + entries.size() * tiff.entry_bytes() + tiff.offset_bytes();
  if (entries.size() > directory.read.entries.size()) {
    at = file.size() + file.size() % 2;
    file.resize(at + bytes);
    tiff.put(file, directory.pointer_at, tiff.offset_bytes(), at);
  }
  tiff.put(file, at, tiff.count_bytes(), entries.size());
  at += tiff.count_bytes();
  for (const Bytes& entry : entries) {
    std::ranges::copy(entry, file.begin() + static_cast<std::ptrdiff_t>(at));
    at += entry.size();
  }
  tiff.put(file, at, tiff.offset_bytes(), directory.read.next);
}

Bytes changed_directories(Input before, Chance& chance) {
  const auto tiff = TiffStructure::open(before);
  if (!tiff) return {};
  const std::vector<Directory> all = directories_of(*tiff);
  if (all.empty()) return {};
  Bytes file = copy_of(before);
  const Directory& directory = chance.one_of(all);
  const std::vector<TiffEntry>& read = directory.read.entries;
  std::vector<Bytes> entries;
  for (const TiffEntry& entry : read) {
    entries.push_back(copy_of(before.subspan(entry.at, tiff->entry_bytes())));
  }
  enum { insert, erase, change };
  const std::size_t what = chance.below(2 * change), which = chance.below(entries.size() + 1);
  if (which == entries.size() || what == insert) {
    Bytes added = entries.empty() ? Bytes(tiff->entry_bytes()) : chance.one_of(entries);
    if (chance.below(2) == 0) change_entry(*tiff, all, file, added, {.at = file.size()}, chance);
    entries.push_back(std::move(added));
  } else if (what == erase) {
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(which));
  } else {
    change_entry(*tiff, all, file, entries[which], read[which], chance);
  }
  write_directory(*tiff, file, directory, std::move(entries));
  return file;
}

// Camera raw files have a mark of their own where a TIFF has 42.
Bytes changed_tiff(Input file, Chance& chance) {
  constexpr std::size_t mark_at = 2, mark_bytes = 2;
  if (!TiffStructure::is_marked(file)) return {};
  if (const Bytes made = changed_directories(file, chance); !made.empty()) return made;
  constexpr std::array<std::string_view, 4> marks = {"RO", "RS", "OR", "U\0"sv};
  const std::string_view mark = text_of(file.subspan(mark_at, mark_bytes));
  if (std::ranges::count(marks, mark) == 0) return {};
  Bytes plain = copy_of(file);
  const bool little = file[0] == std::byte{'I'};
  plain[mark_at] = std::byte{little ? std::uint8_t{42} : std::uint8_t{0}};
  plain[mark_at + 1] = std::byte{little ? std::uint8_t{0} : std::uint8_t{42}};
  Bytes made = changed_directories(plain, chance);
  if (!made.empty()) std::ranges::copy(bytes_of(mark), made.begin() + mark_at);
  return made;
}

}  // namespace

Bytes mutated_structure(std::span<const std::byte> file, std::uint32_t seed, MutateBytes mutate) {
  Chance chance(seed, mutate);
  if (Bytes made = changed_tiff(file, chance); !made.empty()) return made;
  const Form* form = form_of(file);
  return form ? changed_parts(file, *form, chance, mutate) : Bytes();
}

}  // namespace qturn::fuzz
