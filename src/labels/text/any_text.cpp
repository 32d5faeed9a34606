#include "src/labels/text/any_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "src/labels/text/label_text.hpp"
#include "src/labels/text/xml_text.hpp"
#include "src/picture/text.hpp"

namespace qturn {
namespace {

using Text = std::string_view;

constexpr Text blanks_in_line = " \t\r", in_number = "0123456789.eE+-";

Text stripped(Text text, Text of = " \t\r\n") {
  text.remove_prefix(std::min(text.find_first_not_of(of), text.size()));
  return text.substr(0, text.find_last_not_of(of) + 1);
}

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

/// The parts of a text between any of some characters.
template <typename Visit>
void for_each_part(Text text, Text between, Visit visit) {
  for (std::size_t at = 0; (at = text.find_first_not_of(between, at)) != Text::npos;) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    visit(text.substr(at, end - at));
    at = end;
  }
}

/// What is said of a whole picture, or of a file: letters and digits alone, in lower case.
constexpr Text
    of_pictures =
        "id imageid index idx key uid page bytes size filesize iso isospeed isospeedratings "
        "fnumber aperture exposure exposuretime focallength shutter shutterspeed latitude "
        "longitude altitude lat lon lng alt rating stars orientation dpi ppi fps duration "
        "timestamp time date year created modified mtime ctime datetaken createdate creationtime "
        "creationtimestamp phototakentime imageviews views likes downloads comments price "
        "originalwidth originalheight channels bitdepth quality label labels labelid class classid "
        "classindex category categoryid target score scores confidence conf prob probability logit "
        "similarity aesthetic pwatermark punsafe nsfw clipscore fold split epoch subject session "
        "age version seed steps cfgscale guidance area license frame frames framenum framenumber "
        "frameindex numframes seqnumframes count datetime",
    objects_of_pictures = "gps geodata geodataexif exif phototakentime creationtime",
    prose = "title caption captions text description alt comment note name prompt summary";

/// "image_id", "categoryIds", but not "centroid".
bool is_called_as_id(Text name) {
  if (name.ends_with('s')) name.remove_suffix(1);
  return name.ends_with("_id") || name.ends_with("Id") || name.ends_with("ID");
}

// Python splits words at no-break spaces, too.
constexpr Text between_cells = " \t\r\n,;|()[]{}\xc2\xa0";

}  // namespace

bool is_any_number(Text word) {
  if (word.ends_with("px")) word.remove_suffix(2);
  if (word.ends_with('%')) word.remove_suffix(1);
  const Text digits = word.substr(std::min(word.find_first_not_of("+-"), word.size()));
  const bool begins_so = !digits.empty() && (is_decimal_digit(digits[0]) || digits[0] == '.');
  return begins_so && word.find_first_not_of(in_number) == Text::npos && is_number(word);
}

namespace {

double value_of(Text number) {
  double value = 0;
  number.remove_prefix(number.starts_with('+') ? 1 : 0);
  std::from_chars(number.data(), number.data() + number.size(), value);
  return value;
}

/// The numbers of a text that holds only numbers.
std::optional<std::vector<double>> only_numbers(Text text) {
  std::vector<double> numbers;
  bool are_all = true;
  for_each_part(text, between_cells, [&](Text part) {
    are_all = are_all && is_any_number(part);
    if (are_all) numbers.push_back(value_of(part));
  });
  return are_all ? std::optional(std::move(numbers)) : std::nullopt;
}

}  // namespace

namespace {

std::vector<double> all_numbers_in(Text word) {
  std::vector<double> numbers;
  std::size_t words = 0;
  for_each_part(word, between_cells, [&](Text part) {
    if (is_any_number(part))
      numbers.push_back(value_of(part));
    else
      ++words;
  });
  if (words == 0 || (numbers.size() >= 4 && numbers.size() >= 3 * words)) return numbers;
  constexpr Text opening = "([{<";
  std::vector<double> bracketed;
  for (std::size_t at = 0; (at = word.find_first_of(opening, at)) != Text::npos; ++at) {
    const std::size_t end = word.find_first_of("([{<)]}>", at + 1);
    if (end == Text::npos || opening.find(word[end]) != Text::npos) continue;
    Text inside = word.substr(at + 1, end - at - 1);
    if (word[at] == '<')  // "<loc_12>"
      inside.remove_prefix(std::min(inside.find_first_of("0123456789"), inside.size()));
    if (const auto numbers = only_numbers(inside))
      bracketed.insert(bracketed.end(), numbers->begin(), numbers->end());
    at = end - 1;
  }
  if (bracketed.size() < 2) bracketed.clear();
  return bracketed;
}

}  // namespace

