#include "src/sample/harmless.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <span>

#include "src/files/content_hash.hpp"
#include "src/formats/table.hpp"
#include "src/labels/many/shared_label.hpp"
#include "src/labels/one/label.hpp"
#include "src/labels/text/any_text.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/picture/text.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;
using Text = std::string_view;

/// Kinds of files that are harmless. Words lie between blanks, in lower case.
struct Row {
  Text suffixes, names = {};  ///< whole names, without their suffixes
  KnownKind kind = KnownKind::harmless;
};
constexpr Row rows[] = {
    // Programs that develop pictures, and their catalogues.
    {".pp3 .dop .cos .aae .arp .on1 .vrd .dr4 .nksc .lrcat .lrcat-data .cocatalogdb .rwz",
     "digikam4 thumbnails-digikam similarity recognition library photo", KnownKind::keeps_crops},
    // Previews, sound and video of cameras.
    {".thm .wav .mp3 .m4a .aac .ogg .flac .mp4 .mov .avi .mts .m2ts .mkv .webm .3gp .lrv .insv "
     ".wmv .mpg .gpx .kml .nmea .srt .vtt"},
    // Pictures that have an orientation of their own.
    {".psd .psb .xcf .kra .ai .eps .svg .ico .cur .dcm .djvu"},
    // Databases of viewers, caches, and what systems keep.
    {".db .db-wal .db-shm .cache .ini .lnk .url .pif .bak~ .tmp .part .crdownload"},
    {".md5 .sha1 .sha256 .sha512 .sfv .par2 .sig .asc .torrent"},
    {".zip .7z .rar .tar .tgz .tbz .iso .dmg .apk .cbz .cbr .epub"},
    // Programs, web pages and documents.
    {".py .ipynb .sh .bat .ps1 .js .mjs .ts .tsx .jsx .vue .css .scss .less .html .htm .xhtml .php "
     ".asp .jsp .webmanifest .c .h .cc .cpp .hpp .cu .java .kt .go .rs .rb .pl .lua .r .m .cs "
     ".swift .sql .cmake .exe .dll .so .o .a .jar .whl .ttf .otf .woff .woff2"},
    {".md .rst .adoc .pdf .doc .docx .odt .rtf .tex .bib .ppt .pptx .odp .key .pages .eml .log "
     ".diff .patch",
     "readme license licence copying changelog changes authors notice citation makefile"},
};

Text stem_of(Text name) {
  const std::size_t dot = name.rfind('.');
  return dot == 0 ? name : name.substr(0, dot);
}

/// "a" of "a_leftImg8bit", as Cityscapes calls pictures.
Text without_kind(Text lower_stem) {
  for (const Text kind : {"_leftimg8bit", "_gtfine_", "_gtcoarse_"})
    if (const std::size_t at = lower_stem.rfind(kind); at != Text::npos && at > 0)
      return lower_stem.substr(0, at);
  return lower_stem;
}

std::uint64_t hash_of_stem(Text lower) { return xxh64(lower, 0); }

/// The stems that the name of a file may have, from "a" to "a.jpg" of "gt_a.jpg.json".
template <typename Visit>
void for_each_own_stem(Text lower_name, Visit visit) {
  constexpr Text marks = "_-. ";
  const auto visit_ends = [&](Text stem) {
    for (std::size_t at = stem.size(); at != Text::npos && at > 0;
         at = stem.find_last_of(marks, at - 1))
      visit(stem.substr(0, at));
    for (std::size_t at = stem.find_first_of(marks); at != Text::npos && at + 1 < stem.size();
         at = stem.find_first_of(marks, at + 1))
      visit(stem.substr(at + 1));
  };
  const Text stem = stem_of(lower_name);
  visit_ends(stem);
  if (const Text inner = stem_of(stem); inner.size() < stem.size() && inner != stem)
    for (std::size_t at = inner.find_first_of(marks); at != Text::npos && at + 1 < inner.size();
         at = inner.find_first_of(marks, at + 1))
      visit(inner.substr(at + 1));
}

