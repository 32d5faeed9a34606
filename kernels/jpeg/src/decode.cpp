#include "kernels/jpeg/src/decode.hpp"

#include <algorithm>

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
  if (layout.components != 1 && layout.components != 3) {
    refuse("pixels are wanted of " + std::to_string(layout.components) +
           " components, expected 1 or 3");
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
  picture.is_grey = layout.components == 1;
}

void ask(const JpegScanDecode& decode, Cut cut, TablesToRead& tables, Picture& picture,
         RestoredPicture& restored) {
  Layout& layout = picture.turn.src;
  layout = layout_of(decode.src);
  tables.add(decode.src, picture);
  read_from(picture, decode.data, decode.bytes, cut);
  restored.tiles = tiles_of(layout, restored_side_by_side, 1);
  for (std::uint32_t i = 0; i < layout.components; ++i) {
    const auto& from = decode.component[i];
    RestoredComponent& to = restored.component[i];
    const auto of = [i] { return " of component " + std::to_string(i); };
    std::copy(from.steps.begin(), from.steps.end(), to.steps);
    if (from.coefficients.data) want_coefficients(from.coefficients, layout.component[i], of(), to);
    if (from.samples.data) {
      want_samples(from.samples, samples_of(layout, decode.src.size, layout.component[i]),
                   layout.component[i], of(), to);
    }
  }
  if (decode.pixels.data) want_pixels(decode, layout, restored);
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

Cut cut_for(const JpegScanDecode* pictures, std::size_t count) {
  constexpr std::size_t few_bytes = std::size_t{3} << 20;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) bytes += pictures[i].bytes;
  return bytes <= few_bytes ? short_cut : usual_cut;
}

AskedDecodes asked_of(const JpegScanDecode* pictures, std::size_t count, Cut cut) {
  AskedDecodes all{.read = {}, .restored = {}, .tables = {}, .cut = cut, .largest = {}};
  all.read.resize(count);
  all.restored.resize(count);
  for_each_picture(count, [&](std::size_t i) {
    ask(pictures[i], cut, all.tables, all.read[i], all.restored[i]);
    if (all.read[i].known_faults != 0 || !pictures[i].pixels.data) return;
    all.largest.width = std::max(all.largest.width, pictures[i].pixels.width);
    all.largest.height = std::max(all.largest.height, pictures[i].pixels.height);
  });
  return all;
}

DecodePlan plan(const AskedDecodes& asked, JpegResult* results, std::byte* device,
                std::byte* host) {
  const std::size_t count = asked.read.size();
  DecodePlan made;
  Memory memory(device);
  made.batch = batch_of(memory.take<Picture>(count), asked.read, asked.cut);
  const std::size_t restored_at = memory.used();
  made.restored = memory.take<RestoredPicture>(count);
  made.batch.tables = asked.tables.take_coded(memory, host);
  made.uploaded = memory.used();
  // Pictures are completed where they are uploaded from; for sizes alone, each in the same place.
  Picture some_picture;
  RestoredPicture some_restored;
  auto* const read = reinterpret_cast<Picture*>(host);
  auto* const restored = reinterpret_cast<RestoredPicture*>(host + restored_at);
  const auto picture = [&](std::size_t i) -> Picture& {
    return host ? read[i] : some_picture = asked.read[i];
  };
  if (host) {
    std::copy(asked.read.begin(), asked.read.end(), read);
    std::copy(asked.restored.begin(), asked.restored.end(), restored);
  }
  for (std::size_t i = 0; i < count; ++i) take_cleared_to_read(picture(i), asked.cut, memory);
  made.cleared = memory.used();
  asked.tables.take_made(memory, made.batch.tables);
  for (std::size_t i = 0; i < count; ++i) {
    Picture& each = picture(i);
    each.read_tables = asked.tables.tables_of(i, made.batch.tables);
    each.result = results ? results + i : nullptr;
    take_to_read(each, memory);
    if (each.known_faults != 0) continue;
    RestoredPicture& to = host ? restored[i] : some_restored = asked.restored[i];
    made.tiles = std::max(made.tiles, to.tiles.count());
    if (to.pixels.samples) take_planes(each.turn.src, to, memory);
  }
  made.all = memory.used();
  return made;
}

}  // namespace jpeg
}  // namespace qturn
