#include "tools/bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace qturn::bench {

std::string heading(const Machine& machine) {
  const std::string driver = machine.driver.empty() ? "" : ", driver and clocks " + machine.driver;
  return fmt::format("{}{}, {}, commit {}\n", machine.device, driver, machine.date, machine.commit);
}

std::string line(const Result& r) {
  const double plain = r.plain.median;
  return fmt::format(
      "{:<20} {:<10} {:>3} bytes  {:7.1f} GB/s ({:.1f} to {:.1f})  {:5.1f} % of {:.1f} ({}){}\n",
      r.what.shape.text, name(r.what.orientation), r.what.pixel_bytes, r.rate.median, r.rate.slow,
      r.rate.fast, r.percent(), r.bound.median, r.bound_by,
      plain == 0 ? "" : fmt::format("  {:5.2f} x {:.1f} (plain)", r.rate.median / plain, plain));
}

std::string markdown(const std::vector<Result>& results) {
  std::set<int> sizes;
  std::vector<std::pair<std::string, Orientation>> rows;
  for (const Result& r : results) {
    sizes.insert(r.what.pixel_bytes);
    const std::pair row(r.what.shape.text, r.what.orientation);
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
  std::string table = "| shape | orientation |";
  std::string rule = "|---|---|";
  for (int size : sizes) {
    table += fmt::format(" {} B |", size);
    rule += "---|";
  }
  table += "\n" + rule + "\n";
  for (const auto& [shape, orientation] : rows) {
    table += fmt::format("| {} | {} |", shape, name(orientation));
    for (int size : sizes) {
      const auto found = std::find_if(results.begin(), results.end(), [&](const Result& r) {
        return r.what.shape.text == shape && r.what.orientation == orientation &&
               r.what.pixel_bytes == size;
      });
      table += found == results.end() ? " |" : fmt::format(" {:.1f} |", found->percent());
    }
    table += "\n";
  }
  return table;
}

std::string json(const Machine& machine, const std::vector<Result>& results) {
  std::string text = fmt::format(
      "{{\"device\": \"{}\", \"driver\": \"{}\", \"date\": \"{}\", \"commit\": \"{}\", "
      "\"results\": [",
      machine.device, machine.driver, machine.date, machine.commit);
  const char* separator = "\n";
  for (const Result& r : results) {
    text += fmt::format(
        "{}{{\"shape\": \"{}\", \"orientation\": \"{}\", \"pixel_bytes\": {}, \"gb_per_s\": "
        "{:.1f}, "
        "\"slow_gb_per_s\": {:.1f}, \"fast_gb_per_s\": {:.1f}, \"bound_gb_per_s\": {:.1f}, "
        "\"bound_by\": \"{}\", \"percent\": {:.2f}, \"plain_gb_per_s\": {:.1f}}}",
        separator, r.what.shape.text, name(r.what.orientation), r.what.pixel_bytes, r.rate.median,
        r.rate.slow, r.rate.fast, r.bound.median, r.bound_by, r.percent(), r.plain.median);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace qturn::bench
