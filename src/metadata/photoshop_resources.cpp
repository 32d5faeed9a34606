#include "src/metadata/photoshop_resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "src/picture/bytes.hpp"

namespace qturn {
namespace {

struct Range {
  std::uint64_t first, last;
};

// Described by Adobe: how the picture is printed and shown, its text, profile and thumbnail, the
// layout of the editor (grid, guides, slices), and what plug-ins and programs of the suite keep.
constexpr std::array described = {Range{1000, 1092}, Range{2999, 3003}, Range{4000, 4999},
                                  Range{7000, 7001}, Range{8000, 8000}, Range{10000, 10001}};
constexpr Range paths{2000, 2998};

bool is_within(std::uint64_t id, Range range) { return range.first <= id && id <= range.last; }

constexpr std::uint64_t even(std::uint64_t bytes) { return bytes + bytes % 2; }

}  // namespace

void look_at_photoshop_resources(std::span<const std::byte> resources, Header& header) {
  // A signature, a number, a name with its length, padded, and a length.
  constexpr std::size_t name_at = 6, fewest_bytes = 12;
  constexpr std::array<std::string_view, 4> signatures = {"8BIM", "MeSa", "PHUT", "AgHg"};
  while (resources.size() >= fewest_bytes) {
    const std::string_view signature = text_of(resources.first(4));
    if (std::ranges::find(signatures, signature) == signatures.end()) return;
    const std::uint64_t id = big_endian(resources, 4, 2);
    const std::uint64_t length_at =
        name_at + even(std::uint64_t{1} + std::to_integer<std::uint64_t>(resources[name_at]));
    if (resources.size() < length_at + 4) return;
    const std::uint64_t bytes = big_endian(resources, length_at, 4);
    const std::uint64_t end = length_at + 4 + even(bytes);
    if (bytes > 0) {
      if (is_within(id, paths)) {
        add_placed({.name = "its paths (Photoshop)"}, header);
      } else if (std::ranges::none_of(described, [&](Range each) { return is_within(id, each); })) {
        add_unknown(fmt::format("Photoshop {}", id), header);
      }
    }
    if (end >= resources.size()) return;
    resources = resources.subspan(static_cast<std::size_t>(end));
  }
}

}  // namespace qturn
