#include "kernels/src/shapes.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace qturn {
namespace {

std::string text(std::int64_t number) { return std::to_string(number); }
std::string text(Size size) { return text(size.width) + "x" + text(size.height); }

// No memory has more bytes. Sums of an address and a distance within a view stay below 2^63.
constexpr std::int64_t most_bytes = std::int64_t{1} << 62;

// Whether the bytes from the first to the last of a view that is not empty can be counted. The
// pitch of a single row has no meaning.
bool is_countable(ConstView view) {
  if (view.width > most_bytes / view.pixel_bytes) return false;
  if (view.height == 1) return true;
  const std::int64_t most_pitch = (most_bytes - view.row_bytes()) / (view.height - 1);
  return view.pitch >= -most_pitch && view.pitch <= most_pitch;
}

// The bytes of a view as addresses, rows going upwards in memory.
struct Span {
  std::int64_t begin;
  std::int64_t pitch;
  std::int64_t height;
  std::int64_t row_bytes;

  explicit Span(ConstView view)
      : begin(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(view.data)) +
              (view.pitch < 0 ? (view.height - 1) * view.pitch : 0)),
        pitch(view.height > 1 ? std::abs(view.pitch) : view.row_bytes()),
        height(view.height),
        row_bytes(view.row_bytes()) {}

  std::int64_t end() const { return begin + (height - 1) * pitch + row_bytes; }
};

}  // namespace

void check_view(ConstView view, const std::string& which) {
  if (view.pixel_bytes < 1 || view.pixel_bytes > max_pixel_bytes) {
    throw std::invalid_argument(which + " has pixels of " + text(view.pixel_bytes) +
                                " bytes, expected 1 to " + text(max_pixel_bytes));
  }
  if (view.width < 0 || view.height < 0) {
    throw std::invalid_argument(which + " is " + text(Size{view.width, view.height}) +
                                ", expected no less than 0x0");
  }
  if (!view.empty() && view.data == nullptr) {
    throw std::invalid_argument(which + " is " + text(Size{view.width, view.height}) +
                                " at address 0");
  }
  if (!view.empty() && !is_countable(view)) {
    throw std::invalid_argument(which + " is " + text(Size{view.width, view.height}) +
                                " with a pitch of " + text(view.pitch) +
                                ", expected no more than 2^62 bytes");
  }
}

void check_rows(ConstView view, const std::string& which) {
  if (!view.empty() && view.height > 1 && std::abs(view.pitch) < view.row_bytes()) {
    throw std::invalid_argument(which + " has a pitch of " + text(view.pitch) +
                                ", expected at least " + text(view.row_bytes()) + " either way");
  }
}

void check_batch_in_memory(const void* images, std::size_t alignment, std::size_t count,
                           const void* workspace) {
  const auto is_aligned = [](const void* address, std::size_t to) {
    return reinterpret_cast<std::uintptr_t>(address) % to == 0;
  };
  if (count >= std::size_t{1} << 31) {
    throw std::invalid_argument(std::to_string(count) + " images, expected fewer than 2^31");
  }
  if (images == nullptr || !is_aligned(images, alignment)) {
    throw std::invalid_argument("images at address 0 or at no multiple of " +
                                std::to_string(alignment));
  }
  if (workspace == nullptr || !is_aligned(workspace, 16)) {
    throw std::invalid_argument("workspace at address 0 or at no multiple of 16");
  }
}

bool overlap(ConstView a, ConstView b) {
  if (a.empty() || b.empty()) return false;
  Span first(a);
  Span second(b);
  if (first.end() <= second.begin || second.end() <= first.begin) return false;
  // The pitch of a single row has no meaning.
  if (first.height == 1) first.pitch = second.pitch;
  if (second.height == 1) second.pitch = first.pitch;
  const std::int64_t pitch = first.pitch;
  if (pitch != second.pitch || pitch < first.row_bytes || pitch < second.row_bytes) return true;

  // Row i of `first` and row j of `second` can only meet if i - j is the whole number of pitches
  // between them, or one more.
  const std::int64_t distance = second.begin - first.begin;
  std::int64_t rows_between = distance / pitch;
  std::int64_t column = distance % pitch;
  if (column < 0) {
    column += pitch;
    rows_between -= 1;
  }
  const auto some_rows_meet = [&](std::int64_t difference) {
    return difference < first.height && difference + second.height > 0;
  };
  return (column < first.row_bytes && some_rows_meet(rows_between)) ||
         (column + second.row_bytes > pitch && some_rows_meet(rows_between + 1));
}

void check_shapes(ConstView src, View dst, Orientation orientation) {
  check_view(src, "src");
  check_view(dst, "dst");
  if (src.pixel_bytes != dst.pixel_bytes) {
    throw std::invalid_argument("dst has pixels of " + text(dst.pixel_bytes) + " bytes, expected " +
                                text(src.pixel_bytes));
  }
  const Size expected = turned_size(orientation, {src.width, src.height});
  if (!(Size{dst.width, dst.height} == expected)) {
    throw std::invalid_argument("dst is " + text(Size{dst.width, dst.height}) + ", expected " +
                                text(expected));
  }
  if (src.empty()) return;
  check_rows(dst, "dst");
  if (overlap(src, dst)) {
    throw std::invalid_argument("src " + text(Size{src.width, src.height}) + " and dst " +
                                text(Size{dst.width, dst.height}) + " overlap in memory");
  }
}

void check_in_place(ConstView view, Orientation orientation) {
  check_view(view, "view");
  const Size size{view.width, view.height};
  if (swaps_axes(orientation) && view.width != view.height) {
    throw std::invalid_argument(
        "view is " + text(size) + ", " + std::string(name(orientation)) +
        " in place needs a square: call transform() with a destination of " +
        text(turned_size(orientation, size)));
  }
  check_rows(view, "view");
}

}  // namespace qturn
