#include "kernels/jpeg/src/plan.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/jpeg/src/reading.hpp"
#include "kernels/jpeg/src/turn.hpp"

namespace qturn::jpeg {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t most_bytes = std::size_t{1} << 28;
constexpr std::uint64_t most_bits = std::uint64_t{1} << 32;
constexpr int largest_dc_symbol = 15;  // libjpeg refuses tables with others

static_assert(usual_cut.subsequence_bits >= most_block_bits);

/// Hands out memory from an address on, which may be of nothing as long as sizes are wanted.
class Memory {
 public:
  explicit Memory(std::byte* base) : base_(base) {}

  template <class T>
  T* take(std::size_t count) {
    const std::size_t at = used_;
    used_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(base_) + at);
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
};

/// The different tables of a picture, and which of them each block of an MCU has.
struct TableChoice {
  std::vector<const JpegHuffmanTable*> tables;
  std::vector<bool> is_dc;
  std::uint8_t number_of[2 * most_components];
};

TableChoice choose_tables(const JpegScanLayout& scan) {
  TableChoice choice{};
  for (int i = 0; i < 2 * scan.components; ++i) {
    const bool dc = i % 2 == 0;
    const auto& component = scan.component[i / 2];
    const JpegHuffmanTable& table = dc ? component.dc : component.ac;
    std::size_t found = 0;
    while (found < choice.tables.size() &&
           (choice.is_dc[found] != dc || *choice.tables[found] != table)) {
      ++found;
    }
    if (found == choice.tables.size()) {
      choice.tables.push_back(&table);
      choice.is_dc.push_back(dc);
    }
    choice.number_of[i] = static_cast<std::uint8_t>(found);
  }
  return choice;
}

int largest_symbol(const JpegHuffmanTable& table) {
  return *std::max_element(table.symbols.begin(), table.symbols.begin() + table.symbol_count());
}

void check_tables(const JpegScanLayout& scan, const char* which) {
  for (int i = 0; i < scan.components; ++i) {
    const JpegHuffmanTable &dc = scan.component[i].dc, &ac = scan.component[i].ac;
    const char* why = nullptr;
    if (!is_prefix_code(dc) || !is_prefix_code(ac)) {
      why = " has a Huffman table that is not a prefix code, in component ";
    } else if (largest_symbol(dc) > largest_dc_symbol) {
      why = " has a DC Huffman table with a symbol above 15, in component ";
    }
    if (why) throw std::invalid_argument(which + (why + std::to_string(i)));
  }
}

/// Faults that are seen without reading.
std::uint32_t known_faults(const JpegScanTurn& turn, const Layout& src, std::uint64_t bits) {
  // A block has two codes at least.
  constexpr std::uint64_t most_blocks_in_byte = 4;
  if (src.blocks() > most_blocks_in_byte * turn.bytes) {
    return static_cast<std::uint32_t>(JpegFault::missing_blocks);
  }
  return bits < most_bits ? 0 : static_cast<std::uint32_t>(JpegFault::restarts);
}

Picture picture_of(const JpegScanTurn& turn, Cut cut) {
  Picture picture{};
  picture.turn = turn_of(turn);
  check_tables(turn.src, "src");
  check_tables(turn.dst, "dst");
  const Layout &src = picture.turn.src, &dst = picture.turn.dst;
  if (turn.bytes > most_bytes) {
    throw std::invalid_argument(std::to_string(turn.bytes) + " bytes, expected up to " +
                                std::to_string(most_bytes));
  }
  const std::uint64_t subsequences = turn.bytes / cut.subsequence_bytes() + src.segments() + 1;
  picture.known_faults = known_faults(turn, src, subsequences * cut.subsequence_bits);
  if (picture.known_faults != 0) return picture;
  picture.data = static_cast<const std::uint8_t*>(turn.data);
  picture.bytes = static_cast<std::uint32_t>(turn.bytes);
  picture.chunks = std::max((picture.bytes + chunk_bytes - 1) / chunk_bytes, 1u);
  picture.out = static_cast<std::uint8_t*>(turn.out);
  picture.capacity = turn.capacity;
  picture.order = order_of(picture.turn.reading);
  picture.most_subsequences = static_cast<std::uint32_t>(subsequences);
  picture.tiles = (dst.blocks() + tile_blocks - 1) / tile_blocks;
  picture.most_turned_bytes = std::min(turn.capacity, most_bytes);
  return picture;
}

std::uint32_t turned_chunks(const Picture& picture) {
  return static_cast<std::uint32_t>((picture.most_turned_bytes + chunk_bytes - 1) / chunk_bytes);
}

// Words are read a little past the data's end.
std::size_t word_count(const Picture& picture, Cut cut) {
  constexpr std::size_t read_ahead = 16;
  return picture.most_subsequences * std::size_t{cut.subsequence_bits / 32} + read_ahead;
}

void take_cleared(Picture& picture, Cut cut, Memory& memory) {
  picture.progress = memory.take<Progress>(1);
  if (picture.known_faults != 0) return;
  picture.sets = memory.take<std::uint64_t>(picture.turn.src.blocks());
  picture.parted = memory.take<std::uint8_t>(picture.turn.src.blocks());
  picture.words = memory.take<std::uint32_t>(word_count(picture, cut));
  picture.turned_words = memory.take<std::uint32_t>(picture.most_turned_bytes / 4 + 16);
}

void take_rest(Picture& picture, Memory& memory) {
  if (picture.known_faults != 0) return;
  const Layout &src = picture.turn.src, &dst = picture.turn.dst;
  picture.chunk_runs = memory.take<Runs>(picture.chunks);
  picture.segment_begin = memory.take<std::uint32_t>(src.segments() + 1);
  picture.segment_bytes = memory.take<std::uint32_t>(src.segments());
  picture.start = memory.take<std::uint32_t>(picture.most_subsequences);
  picture.end = memory.take<std::uint32_t>(picture.most_subsequences);
  picture.blocks_in = memory.take<std::uint32_t>(picture.most_subsequences);
  picture.values = memory.take<std::int16_t>(std::size_t{coefficients} * src.blocks());
  picture.dc = memory.take<std::int16_t>(src.blocks());
  picture.code_bits = memory.take<std::uint16_t>(dst.blocks());
  picture.tile_runs = memory.take<Runs>(picture.tiles);
  picture.turned_end = memory.take<std::uint32_t>(dst.segments());
  picture.ff_count = memory.take<std::uint32_t>(turned_chunks(picture));
}

/// The tables of a picture, on the device and, if they are wanted, on the host.
void add_tables(const JpegScanTurn& turn, Picture& picture, Memory& device, std::byte* host) {
  const TableChoice choice = choose_tables(turn.src);
  picture.read_table_count = static_cast<std::uint32_t>(choice.tables.size());
  for (std::uint32_t block = 0; block < picture.turn.src.blocks_in_mcu; ++block) {
    const std::uint32_t which = picture.turn.src.component_of[block];
    picture.read_table_of[2 * block] = choice.number_of[2 * which];
    picture.read_table_of[2 * block + 1] = choice.number_of[2 * which + 1];
  }
  const std::size_t read_at = device.used();
  picture.read_tables = device.take<ReadTable>(choice.tables.size());
  const std::size_t write_at = device.used();
  const auto write_tables = static_cast<std::size_t>(2 * turn.dst.components);
  picture.write_tables = device.take<WriteTable>(write_tables);
  if (!host) return;
  auto* read = reinterpret_cast<ReadTable*>(host + read_at);
  for (std::size_t i = 0; i < choice.tables.size(); ++i) {
    make_read_table(*choice.tables[i], choice.is_dc[i], read[i]);
  }
  auto* write = reinterpret_cast<WriteTable*>(host + write_at);
  for (std::size_t i = 0; i < write_tables; ++i) {
    const auto& component = turn.dst.component[i / 2];
    make_write_table(i % 2 == 0 ? component.dc : component.ac, write[i]);
  }
}

}  // namespace