std::vector<double> numbers_in(Text word) {
  std::vector<double> numbers = all_numbers_in(word);
  const auto negative = std::ranges::count_if(numbers, [](double value) { return value < 0; });
  if (is_embedding(numbers.size(), static_cast<std::size_t>(negative))) numbers.clear();
  return numbers;
}

bool is_utf_16(Text text) { return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"); }

std::string from_utf_16(Text text) {
  std::string bytes(text.substr(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0));
  if (is_utf_16(text)) {
    bytes.erase(0, 2);
    std::erase(bytes, '\0');
  }
  return bytes;
}

class AnyTextReader {
 public:
  AnyTextReader(AnyText& of, Text suffix) : of_(of), nodes_(of.nodes_), text_(of.text_) {
    open(AnyNode::array, "");
    const Text begin = stripped(text_);
    const bool is_json = begin.starts_with('{') || begin.starts_with('[');
    if (is_json && read_json(text_)) {
    } else if (begin.starts_with('<')) {
      read_xml();
    } else if (suffix == ".csv" || suffix == ".tsv" || suffix == ".psv") {
      read_table();
    } else {
      read_lines();
    }
    close_all(0);
  }

 private:
  std::size_t open(AnyNode::Kind kind, Text key) {
    nodes_.push_back({kind, key, "", open_.empty() ? 0 : open_.back()});
    open_.push_back(nodes_.size() - 1);
    return open_.size();
  }
  void close() {
    nodes_[open_.back()].end = nodes_.size();
    open_.pop_back();
  }
  void close_all(std::size_t left) {
    while (open_.size() > left) close();
  }
  /// A cell or a string may have JSON in it.
  void add(Text key, Text word) {
    const bool may_be_json = word.starts_with('{') || word.starts_with('[');
    if (may_be_json && word.find('"') != word.find('\'') && read_json(word, key)) return;
    const auto kind = is_any_number(word) ? AnyNode::number : AnyNode::word;
    nodes_.push_back({kind, key, word, open_.back(), nodes_.size() + 1});
  }
  Text kept(std::string decoded) { return of_.decoded_.emplace_back(std::move(decoded)); }

  /// A string with escapes. Names of files have few of them.
  Text unescaped(Text string) {
    if (string.find('\\') == Text::npos) return string;
    std::string made;
    for (std::size_t at = 0; at < string.size(); ++at) {
      if (string[at] != '\\' || ++at == string.size()) {
        if (at < string.size()) made += string[at];
        continue;
      }
      if (string[at] == 'u' && at + 4 < string.size()) {
        add_utf8(std::stoul("0" + std::string(hex_digits(string.substr(at + 1, 4))), nullptr, 16),
                 made);
        at += 4;
      } else {
        made += string[at] == 'n' || string[at] == 't' ? ' ' : string[at];
      }
    }
    return kept(std::move(made));
  }

  static Text hex_digits(Text text) {
    return text.substr(0, text.find_first_not_of("0123456789abcdefABCDEF"));
  }

  static void add_utf8(unsigned long code, std::string& to) {
    if (code < 0x80) {
      to += static_cast<char>(code);
    } else if (code < 0x800) {
      to += static_cast<char>(0xc0 | (code >> 6));
      to += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      to += static_cast<char>(0xe0 | (code >> 12));
      to += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      to += static_cast<char>(0x80 | (code & 0x3f));
    }
  }

  /// Values one after the other, in JSON, as Python writes them, or as YAML does in one line.
  /// False, and nothing is added, if it is something else, as "[section]" is.
  bool read_json(Text text, Text key = "") {
    const std::size_t first_node = nodes_.size(), depth = open_.size();
    const auto fail = [&] {
      open_.resize(depth);
      nodes_.resize(first_node);
      return false;
    };
    bool is_any = false;
    for (std::size_t at = 0; (at = text.find_first_not_of(" \t\r\n,", at)) != Text::npos;) {
      const char c = text[at];
      if (c == '{' || c == '[') {
        if (open_.size() > 200) return fail();
        open(c == '{' ? AnyNode::object : AnyNode::array, key);
        ++at;
      } else if (c == '}' || c == ']') {
        if (open_.size() == depth) return fail();
        close();
        ++at;
      } else {
        if (open_.size() == depth) return fail();
        const bool is_quoted = c == '"' || c == '\'';
        std::size_t end = at + 1;
        if (is_quoted)
          while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
        else
          end = std::min(text.find_first_of(",:]}\n", at), text.size());
        end = std::min(end, text.size());
        const Text word = is_quoted ? unescaped(text.substr(at + 1, end - at - 1))
                                    : stripped(text.substr(at, end - at));
        const std::size_t next =
            std::min(text.find_first_not_of(" \t\r\n", end + (is_quoted ? 1 : 0)), text.size());
        const bool is_key = nodes_[open_.back()].kind == AnyNode::object && next < text.size() &&
                            text[next] == ':' && key.empty();
        at = std::max(next, at + 1);
        if (is_key) {
          key = word;
          ++at;
          continue;
        }
        const bool is_cut = next == text.size();
        constexpr Text words[] = {"true", "false", "null",  "NaN",      "Infinity",
                                  "None", "True",  "False", "-Infinity"};
        if (!is_quoted && !is_cut && !is_any_number(word) && !is_lenient_ &&
            std::ranges::count(words, word) == 0)
          return fail();
        add(key, word);
      }
      key = "";
      is_any = true;
    }
    close_all(depth);
    return is_any;
  }

  void read_xml() {
    const std::size_t depth = open_.size();
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t tag = std::min(text_.find('<', at), text_.size());
      const Text key = open_.size() > depth ? nodes_[open_.back()].key : Text();
      if (const Text text = stripped(text_.substr(at, tag - at)); !text.empty())
        add(key, unescaped_xml(text));
      if (text_.substr(tag).starts_with("<!--")) {
        at = std::min(text_.find("-->", tag), text_.size() - 3) + 3;
        continue;
      }
      std::size_t end = tag;
      for (char quote = 0; end < text_.size() && (quote != 0 || text_[end] != '>'); ++end) {
        const char c = text_[end];
        if (quote == 0 && (c == '"' || c == '\''))
          quote = c;
        else if (c == quote)
          quote = 0;
      }
      if (end > tag + 1) read_tag(text_.substr(tag + 1, end - tag - 1), depth);
      at = std::min(end + 1, text_.size());
    }
  }

  void read_tag(Text tag, std::size_t depth) {
    if (tag[0] == '?' || tag[0] == '!') return;
    if (tag[0] == '/') {
      if (open_.size() > depth) close();
      return;
    }
    const Text name = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    if (open_.size() > 200) return;
    open(AnyNode::object, name);
    for (std::size_t at = name.size(); (at = tag.find('=', at)) != Text::npos;) {
      const Text before = stripped(tag.substr(0, at));
      const std::size_t quote = tag.find_first_of("\"'", at);
      if (quote == Text::npos) break;
      const std::size_t end = std::min(tag.find(tag[quote], quote + 1), tag.size());
      add(before.substr(before.find_last_of(" \t\r\n\"'") + 1),
          unescaped_xml(tag.substr(quote + 1, end - quote - 1)));
      at = std::min(end + 1, tag.size());
    }
    if (tag.ends_with('/')) close();
  }

  Text unescaped_xml(Text text) {
    return text.find('&') == Text::npos ? text : kept(xml_unescaped(text));
  }

  /// Fields may have quotes, and then the ends of lines in them.
  void read_table() {
    const Text first = text_.substr(0, text_.find('\n'));
    char separator = ',';
    for (const char each : {',', ';', '\t', '|'})
      if (std::ranges::count(first, each) > std::ranges::count(first, separator)) separator = each;
    std::vector<Text> names;
    bool is_first = true;
    for (std::size_t at = 0; at < text_.size();) {
      std::vector<Text> fields;
      for (bool is_over = false; !is_over;) {
        Text field;
        if (at < text_.size() && text_[at] == '"') {
          std::size_t end = at + 1;
          while (end < text_.size() && (text_[end] != '"' || text_.substr(end, 2) == "\"\""))
            end += text_[end] == '"' ? 2 : 1;
          end = std::min(end, text_.size());
          field = without_doubled_quotes(text_.substr(at + 1, end - at - 1));
          at = end;
        }
        const std::size_t end =
            std::min(text_.find_first_of(std::string("\n") + separator, at), text_.size());
        if (field.empty()) field = stripped(text_.substr(at, end - at), blanks_in_line);
        fields.push_back(field);
        is_over = end == text_.size() || text_[end] == '\n';
        at = end + 1;
      }
      const bool are_names =
          is_first && fields.size() > 1 && std::ranges::none_of(fields, [](Text field) {
            return field.empty() || is_any_number(field) ||
                   field.find_first_of("/\\") != Text::npos;
          });
      if (are_names) names = fields;
      open(AnyNode::row, "");
      for (std::size_t i = 0; i < fields.size(); ++i)
        add(!are_names && i < names.size() ? names[i] : Text(), fields[i]);
      close();
      is_first = false;
    }
  }

  Text without_doubled_quotes(Text field) {
    if (field.find('"') == Text::npos) return field;
    std::string single(field);
    for (std::size_t at = 0; (at = single.find("\"\"", at)) != std::string::npos; ++at)
      single.erase(at, 1);
    return kept(std::move(single));
  }

  /// YAML, TOML, settings, and plain text. What is further in than a line belongs to it.
  void read_lines() {
    is_lenient_ = true;
    nodes_[0].kind = AnyNode::object;
    struct Level {
      std::size_t indent, depth;
      bool is_item;
    };
    const std::size_t depth = open_.size();
    std::vector<Level> levels;
    std::size_t words = 0, numbers = 0;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find_first_of("\r\n", at), text_.size());
      Text line = text_.substr(at, end - at);
      at = end + 1;
      std::size_t indent = std::min(line.find_first_not_of(blanks_in_line), line.size());
      line = stripped(line);
      if (line.empty() || line == "---" || line == "{" || line == "}") continue;
      if (line.starts_with('[') && line.ends_with(']') && !is_any_array(line)) {  // "[[image]]"
        levels.clear();
        close_all(depth);
        open(AnyNode::object, stripped(line, "[] \""));
        section_ = open_.size();
        continue;
      }
      const std::size_t outside = std::max(depth, section_);
      const auto is_over = [&](const Level& level) {  // YAML's items need not be further in
        const bool may_hold = line.starts_with("- ") && !level.is_item;
        return level.indent > indent || (level.indent == indent && !may_hold);
      };
      while (!levels.empty() && is_over(levels.back())) levels.pop_back();
      close_all(levels.empty() ? outside : levels.back().depth);
      bool is_item = false;
      while (line.starts_with("- ")) {
        const std::size_t skipped = std::min(line.find_first_not_of(" \t", 1), line.size());
        levels.push_back({indent, open(AnyNode::object, ""), true});
        line.remove_prefix(skipped);
        indent += skipped;
        is_item = true;
      }
      line = stripped(line, "# \t\r");
      if (line.starts_with('{') && read_json(line)) continue;
      if (const std::size_t mark = end_of_key(line); mark != Text::npos) {
        const Text key = stripped(line.substr(0, mark), " \t\"'"),
                   value = stripped(line.substr(mark + 1));
        if (value.empty() || value == "|" || value == ">")
          levels.push_back({indent, open(AnyNode::object, key), false});
        else if (!(value[0] == '[' || value[0] == '{') || !read_json(value, key))
          add(key, stripped(without_comment(value), " \t\"'"));
        numbers += all_numbers_in(value).size();
      } else if (is_item && all_numbers_in(line).size() < 2) {
        add("", stripped(line, " \t\"'"));
      } else {
        const auto [in_row, of_it] = read_row(line);
        numbers += in_row;
        words += of_it;
      }
    }
    of_.is_prose_ = words > 0 && words >= 4 * numbers;
  }

  static bool is_any_array(Text line) {
    return !all_numbers_in(line).empty() || line.find(',') < line.size();
  }

  static Text without_comment(Text value) {
    if (value[0] == '"' || value[0] == '\'') return value.substr(0, value.find(value[0], 1));
    return stripped(value.substr(0, value.find(" #")));
  }

  /// The end of the key in "key: value" and "key = value"; npos if it is a row or a sentence.
  static std::size_t end_of_key(Text line) {
    constexpr std::size_t longest = 64;
    const std::size_t mark = line.find_first_of(":=");
    if (mark == Text::npos || mark == 0 || mark > longest) return Text::npos;
    const bool is_followed = mark + 1 == line.size() || line[mark] == '=' || line[mark + 1] == ' ';
    const Text key = stripped(line.substr(0, mark)), rest = line.substr(mark + 1);
    if (rest.find(line[mark] == '=' ? "=" : ": ") != Text::npos) return Text::npos;  // "x=1 y=2"
    return is_followed && key.find_first_of(" \t,;|") == Text::npos ? mark : Text::npos;
  }

  /// How many numbers and words a row has. A row with more words than numbers is prose.
  std::pair<std::size_t, std::size_t> read_row(Text line) {
    std::vector<std::pair<Text, Text>> cells;  // what they are called, if that is said
    std::size_t numbers = 0, words = 0;
    constexpr Text between = "\t,;|()[]{}<>\"'\xc2\xa0";
    for_each_part(line, between, [&](Text part) {
      part = stripped(part, " :");
      const std::size_t before = words;
      for_each_part(part, " ", [&](Text word) {
        const std::size_t mark = std::min(word.find('='), word.size());
        const Text value = mark < word.size() ? word.substr(mark + 1) : word;
        const bool is_number = is_any_number(value);
        ++(is_number ? numbers : words);
        cells.emplace_back(is_number ? word.substr(0, mark < word.size() ? mark : 0) : Text(),
                           is_number ? value : stripped(word, ":"));
      });
      if (words > before && part.find(' ') < part.size()) cells.emplace_back("", part);
    });
    open(AnyNode::row, "");
    const bool is_prose = words > numbers + 1;
    if (is_prose && all_numbers_in(line).size() > 1) add("", line);
    for (const auto& [key, cell] : cells)  // in prose, a word is not the stem of a picture
      if (!is_prose || (!is_any_number(cell) && cell.find('.') < cell.size())) add(key, cell);
    close();
    return {is_prose ? all_numbers_in(line).size() * 4 : numbers, words};
  }

  AnyText& of_;
  std::vector<AnyNode>& nodes_;
  const Text text_;
  std::vector<std::size_t> open_;
  std::size_t section_ = 0;
  bool is_lenient_ = false;  // words of YAML need no quotes
};

