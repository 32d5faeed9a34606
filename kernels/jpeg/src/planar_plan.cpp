#include "kernels/jpeg/src/planar_plan.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/jpeg/src/turn.hpp"

namespace qturn::jpeg {
namespace {

/// libjpeg's encoder multiplies steps by eight, in 16 bits.
constexpr int largest_step = 8191;
void check_steps(const JpegPlanarTurn& turn) {
  for (int i = 0; i < turn.src.components; ++i) {
    for (const int step : turn.steps[i]) {
      if (step >= 1 && step <= largest_step) continue;
      throw std::invalid_argument("component " + std::to_string(i) +
                                  " has a quantisation step of " + std::to_string(step) +
                                  ", expected 1 to " + std::to_string(largest_step));
    }
  }
}

void check_table_numbers(const JpegPlanarTurn& turn) {
  for (int i = 0; i < turn.src.components; ++i) {
    for (const int number : {turn.dc_table[i], turn.ac_table[i]}) {
      if (number < static_cast<int>(most_components)) continue;
      throw std::invalid_argument("component " + std::to_string(i) + " has Huffman table " +
                                  std::to_string(number) + ", expected 0 to 3");
    }
  }
}

TurnedPlane turned_plane(const JpegPlanarTurn& turn, const Layout& src, std::uint32_t which) {
  const Component& component = src.component[which];
  const Layout::Factors most = src.largest_factors();
  const Size samples = samples_of(src, turn.src.size, component);
  TurnedPlane plane;
  plane.reading = reading(turn.orientation);
  plane.from = plane_for(component);
  plane.width =
      plane.reading.from_right ? static_cast<std::uint32_t>(samples.width) : plane.from.width;
  plane.height =
      plane.reading.from_bottom ? static_cast<std::uint32_t>(samples.height) : plane.from.height;
  plane.along_x = Shift::of(plane.reading.from_right,
                            static_cast<std::uint32_t>(turn.src.size.width), most.h / component.h);
  plane.along_y = Shift::of(plane.reading.from_bottom,
                            static_cast<std::uint32_t>(turn.src.size.height), most.v / component.v);
  return plane;
}

void set_component(const JpegPlanarTurn& turn, std::uint32_t which, AskedPlanar& asked) {
  const bool swaps = swaps_axes(turn.orientation);
  PlanarComponent& component = asked.planar.component[which];
  component.plane = turned_plane(turn, asked.read.turn.src, which);
  for (std::uint32_t v = 0; v < block_side; ++v) {
    for (std::uint32_t u = 0; u < block_side; ++u) {
      const std::uint32_t at = v * block_side + u, turned = u * block_side + v;
      asked.restored.component[which].steps[at] = turn.steps[which][at];
      component.divisors[at] = Divisor(turn.steps[which][swaps ? turned : at]);
    }
  }
}

/// Memory for planes, counts and tables, besides what reading and writing need.
void take_cleared(AskedPlanar& asked, Memory& memory) {
  if (asked.read.known_faults != 0) return;
  asked.planar.counts = memory.take<SymbolCounts>(2 * asked.read.turn.src.components);
}

void take_rest(AskedPlanar& asked, Memory& memory) {
  if (asked.read.known_faults != 0) return;
  asked.planar.tables = memory.take<WriteTable>(2 * asked.read.turn.src.components);
  for (std::uint32_t i = 0; i < asked.read.turn.src.components; ++i) {
    Plane& plane = asked.planar.component[i].plane.from;
    plane.samples = memory.take<std::uint8_t>(plane_bytes(plane));
    asked.restored.component[i].plane = plane;
  }
}

/// The blocks of the turned picture replace the blocks of the source.
void share_blocks(AskedPlanar& asked) {
  asked.written.known_faults = asked.read.known_faults;
  asked.written.progress = asked.read.progress;
  asked.written.sets = asked.read.sets;
  asked.written.parted = asked.read.parted;
  asked.written.values = asked.read.values;
  asked.written.dc = asked.read.dc;
  asked.written.write_tables = asked.planar.tables;
}

template <class T>
void copy_to_host(std::byte* host, std::size_t at, const std::vector<T>& values) {
  std::memcpy(host + at, values.data(), values.size() * sizeof(T));
}

}  // namespace

JpegScanLayout turned_layout(const JpegPlanarTurn& turn) {
  JpegScanLayout layout = turn.src;
  layout.size = turned_size(turn.orientation, turn.src.size);
  layout.restart_interval = turn.restart_interval;
  if (!swaps_axes(turn.orientation)) return layout;
  for (auto& component : layout.component) std::swap(component.h, component.v);
  return layout;
}

AskedPlanar asked_of(const JpegPlanarTurn& turn, Cut cut) {
  if (!is_valid(turn.orientation)) qturn::refuse(turn.orientation);
  AskedPlanar asked;
  asked.read.turn.src = layout_of(turn.src);
  check_whole_pixels(asked.read.turn.src);
  const Layout dst = layout_of(turned_layout(turn));
  check_tables(turn.src, "src");
  check_steps(turn);
  check_table_numbers(turn);
  asked.written.turn = {dst, dst, {}};
  read_from(asked.read, turn.data, turn.bytes, cut);
  if (asked.read.known_faults != 0) return asked;
  asked.written.order = order_of({});
  write_to(asked.written, turn.out, turn.capacity);
  asked.restored.tiles = tiles_of(asked.read.turn.src, restored_side_by_side, 1);
  asked.planar.tiles = tiles_of(dst, turned_wide, turned_high);
  asked.planar.row_step = counted_row_step(dst);
  asked.planar.counted_blocks = counted_blocks(dst);
  std::copy_n(turn.dc_table, most_components, asked.planar.dc_table);
  std::copy_n(turn.ac_table, most_components, asked.planar.ac_table);
  for (std::uint32_t i = 0; i < dst.components; ++i) set_component(turn, i, asked);
  return asked;
}

PlanarPlan plan(const JpegPlanarTurn* turns, std::size_t count, JpegPlanarResult* results,
                std::byte* device, std::byte* host, Cut cut) {
  std::vector<AskedPlanar> asked =
      made_for_each(count, [&](std::size_t i) { return asked_of(turns[i], cut); });
  PlanarPlan made;
  TablesToRead tables;
  Memory memory(device);
  const auto* read_on_device = memory.take<Picture>(count);
  const std::size_t written_at = memory.used();
  const auto* written_on_device = memory.take<Picture>(count);
  const std::size_t restored_at = memory.used();
  made.restored = memory.take<RestoredPicture>(count);
  const std::size_t planar_at = memory.used();
  made.planar = memory.take<PlanarPicture>(count);
  for (std::size_t i = 0; i < count; ++i) {
    asked[i].planar.result = results ? results + i : nullptr;
    asked[i].written.result = results ? &results[i].scan : nullptr;
    tables.add(turns[i].src, asked[i].read);
  }
  BatchTables batch_tables = tables.take_coded(memory, host);
  made.uploaded = memory.used();
  for (AskedPlanar& each : asked) {
    take_cleared_to_read(each.read, cut, memory);
    take_cleared(each, memory);
    each.written.known_faults = each.read.known_faults;
  }
  made.cleared = memory.used();
  std::vector<Picture> read, written;
  std::vector<RestoredPicture> restored;
  std::vector<PlanarPicture> planar;
  tables.take_made(memory, batch_tables);
  for (std::size_t i = 0; i < count; ++i) {
    AskedPlanar& each = asked[i];
    each.read.read_tables = tables.tables_of(i, batch_tables);
    take_to_read(each.read, memory);
    take_to_write(each.written, memory);
    take_rest(each, memory);
    share_blocks(each);
    made.restored_tiles = std::max(made.restored_tiles, each.restored.tiles.count());
    made.turned_tiles = std::max(made.turned_tiles, each.planar.tiles.count());
    made.counted_blocks = std::max(made.counted_blocks, each.planar.counted_blocks);
    read.push_back(each.read);
    written.push_back(each.written);
    restored.push_back(each.restored);
    planar.push_back(each.planar);
  }
  made.all = memory.used();
  made.read = batch_of(read_on_device, read, cut);
  made.read.tables = batch_tables;
  made.written = batch_of(written_on_device, written, cut);
  if (host) {
    copy_to_host(host, 0, read);
    copy_to_host(host, written_at, written);
    copy_to_host(host, restored_at, restored);
    copy_to_host(host, planar_at, planar);
  }
  return made;
}

}  // namespace qturn::jpeg
