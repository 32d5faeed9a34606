#include "kernels/src/c_interface.hpp"

#include <qturn/cpu.hpp>

#include <string>

namespace qturn::c {
namespace {

thread_local std::string last_error;

bool is_orientation(int number) { return number >= 1 && number <= 8; }

}  // namespace

qturn_status failed(qturn_status status, const char* what) noexcept {
  try {
    last_error = what;
  } catch (const std::bad_alloc&) {
    last_error.clear();
  }
  return status;
}

Orientation orientation(int number) {
  if (is_orientation(number)) return static_cast<Orientation>(number);
  throw std::invalid_argument("orientation is " + std::to_string(number) + ", expected 1 to 8");
}

View view(const qturn_view* view, const char* which) {
  if (view == nullptr) throw std::invalid_argument(std::string(which) + " is null");
  return {view->data, view->width, view->height, view->pitch, view->pixel_bytes};
}

std::vector<BatchImage> images(const qturn_image* images, std::size_t count) {
  if (images == nullptr && count > 0) throw std::invalid_argument("images is null");
  std::vector<BatchImage> batch;
  batch.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    batch.push_back({view(&images[i].src, "src"), view(&images[i].dst, "dst"),
                     orientation(images[i].orientation)});
  }
  return batch;
}

}  // namespace qturn::c

using qturn::Orientation;

const char* qturn_last_error() { return qturn::c::last_error.c_str(); }

int qturn_orientation_of_name(const char* name) {
  const auto found = name != nullptr ? qturn::orientation_of_name(name) : std::nullopt;
  return found ? static_cast<int>(*found) : 0;
}

const char* qturn_orientation_name(int orientation) {
  if (!qturn::c::is_orientation(orientation)) return nullptr;
  return qturn::name(static_cast<Orientation>(orientation)).data();  // of a literal
}

int qturn_compose(int first, int then) {
  if (!qturn::c::is_orientation(first) || !qturn::c::is_orientation(then)) return 0;
  return static_cast<int>(
      qturn::compose(static_cast<Orientation>(first), static_cast<Orientation>(then)));
}

int qturn_inverse(int orientation) {
  if (!qturn::c::is_orientation(orientation)) return 0;
  return static_cast<int>(qturn::inverse(static_cast<Orientation>(orientation)));
}

int qturn_swaps_axes(int orientation) {
  return qturn::c::is_orientation(orientation) &&
                 qturn::swaps_axes(static_cast<Orientation>(orientation))
             ? 1
             : 0;
}

qturn_status qturn_transform(const qturn_view* src, const qturn_view* dst, int orientation) {
  return qturn::c::run([&] {
    qturn::transform(qturn::c::view(src, "src"), qturn::c::view(dst, "dst"),
                     qturn::c::orientation(orientation));
  });
}

qturn_status qturn_transform_in_place(const qturn_view* view, int orientation) {
  return qturn::c::run([&] {
    qturn::transform_in_place(qturn::c::view(view, "view"), qturn::c::orientation(orientation));
  });
}

qturn_status qturn_transform_batch(const qturn_image* images, size_t count) {
  return qturn::c::run([&] {
    const auto batch = qturn::c::images(images, count);
    qturn::transform_batch(batch.data(), batch.size());
  });
}
