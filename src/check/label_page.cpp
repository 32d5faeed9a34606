#include "src/check/label_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/labels/text/xml_text.hpp"
#include "src/picture/base64.hpp"
#include "src/sample/companion.hpp"
#include "src/turn/decoded.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_shapes = 1000;  // of a file of many pictures, for one of them

using Layers = std::map<std::size_t, std::vector<LabelLayer>>;

LabelLayer layer_for(const LabelCheck& check, std::size_t picture, const LabelContent& content) {
  const LabelCheck::Seen& seen = check.seen(picture);
  const Size upright = turned_size(seen.tag, seen.stored);
  LabelsDrawnOn drawn_on = check.drawn_on();
  const bool fits_stored =
      frame_that_fits(content, seen.stored, upright).frame == FittingFrame::stored;
  if (drawn_on == LabelsDrawnOn::unknown && fits_stored) drawn_on = LabelsDrawnOn::stored;
  if (drawn_on == LabelsDrawnOn::stored) return {.size = seen.stored, .to_upright = seen.tag};
  return {.size = upright};
}

void add_own(const LabelCheck& check, std::size_t picture, std::vector<LabelLayer>& layers) {
  const LabelSources& sources = check.sources();
  const CompanionFiles::File* label = sources.labels.of(picture);
  if (!label) return;
  const CompanionFiles::Place& place = sources.labels.place_of(*label);
  try {
    LabelContent content = place.rule->format->read(
        read_companion(sources.labels.path(*label)).text, place.rule->keypoints);
    name_classes(content, place.classes, [](const LabelProblem&) {});
    LabelLayer layer = layer_for(check, picture, content);
    layer.shapes = in_pixels(content, layer.size);
    layers.push_back(std::move(layer));
  } catch (const std::exception& error) {
    layers.push_back({.problem = error.what()});
  }
}

void add_masks(const LabelCheck& check, std::size_t picture, std::vector<LabelLayer>& layers) {
  for (const CompanionFiles::File& mask : check.sources().masks.all_of(picture)) {
    const fs::path path = check.sources().masks.path(mask);
    try {
      LabelLayer layer = layer_for(check, picture, {.said = check.header_of(path).size()});
      layer.mask = path;
      layers.push_back(std::move(layer));
    } catch (const std::exception& error) {
      layers.push_back({.problem = error.what()});
    }
  }
}

/// Draws a label file of many pictures.
void add_shared(const LabelCheck& check, SharedLabels::File file,
                const SharedLabelPictures& matches, Layers& layers) {
  std::map<std::size_t, LabelLayer> found;
  const auto add = [&](std::optional<std::size_t> image, const LabelContent& content) {
    const auto picture = image ? file.pictures[*image] : std::nullopt;
    if (!picture || !layers.contains(*picture)) return;
    const auto [at, is_new] = found.try_emplace(*picture);
    LabelLayer& layer = at->second;
    if (is_new) layer = layer_for(check, *picture, {.said = (*file.content)[*image].size});
    if (layer.shapes.size() >= most_shapes) return;
    for (LabelShape& shape : in_pixels(content, layer.size))
      layer.shapes.push_back(std::move(shape));
  };
  try {
    const auto is_of_any = [&](const std::vector<LabelProblem>&) { return file.found > 0; };
    read_shared_shapes(file, matches, is_of_any, add);
  } catch (const std::exception&) {
    // Damage is a finding already; or the file has vanished since. What was read before is drawn.
  }
  for (auto& [picture, layer] : found) layers[picture].push_back(std::move(layer));
}

}  // namespace

Layers label_layers(const LabelCheck& check, const std::set<std::size_t>& pictures) {
  Layers layers;
  for (const std::size_t picture : pictures) {
    add_masks(check, picture, layers[picture]);
    add_own(check, picture, layers[picture]);
  }
  const SharedLabelPictures matches(check.sources().files, check.sources().shared);
  for (const auto& [path, format] : check.sources().shared)
    add_shared(check, {.input = path, .output = {}, .format = format}, matches, layers);
  return layers;
}

// --- The page.