/// The stem of the picture that a word may name: a file name ("x/a.jpg", "a.jpg_1"), or a stem by
/// itself or at the end of a path. A short number is rather a number.
template <typename Visit>
void for_each_named_stem(Text text, bool may_be_stem, Visit visit) {
  constexpr std::size_t longest = 256;
  constexpr Text blanks = " \t\r\n";
  const auto take = [&](Text part, bool may_be) {
    const bool is_path = part.find_first_of("/\\") != Text::npos;
    part = part.substr(part.find_last_of("/\\") + 1);
    part = part.substr(0, part.find('?'));
    part.remove_prefix(std::min(part.find_first_not_of(blanks), part.size()));
    part = part.substr(0, part.find_last_not_of(blanks) + 1);
    if (part.empty() || part.size() > longest) return;
    const std::string lower = lower_case(std::string(part));
    for (const Text name : {Text(lower), Text(lower).substr(0, lower.rfind('_'))}) {
      const Text stem = stem_of(name);
      if (stem.size() == name.size() || !codec_of_suffix(std::string(name.substr(stem.size()))))
        continue;
      visit(hash_of_stem(stem));
      if (without_kind(stem) != stem) visit(hash_of_stem(without_kind(stem)));
      return;
    }
    const bool is_digits = lower.find_first_not_of("0123456789.-") == lower.npos;
    const bool is_short = is_digits && lower.size() < 5 && (lower.size() < 2 || lower[0] != '0');
    if ((may_be || is_path) && !is_short) visit(hash_of_stem(lower));
  };
  take(text, may_be_stem);
  constexpr Text between = " \t\r\n\"'<>,;|=(){}[]`";
  if (text.find_first_of(between) == Text::npos) return;
  for (std::size_t at = 0; (at = text.find_first_not_of(between, at)) != Text::npos;) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    const Text word = text.substr(at, end - at);
    if (word.find('.') < word.size()) take(word.substr(0, word.find_last_not_of(".:!") + 1), false);
    at = end;
  }
}

/// Of a text of any form, without reading it as a tree.
template <typename Visit>
void for_each_stem_in(Text text, Visit visit) {
  constexpr Text between = "\r\n\t\"'<>,;|=(){}[]";
  for (std::size_t at = 0; (at = text.find_first_not_of(between, at)) != Text::npos;) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    const Text part = text.substr(at, end - at);
    for_each_named_stem(part, true, visit);
    for (std::size_t word = 0; (word = part.find_first_not_of(" :", word)) < part.size();) {
      const std::size_t end_of_word = std::min(part.find_first_of(" :", word), part.size());
      if (end_of_word - word < part.size())
        for_each_named_stem(part.substr(word, end_of_word - word), true, visit);
      word = end_of_word;
    }
    at = end;
  }
}

/// What the records of a text say about pictures.
class Judge {
 public:
  Judge(const AnyText& text, const PictureNames& pictures, const SizeOfPicture& size_of)
      : text_(text), nodes_(text.nodes()), pictures_(pictures), size_of_(size_of) {}

  /// Of a file with the stem of these pictures.
  std::optional<Suspicion> judge_whole(const std::vector<std::size_t>& own) {
    if (text_.is_prose()) return std::nullopt;
    names_.resize(nodes_.size());
    counts_.assign(nodes_.size(), 0);
    Record all{own.empty() ? std::nullopt : std::optional(own.front()), {}};
    gather(0, all);
    const std::vector<const Number*> left = counted(all, false);
    if (left.size() < 2) return std::nullopt;
    return Suspicion{
        fmt::format("has the name of a picture, and {} numbers{}", left.size(), keys_of(left)),
        own};
  }

  std::optional<Suspicion> judge_named() {
    if (text_.is_prose()) return std::nullopt;
    find_names();
    find_records();
    for (const Record& record : records_) add_to_columns(record);
    std::set<std::size_t> pictures;
    std::size_t most = 0;
    std::string keys;
    for (const Record& record : records_) {
      const std::vector<const Number*> left = counted(record, true);
      if (left.size() < 2 || !record.picture) continue;
      pictures.insert(*record.picture);
      if (left.size() <= most) continue;
      most = left.size();
      keys = keys_of(left);
    }
    if (pictures.empty()) return std::nullopt;
    return Suspicion{
        pictures.size() == 1
            ? fmt::format("names a picture with {} numbers{}", most, keys)
            : fmt::format("names {} pictures with {} numbers each{}", pictures.size(), most, keys),
        {pictures.begin(), pictures.end()}};
  }

 private:
  struct Number {
    std::uint64_t column;
    double value;
    Text key;
  };
  struct Record {
    std::optional<std::size_t> picture;
    std::vector<Number> numbers;
  };
  struct Column {
    std::size_t rows = 0;
    bool has_classes = true, counts_up = true;
    double last = 0;
    const Record* record = nullptr;  ///< the last one
  };

