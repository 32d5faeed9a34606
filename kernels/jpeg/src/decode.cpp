#include "kernels/jpeg/src/decode.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/jpeg/src/dct.hpp"
#include "kernels/jpeg/src/turn.hpp"

namespace qturn {
namespace {

std::string text_of(Size size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

const jpeg::Component& component_of(const jpeg::Layout& layout, int index) {
  if (index >= 0 && index < static_cast<int>(layout.components)) return layout.component[index];
  throw std::invalid_argument("component " + std::to_string(index) + " of " +
                              std::to_string(layout.components));
}

}  // namespace

Size jpeg_blocks(const JpegScanLayout& scan, int index) {
  const jpeg::Layout layout = jpeg::layout_of(scan);
  const jpeg::Component& component = component_of(layout, index);
  return {component.width, component.height};
}

Size jpeg_samples(const JpegScanLayout& scan, int index) {
  const jpeg::Layout layout = jpeg::layout_of(scan);
  const jpeg::Component& component = component_of(layout, index);
  return jpeg::samples_of(layout, scan.size, component);
}

namespace jpeg {
namespace {

constexpr int block_bytes = 128, coefficient_alignment = 16;

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

void check_pixel_bytes(const View& view, int expected, const std::string& what) {
  if (view.pixel_bytes == expected) return;
  refuse(what + " have " + std::to_string(view.pixel_bytes) + " bytes each, expected " +
         std::to_string(expected));
}

Plane plane_of(const View& view) {
  return {static_cast<std::uint8_t*>(view.data), view.pitch, static_cast<std::uint32_t>(view.width),
          static_cast<std::uint32_t>(view.height)};
}

void want_coefficients(const View& view, const Component& from, const std::string& of,
                       RestoredComponent& component) {
  check_pixel_bytes(view, block_bytes, "blocks of coefficients" + of);
  const Size size{view.width, view.height}, wanted{from.width, from.height};
  if (!(size == wanted)) {
    refuse("coefficients" + of + " are " + text_of(size) + " blocks, expected " + text_of(wanted));
  }
  if (reinterpret_cast<std::uintptr_t>(view.data) % coefficient_alignment != 0 ||
      view.pitch % coefficient_alignment != 0) {
    refuse("coefficients" + of + " have an address or a pitch that is not a multiple of 16");
  }
  component.coefficients = static_cast<std::uint8_t*>(view.data);
  component.coefficient_pitch = view.pitch;
}

void want_samples(const View& view, Size least, const Component& from, const std::string& of,
                  RestoredComponent& component) {
  check_pixel_bytes(view, 1, "samples" + of);
  const Size size{view.width, view.height};
  const Size most{std::int64_t{from.width} * block_side, std::int64_t{from.height} * block_side};
  if (size.width < least.width || size.height < least.height || size.width > most.width ||
      size.height > most.height) {
    refuse("samples" + of + " are " + text_of(size) + ", expected " + text_of(least) + " to " +
           text_of(most));
  }
  component.plane = plane_of(view);
}

void want_pixels(const JpegScanDecode& asked, const Layout& layout, RestoredPicture& picture) {
  check_pixel_bytes(asked.pixels, 3, "pixels");
  const Size size{asked.pixels.width, asked.pixels.height};
  if (!(size == asked.src.size)) {
    refuse("pixels are " + text_of(size) + ", expected " + text_of(asked.src.size));
  }
  if (layout.components != 3) {
    refuse("pixels are wanted of " + std::to_string(layout.components) + " components, expected 3");
  }
  check_whole_pixels(layout);
  const Layout::Factors most = layout.largest_factors();
  for (std::uint32_t i = 0; i < layout.components; ++i) {
    const Component& component = layout.component[i];
    const Size samples = samples_of(layout, asked.src.size, component);
    picture.shared[i] = {most.h / component.h, most.v / component.v,
                         static_cast<std::uint32_t>(samples.width),
                         static_cast<std::uint32_t>(samples.height)};
  }
  picture.pixels = plane_of(asked.pixels);
  picture.is_smooth = !asked.repeats_samples;
}

struct Asked {
  Picture picture{};
  RestoredPicture restored{};
};

Asked asked_of(const JpegScanDecode& decode, Cut cut) {
  Asked asked;
  Layout& layout = asked.picture.turn.src;
  layout = layout_of(decode.src);
  check_tables(decode.src, "src");
  read_from(asked.picture, decode.data, decode.bytes, cut);
  asked.restored.tiles = tiles_of(layout, restored_side_by_side, 1);
  for (std::uint32_t i = 0; i < layout.components; ++i) {
    const auto& from = decode.component[i];
    RestoredComponent& to = asked.restored.component[i];
    const std::string of = " of component " + std::to_string(i);
    std::copy(from.steps.begin(), from.steps.end(), to.steps);
    if (from.coefficients.data) want_coefficients(from.coefficients, layout.component[i], of, to);
    if (from.samples.data) {
      want_samples(from.samples, samples_of(layout, decode.src.size, layout.component[i]),
                   layout.component[i], of, to);
    }
  }
  if (decode.pixels.data) want_pixels(decode, layout, asked.restored);
  return asked;
}

/// Samples that only the pixels need.
void take_planes(const Layout& layout, RestoredPicture& restored, Memory& memory) {
  for (std::uint32_t i = 0; i < layout.components; ++i) {
    Plane& plane = restored.component[i].plane;
    if (plane.samples) continue;
    plane = plane_for(layout.component[i]);
    plane.samples = memory.take<std::uint8_t>(plane_bytes(plane));
  }
}

}  // namespace

DecodePlan plan(const JpegScanDecode* pictures, std::size_t count, JpegResult* results,
                std::byte* device, std::byte* host, Cut cut) {
  const std::vector<Asked> asked =
      made_for_each(count, [&](std::size_t i) { return asked_of(pictures[i], cut); });
  std::vector<Picture> read;
  std::vector<RestoredPicture> restored;
  for (const Asked& each : asked) {
    read.push_back(each.picture);
    restored.push_back(each.restored);
  }
  DecodePlan made;
  Memory memory(device);
  const auto* on_device = memory.take<Picture>(count);
  const std::size_t restored_at = memory.used();
  made.restored = memory.take<RestoredPicture>(count);
  for (std::size_t i = 0; i < count; ++i) {
    read[i].result = results ? results + i : nullptr;
    take_read_tables(pictures[i].src, read[i], memory, host);
  }
  made.uploaded = memory.used();
  for (Picture& picture : read) take_cleared_to_read(picture, cut, memory);
  made.cleared = memory.used();
  for (std::size_t i = 0; i < count; ++i) {
    take_to_read(read[i], memory);
    if (read[i].known_faults != 0) continue;
    made.tiles = std::max(made.tiles, restored[i].tiles.count());
    if (!restored[i].pixels.samples) continue;
    take_planes(read[i].turn.src, restored[i], memory);
    made.largest.width = std::max(made.largest.width, pictures[i].pixels.width);
    made.largest.height = std::max(made.largest.height, pictures[i].pixels.height);
  }
  made.all = memory.used();
  made.batch = batch_of(on_device, read, cut);
  if (host) {
    std::memcpy(host, read.data(), count * sizeof(Picture));
    std::memcpy(host + restored_at, restored.data(), count * sizeof(RestoredPicture));
  }
  return made;
}

}  // namespace jpeg
}  // namespace qturn
