#include "kernels/jpeg/src/plan_parts.hpp"

#include <algorithm>

namespace qturn::jpeg {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 28;
constexpr std::uint64_t most_bits = std::uint64_t{1} << 32;
constexpr int largest_dc_symbol = 15;  // libjpeg refuses tables with others

/// Whether both are read with the same tables.
bool have_same_tables(const JpegScanLayout& a, const JpegScanLayout& b) {
  if (a.components != b.components) return false;
  for (int i = 0; i < a.components; ++i) {
    if (a.component[i].dc != b.component[i].dc || a.component[i].ac != b.component[i].ac)
      return false;
  }
  return true;
}

int largest_symbol(const JpegHuffmanTable& table) {
  return *std::max_element(table.symbols.begin(), table.symbols.begin() + table.symbol_count());
}

/// Faults that are seen without reading.
std::uint32_t known_faults(const Layout& src, std::size_t bytes, std::uint64_t bits) {
  // A block has two codes at least.
  constexpr std::uint64_t most_blocks_in_byte = 4;
  if (src.blocks() > most_blocks_in_byte * bytes) {
    return static_cast<std::uint32_t>(JpegFault::missing_blocks);
  }
  return bits < most_bits ? 0 : static_cast<std::uint32_t>(JpegFault::restarts);
}

std::uint32_t turned_chunks(const Picture& picture) {
  return static_cast<std::uint32_t>((picture.most_turned_bytes + chunk_bytes - 1) / chunk_bytes);
}

// Words are read a little past the data's end.
std::size_t word_count(const Picture& picture, Cut cut) {
  constexpr std::size_t read_ahead = 16;
  return picture.most_subsequences * std::size_t{cut.subsequence_bits / 32} + read_ahead;
}

}  // namespace

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

void read_from(Picture& picture, const void* data, std::size_t bytes, Cut cut) {
  if (bytes > most_bytes) {
    throw std::invalid_argument(std::to_string(bytes) + " bytes, expected up to " +
                                std::to_string(most_bytes));
  }
  const Layout& src = picture.turn.src;
  const std::uint64_t subsequences = bytes / cut.subsequence_bytes() + src.segments() + 1;
  picture.known_faults = known_faults(src, bytes, subsequences * cut.subsequence_bits);
  if (picture.known_faults != 0) return;
  picture.data = static_cast<const std::uint8_t*>(data);
  picture.bytes = static_cast<std::uint32_t>(bytes);
  picture.dc_groups = (src.mcus + dc_mcus - 1) / dc_mcus;
  picture.chunks = std::max((picture.bytes + chunk_bytes - 1) / chunk_bytes, 1u);
  picture.most_subsequences = static_cast<std::uint32_t>(subsequences);
}

void write_to(Picture& picture, void* out, std::size_t capacity) {
  picture.out = static_cast<std::uint8_t*>(out);
  picture.capacity = capacity;
  picture.tiles = (picture.turn.dst.blocks() + tile_blocks - 1) / tile_blocks;
  picture.most_turned_bytes = std::min(capacity, most_bytes);
}

const TablesToRead::Set& TablesToRead::set_of(const JpegScanLayout& scan) {
  // Where all pictures have their own, a search among all of them would take too long.
  constexpr std::size_t searched = 16;
  const std::size_t begin = sets_.size() - std::min(sets_.size(), searched);
  for (std::size_t i = sets_.size(); i-- > begin;)
    if (have_same_tables(*sets_[i].scan, scan)) return sets_[i];
  check_tables(scan, "src");
  Set set{.scan = &scan, .first = coded_.size(), .count = 0};
  for (int i = 0; i < 2 * scan.components; ++i) {
    const bool dc = i % 2 == 0;
    const auto& component = scan.component[i / 2];
    const JpegHuffmanTable& table = dc ? component.dc : component.ac;
    std::size_t found = 0;
    while (found < set.count &&
           (coded_[set.first + found].is_dc != dc || coded_[set.first + found].table != table)) {
      ++found;
    }
    if (found == set.count) {
      coded_.push_back({table, dc});
      ++set.count;
    }
    set.number_of[i] = static_cast<std::uint8_t>(found);
  }
  return sets_.emplace_back(set);
}

