#include "tools/bench/cases.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace qturn::bench {
namespace {

// Reads a positive number (or 0 where allowed) off the front of `text`.
bool take_number(std::string_view& text, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

Shape parse_shape(std::string_view text) {
  Shape shape;
  shape.text = text;
  std::string_view rest = text;
  bool good = take_number(rest, shape.width) && take(rest, 'x') &&
              take_number(rest, shape.height) && shape.width > 0 && shape.height > 0;
  if (good && take(rest, '+')) good = take_number(rest, shape.offset_pixels);
  if (good && take(rest, '/')) {
    good = take_number(rest, shape.pitch_multiple) && shape.pitch_multiple > 0;
  }
  if (!good || !rest.empty()) {
    throw std::invalid_argument("'" + std::string(text) +
                                "' is not a shape, expected WIDTHxHEIGHT[+PIXELS][/BYTES]");
  }
  return shape;
}

Rate rate_of(std::vector<double> seconds, double bytes) {
  std::sort(seconds.begin(), seconds.end());
  const std::size_t count = seconds.size();
  const auto gb_per_s = [&](std::size_t index) { return bytes / seconds[index] / 1e9; };
  return {gb_per_s(count / 2), gb_per_s(count - 1 - count / 10), gb_per_s(count / 10)};
}

Plan plan(const Choice& choice) {
  Plan plan;
  plan.batches = choice.batches;
  plan.against = choice.against;
  plan.after_foreign = choice.after_foreign;
  for (const std::string& shape : choice.shapes) {
    for (const std::string& word : choice.orientations) {
      const auto orientation = orientation_of_name(word);
      if (!orientation) throw std::invalid_argument("'" + word + "' is not an orientation");
      for (int pixel_bytes : choice.pixel_sizes) {
        plan.cases.push_back({parse_shape(shape), pixel_bytes, *orientation});
      }
    }
  }
  return plan;
}

}  // namespace qturn::bench