  void find_names() {
    names_.resize(nodes_.size());
    counts_.assign(nodes_.size(), 0);
    const auto picture_in = [&](Text word) {
      std::optional<std::size_t> found;
      for_each_named_stem(word, true, [&](std::uint64_t stem) {
        if (!found) found = pictures_.find(stem);
      });
      return found;
    };
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      const AnyNode& node = nodes_[i];
      if (nodes_[node.parent].kind != AnyNode::row && !node.key.empty())
        if (const auto keyed = picture_in(node.key)) keyed_.emplace(i, *keyed);
      if (!node.is_container()) names_[i] = picture_in(node.text);
      counts_[i] += names_[i] || keyed_.contains(i) ? 1 : 0;
    }
    for (std::size_t i = nodes_.size() - 1; i > 0; --i) counts_[nodes_[i].parent] += counts_[i];
  }

  /// The children of a container.
  template <typename Visit>
  void for_each_in(std::size_t of, Visit visit) const {
    for (std::size_t i = of + 1; i < nodes_[of].end;
         i = nodes_[i].is_container() ? nodes_[i].end : i + 1)
      visit(i);
  }
  std::size_t size_of_node(std::size_t of) const {
    std::size_t size = 0;
    for_each_in(of, [&](std::size_t) { ++size; });
    return size;
  }

  void find_records() {
    std::set<std::size_t> seen;
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      if (const auto keyed = keyed_.find(i); keyed != keyed_.end()) {
        Record& record = records_.emplace_back(Record{keyed->second, {}});
        nodes_[i].is_container() ? gather(i, record) : take(i, record);
      } else if (names_[i]) {
        const std::size_t at = nodes_[i].parent;
        if (seen.insert(at).second) add_record(at, *names_[i]);
      }
    }
    if (!records_.empty()) add_joined();
  }

  void add_record(std::size_t at, std::size_t picture) {
    Record& record = records_.emplace_back(Record{picture, {}});
    std::size_t direct = 0;
    for_each_in(at, [&](std::size_t i) { direct += names_[i] ? 1 : 0; });
    const bool is_list = direct > 1 && nodes_[at].kind != AnyNode::row;
    if (!is_list) at = widened(at);
    gather(at, record);
    if (is_list) add_parallel(at, record);
    // "a.jpg", and then lines of numbers, as WIDER FACE has it
    if (!text_.is_lines() || nodes_[at].kind != AnyNode::row || !record.numbers.empty()) return;
    for (std::size_t next = nodes_[at].end;
         next < nodes_.size() && counts_[next] == 0 && nodes_[next].kind == AnyNode::row;
         next = nodes_[next].end)
      gather(next, record);
  }

  /// {"image": {"path": "a.jpg"}, "boxes": [...]}: what is around a record and names no other
  /// picture belongs to it, but not the list that it is an element of.
  std::size_t widened(std::size_t at) const {
    while (at != 0 && nodes_[at].kind != AnyNode::row && !keyed_.contains(at)) {
      const std::size_t parent = nodes_[at].parent;
      if (counts_[parent] != counts_[at]) break;
      std::size_t all = 0, alike = 0, containers = 0;
      for_each_in(parent, [&](std::size_t i) {
        ++all;
        alike += nodes_[i].is_container() && nodes_[i].key == nodes_[at].key ? 1 : 0;
        containers += nodes_[i].is_container() ? 1 : 0;
      });
      const bool is_list = nodes_[parent].kind == AnyNode::array && all > 1;
      if (is_list || alike > 1 || (containers == all && all > 2)) break;
      at = parent;
    }
    return at;
  }

  /// {"file": ["a.jpg", "b.jpg"], "x": [1, 2]}: one column after the other.
  void add_parallel(std::size_t list, Record& record) {
    const std::size_t rows = size_of_node(list);
    for_each_in(nodes_[list].parent, [&](std::size_t i) {
      if (i == list || !nodes_[i].is_container() || size_of_node(i) != rows) return;
      Record column;
      gather(i, column);
      for (std::size_t n = 0; n < column.numbers.size(); n += rows)
        record.numbers.push_back(column.numbers[n]);
    });
  }

  /// {"images": [{"id": 7, "file": "a.jpg"}], "boxes": [{"image": 7, "x": 1, "y": 2}]}: records
  /// that name none, but have a number of one that does.
  void add_joined() {
    std::map<double, std::size_t> ids;
    for (std::size_t i = 1; i < nodes_.size(); ++i)
      if (nodes_[i].kind == AnyNode::number && counts_[nodes_[i].parent] > 0 &&
          says_no_place(nodes_[i]))
        if (const auto picture = picture_beside(i))
          ids.emplace(numbers_in(nodes_[i].text)[0], *picture);
    if (ids.empty()) return;
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      if (nodes_[i].kind != AnyNode::object || counts_[i] > 0) continue;
      std::optional<std::size_t> joined;
      for_each_in(i, [&](std::size_t j) {
        if (nodes_[j].kind != AnyNode::number || !letters_of(nodes_[j].key).ends_with("id")) return;
        if (letters_of(nodes_[j].key) == "id") return;
        const auto found = ids.find(numbers_in(nodes_[j].text)[0]);
        if (found != ids.end()) joined = found->second;
      });
      if (joined) gather(i, records_.emplace_back(Record{joined, {}}), true);
    }
  }

  std::optional<std::size_t> picture_beside(std::size_t i) const {
    std::optional<std::size_t> found;
    for_each_in(nodes_[i].parent, [&](std::size_t j) {
      if (names_[j]) found = names_[j];
    });
    return found;
  }

  /// All numbers in a node, without records within that are about other pictures.
  void gather(std::size_t of, Record& record, bool is_joined = false) {
    const auto may_enter = [&](std::size_t i, std::size_t container) {
      if (keyed_.contains(i) || (is_joined && letters_of(nodes_[i].key).ends_with("id")))
        return false;
      return !nodes_[i].is_container() || counts_[i] == 0 || counts_[i] == counts_[container];
    };
    text_.for_each_telling(of, may_enter, [&](std::size_t i) { take(i, record); });
  }

  void take(std::size_t i, Record& record) {
    if (names_[i]) return;
    const AnyNode& node = nodes_[i];
    const std::vector<double> numbers = numbers_in(node.text);
    const std::size_t called = node.key.empty() ? node.parent : i;
    const Text key = keyed_.contains(called) ? Text() : nodes_[called].key;
    for (std::size_t n = 0; n < numbers.size(); ++n)
      record.numbers.push_back({column_of(i, n), numbers[n], key});
  }

  /// Where a number stands in its record: by the members that it is in, in an array by its place.
  std::uint64_t column_of(std::size_t i, std::size_t place) const {
    std::uint64_t column = place;
    if (nodes_[i].key.empty() || nodes_[nodes_[i].parent].kind == AnyNode::row)
      for (std::size_t before = i; before > nodes_[i].parent; --before) ++column;
    for (; i != 0; i = nodes_[i].parent)
      if (!keyed_.contains(i)) column = xxh64(nodes_[i].key, column);
    return column;
  }

  void add_to_columns(const Record& record) {
    for (const Number& number : record.numbers) {
      Column& column = columns_[number.column];
      if (column.record == &record) column.counts_up = false;
      column.record = &record;
      column.has_classes = column.has_classes && is_class_number(number.value);
      column.counts_up = column.counts_up && (column.rows == 0 || number.value == column.last + 1);
      column.last = number.value;
      ++column.rows;
    }
  }

  /// The numbers of a record that may say where something is.
  std::vector<const Number*> counted(const Record& record, bool by_columns) const {
    constexpr std::size_t enough_rows = 4;
    const bool are_classes = std::ranges::all_of(
        record.numbers, [](const Number& number) { return is_class_number(number.value); });
    std::vector<const Number*> left;
    for (const Number& number : record.numbers) {
      if (are_classes) continue;
      if (by_columns) {
        const Column& column = columns_.at(number.column);
        if (column.has_classes && column.rows >= enough_rows) continue;
        if (column.counts_up && column.rows > 1) continue;
      }
      left.push_back(&number);
    }
    // A size without a place.
    const auto is_side = [](const Number* number) {
      return is_among_words(letters_of(number->key), "width height");
    };
    if (left.size() == 2 && std::ranges::all_of(left, is_side)) return {};
    if (left.size() > 1 && size_of_ && record.picture) {
      if (const auto size = size_of_(*record.picture)) {
        const auto is = [](std::int64_t side) {
          return
              [side](const Number* number) { return number->value == static_cast<double>(side); };
        };
        const auto w = std::ranges::find_if(left, is(size->width));
        if (w != left.end() && std::ranges::any_of(left, is(size->height))) {
          std::erase_if(left, [&](const Number* number) {
            return is(size->width)(number) || is(size->height)(number);
          });
        }
      }
    }
    return left;
  }

  static std::string keys_of(const std::vector<const Number*>& numbers) {
    constexpr std::size_t most = 6, longest = 40;
    std::vector<std::string> keys;
    for (const Number* number : numbers) {
      const std::string key(number->key.substr(0, longest));
      if (!key.empty() && keys.size() < most && std::ranges::count(keys, key) == 0)
        keys.push_back(key);
    }
    return keys.empty() ? "" : fmt::format(": {}", fmt::join(keys, ", "));
  }

  const AnyText& text_;
  const std::vector<AnyNode>& nodes_;
  const PictureNames& pictures_;
  const SizeOfPicture& size_of_;
  std::vector<std::optional<std::size_t>> names_;  // by node, of words
  std::map<std::size_t, std::size_t> keyed_;       // nodes that are called as a picture
  std::vector<std::size_t> counts_;                // of names in each node
  std::vector<Record> records_;
  std::map<std::uint64_t, Column> columns_;
};

