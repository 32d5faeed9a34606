#include "tools/bench/entries.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qturn::bench {

bool EntryChoice::wants(const std::string& what, int pixel_bytes) const {
  const bool in_text =
      texts.empty() || std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return what.find(text) != std::string::npos;
      });
  return in_text && (pixel_sizes.empty() || std::find(pixel_sizes.begin(), pixel_sizes.end(),
                                                      pixel_bytes) != pixel_sizes.end());
}

std::string line(const EntryResult& r) {
  return fmt::format(
      "{:<58} {:>3} bytes  {:7.1f} GB/s ({:.1f} to {:.1f})  {:5.1f} % of {:.1f} ({}), {:.1f} % "
      "after another kernel\n",
      r.what, r.pixel_bytes, r.rate.median, r.rate.slow, r.rate.fast, r.percent(), r.bound.median,
      r.bound_by, r.percent_after_foreign());
}

std::string markdown(const std::vector<EntryResult>& results) {
  std::string table =
      "| what | bytes of a pixel | GB/s | % of a copy | % after another kernel |\n"
      "|---|---|---|---|---|\n";
  for (const EntryResult& r : results) {
    table += fmt::format("| {} | {} | {:.0f} | {:.1f} | {:.1f} |\n", r.what, r.pixel_bytes,
                         r.rate.median, r.percent(), r.percent_after_foreign());
  }
  return table;
}

std::string json(const Machine& machine, const std::vector<EntryResult>& results) {
  std::string text = json_opening(machine);
  const char* separator = "\n";
  for (const EntryResult& r : results) {
    text += fmt::format(
        "{}{{\"what\": \"{}\", \"pixel_bytes\": {}, \"gb_per_s\": {:.1f}, \"slow_gb_per_s\": "
        "{:.1f}, \"fast_gb_per_s\": {:.1f}, \"bound_gb_per_s\": {:.1f}, \"bound_by\": \"{}\", "
        "\"percent\": {:.2f}, \"percent_after_foreign\": {:.2f}}}",
        separator, r.what, r.pixel_bytes, r.rate.median, r.rate.slow, r.rate.fast, r.bound.median,
        r.bound_by, r.percent(), r.percent_after_foreign());
    separator = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace qturn::bench
