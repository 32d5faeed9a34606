// A JSON text whose values know their places in it, so that a label can be edited and every other
// byte stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/text/decimal.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

class JsonText;

/// A value of a JsonText, which must outlive it. All that throws throws LabelError with a place.
class JsonValue {
 public:
  JsonKind kind() const;
  /// The value as it stands in the text, with its quotes or brackets.
  std::string_view text() const;
  /// What the key of a member says; empty for elements of arrays.
  std::string name() const;

  /// The elements of an array or the members of an object, in the order of the text; empty for
  /// every other value.
  class Iterator;
  Iterator begin() const;
  Iterator end() const;
  /// How many there are.
  std::size_t size() const;

  /// The member of this name. Throws if there are two.
  std::optional<JsonValue> find(std::string_view name) const;
  /// Throws if there is none.
  JsonValue member(std::string_view name) const;

  /// Both throw if it is of another kind. A string is decoded.
  Decimal number() const;
  std::string string() const;
  /// Throws unless it is of this kind.
  JsonValue expect(JsonKind kind) const;

  [[noreturn]] void fail(const std::string& why) const;

 private:
  friend class JsonText;
  JsonValue(const JsonText& of, std::size_t index) : of_(&of), index_(index) {}

  const JsonText* of_;
  std::size_t index_;
};

class JsonText {
 public:
  /// `text` must outlive it; `begin` is its place in the file. Throws LabelError if it is not one
  /// JSON value. A UTF-8 byte order mark may come first.
  explicit JsonText(std::string_view text, TextPlace begin = {});
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  JsonValue root() const { return {*this, 0}; }

 private:
  friend class JsonValue;
  class Reader;
  struct Node {
    std::uint32_t begin, end;          // of its text
    std::uint32_t key_begin, key_end;  // with quotes; the same for elements of arrays
    std::uint32_t next;                // the node after it and all below it
    JsonKind kind;
  };
  std::string_view part(std::uint32_t begin, std::uint32_t end) const {
    return text_.substr(begin, end - begin);
  }

  std::string_view text_;
  LabelText place_;
  std::vector<Node> nodes_;
};

class JsonValue::Iterator {
 public:
  JsonValue operator*() const { return at_; }
  Iterator& operator++();
  bool operator==(const Iterator& other) const { return at_.index_ == other.at_.index_; }

 private:
  friend class JsonValue;
  explicit Iterator(JsonValue at) : at_(at) {}
  JsonValue at_;
};

/// A JSON string, with its quotes. `ascii`: other characters are escaped. Nothing if `text` is not
/// UTF-8.
std::optional<std::string> json_string(std::string_view text, bool ascii);

}  // namespace qturn
