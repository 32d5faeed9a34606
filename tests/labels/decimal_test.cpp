#include "src/labels/text/decimal.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace decimal_test {

using qturn::Decimal;

namespace {

std::string mirrored(const std::string& text, std::int64_t sum) {
  return Decimal::parse(text).value().mirrored(sum).text();
}

}  // namespace

TEST_CASE("A number is mirrored exactly, with its decimals, and a second time it is what it was") {
  const std::string numbers[][3] = {
      // the number, of 1, of 641
      {"0.25", "0.75", "640.75"},
      {"0.500", "0.500", "640.500"},
      {".25", ".75", "640.75"},
      {"1", "0", "640"},
      {"1.", "0.", "640."},
      {"0", "1", "641"},
      {"1.0", "0.0", "640.0"},
      {"640.25", "-639.25", "0.75"},
      {"-0.125", "1.125", "641.125"},
      {"+0.25", "+0.75", "+640.75"},
      {"0.1234567890123456789012345678901234567890", "0.8765432109876543210987654321098765432110",
       "640.8765432109876543210987654321098765432110"},
  };
  for (const auto& [number, of_one, of_many] : numbers) {
    CAPTURE(number);
    CHECK(Decimal::parse(number)->text() == number);
    CHECK(mirrored(number, 1) == of_one);
    CHECK(mirrored(number, 641) == of_many);
    CHECK(mirrored(of_one, 1) == number);
    // Above 1 there is no telling whether a zero was left out.
    CHECK(mirrored(of_many, 641) == (number == ".25" ? "0.25" : number));
  }
}

TEST_CASE("A number is mirrored in pi with its decimals, and a second time it is what it was") {
  const auto in_pi = [](const std::string& text, std::int64_t times) {
    return Decimal::parse(text).value().mirrored_in_pi(times).text();
  };
  const std::string numbers[][3] = {
      // the number, of pi, of 2 pi
      {"0.5", "2.6", "5.8"},
      {"0.523599", "2.617994", "5.759586"},
      {"1.5", "1.6", "4.8"},
      {"0.0000", "3.1416", "6.2832"},
      {"1", "2", "5"},
      {"0.785398163397448279", "2.356194490192344959", "5.497787143782138198"},
      {"3.5", "-0.4", "2.8"},
      {"-0.25", "3.39", "6.53"},
  };
  for (const auto& [number, of_one, of_two] : numbers) {
    CAPTURE(number);
    CHECK(in_pi(number, 1) == of_one);
    CHECK(in_pi(number, 2) == of_two);
    CHECK(in_pi(of_one, 1) == number);
    CHECK(in_pi(of_two, 2) == number);
  }
}

TEST_CASE("A difference is exact, and has the decimals that Python writes") {
  const std::string numbers[][3] = {
      // the number, minus, difference
      {"8.5", "0.5", "8.0"},
      {"8", "1", "7"},
      {"8", "0.5", "7.5"},
      {"8", "1.0", "7"},
      {"8.0", "1", "7.0"},
      {"86.25", "3.25", "83.0"},
      {"166.93", "38.65", "128.28"},
      {"1.50", "0.25", "1.25"},
      {"0.1", "0.3", "-0.2"},
      {"0.3", "0.3", "0.0"},
      {"-1", "2", "-3"},
      {"-1.5", "-2", "0.5"},
      {"-2.5", "-2.5", "0.0"},
      {"2", "-1.25", "3.25"},
      {"0", "-3", "3"},
      {"100", "1e-3", "99.999"},
      {"1e2", "1e1", "90"},
      {"0.00001", "0.00000999", "0.00000001"},
  };
  for (const auto& [number, other, difference] : numbers) {
    CAPTURE(number, other);
    CHECK(Decimal::parse(number)->minus(*Decimal::parse(other)).text() == difference);
  }
}

TEST_CASE("An exponent becomes decimals, and what is not a number's own form is lost") {
  const std::string numbers[][3] = {
      {"9.9e-05", "0.999901", "0.000099"},
      {"5E-1", "0.5", "0.5"},
      {"1e2", "-99", "100"},
      {"1.5e1", "-14.0", "15.0"},
      {"0.25e+1", "-1.5", "2.5"},
      {"00.5", "0.5", "0.5"},
      {"-0", "1", "0"},
      {"+1.5", "-0.5", "+1.5"},
      {"-.5", "1.5", ".5"},
  };
  for (const auto& [number, once, twice] : numbers) {
    CAPTURE(number);
    CHECK(mirrored(number, 1) == once);
    if (number != "-.5") CHECK(mirrored(once, 1) == (number == "+1.5" ? "1.5" : twice));
  }
  CHECK(mirrored("1.5", 1) == "-0.5");
}

TEST_CASE("What is not a finite number of at most 400 digits is not parsed") {
  for (const std::string text :
       {"", ".", "-", "+-1", "1e", "1e+", "1e+-2", "e5", "0x10", "nan", "inf", "1,5", "1.2.3", " 1",
        "1 ", "1e401", "1e-401", "1e99999999999999999999", "--1"}) {
    CAPTURE(text);
    CHECK_FALSE(Decimal::parse(text));
  }
  CHECK(Decimal::parse(std::string(400, '1')));
  CHECK_FALSE(Decimal::parse(std::string(401, '1')));
}

TEST_CASE("The value of a number that is too large for any picture is finite") {
  for (const std::string text : {"1e399", "1e300", "1e100"}) {
    CAPTURE(text);
    CHECK(Decimal::parse(text)->value() == 1e100);
    CHECK(Decimal::parse("-" + text)->value() == -1e100);
  }
  CHECK(Decimal::parse("1e-399")->value() == 0);
  CHECK(Decimal::parse("-12.5")->value() == -12.5);
}

TEST_CASE("A whole number is known in every form") {
  CHECK(Decimal::parse("12")->whole() == 12);
  CHECK(Decimal::parse("12.00")->whole() == 12);
  CHECK(Decimal::parse("1.2e1")->whole() == 12);
  CHECK(Decimal::parse("-3")->whole() == -3);
  CHECK(Decimal::parse(".0")->whole() == 0);
  CHECK_FALSE(Decimal::parse("12.5")->whole());
  CHECK_FALSE(Decimal::parse("99999999999999999999")->whole());
  CHECK(Decimal::parse("-0.0")->is_zero());
  CHECK_FALSE(Decimal::parse("-0.0")->is_negative());
}

}  // namespace decimal_test
