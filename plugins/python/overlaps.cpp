#include "plugins/python/overlaps.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace nb = nanobind;

namespace qturn::python {
namespace {

/// The bytes of an image as addresses, rows going upwards in memory.
struct Span {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t pitch;
  std::int64_t height;
  std::int64_t row_bytes;
  bool is_written;
  std::size_t number;  ///< among the images that are read, or written
  const View* view;

  Span(const View& view, bool written, std::size_t which)
      : begin(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(view.data)) +
              std::min<std::int64_t>(0, (view.height - 1) * view.pitch)),
        end(begin + (view.height - 1) * std::abs(view.pitch) + view.row_bytes()),
        pitch(std::abs(view.pitch)),
        height(view.height),
        row_bytes(view.row_bytes()),
        is_written(written),
        number(which),
        view(&view) {}

  std::string name() const {
    return "image " + std::to_string(number) + " of " + (is_written ? "out" : "xs") + " (" +
           std::to_string(view->width) + " x " + std::to_string(view->height) + " pixels)";
  }
};

// Exact for parts of one picture, whose rows may lie between each other's.
bool share_bytes(const Span& a, const Span& b) {
  if (a.end <= b.begin || b.end <= a.begin) return false;
  const std::int64_t pitch = a.height > 1 ? a.pitch : b.pitch;
  if ((b.height > 1 && b.pitch != pitch) || a.row_bytes > pitch || b.row_bytes > pitch) return true;
  const std::int64_t distance = b.begin - a.begin;
  const std::int64_t rows = distance / pitch - (distance % pitch < 0 ? 1 : 0);
  // Row i of `a` and row j of `b` meet only if i - j is the whole number of pitches between them,
  // or one more.
  const auto rows_meet = [&](std::int64_t between) {
    const std::int64_t offset = distance - between * pitch;
    const bool rows_exist = -b.height < between && between < a.height;
    return rows_exist && -b.row_bytes < offset && offset < a.row_bytes;
  };
  return rows_meet(rows) || rows_meet(rows + 1);
}

void add_spans(const std::vector<View>& views, bool written, std::vector<Span>& spans) {
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (!views[i].empty()) spans.emplace_back(views[i], written, i);
  }
}

/// Two images that share memory, at least the second one written; nothing if there are none.
std::optional<std::pair<Span, Span>> shared(const std::vector<View>& xs,
                                            const std::vector<View>& out) {
  std::vector<Span> spans;
  spans.reserve(xs.size() + out.size());
  add_spans(xs, false, spans);
  add_spans(out, true, spans);
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  // Spans that have begun before, by their end. Images that are read are not compared with each
  // other: there may be many of one picture.
  std::multimap<std::int64_t, const Span*> read;
  std::multimap<std::int64_t, const Span*> written;
  for (const Span& span : spans) {
    const auto first_that_meets = [&](auto& open) -> const Span* {
      open.erase(open.begin(), open.upper_bound(span.begin));
      for (const auto& [end, before] : open) {
        if (share_bytes(*before, span)) return before;
      }
      return nullptr;
    };
    const Span* other = first_that_meets(written);
    if (other == nullptr && span.is_written) other = first_that_meets(read);
    if (other != nullptr) {
      return span.is_written ? std::pair(*other, span) : std::pair(span, *other);
    }
    (span.is_written ? written : read).emplace(span.end, &span);
  }
  return std::nullopt;
}

/// Whether the distances alone say that no two images overlap, as they do in nearly every array.
bool are_nested(const Planes& planes) {
  const View& view = planes.first;
  std::int64_t bytes = (view.height - 1) * std::abs(view.pitch) + view.row_bytes();
  for (int axis = planes.counts.rank - 1; axis >= 0; --axis) {
    if (planes.counts[axis] == 1) continue;
    const std::int64_t distance = std::abs(planes.distances[axis]);
    if (distance < bytes) return false;
    bytes += (planes.counts[axis] - 1) * distance;
  }
  return true;
}

// The first byte and the one after the last.
std::pair<std::intptr_t, std::intptr_t> extent(const Planes& planes) {
  const View& view = planes.first;
  auto begin = reinterpret_cast<std::intptr_t>(view.data);
  auto end = begin + view.row_bytes();
  const auto widen = [&](std::int64_t count, std::int64_t distance) {
    (distance < 0 ? begin : end) += (count - 1) * distance;
  };
  widen(view.height, view.pitch);
  for (int axis = 0; axis < planes.counts.rank; ++axis) {
    widen(planes.counts[axis], planes.distances[axis]);
  }
  return {begin, end};
}

// Both have the same number of images. The distance of a single image has no meaning.
bool same_distances(const Planes& a, const Planes& b) {
  for (int axis = 0; axis < a.counts.rank; ++axis) {
    if (a.counts[axis] > 1 && a.distances[axis] != b.distances[axis]) return false;
  }
  return true;
}

bool extents_meet(const Planes& a, const Planes& b) {
  const auto [begin, end] = extent(a);
  const auto [other_begin, other_end] = extent(b);
  return begin < other_end && other_begin < end;
}

}  // namespace

void check_apart(const Array& out, const Planes& planes) {
  if (planes.first.empty() || planes.count() == 0 || are_nested(planes)) return;
  if (!shared({}, views_of(planes))) return;
  throw nb::value_error(
      ("out of shape " + text(out.shape) + " has images that overlap each other in memory")
          .c_str());
}

void check_apart(const std::vector<View>& xs, const std::vector<View>& out) {
  const auto both = shared(xs, out);
  if (!both) return;
  const char* remedy = both->first.is_written ? "" : ": pass copies";
  throw nb::value_error(
      (both->first.name() + " and " + both->second.name() + " overlap in memory" + remedy).c_str());
}

bool is_in_place(const Operand& src, const Operand& dst) {
  const View& from = src.planes.first;
  const View& to = dst.planes.first;
  if (from.empty() || to.empty() || src.planes.count() == 0) return false;
  if (from.data == to.data && from.width == to.width && from.height == to.height &&
      from.pitch == to.pitch && src.planes.counts == dst.planes.counts &&
      same_distances(src.planes, dst.planes)) {
    return true;
  }
  if (src.planes.count() > 1 && extents_meet(src.planes, dst.planes) &&
      shared(views_of(src.planes), views_of(dst.planes))) {
    throw nb::value_error(("x of shape " + text(src.memory.shape) + " and out of shape " +
                           text(dst.memory.shape) + " overlap in memory")
                              .c_str());
  }
  return false;
}

}  // namespace qturn::python
