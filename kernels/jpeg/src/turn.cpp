#include "kernels/jpeg/src/turn.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace qturn::jpeg {
namespace {

constexpr std::int64_t block_size = 8, largest_side = 65535;

std::uint32_t rounded_up(std::int64_t size, std::int64_t unit) {
  return static_cast<std::uint32_t>((size + unit - 1) / unit);
}

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

void check_scan(const JpegScanLayout& scan) {
  if (scan.size.width < 1 || scan.size.height < 1 || scan.size.width > largest_side ||
      scan.size.height > largest_side) {
    refuse("size is " + std::to_string(scan.size.width) + "x" + std::to_string(scan.size.height) +
           ", expected sides of 1 to 65535");
  }
  if (scan.components < 1 || scan.components > static_cast<int>(most_components)) {
    refuse(std::to_string(scan.components) + " components, expected 1 to 4");
  }
  int blocks = 0;
  for (int i = 0; i < scan.components; ++i) {
    const auto& component = scan.component[i];
    if (component.h < 1 || component.h > 4 || component.v < 1 || component.v > 4) {
      refuse("component " + std::to_string(i) + " has factors " + std::to_string(component.h) +
             "x" + std::to_string(component.v) + ", expected 1 to 4");
    }
    blocks += component.h * component.v;
  }
  if (scan.components > 1 && blocks > static_cast<int>(most_blocks_in_mcu)) {
    refuse(std::to_string(blocks) + " blocks in an MCU, expected up to 10");
  }
}

}  // namespace

Layout layout_of(const JpegScanLayout& scan) {
  check_scan(scan);
  Layout layout;
  layout.components = static_cast<std::uint32_t>(scan.components);
  int max_h = 1, max_v = 1;
  for (std::uint32_t i = 0; i < layout.components; ++i) {
    Component& component = layout.component[i];
    // Alone in a scan, a component has one block in an MCU.
    component.h = scan.components == 1 ? 1 : static_cast<std::uint32_t>(scan.component[i].h);
    component.v = scan.components == 1 ? 1 : static_cast<std::uint32_t>(scan.component[i].v);
    component.first = layout.blocks_in_mcu;
    std::fill_n(layout.component_of + layout.blocks_in_mcu, component.h * component.v,
                static_cast<std::uint8_t>(i));
    layout.blocks_in_mcu += component.h * component.v;
    max_h = std::max(max_h, static_cast<int>(component.h));
    max_v = std::max(max_v, static_cast<int>(component.v));
  }
  for (std::uint32_t i = 0; i < layout.components; ++i) {
    Component& component = layout.component[i];
    component.width = rounded_up(scan.size.width * component.h, block_size * max_h);
    component.height = rounded_up(scan.size.height * component.v, block_size * max_v);
  }
  layout.mcus_wide = rounded_up(scan.size.width, block_size * max_h);
  layout.mcus = layout.mcus_wide * rounded_up(scan.size.height, block_size * max_v);
  layout.mcus_in_segment = scan.restart_interval == 0
                               ? layout.mcus
                               : std::min<std::uint32_t>(scan.restart_interval, layout.mcus);
  return layout;
}

Size samples_of(const Layout& layout, Size size, const Component& component) {
  const Layout::Factors most = layout.largest_factors();
  return {rounded_up(size.width * component.h, most.h),
          rounded_up(size.height * component.v, most.v)};
}

void check_whole_pixels(const Layout& layout) {
  const Layout::Factors most = layout.largest_factors();
  for (std::uint32_t i = 0; i < layout.components; ++i) {
    const Component& component = layout.component[i];
    if (most.h % component.h == 0 && most.v % component.v == 0) continue;
    refuse("component " + std::to_string(i) +
           " has a sampling factor that does not divide the greatest one");
  }
}

Turn turn_of(const JpegScanTurn& turn) {
  if (!is_valid(turn.orientation)) qturn::refuse(turn.orientation);
  const Turn result{layout_of(turn.src), layout_of(turn.dst), reading(turn.orientation)};
  const bool swaps = result.reading.swap_axes;
  if (result.src.components != result.dst.components) {
    refuse("dst has " + std::to_string(result.dst.components) + " components, expected " +
           std::to_string(result.src.components));
  }
  for (std::uint32_t i = 0; i < result.src.components; ++i) {
    const Component &src = result.src.component[i], &dst = result.dst.component[i];
    if (dst.h != (swaps ? src.v : src.h) || dst.v != (swaps ? src.h : src.v)) {
      refuse("dst has other sampling factors than src, turned, in component " + std::to_string(i));
    }
    if ((swaps ? dst.height : dst.width) > src.width ||
        (swaps ? dst.width : dst.height) > src.height) {
      refuse("dst is larger than src, turned, in component " + std::to_string(i));
    }
  }
  return result;
}

}  // namespace qturn::jpeg