Plan plan(const JpegScanTurn* turns, std::size_t count, JpegResult* results, std::byte* device,
          std::byte* host, Cut cut) {
  std::vector<Picture> pictures;
  for (std::size_t i = 0; i < count; ++i) {
    try {
      pictures.push_back(picture_of(turns[i], cut));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("picture " + std::to_string(i) + ": " + error.what());
    }
    pictures.back().result = results ? results + i : nullptr;
  }
  Plan made;
  Memory memory(device);
  Batch& batch = made.batch;
  batch.pictures = memory.take<Picture>(count);
  batch.count = static_cast<unsigned>(count);
  batch.cut = cut;
  // A grid has at least one block, whatever the pictures have.
  batch.chunks = batch.subsequences = batch.tiles = batch.turned_chunks = 1;
  for (std::size_t i = 0; i < count; ++i) add_tables(turns[i], pictures[i], memory, host);
  made.uploaded = memory.used();
  for (Picture& picture : pictures) take_cleared(picture, cut, memory);
  made.cleared = memory.used();
  for (Picture& picture : pictures) take_rest(picture, memory);
  made.all = memory.used();
  for (const Picture& picture : pictures) {
    batch.chunks = std::max(batch.chunks, picture.chunks);
    batch.subsequences = std::max(batch.subsequences, picture.most_subsequences);
    batch.tiles = std::max(batch.tiles, picture.tiles);
    batch.turned_chunks = std::max(batch.turned_chunks, turned_chunks(picture));
    batch.read_tables = std::max(batch.read_tables, picture.read_table_count);
  }
  if (host) std::memcpy(host, pictures.data(), count * sizeof(Picture));
  return made;
}

}  // namespace qturn::jpeg
