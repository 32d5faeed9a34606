#include "kernels/jpeg/src/plan.hpp"

#include <cstring>
#include <vector>

#include "kernels/jpeg/src/turn.hpp"

namespace qturn::jpeg {
namespace {

Picture picture_of(const JpegScanTurn& turn, TablesToRead& tables, Cut cut) {
  Picture picture{};
  picture.turn = turn_of(turn);
  tables.add(turn.src, picture);
  check_tables(turn.dst, "dst");
  read_from(picture, turn.data, turn.bytes, cut);
  if (picture.known_faults != 0) return picture;
  picture.order = order_of(picture.turn.reading);
  write_to(picture, turn.out, turn.capacity);
  return picture;
}

}  // namespace

Plan plan(const JpegScanTurn* turns, std::size_t count, JpegResult* results, std::byte* device,
          std::byte* host, Cut cut) {
  TablesToRead tables;
  std::vector<Picture> pictures =
      made_for_each(count, [&](std::size_t i) { return picture_of(turns[i], tables, cut); });
  Plan made;
  Memory memory(device);
  const auto* on_device = memory.take<Picture>(count);
  for (std::size_t i = 0; i < count; ++i) {
    pictures[i].result = results ? results + i : nullptr;
    take_write_tables(turns[i].dst, pictures[i], memory, host);
  }
  made.batch = batch_of(on_device, pictures, cut);
  made.batch.tables = tables.take_coded(memory, host);
  made.uploaded = memory.used();
  for (Picture& picture : pictures) take_cleared_to_read(picture, cut, memory);
  made.cleared = memory.used();
  tables.take_made(memory, made.batch.tables);
  for (std::size_t i = 0; i < count; ++i) {
    pictures[i].read_tables = tables.tables_of(i, made.batch.tables);
    take_to_read(pictures[i], memory);
    take_to_write(pictures[i], memory);
  }
  made.all = memory.used();
  if (host) std::memcpy(host, pictures.data(), count * sizeof(Picture));
  return made;
}

}  // namespace qturn::jpeg