namespace {

constexpr std::int64_t longest_alone = 480, longest_of_several = 240;

constexpr const char* style = R"(
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: clamp(.8em, 4vw, 2em); overflow-wrap: anywhere }
section { display: flex; flex-wrap: wrap; gap: 1em; padding: 1em 0; border-top: 1px solid #8888 }
section > h2 { flex-basis: 100%; font: 13px monospace; margin: 0 }
figure { margin: 0; max-width: 100% } figcaption { font-size: 13px; max-width: 480px }
figure svg { display: block; max-width: 100%; height: auto; background: #8882; outline: 1px solid #888 }
ul { flex: 1 1 16em; margin: 0; padding-left: 1.2em; color: #c33; color: light-dark(#a00, #f88) }
svg .s { fill: none; stroke-width: 2px; vector-effect: non-scaling-stroke }
svg .f { fill-opacity: .2; stroke-width: 2px; vector-effect: non-scaling-stroke }
svg .p { fill: none; stroke-width: 7px; stroke-linecap: round; vector-effect: non-scaling-stroke }
svg .m { opacity: .5; image-rendering: pixelated }
.c { display: inline-block; margin-right: .8em } .c::before { content: "\25a0 "; color: var(--c) }
)";

std::string escaped(std::string_view text) { return xml_escaped(text, true); }

std::string data_uri(const SmallPicture& picture, std::string_view format) {
  return fmt::format("data:image/{};base64,{}", format, base64(encoded(picture, format)));
}

/// A part of the plane, in pixels of the upright picture.
struct Canvas {
  double left = 0, top = 0, right = 0, bottom = 0;

  void add(ShapePoint point) {
    left = std::min(left, point.x);
    top = std::min(top, point.y);
    right = std::max(right, point.x);
    bottom = std::max(bottom, point.y);
  }
};

/// No coordinate is so large that a browser could not place it.
double placed(double number) {
  constexpr double most = 1e7;
  return std::isnan(number) ? 0 : std::clamp(number, -most, most);
}

/// Takes points of a frame to the upright picture.
std::string matrix(Size frame, Orientation orientation) {
  const Reading reading = qturn::reading(orientation);
  const int x = reading.from_right ? -1 : 1, y = reading.from_bottom ? -1 : 1;
  const std::int64_t from_x = reading.from_right ? frame.width : 0;
  const std::int64_t from_y = reading.from_bottom ? frame.height : 0;
  if (reading.swap_axes) return fmt::format("matrix(0 {} {} 0 {} {})", x, y, from_y, from_x);
  return fmt::format("matrix({} 0 0 {} {} {})", x, y, from_x, from_y);
}

ShapePoint upright(ShapePoint point, Size frame, Orientation orientation) {
  const Reading reading = qturn::reading(orientation);
  if (reading.from_right) point.x = static_cast<double>(frame.width) - point.x;
  if (reading.from_bottom) point.y = static_cast<double>(frame.height) - point.y;
  if (reading.swap_axes) std::swap(point.x, point.y);
  return point;
}

/// The picture and what lies beyond its edges, as far as it is large itself.
Canvas canvas_of(Size picture, const std::vector<LabelLayer>& layers) {
  const auto width = static_cast<double>(picture.width);
  const auto height = static_cast<double>(picture.height);
  Canvas canvas{.left = 0, .top = 0, .right = width, .bottom = height};
  for (const LabelLayer& layer : layers) {
    if (!layer.problem.empty()) continue;
    for (const LabelShape& shape : layer.shapes) {
      const double radius = shape.kind == ShapeKind::circle && shape.points.size() == 2
                                ? distance(shape.points[1], shape.points[0])
                                : 0;
      for (const ShapePoint& point : shape.points) {
        for (const double reach : {-radius, radius}) {
          const ShapePoint at =
              upright({point.x + reach, point.y + reach}, layer.size, layer.to_upright);
          if (std::isfinite(at.x) && std::isfinite(at.y))
            canvas.add(
                {std::clamp(at.x, -width, 2 * width), std::clamp(at.y, -height, 2 * height)});
        }
      }
    }
  }
  return canvas;
}

/// The pixels of a mask, at a size that can be shown.
SmallPicture shown(const RunLengths& runs, Size size, Colour colour) {
  const double scale = std::min(1.0, static_cast<double>(longest_alone) /
                                         static_cast<double>(std::max(size.width, size.height)));
  SmallPicture small{
      .width = std::max<std::int64_t>(1, std::llround(static_cast<double>(size.width) * scale)),
      .height = std::max<std::int64_t>(1, std::llround(static_cast<double>(size.height) * scale)),
      .channels = 4};
  std::vector<std::uint64_t> ends;
  std::uint64_t end = 0;
  for (const std::uint32_t run : runs) ends.push_back(end += run);
  for (std::int64_t y = 0; y < small.height; ++y) {
    for (std::int64_t x = 0; x < small.width; ++x) {
      // Runs go down the columns.
      const std::int64_t pixel =
          x * size.width / small.width * size.height + y * size.height / small.height;
      const auto run = std::ranges::upper_bound(ends, static_cast<std::uint64_t>(pixel));
      const bool is_inside = (run - ends.begin()) % 2 == 1;
      small.pixels.insert(small.pixels.end(), {colour.red, colour.green, colour.blue,
                                               static_cast<std::uint8_t>(is_inside ? 255 : 0)});
    }
  }
  return small;
}

class Drawing {
 public:
  Drawing(const LabelLayer& layer, const Limits& limits, CategoryColours& colours)
      : layer_(layer), limits_(limits), colours_(colours) {}

  std::string svg() {
    svg_ = fmt::format(R"(<g transform="{}">)", matrix(layer_.size, layer_.to_upright));
    if (!layer_.mask.empty())
      add_picture(
          read_file(layer_.mask), lower_suffix(layer_.mask), {0, 0},
          {static_cast<double>(layer_.size.width), static_cast<double>(layer_.size.height)});
    for (const LabelShape& shape : layer_.shapes) add(shape);
    return svg_ + "</g>";
  }

 private:
  void add_image(const SmallPicture& picture, ShapePoint first, ShapePoint last) {
    svg_ += fmt::format(
        R"(<image class="m" x="{:.6g}" y="{:.6g}" width="{:.6g}" height="{:.6g}"
 preserveAspectRatio="none" href="{}"/>)",
        placed(first.x), placed(first.y), std::max(0.0, placed(last.x - first.x)),
        std::max(0.0, placed(last.y - first.y)), data_uri(picture, "png"));
  }

  void add_picture(std::span<const std::byte> file, const std::string& suffix, ShapePoint first,
                   ShapePoint last) {
    try {
      add_image(small_picture(file, suffix, longest_alone, Shrink::colours, limits_), first, last);
    } catch (const ImageFileError&) {
      // It is a finding.
    }
  }

  /// Ends with the category, which a browser shows under the mouse.
  void add_element(const std::string& element, const char* style_class, const LabelShape& shape,
                   const char* name) {
    const std::string colour = colours_.in_html(shape.category);
    svg_ += fmt::format(R"(<{} class="{}" stroke="{}" fill="{}"><title>{}</title></{}>)", element,
                        style_class, colour, colour, escaped(shape.category), name);
  }

  static std::string list_of(const std::vector<ShapePoint>& points) {
    std::string list;
    for (const ShapePoint& point : points)
      list += fmt::format("{:.6g},{:.6g} ", placed(point.x), placed(point.y));
    return list;
  }

  void add(const LabelShape& shape) {
    const auto& points = shape.points;
    switch (shape.kind) {
      case ShapeKind::box:
        return add_element(
            fmt::format(R"(rect x="{:.6g}" y="{:.6g}" width="{:.6g}" height="{:.6g}")",
                        placed(points[0].x), placed(points[0].y),
                        std::max(0.0, placed(points[1].x - points[0].x)),
                        std::max(0.0, placed(points[1].y - points[0].y))),
            "s", shape, "rect");
      case ShapeKind::polygon:
        return add_element(fmt::format(R"(polygon points="{}")", list_of(points)), "f", shape,
                           "polygon");
      case ShapeKind::line:
        return add_element(fmt::format(R"(polyline points="{}")", list_of(points)), "s", shape,
                           "polyline");
      case ShapeKind::circle:
        if (points.size() != 2) return;
        return add_element(
            fmt::format(R"(circle cx="{:.6g}" cy="{:.6g}" r="{:.6g}")", placed(points[0].x),
                        placed(points[0].y), placed(distance(points[1], points[0]))),
            "s", shape, "circle");
      case ShapeKind::points: {
        std::string path;
        for (const ShapePoint& point : points)
          path += fmt::format("M{:.6g} {:.6g}h0", placed(point.x), placed(point.y));
        return add_element(fmt::format(R"(path d="{}")", path), "p", shape, "path");
      }
      case ShapeKind::mask:
        if (shape.size.width == 0 || shape.size.height == 0) return;
        return add_image(
            shown(shape.runs, shape.size, colours_.of(shape.category)), {0, 0},
            {static_cast<double>(shape.size.width), static_cast<double>(shape.size.height)});
      case ShapeKind::image_mask:
        return add_picture(shape.image, ".png", points[0], points[1]);
    }
  }

  const LabelLayer& layer_;
  const Limits& limits_;
  CategoryColours& colours_;
  std::string svg_;
};

}  // namespace

