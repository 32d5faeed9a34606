#include "src/labels/text/decimal.hpp"

#include <algorithm>
#include <charconv>

namespace qturn {
namespace {

constexpr std::size_t most_digits = 400;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  const auto length =
      static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

void align(std::string& a, std::string& b) {
  const std::size_t length = std::max(a.size(), b.size());
  a.insert(0, length - a.size(), '0');
  b.insert(0, length - b.size(), '0');
}

/// The sum of two numbers of the same length.
std::string sum_of(const std::string& a, const std::string& b) {
  std::string sum(a.size() + 1, '0');
  int carry = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const int digit = a[i] - '0' + b[i] - '0' + carry;
    sum[i + 1] = static_cast<char>('0' + digit % 10);
    carry = digit / 10;
  }
  sum.front() = static_cast<char>('0' + carry);
  return sum;
}

/// The difference of two numbers of the same length, `a` not below `b`.
std::string difference_of(const std::string& a, const std::string& b) {
  std::string difference(a.size(), '0');
  int borrow = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const int digit = a[i] - b[i] - borrow;
    borrow = digit < 0 ? 1 : 0;
    difference[i] = static_cast<char>('0' + digit + 10 * borrow);
  }
  return difference;
}

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
  Decimal number;
  number.text_ = text;
  if (text.starts_with('-') || text.starts_with('+')) {
    (text.front() == '-' ? number.is_negative_ : number.has_plus_) = true;
    text.remove_prefix(1);
  }
  const std::string_view before = take_digits(text);
  std::string_view after;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    after = take_digits(text);
    number.has_point_ = true;
    number.has_zero_before_point_ = !before.empty();
  }
  if (before.empty() && after.empty()) return std::nullopt;
  std::int64_t exponent = 0;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+')) {
      text.remove_prefix(1);
      if (text.empty() || !is_digit(text.front())) return std::nullopt;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  constexpr auto most = static_cast<std::int64_t>(most_digits);
  if (!text.empty() || before.size() + after.size() > most_digits || exponent > most ||
      exponent < -most) {
    return std::nullopt;
  }
  number.digits_ = std::string(before) + std::string(after);
  const std::int64_t decimals = static_cast<std::int64_t>(after.size()) - exponent;
  // 1.5e1 is 15.0: JSON has no 15.
  const std::int64_t fewest = exponent != 0 && number.has_point_ ? 1 : 0;
  number.decimals_ = static_cast<std::size_t>(std::max(decimals, fewest));
  if (decimals < fewest) number.digits_.append(static_cast<std::size_t>(fewest - decimals), '0');
  if (number.digits_.size() > most_digits || number.decimals_ > most_digits) return std::nullopt;
  return number;
}

Decimal Decimal::mirrored(std::int64_t sum) const {
  Decimal result = *this;
  std::string whole = std::to_string(sum) + std::string(decimals_, '0'), part = digits_;
  align(whole, part);
  if (is_negative()) {
    result.digits_ = sum_of(whole, part);
    result.is_negative_ = false;
  } else {
    result.is_negative_ = whole < part;
    result.digits_ = result.is_negative_ ? difference_of(part, whole) : difference_of(whole, part);
  }
  result.write();
  return result;
}

Decimal Decimal::mirrored_in_pi(std::int64_t times_pi) const {
  constexpr std::string_view digits =
      "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482";
  Decimal pi = parse(digits)->times(times_pi);
  if (pi.decimals_ > decimals_) {
    const std::size_t kept = pi.digits_.size() - (pi.decimals_ - decimals_);
    Decimal last;  // to be added
    last.digits_ = pi.digits_[kept] >= '5' ? "1" : "0";
    last.decimals_ = pi.decimals_ = decimals_;
    pi.digits_.resize(kept);
    pi = pi.plus(last);
  }
  return times(-1).plus(pi);
}

Decimal Decimal::plus(const Decimal& other) const {
  Decimal result = *this;
  result.decimals_ = std::max(decimals_, other.decimals_);
  std::string part = other.digits_;
  result.digits_.append(result.decimals_ - decimals_, '0');
  part.append(result.decimals_ - other.decimals_, '0');
  align(result.digits_, part);
  result.is_negative_ = is_negative();
  if (is_negative() == other.is_negative()) {
    result.digits_ = sum_of(result.digits_, part);
  } else if (result.digits_ < part) {
    result.digits_ = difference_of(part, result.digits_);
    result.is_negative_ = !is_negative();
  } else {
    result.digits_ = difference_of(result.digits_, part);
  }
  result.is_negative_ = result.is_negative();
  result.write();
  return result;
}

Decimal Decimal::times(std::int64_t factor) const {
  Decimal result = *this;
  result.is_negative_ = is_negative_ != (factor < 0);
  const auto size = static_cast<std::uint64_t>(factor < 0 ? -factor : factor);
  std::uint64_t carry = 0;
  for (std::size_t i = digits_.size(); i-- > 0; carry /= 10) {
    carry += static_cast<std::uint64_t>(digits_[i] - '0') * size;
    result.digits_[i] = static_cast<char>('0' + carry % 10);
  }
  result.digits_.insert(0, std::to_string(carry));
  result.write();
  return result;
}

Decimal Decimal::minus(const Decimal& other) const {
  Decimal result = plus(other.times(-1));
  for (; result.decimals_ > 1 && result.digits_.ends_with('0'); --result.decimals_)
    result.digits_.pop_back();
  if (has_point_ && result.decimals_ == 0) {
    result.digits_ += '0';
    result.decimals_ = 1;
  } else if (!has_point_ && result.decimals_ == 1 && result.digits_.ends_with('0')) {
    result.digits_.pop_back();
    result.decimals_ = 0;
  }
  result.write();
  return result;
}

void Decimal::write() {
  if (digits_.size() <= decimals_) digits_.insert(0, decimals_ + 1 - digits_.size(), '0');
  const std::size_t point = digits_.size() - decimals_;
  const std::size_t first = std::min(digits_.find_first_not_of('0'), point - 1);
  std::string before = digits_.substr(first, point - first);
  if (before == "0" && decimals_ > 0 && !has_zero_before_point_) before.clear();
  text_ = is_negative_ ? "-" : has_plus_ ? "+" : "";
  text_ += before;
  if (has_point_ || decimals_ > 0) text_ += '.';
  text_ += digits_.substr(point);
}

double Decimal::value() const {
  // No picture is so large, and what is computed of it stays finite.
  constexpr double largest = 1e100;
  const std::string_view text = std::string_view(text_).substr(has_plus_ ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_too_large = error != std::errc() && digits_.size() > decimals_ && !is_zero();
  if (is_too_large) value = is_negative_ ? -largest : largest;
  return std::clamp(value, -largest, largest);
}

std::optional<std::int64_t> Decimal::whole() const {
  const std::size_t point = digits_.size() - std::min(decimals_, digits_.size());
  if (digits_.find_first_not_of('0', point) != std::string::npos) return std::nullopt;
  std::int64_t value = 0;
  if (point > 0) {
    const auto [end, error] = std::from_chars(digits_.data(), digits_.data() + point, value);
    if (error != std::errc()) return std::nullopt;
  }
  return is_negative_ ? -value : value;
}

}  // namespace qturn
