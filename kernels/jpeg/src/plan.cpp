#include "kernels/jpeg/src/plan.hpp"

#include <cstring>
#include <vector>

#include "kernels/jpeg/src/turn.hpp"

namespace qturn::jpeg {
namespace {

Picture picture_of(const JpegScanTurn& turn, Cut cut) {
  Picture picture{};
  picture.turn = turn_of(turn);
  check_tables(turn.src, "src");
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
  std::vector<Picture> pictures =
      made_for_each(count, [&](std::size_t i) { return picture_of(turns[i], cut); });
  Plan made;
  Memory memory(device);
  const auto* on_device = memory.take<Picture>(count);
  for (std::size_t i = 0; i < count; ++i) {
    pictures[i].result = results ? results + i : nullptr;
    take_read_tables(turns[i].src, pictures[i], memory, host);
    take_write_tables(turns[i].dst, pictures[i], memory, host);
  }
  made.uploaded = memory.used();
  for (Picture& picture : pictures) take_cleared_to_read(picture, cut, memory);
  made.cleared = memory.used();
  for (Picture& picture : pictures) {
    take_to_read(picture, memory);
    take_to_write(picture, memory);
  }
  made.all = memory.used();
  made.batch = batch_of(on_device, pictures, cut);
  if (host) std::memcpy(host, pictures.data(), count * sizeof(Picture));
  return made;
}

}  // namespace qturn::jpeg
