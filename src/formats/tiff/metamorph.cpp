#include "src/formats/tiff/metamorph.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/picture/bytes.hpp"

namespace qturn::tiff {
namespace {

constexpr std::uint16_t uic2_tag = 33629, uic4_tag = 33631;
constexpr std::size_t pair_bytes = 8;

bool has_pairs(std::uint16_t tag, std::uint16_t type) {
  return tag == uic1_tag && type == tiff_type::u32;
}

}  // namespace

bool is_metamorph(std::uint16_t tag) { return tag >= uic1_tag && tag <= uic4_tag; }

std::uint64_t metamorph_bytes(std::uint16_t tag, std::uint16_t type, std::uint64_t count,
                              std::uint64_t bytes_by_type) {
  if (has_pairs(tag, type)) return count * pair_bytes;
  return tag == uic2_tag && type == tiff_type::rational ? count * 24 : bytes_by_type;
}

std::uint64_t metamorph_planes(const TiffDirectory& page) {
  std::uint64_t planes = 0;
  for (const TiffField& field : page.fields) {
    if (!is_metamorph(field.tag)) continue;
    planes = std::max(planes, has_pairs(field.tag, field.type) ? std::uint64_t{1} : field.count);
  }
  return planes;
}

bool has_stage_position(const TiffDirectory& page) {
  constexpr std::uint64_t stage_position = 28, camera_chip_offset = 29;
  if (page.find(uic4_tag)) return true;
  const TiffField* first = page.find(uic1_tag);
  if (!first || !has_pairs(first->tag, first->type)) return false;
  const auto words = page.integers(uic1_tag);
  for (std::size_t i = 0; i < words.size(); i += 2)
    if (words[i] == stage_position || words[i] == camera_chip_offset) return true;
  return false;
}

void exchange_calibration(std::span<std::byte> pairs) {
  constexpr std::uint64_t x_calibration = 4, y_calibration = 5;
  std::optional<std::size_t> x, y;
  for (std::size_t at = 0; at + pair_bytes <= pairs.size(); at += pair_bytes) {
    const std::uint64_t id = little_endian(pairs, at, 4);
    if (id == x_calibration) x = at;
    if (id == y_calibration) y = at;
  }
  if (x && y) std::ranges::swap_ranges(pairs.subspan(*x + 4, 4), pairs.subspan(*y + 4, 4));
}

}  // namespace qturn::tiff