/// Of files that are never texts, whatever is in them.
constexpr Text binary_suffixes =
    ".npz .npy .mat .h5 .hdf5 .pt .pth .pkl .pickle .parquet .arrow .feather .tfrecord .roi";

bool is_text(Text head, Text lower_suffix) {
  return is_utf_16(head) ||
         (head.find('\0') == Text::npos && !is_among_words(lower_suffix, binary_suffixes));
}

struct ForeignName {
  Text name, instead;
  Text suffix;                           ///< or empty
  std::initializer_list<Text> any = {};  ///< words; one of them is there
};

/// YOLO's. Any text with five words may be such a label.
bool begins_with_box(Text head) {
  const auto lines = lines_of_words(head.substr(0, 4096));
  return !lines.empty() && lines[0].size() >= 5 && std::ranges::all_of(lines[0], is_any_number);
}

constexpr Text one_format = "YOLO, Pascal VOC or COCO";

}  // namespace

KnownKind known_kind(const fs::path& file) {
  const std::string suffix = lower_suffix(file), stem = lower_case(file.filename().stem().string());
  for (const Row& row : rows) {
    const bool is_catalogue = row.kind == KnownKind::keeps_crops && suffix != ".db";
    const bool is_named = !is_catalogue && is_among_words(stem, row.names);
    if (is_named || (!suffix.empty() && is_among_words(suffix, row.suffixes))) return row.kind;
  }
  // GDAL's notes, too: where on a map they say a picture lies is turned, or named.
  if (is_xmp(file) || is_named_as_world_file(file) || is_turned_world_file(file))
    return KnownKind::harmless;
  if (const Codec* codec = codec_of_suffix(suffix); codec && codec->only_if_asked)
    return KnownKind::harmless;  // a camera's raw file
  const fs::path folder = file.parent_path();
  return std::any_of(folder.begin(), folder.end(),
                     [](const fs::path& part) { return part == "oxts"; })
             ? KnownKind::harmless  // KITTI's: where the car was
             : KnownKind::none;
}