AnyText::AnyText(std::string_view text, std::string_view lower_suffix) : text_(from_utf_16(text)) {
  AnyTextReader(*this, lower_suffix);
}

std::string letters_of(Text name) {
  std::string letters;
  for (const char c : lower_case(std::string(name)))
    if (std::isalnum(static_cast<unsigned char>(c))) letters += c;
  return letters;
}

bool is_among_words(Text word, Text words) {
  if (word.empty()) return false;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

bool says_no_place(const AnyNode& node) {
  const std::string letters = letters_of(node.key);
  if (node.kind != AnyNode::object && is_called_as_id(node.key)) return true;
  if (node.is_container()) return is_among_words(letters, objects_of_pictures);
  return is_among_words(letters, of_pictures) ||
         (is_among_words(letters, prose) && node.text.find_first_of("([{<") == Text::npos);
}

std::size_t numbers_in_text(Text text, Text lower_suffix) {
  if (text.find_first_of("0123456789") == Text::npos) return 0;
  const AnyText tree(text, lower_suffix);
  if (tree.is_prose()) return 0;
  std::vector<double> numbers;
  const auto may_enter = [](std::size_t, std::size_t) { return true; };
  tree.for_each_telling(0, may_enter, [&](std::size_t i) {
    const std::vector<double> found = numbers_in(tree.nodes()[i].text);
    numbers.insert(numbers.end(), found.begin(), found.end());
  });
  return std::ranges::all_of(numbers, is_class_number) ? 0 : numbers.size();
}

std::size_t numbers_in_member(Text name, Text json) {
  const AnyNode::Kind kind = json.starts_with('{')   ? AnyNode::object
                             : json.starts_with('[') ? AnyNode::array
                                                     : AnyNode::word;
  if (says_no_place({kind, name, json, 0})) return 0;
  return numbers_in_text("[" + std::string(json) + "]", ".json");
}

std::string why_not_turned(Text name) {
  return fmt::format("{} may hold coordinates, and cannot be turned; leave it out of the file",
                     name);
}

}  // namespace qturn
