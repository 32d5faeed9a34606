// The library checks the text and tells each token in order, but not where it lies. A second cursor
// follows it from token to token, which is simple in a text that is known to be well-formed so far.
#include "src/labels/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

constexpr std::string_view between_tokens = " \t\r\n,:";
constexpr std::string_view after_word = " \t\r\n,]}";

std::string_view name_of(JsonKind kind) {
  constexpr std::string_view names[] = {"null",     "true or false", "a number",
                                        "a string", "an array",      "an object"};
  return names[static_cast<std::size_t>(kind)];
}

std::string decoded(std::string_view string) {
  if (string.find('\\') == std::string_view::npos) {
    return std::string(string.substr(1, string.size() - 2));
  }
  return nlohmann::json::parse(string.begin(), string.end()).get<std::string>();
}

/// Without what names the exception and says the place, which is said otherwise.
std::string reason_of(const nlohmann::json::exception& error) {
  std::string_view what = error.what();
  what.remove_prefix(std::min(what.find("] ") + 2, what.size()));
  if (what.starts_with("parse error at")) what.remove_prefix(what.find(": ") + 2);
  return std::string(what);
}

}  // namespace

class JsonText::Reader {
 public:
  explicit Reader(JsonText& of) : of_(of), text_(of.text_) {
    if (text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
  }

  bool null() { return add_word(JsonKind::null); }
  bool boolean(bool) { return add_word(JsonKind::boolean); }
  bool number_integer(std::int64_t) { return add_word(JsonKind::number); }
  bool number_unsigned(std::uint64_t) { return add_word(JsonKind::number); }
  bool number_float(double, const std::string&) { return add_word(JsonKind::number); }
  static bool binary(const nlohmann::json::binary_t&) { return false; }  // JSON has none
  bool string(const std::string&) {
    const std::size_t begin = token();
    skip_string();
    add(begin, JsonKind::string);
    return true;
  }
  bool key(const std::string&) {
    key_begin_ = token();
    skip_string();
    key_end_ = at_;
    return true;
  }
  bool start_object(std::size_t) { return open(JsonKind::object); }
  bool start_array(std::size_t) { return open(JsonKind::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool parse_error(std::size_t bytes_read, const std::string&,
                   const nlohmann::json::exception& error) {
    const std::size_t at = std::min(std::max<std::size_t>(bytes_read, 1) - 1, text_.size());
    of_.place_.fail(text_.substr(at), "is not well-formed JSON: " + reason_of(error));
  }

 private:
  std::size_t token() { return at_ = text_.find_first_not_of(between_tokens, at_); }

  bool add_word(JsonKind kind) {
    const std::size_t begin = token();
    at_ = std::min(text_.find_first_of(after_word, at_), text_.size());
    add(begin, kind);
    return true;
  }

  void skip_string() {
    for (++at_; text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }

  bool open(JsonKind kind) {
    const std::size_t begin = token();
    ++at_;
    open_.push_back(of_.nodes_.size());
    add(begin, kind);
    return true;
  }

  bool close() {
    token();
    ++at_;
    Node& node = of_.nodes_[open_.back()];
    open_.pop_back();
    node.end = static_cast<std::uint32_t>(at_);
    node.next = static_cast<std::uint32_t>(of_.nodes_.size());
    return true;
  }

  void add(std::size_t begin, JsonKind kind) {
    of_.nodes_.push_back({.begin = static_cast<std::uint32_t>(begin),
                          .end = static_cast<std::uint32_t>(at_),
                          .key_begin = static_cast<std::uint32_t>(key_begin_),
                          .key_end = static_cast<std::uint32_t>(key_end_),
                          .next = static_cast<std::uint32_t>(of_.nodes_.size() + 1),
                          .kind = kind});
    key_begin_ = key_end_ = 0;
  }

  JsonText& of_;
  std::string_view text_;
  std::size_t at_ = 0, key_begin_ = 0, key_end_ = 0;
  std::vector<std::size_t> open_;  // the arrays and objects that are not at their end
};

JsonText::JsonText(std::string_view text, TextPlace begin) : text_(text), place_(text, begin) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max())
    place_.fail(text, "is longer than 4 GiB");
  Reader reader(*this);
  nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
}

JsonKind JsonValue::kind() const { return of_->nodes_[index_].kind; }

std::string_view JsonValue::text() const {
  const JsonText::Node& node = of_->nodes_[index_];
  return of_->part(node.begin, node.end);
}

std::string JsonValue::name() const {
  const JsonText::Node& node = of_->nodes_[index_];
  return node.key_begin == node.key_end ? "" : decoded(of_->part(node.key_begin, node.key_end));
}

JsonValue::Iterator JsonValue::begin() const { return Iterator({*of_, index_ + 1}); }

JsonValue::Iterator JsonValue::end() const { return Iterator({*of_, of_->nodes_[index_].next}); }

JsonValue::Iterator& JsonValue::Iterator::operator++() {
  at_.index_ = at_.of_->nodes_[at_.index_].next;
  return *this;
}

std::size_t JsonValue::size() const {
  std::size_t count = 0;
  for (Iterator at = begin(); at != end(); ++at) ++count;
  return count;
}

std::optional<JsonValue> JsonValue::find(std::string_view name) const {
  std::optional<JsonValue> found;
  if (kind() != JsonKind::object) return found;
  for (const JsonValue each : *this) {
    if (each.name() != name) continue;
    if (found) each.fail(fmt::format("{} occurs twice", name));
    found = each;
  }
  return found;
}

JsonValue JsonValue::member(std::string_view name) const {
  if (const auto found = find(name)) return *found;
  fail(fmt::format("has no {}", name));
}

JsonValue JsonValue::expect(JsonKind kind) const {
  if (this->kind() != kind) {
    constexpr std::size_t most = 20;
    const std::string_view found = text();
    fail(fmt::format("'{}{}' is not {}", found.substr(0, most), found.size() > most ? "..." : "",
                     name_of(kind)));
  }
  return *this;
}

Decimal JsonValue::number() const {
  const auto number = Decimal::parse(expect(JsonKind::number).text());
  if (!number) fail("has too many digits");
  return *number;
}

std::string JsonValue::string() const { return decoded(expect(JsonKind::string).text()); }

void JsonValue::fail(const std::string& why) const { of_->place_.fail(text(), why); }

std::optional<std::string> json_string(std::string_view text, bool ascii) {
  try {
    return nlohmann::json(std::string(text)).dump(-1, ' ', ascii);
  } catch (const nlohmann::json::type_error&) {
    return std::nullopt;
  }
}

}  // namespace qturn