bool is_known_text(Text head) {
  return has_any(head.substr(0, 4096), {"\"SourceFile\":", "SourceFile,", "\"qturn_manifest\""}) ||
         has_all(head, {"Steps: ", "Sampler: "});
}

void PictureNames::add(Text name, std::size_t number) {
  const std::string lower = lower_case(std::string(name));
  const Text stem = stem_of(lower);
  stems_.emplace_back(hash_of_stem(stem), number);
  if (without_kind(stem) != stem) stems_.emplace_back(hash_of_stem(without_kind(stem)), number);
  are_sorted_ = false;
}

std::optional<std::size_t> PictureNames::find(std::uint64_t stem) const {
  if (!are_sorted_) std::ranges::sort(stems_);
  are_sorted_ = true;
  const auto found = std::ranges::lower_bound(stems_, std::pair(stem, std::size_t{0}));
  return found == stems_.end() || found->first != stem ? std::nullopt
                                                       : std::optional(found->second);
}

std::vector<std::size_t> PictureNames::of_file(Text name) const {
  std::vector<std::size_t> found;
  for_each_own_stem(lower_case(std::string(name)), [&](Text stem) {
    if (const auto number = find(hash_of_stem(stem))) found.push_back(*number);
  });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool names_any(Text text, const PictureNames& pictures) {
  bool found = false;
  for_each_stem_in(from_utf_16(text),
                   [&](std::uint64_t stem) { found = found || pictures.find(stem); });
  return found;
}

std::vector<std::uint64_t> stems_in(Text name, Text text) {
  std::vector<std::uint64_t> stems;
  for_each_own_stem(lower_case(std::string(name)),
                    [&](Text stem) { stems.push_back(hash_of_stem(stem)); });
  for_each_stem_in(from_utf_16(text), [&](std::uint64_t stem) { stems.push_back(stem); });
  std::ranges::sort(stems);
  // Clang 14 does not compile std::ranges::unique with GCC's library.
  stems.erase(std::unique(stems.begin(), stems.end()), stems.end());
  return stems;
}

std::optional<Suspicion> suspicion_of(const fs::path& file, Text head,
                                      const std::vector<std::size_t>& own, const PictureNames& all,
                                      const SizeOfPicture& size_of) {
  if (is_known_text(head)) return std::nullopt;
  if (!is_text(head, lower_suffix(file))) {
    if (!own.empty()) return Suspicion{"has the name of a picture, and is not a text", own};
    if (!names_any(head, all)) return std::nullopt;
    return Suspicion{"names pictures, and is not a text"};
  }
  const AnyText text(head, lower_suffix(file));
  Judge judge(text, all, size_of);
  return own.empty() ? judge.judge_named() : judge.judge_whole(own);
}

std::optional<Suspicion> suspicion_beside(const fs::path& file, Text content,
                                          const std::optional<Size>& picture) {
  if (known_kind(file) != KnownKind::none) return std::nullopt;
  return suspicion_of(file, content.substr(0, text_head_bytes), {0}, {},
                      [&](std::size_t) { return picture; });
}

std::string_view turned_format(Text lower_suffix, Text head) {
  for (const LabelFormat& format : label_formats)
    if (lower_suffix == format.suffix && !format.is_named_only && format.is_of(head) &&
        (format.option != "yolo" || begins_with_box(head)))
      return format.name;
  const SharedLabelFormat* shared = shared_format_of(lower_suffix, head);
  return shared ? shared->name : Text();
}

const SharedLabelFormat* shared_format_of(Text lower_suffix, Text head) {
  for (const SharedLabelFormat& format : shared_label_formats)
    if (lower_suffix == format.suffix && format.recogniser()(head).value_or(false)) return &format;
  return nullptr;
}

std::string format_in_words(Text lower_suffix, Text head) {
  const ForeignName formats[] = {
      {"MATLAB", one_format, ".mat"},
      {"ImageJ", one_format, ".roi"},
      {"QuPath", one_format, ".qpdata"},
      {"DeepLabCut", "COCO, its points as keypoints", ".csv", {"bodyparts,"}},
      {"CVAT for video", "CVAT for images, which CVAT exports, too", ".xml", {"<track "}},
      {"VIA CSV", "JSON, which VIA exports, too", ".csv", {"region_shape_attributes"}},
      {"BDD100K", "COCO", ".json", {"\"box2d\"", "\"poly2d\""}},
      {"CelebA", "COCO, its landmarks as keypoints", ".txt", {"lefteye_x", "x_1 y_1 width height"}},
  };
  const auto in_words = [](Text name, Text instead) {
    return fmt::format("{} labels are not turned with their pictures; convert them to {}", name,
                       instead);
  };
  if (is_utf_16(head)) return in_words("UTF-16", "UTF-8");
  if (lower_suffix == ".txt" && is_any_kitti(head) && !kitti_format.is_of(head))
    return in_words("KITTI 3D", one_format);
  for (const ForeignName& format : formats)
    if (lower_suffix == format.suffix && (format.any.size() == 0 || has_any(head, format.any)))
      return in_words(format.name, format.instead);
  if (lower_suffix == ".json" && has_any(head, {"rectanglelabels", "polygonlabels"}) &&
      !has_any(head, {"\"result\""}))
    return in_words("Label Studio JSON-MIN", "JSON, which Label Studio exports, too");
  const Text known = turned_format(lower_suffix, head);
  if (known.empty()) return "";
  return fmt::format(
      "looks like {} labels, and does not lie where those of the pictures are looked for, so they "
      "would not be turned; move them there",
      known);
}

}  // namespace qturn