void TablesToRead::add(const JpegScanLayout& scan, Picture& picture) {
  const Set& set = set_of(scan);
  first_of_.push_back(set.first);
  picture.read_table_count = static_cast<std::uint32_t>(set.count);
  for (std::uint32_t block = 0; block < picture.turn.src.blocks_in_mcu; ++block) {
    const std::uint32_t which = picture.turn.src.component_of[block];
    picture.read_table_of[2 * block] = set.number_of[2 * which];
    picture.read_table_of[2 * block + 1] = set.number_of[2 * which + 1];
  }
}

BatchTables TablesToRead::take_coded(Memory& device, std::byte* host) const {
  if (host) {
    std::copy(coded_.begin(), coded_.end(), reinterpret_cast<CodedTable*>(host + device.used()));
  }
  return {device.take<CodedTable>(coded_.size()), nullptr, static_cast<unsigned>(coded_.size())};
}

void take_write_tables(const JpegScanLayout& scan, Picture& picture, Memory& device,
                       std::byte* host) {
  const auto count = static_cast<std::size_t>(2 * scan.components);
  const std::size_t at = device.used();
  picture.write_tables = device.take<WriteTable>(count);
  if (!host) return;
  auto* made = reinterpret_cast<WriteTable*>(host + at);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& component = scan.component[i / 2];
    make_write_table(i % 2 == 0 ? component.dc : component.ac, made[i]);
  }
}

void take_cleared_to_read(Picture& picture, Cut cut, Memory& memory) {
  picture.progress = memory.take<Progress>(1);
  if (picture.known_faults != 0) return;
  picture.sets = memory.take<std::uint64_t>(picture.turn.src.blocks());
  picture.parted = memory.take<std::uint8_t>(picture.turn.src.blocks());
  picture.words = memory.take<std::uint32_t>(word_count(picture, cut));
}

void take_to_read(Picture& picture, Memory& memory) {
  if (picture.known_faults != 0) return;
  const Layout& src = picture.turn.src;
  picture.chunk_runs = memory.take<Runs>(picture.chunks);
  picture.segment_begin = memory.take<std::uint32_t>(src.segments() + 1);
  picture.segment_bytes = memory.take<std::uint32_t>(src.segments());
  picture.start = memory.take<std::uint32_t>(picture.most_subsequences);
  picture.end = memory.take<std::uint32_t>(picture.most_subsequences);
  picture.blocks_in = memory.take<std::uint32_t>(picture.most_subsequences);
  for (std::uint32_t*& ends : picture.group_end) {
    ends = memory.take<std::uint32_t>(picture.synchronised_groups());
  }
  picture.values = memory.take<std::int16_t>(std::size_t{coefficients} * src.blocks());
  picture.dc = memory.take<std::int16_t>(src.blocks());
  picture.dc_sums = memory.take<DcSums>(picture.dc_groups);
}

void take_to_write(Picture& picture, Memory& memory) {
  if (picture.known_faults != 0) return;
  const Layout& dst = picture.turn.dst;
  constexpr std::size_t read_ahead = 1;
  picture.tile_runs = memory.take<Runs>(picture.tiles);
  picture.tile_strings = memory.take<TileString>(picture.tiles + 1);
  picture.strings = memory.take<std::uint32_t>(picture.most_string_words() + read_ahead);
  picture.segment_end = memory.take<std::uint32_t>(dst.segments());
  picture.chunk_tile = memory.take<std::uint32_t>(turned_chunks(picture));
  picture.ff_count = memory.take<std::uint32_t>(turned_chunks(picture));
}

Batch batch_of(const Picture* pictures, const std::vector<Picture>& described, Cut cut) {
  Batch batch{};
  batch.pictures = pictures;
  batch.count = static_cast<unsigned>(described.size());
  batch.cut = cut;
  // A grid has at least one block, whatever the pictures have.
  batch.chunks = batch.subsequences = batch.tiles = batch.turned_chunks = batch.dc_groups = 1;
  for (const Picture& picture : described) {
    batch.chunks = std::max(batch.chunks, picture.chunks);
    batch.subsequences = std::max(batch.subsequences, picture.most_subsequences);
    batch.tiles = std::max(batch.tiles, picture.tiles);
    batch.turned_chunks = std::max(batch.turned_chunks, turned_chunks(picture));
    batch.dc_groups = std::max(batch.dc_groups, picture.dc_groups);
    batch.read_tables = std::max(batch.read_tables, picture.read_table_count);
  }
  return batch;
}

}  // namespace qturn::jpeg
