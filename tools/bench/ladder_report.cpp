#include "tools/bench/ladder_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qturn::bench {
namespace {

// Each once, in order of appearance.
template <class Field>
std::vector<std::string> distinct(const std::vector<LadderResult>& results, Field field) {
  std::vector<std::string> all;
  for (const LadderResult& r : results) {
    if (std::find(all.begin(), all.end(), r.*field) == all.end()) all.push_back(r.*field);
  }
  return all;
}

const LadderResult* find(const std::vector<LadderResult>& results, const std::string& rung,
                         const std::string& shape) {
  const auto found = std::find_if(results.begin(), results.end(), [&](const LadderResult& r) {
    return r.rung == rung && r.shape == shape;
  });
  return found == results.end() ? nullptr : &*found;
}

std::string xml_escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return safe;
}

}  // namespace

std::string line(const LadderResult& r) {
  const std::string what = fmt::format("{:<12} {:<28}", r.shape, r.rung);
  if (!r.missing.empty()) return fmt::format("{} not found: {}\n", what, r.missing);
  return fmt::format("{} {:7.1f} GB/s ({:.1f} to {:.1f})  {:5.1f} % of {:.1f} ({}){}\n", what,
                     r.rate.median, r.rate.slow, r.rate.fast, r.percent(), r.bound.median,
                     r.bound_by,
                     r.matrices == 1 ? "" : fmt::format(", {} in a launch", r.matrices));
}

namespace {

std::string table_head(const std::string& first, const std::string& second,
                       const std::vector<std::string>& shapes) {
  std::string head = fmt::format("| {} | {} |", first, second);
  std::string rule = "|---|---|";
  for (const std::string& shape : shapes) {
    head += fmt::format(" {} |", shape);
    rule += "---|";
  }
  return head + "\n" + rule + "\n";
}

std::string rates(const std::vector<LadderResult>& results) {
  const auto shapes = distinct(results, &LadderResult::shape);
  std::string table = table_head("rung", "steps to write, read", shapes);
  table += "| *a copy, the bound* | |";
  for (const std::string& shape : shapes) {
    const auto of_one = std::find_if(results.begin(), results.end(), [&](const LadderResult& r) {
      return r.shape == shape && r.matrices == 1;
    });
    table += of_one == results.end() ? " |" : fmt::format(" {:.0f} |", of_one->bound.median);
  }
  table += "\n";
  for (const std::string& rung : distinct(results, &LadderResult::rung)) {
    const auto any = std::find_if(results.begin(), results.end(),
                                  [&](const LadderResult& r) { return r.rung == rung; });
    table += fmt::format("| {} | {} |", rung, any->conflicts);
    for (const std::string& shape : shapes) {
      const LadderResult* r = find(results, rung, shape);
      table += r == nullptr ? " |"
               : !r->missing.empty()
                   ? " not found |"
                   : fmt::format(" {:.0f} ({:.1f} %) |", r->rate.median, r->percent());
    }
    table += "\n";
  }
  return table;
}

std::string gains(const std::vector<LadderResult>& results) {
  const auto shapes = distinct(results, &LadderResult::shape);
  std::string table = table_head("rung", "times as fast as", shapes);
  for (const std::string& rung : distinct(results, &LadderResult::rung)) {
    const auto any = std::find_if(results.begin(), results.end(),
                                  [&](const LadderResult& r) { return r.rung == rung; });
    if (any->than.empty()) continue;
    table += fmt::format("| {} | {} |", rung, any->than);
    for (const std::string& shape : shapes) {
      const LadderResult* r = find(results, rung, shape);
      const LadderResult* than = find(results, any->than, shape);
      table += r == nullptr || than == nullptr || !r->missing.empty() || !than->missing.empty()
                   ? " |"
                   : fmt::format(" {:.2f} |", r->rate.median / than->rate.median);
    }
    table += "\n";
  }
  return table;
}

}  // namespace

std::string markdown(const std::vector<LadderResult>& results) {
  return rates(results) + "\n" + gains(results);
}

