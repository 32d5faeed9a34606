#include "tools/bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace qturn::bench {

std::string heading(const Machine& machine) {
  const std::string driver = machine.driver.empty() ? "" : ", driver " + machine.driver;
  return fmt::format("{}{}, {}, commit {}\n", machine.device, driver, machine.date, machine.commit);
}

namespace {

bool was_after_foreign(const Result& r) { return r.after_foreign.median > 0; }

// GB/s are bytes per nanosecond. For a short launch, the cost of the launch counts, not the bytes.
std::string time_of_a_launch(const Result& r, const Rate& rate) {
  const double microseconds = 2e-3 * static_cast<double>(r.what.image_bytes()) / rate.median;
  return microseconds < 20 ? fmt::format(", {:.1f} us", microseconds) : "";
}

std::string line(const Result& r, const PeerResult& peer) {
  if (!peer.failure.empty()) return fmt::format("{:>42}  failed: {}\n", peer.name, peer.failure);
  const Rate& rate = peer.rate;
  return fmt::format(
      "{:>42}  {:7.1f} GB/s ({:.1f} to {:.1f})  {:5.1f} %{}{}\n", peer.name, rate.median, rate.slow,
      rate.fast, r.percent_of_bound(rate), time_of_a_launch(r, rate),
      peer.differing_bytes == 0 ? ""
                                : fmt::format(", {} bytes differ from ours", peer.differing_bytes));
}

// A row for each peer that has a result for this shape and orientation.
std::string peer_rows(const std::vector<Result>& results, const std::string& shape,
                      Orientation orientation, const std::set<int>& sizes) {
  std::map<std::string, std::map<int, std::string>> cells;
  for (const Result& r : results) {
    if (r.what.shape.text != shape || r.what.orientation != orientation) continue;
    for (const PeerResult& peer : r.peers) {
      cells[peer.name][r.what.pixel_bytes] =
          !peer.failure.empty() ? "failed"
                                : fmt::format("{:.1f}{}", r.percent_of_bound(peer.rate),
                                              peer.differing_bytes == 0 ? "" : ", differs");
    }
  }
  std::string rows;
  for (auto& [peer, by_size] : cells) {
    rows += fmt::format("| {} | {}, {} |", shape, name(orientation), peer);
    for (const int size : sizes) rows += fmt::format(" {} |", by_size[size]);
    rows += "\n";
  }
  return rows;
}

std::string json(const Result& r, const PeerResult& peer) {
  return fmt::format(
      "{{\"name\": \"{}\", \"gb_per_s\": {:.1f}, \"percent\": {:.2f}, \"differing_bytes\": {}, "
      "\"failure\": \"{}\"}}",
      peer.name, peer.rate.median, r.percent_of_bound(peer.rate), peer.differing_bytes,
      peer.failure);
}

}  // namespace

std::string line(const Result& r) {
  const double plain = r.plain.median;
  std::string text = fmt::format(
      "{:<20} {:<10} {:>3} bytes  {:7.1f} GB/s ({:.1f} to {:.1f})  {:5.1f} % of {:.1f} "
      "({}){}{}{}\n",
      r.what.shape.text, name(r.what.orientation), r.what.pixel_bytes, r.rate.median, r.rate.slow,
      r.rate.fast, r.percent(), r.bound.median, r.bound_by, time_of_a_launch(r, r.rate),
      plain == 0 ? "" : fmt::format("  {:5.2f} x {:.1f} (plain)", r.rate.median / plain, plain),
      was_after_foreign(r)
          ? fmt::format(", {:.1f} % after another kernel", r.percent_after_foreign())
          : "");
  for (const PeerResult& peer : r.peers) text += line(r, peer);
  return text;
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
  const auto row = [&](const std::string& shape, Orientation orientation, const char* more,
                       auto cell) {
    table += fmt::format("| {} | {}{} |", shape, name(orientation), more);
    for (int size : sizes) {
      const auto found = std::find_if(results.begin(), results.end(), [&](const Result& r) {
        return r.what.shape.text == shape && r.what.orientation == orientation &&
               r.what.pixel_bytes == size;
      });
      table += found == results.end() ? " |" : fmt::format(" {:.1f} |", cell(*found));
    }
    table += "\n";
  };
  const bool after_foreign = std::any_of(results.begin(), results.end(), was_after_foreign);
  for (const auto& [shape, orientation] : rows) {
    row(shape, orientation, "", [](const Result& r) { return r.percent(); });
    if (after_foreign) {
      row(shape, orientation, ", after another kernel",
          [](const Result& r) { return r.percent_after_foreign(); });
    }
    table += peer_rows(results, shape, orientation, sizes);
  }
  return table;
}

std::string json(const Machine& machine, const std::vector<Result>& results) {
  std::string text = json_opening(machine);
  const char* separator = "\n";
  for (const Result& r : results) {
    text += fmt::format(
        "{}{{\"shape\": \"{}\", \"orientation\": \"{}\", \"pixel_bytes\": {}, \"gb_per_s\": "
        "{:.1f}, "
        "\"slow_gb_per_s\": {:.1f}, \"fast_gb_per_s\": {:.1f}, \"bound_gb_per_s\": {:.1f}, "
        "\"bound_by\": \"{}\", \"percent\": {:.2f}, \"plain_gb_per_s\": {:.1f}{}, \"peers\": [",
        separator, r.what.shape.text, name(r.what.orientation), r.what.pixel_bytes, r.rate.median,
        r.rate.slow, r.rate.fast, r.bound.median, r.bound_by, r.percent(), r.plain.median,
        was_after_foreign(r)
            ? fmt::format(", \"percent_after_foreign\": {:.2f}", r.percent_after_foreign())
            : "");
    const char* between = "";
    for (const PeerResult& peer : r.peers) {
      text += between + json(r, peer);
      between = ", ";
    }
    text += "]}";
    separator = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace qturn::bench