std::string CategoryColours::in_html(const std::string& category) {
  const Colour colour = of(category);
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

LabelPage::LabelPage(std::string_view title, std::string_view summary, const Limits& limits)
    : limits_(limits),
      html_(fmt::format(R"(<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{0}</title>
<style>{1}</style>
<h1>{0}</h1>
<p>{2}</p>
)",
                        escaped(title), style, escaped(summary))) {}

void LabelPage::add_row(std::string_view title, const std::vector<PageCell>& cells,
                        const std::vector<std::string>& findings) {
  html_ += fmt::format("<section><h2>{}</h2>\n", escaped(title));
  for (const PageCell& cell : cells)
    add_cell(cell, cells.size() == 1 ? longest_alone : longest_of_several);
  if (!findings.empty()) html_ += "<ul>";
  for (const std::string& finding : findings) html_ += fmt::format("<li>{}</li>", escaped(finding));
  html_ += findings.empty() ? "</section>\n" : "</ul></section>\n";
}

void LabelPage::add_cell(const PageCell& cell, std::int64_t longest) {
  std::string svg;
  std::set<std::string> categories;
  std::string caption = cell.caption, problems;
  try {
    const SmallPicture small = small_picture(read_file(cell.picture), lower_suffix(cell.picture),
                                             longest, Shrink::mean, limits_);
    const Size upright = turned_size(small.stored, small.original);
    if (caption.empty())
      caption = fmt::format("{} x {}", small.original.width, small.original.height);
    if (cell.caption.empty() && small.stored != Orientation::identity)
      caption += fmt::format(", tagged with orientation {}", static_cast<int>(small.stored));
    const double scale =
        static_cast<double>(longest) / static_cast<double>(std::max(upright.width, upright.height));
    const Canvas canvas = canvas_of(upright, cell.layers);
    const double width = canvas.right - canvas.left, height = canvas.bottom - canvas.top;
    svg = fmt::format(
        R"(<svg width="{:.0f}" height="{:.0f}" viewBox="{:.6g} {:.6g} {:.6g} {:.6g}"><g transform="{}">
<image width="{}" height="{}" preserveAspectRatio="none" href="{}"/></g>)",
        std::max(1.0, width * scale), std::max(1.0, height * scale), canvas.left, canvas.top, width,
        height, matrix(small.original, small.stored), small.original.width, small.original.height,
        data_uri(small, "jpeg"));
    for (const LabelLayer& layer : cell.layers) {
      if (!layer.problem.empty()) problems += "; " + layer.problem;
      if (layer.problem.empty()) svg += Drawing(layer, limits_, colours_).svg();
      for (const LabelShape& shape : layer.shapes) categories.insert(shape.category);
    }
    svg += "</svg>";
  } catch (const std::exception& error) {
    svg.clear();
    problems = fmt::format("; cannot be shown: {}", error.what());
  }
  html_ += fmt::format("<figure>{}<figcaption>{}{} ", svg, escaped(caption), escaped(problems));
  for (const std::string& category : categories) {
    if (category.empty()) continue;
    html_ += fmt::format(R"(<span class="c" style="--c:{}">{}</span>)", colours_.in_html(category),
                         escaped(category));
  }
  html_ += "</figcaption></figure>\n";
}

std::string LabelPage::finish() && { return std::move(html_) + "</html>\n"; }

}  // namespace qturn
