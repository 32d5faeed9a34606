// A number of a label file, in the digits of the file: "0.500", ".5", "12", "9.9e-05". Reading and
// writing it loses nothing, and no step goes through floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qturn {

class Decimal {
 public:
  /// Reads a finite number as C, Python and JSON write it: a sign, digits with or without a point,
  /// an exponent. Nothing for any other text, and for a number of more than 400 digits.
  static std::optional<Decimal> parse(std::string_view text);

  /// `sum` minus the number: what becomes of a coordinate when its axis is mirrored. Exact, with as
  /// many decimals, and without a zero before the point if there was none. An exponent becomes
  /// decimals. A plus sign stays unless the result is negative.
  Decimal mirrored(std::int64_t sum) const;

  /// So many times pi minus the number: as above, with pi rounded to the decimals that the number
  /// has, so the error is at most half of the last.
  Decimal mirrored_in_pi(std::int64_t times_pi) const;

  /// The number plus another, exact, with as many decimals as the more exact of both has.
  Decimal plus(const Decimal& other) const;

  /// The number so many times.
  Decimal times(std::int64_t factor) const;

  /// The number minus another, exact, with as few decimals as that takes, but with at least one if
  /// the number has a point: Python writes 8.5 - 0.5 as 8.0, and 8 - 1 as 7.
  Decimal minus(const Decimal& other) const;

  /// The number as it was read, or as mirrored() and minus() write it.
  const std::string& text() const { return text_; }

  bool is_zero() const { return digits_.find_first_not_of('0') == std::string::npos; }
  /// Zero is not, whatever its sign.
  bool is_negative() const { return is_negative_ && !is_zero(); }
  /// The nearest double, for what is drawn or compared roughly.
  double value() const;
  /// The value, if it is a whole number that fits.
  std::optional<std::int64_t> whole() const;

  friend bool operator==(const Decimal& a, const Decimal& b) { return a.text_ == b.text_; }

 private:
  void write();

  std::string text_;
  std::string digits_;  ///< the absolute value in units of the last decimal
  std::size_t decimals_ = 0;
  bool is_negative_ = false, has_plus_ = false, has_point_ = false, has_zero_before_point_ = true;
};

inline bool is_number(std::string_view word) { return Decimal::parse(word).has_value(); }

}  // namespace qturn