std::string json(const Machine& machine, const std::vector<LadderResult>& results) {
  std::string text = json_opening(machine);
  const char* separator = "\n";
  for (const LadderResult& r : results) {
    text += fmt::format(
        "{}{{\"shape\": \"{}\", \"rung\": \"{}\", \"matrices\": {}, \"write_read_steps\": \"{}\", "
        "\"gb_per_s\": {:.1f}, \"slow_gb_per_s\": {:.1f}, \"fast_gb_per_s\": {:.1f}, "
        "\"bound_gb_per_s\": {:.1f}, \"bound_by\": \"{}\", \"percent\": {:.2f}, \"missing\": "
        "\"{}\"}}",
        separator, r.shape, r.rung, r.matrices, r.conflicts, r.rate.median, r.rate.slow,
        r.rate.fast, r.bound.median, r.bound_by, r.percent(), r.missing);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

std::string svg(const Machine& machine, const std::vector<LadderResult>& results) {
  const auto shapes = distinct(results, &LadderResult::shape);
  const auto rungs = distinct(results, &LadderResult::rung);
  std::string bar_shape;
  std::int64_t most = 0;
  double longest = 100;
  for (const LadderResult& r : results) {
    const Shape shape = parse_shape(r.shape);
    if (shape.width * shape.height > most) {
      most = shape.width * shape.height;
      bar_shape = r.shape;
    }
    longest = std::max(longest, r.percent());
  }

  // Pixels: names to the left, a column of figures to the right, a row for each rung.
  constexpr int left = 230;
  constexpr int width = 560;
  constexpr int top = 74;
  constexpr int row = 26;
  const int bottom = top + row * static_cast<int>(rungs.size());
  const int end = 10 * (static_cast<int>(longest) / 10 + 1);
  const auto x = [&](double percent) { return left + width * percent / end; };
  const char* dots[] = {"#d95f02", "#1b9e77", "#e7298a", "#7570b3",
                        "#66a61e", "#a6761d", "#444444"};
  const auto dot_of = [&](std::size_t shape) { return dots[shape % std::size(dots)]; };

  std::string s = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" font-family="sans-serif" font-size="13">
<!-- made by: qturn-bench ladder, option svg -->
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="16" y="26" font-size="16">Transposing floats, % of a copy of as many bytes</text>
<text x="16" y="{2}" fill="#666666">{3}, {4}, commit {5}</text>
)",
      left + width + 80, bottom + 48, bottom + 38, xml_escaped(machine.device), machine.date,
      machine.commit);

  int legend = 24;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    s += shapes[i] == bar_shape
             ? fmt::format(R"(<rect x="{}" y="43" width="10" height="12" fill="#9ecae1"/>)",
                           legend - 5)
             : fmt::format(R"(<circle cx="{}" cy="49" r="4" fill="{}"/>)", legend, dot_of(i));
    s += fmt::format(R"(<text x="{}" y="54">{}</text>)", legend + 10, shapes[i]) + "\n";
    legend += 34 + 8 * static_cast<int>(shapes[i].size());
  }
  for (int percent = 0; percent <= end; percent += 20) {
    s += fmt::format(R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}" stroke="{3}"/>)",
                     x(percent), top - 4, bottom, percent == 100 ? "#444444" : "#dddddd");
    s += fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle" fill="#666666">{}</text>)",
                     x(percent), bottom + 15, percent) +
         "\n";
  }
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const int y = top + row * static_cast<int>(i);
    s += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", left - 8, y + 15,
                     xml_escaped(rungs[i]));
    const LadderResult* bar = find(results, rungs[i], bar_shape);
    if (bar != nullptr && !bar->missing.empty()) {
      s += fmt::format(R"(<text x="{}" y="{}" fill="#666666">not found</text>)", left + 8, y + 15);
    } else if (bar != nullptr) {
      s += fmt::format(R"(<rect x="{}" y="{}" width="{:.1f}" height="16" fill="#9ecae1"/>)", left,
                       y + 3, x(bar->percent()) - left);
      s += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{:.1f}</text>)", left + width + 60,
                       y + 15, bar->percent());
    }
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      const LadderResult* r = find(results, rungs[i], shapes[k]);
      if (shapes[k] == bar_shape || r == nullptr || !r->missing.empty()) continue;
      s += fmt::format(R"(<circle cx="{:.1f}" cy="{}" r="4" fill="{}"/>)", x(r->percent()), y + 11,
                       dot_of(k));
    }
    s += "\n";
  }
  return s + "</svg>\n";
}

}  // namespace qturn::bench
