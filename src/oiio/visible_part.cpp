#include "src/oiio/visible_part.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "src/formats/image.hpp"
#include "src/tiff/directories.hpp"
#include "src/webp/chunks.hpp"

namespace qturn {
namespace {

using Bytes = std::vector<std::byte>;

// What decoding takes: sizes, bits, compression and its tables, colour map, places of the samples.
bool is_shown(std::uint16_t tag) {
  constexpr std::array<std::uint16_t, 40> tags = {
      256, 257, 258, 259, 262, 266, 273, 277, 278, 279, 284,   292,  293, 317,
      320, 322, 323, 324, 325, 332, 333, 334, 338, 339, 347,   512,  513, 514,
      515, 517, 518, 519, 520, 521, 529, 530, 531, 532, 32997, 32998};
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

// BitsPerSample: 1, which is what a page has that says nothing, and OpenImageIO takes for 8.
Bytes one_bit_entry(std::size_t entry_bytes, bool little) {
  Bytes entry(entry_bytes);
  const std::size_t low = little ? 0 : 1;
  entry[1 - low] = std::byte{tiff_tag::bits_per_sample >> 8};
  entry[low] = std::byte{tiff_tag::bits_per_sample & 0xFF};
  entry[2 + low] = std::byte{tiff_type::u16};
  const std::size_t value = 4 + (entry_bytes == 20 ? 8 : 4);
  entry[little ? 4 : value - 1] = std::byte{1};
  entry[value + low] = std::byte{1};
  return entry;
}

// Colours of 16 bits as viewers show them in 8: OpenImageIO divides by 257, which libtiff and
// others do not, and the bits that they leave out are made to say the same to both. A map of 8-bit
// colours is told, as by libtiff, by having no larger ones.
Bytes colour_map(std::span<const std::byte> stored, bool little) {
  std::vector<std::uint32_t> colours(stored.size() / 2);
  for (std::size_t i = 0; i < colours.size(); ++i) {
    colours[i] = std::to_integer<std::uint32_t>(stored[2 * i + (little ? 1 : 0)]) << 8 |
                 std::to_integer<std::uint32_t>(stored[2 * i + (little ? 0 : 1)]);
  }
  const bool small = std::ranges::all_of(colours, [](std::uint32_t c) { return c < 256; });
  Bytes shown;
  for (const std::uint32_t colour : colours) {
    shown.insert(shown.end(), 2, static_cast<std::byte>(small ? colour : colour >> 8));
  }
  return shown;
}

// Each directory is replaced by one of the same length in its place, with the entries that are
// shown first and nothing behind the offset that follows them. What is added takes the place of one
// that is not shown, or says the default.
VisiblePart visible_tiff(std::span<const std::byte> file) {
  TiffFile tiff = read_tiff(file);
  std::sort(tiff.page_offsets.begin(), tiff.page_offsets.end());
  const bool little = file[0] == std::byte{'I'};
  const std::size_t count_bytes = tiff.big ? 8 : 2, entry_bytes = tiff.big ? 20 : 12,
                    offset_bytes = tiff.big ? 8 : 4;
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value =
          value << 8 | std::to_integer<std::uint64_t>(file[little ? at + bytes - 1 - i : at + i]);
    }
    return value;
  };

  VisiblePart part;
  std::map<std::uint64_t, Bytes> changed;  // by the place
  std::size_t done = 0;
  for (const std::uint64_t offset : tiff.page_offsets) {
    const auto at = static_cast<std::size_t>(offset);
    if (at < done) continue;  // directories that overlap are shown as they are
    const auto count = static_cast<std::size_t>(number(at, count_bytes));
    const std::size_t end = at + count_bytes + count * entry_bytes + offset_bytes;
    Bytes directory(count_bytes);
    std::uint64_t shown = 0;
    bool bits_are_said = false;
    bool bits_are_added = false;
    for (std::size_t entry = at + count_bytes; entry + offset_bytes < end; entry += entry_bytes) {
      const auto tag = static_cast<std::uint16_t>(number(entry, 2));
      if (!is_shown(tag)) continue;
      if (tag >= tiff_tag::bits_per_sample && !std::exchange(bits_are_said, true)) {
        bits_are_added = tag != tiff_tag::bits_per_sample;
        if (bits_are_added) {
          const Bytes one_bit = one_bit_entry(entry_bytes, little);
          directory.insert(directory.end(), one_bit.begin(), one_bit.end());
          ++shown;
        }
      }
      if (bits_are_added && tag == tiff_tag::planar_configuration &&
          number(entry + entry_bytes - offset_bytes, 2) == 1) {
        continue;  // the default
      }
      const auto bytes = file.subspan(entry, entry_bytes);
      directory.insert(directory.end(), bytes.begin(), bytes.end());
      constexpr std::uint16_t colour_map_tag = 320;
      if (tag == colour_map_tag) {
        const std::uint64_t values = number(entry + 4, offset_bytes);
        const std::uint64_t from = number(entry + entry_bytes - offset_bytes, offset_bytes);
        if (number(entry + 2, 2) != tiff_type::u16 || 2 * values <= offset_bytes ||
            values > file.size() / 2 || from > file.size() - 2 * values) {
          throw ImageFileError("damaged: the colours of a TIFF's palette");
        }
        changed[from] = colour_map(file.subspan(from, 2 * values), little);
      }
      ++shown;
    }
    if (shown > count) {
      throw ImageFileError("a TIFF that does not say how many bits a sample has is not supported");
    }
    for (std::size_t i = 0; i < count_bytes; ++i, shown >>= 8) {
      directory[little ? i : count_bytes - 1 - i] = static_cast<std::byte>(shown & 0xFF);
    }
    const auto next = file.subspan(end - offset_bytes, offset_bytes);
    directory.insert(directory.end(), next.begin(), next.end());
    directory.resize(end - at);
    changed[offset] = std::move(directory);
    done = end;
  }
  done = 0;
  for (auto& [offset, bytes] : changed) {
    const auto at = static_cast<std::size_t>(offset);
    if (at < done) throw ImageFileError("damaged: a TIFF's palette lies over something else");
    part.pieces.push_back(file.subspan(done, at - done));
    done = at + bytes.size();
    part.made.push_back(std::move(bytes));
    part.pieces.emplace_back(part.made.back());
  }
  part.pieces.push_back(file.subspan(done));
  return part;
}

}  // namespace

VisiblePart visible_part(std::span<const std::byte> file, Format format) {
  switch (format) {
    case Format::tiff:
      return visible_tiff(file);
    case Format::webp: {
      VisiblePart part;
      part.made.push_back(assemble_webp(file, {}));
      part.pieces.emplace_back(part.made.back());
      return part;
    }
    default:
      return {.pieces = {file}, .made = {}};
  }
}

}  // namespace qturn
