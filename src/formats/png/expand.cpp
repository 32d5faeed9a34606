#include "src/formats/png/expand.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "src/formats/png/rows.hpp"

namespace qturn::png {
namespace {

using Byte = std::uint8_t;

// If there is an alpha channel, tRNS has no meaning and is ignored.
bool is_transparent(const PngHeader& header, const std::vector<PngChunk>& chunks) {
  return (header.colour_type & 4) == 0 && find_chunk(chunks, "tRNS") != nullptr;
}

void expand_palette(const Page& stored, const std::vector<PngChunk>& chunks, const Page& expanded) {
  std::array<std::array<Byte, 4>, 256> colours;
  const auto palette = find_chunk(chunks, "PLTE")->data;
  const PngChunk* transparency = find_chunk(chunks, "tRNS");
  for (std::size_t i = 0; i < palette.size() / 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) colours[i][k] = std::to_integer<Byte>(palette[3 * i + k]);
    colours[i][3] = transparency && i < transparency->data.size()
                        ? std::to_integer<Byte>(transparency->data[i])
                        : Byte{255};
  }
  const std::span indices(static_cast<const Byte*>(stored.pixels), stored.bytes());
  auto* to = static_cast<Byte*>(expanded.pixels);
  for (const Byte index : indices) {
    if (index >= palette.size() / 3)
      throw ImageFileError("damaged: a pixel has no colour in the palette");
    to = std::copy_n(colours[index].data(), expanded.channels, to);
  }
}

// The factor of samples that keeps the largest value the largest.
int scale_to_8_bits(int depth) { return depth < 8 ? 255 / ((1 << depth) - 1) : 1; }

// Appends an alpha channel, 0 where all samples of a pixel are those of tRNS.
template <typename Sample>
void expand_colour_key(const Page& stored, const PngHeader& header, const PngChunk& key,
                       const Page& expanded) {
  const auto channels = static_cast<std::size_t>(stored.channels);
  if (key.data.size() != 2 * channels) throw ImageFileError("damaged: transparency (tRNS)");
  std::array<Sample, 3> transparent{};
  for (std::size_t k = 0; k < channels; ++k) {
    transparent[k] = static_cast<Sample>(std::to_integer<int>(key.data[2 * k]) << 8 |
                                         std::to_integer<int>(key.data[2 * k + 1]));
  }
  const auto* from = static_cast<const Sample*>(stored.pixels);
  const auto* end = from + stored.bytes() / sizeof(Sample);
  auto* to = static_cast<Sample*>(expanded.pixels);
  const auto scale = static_cast<Sample>(scale_to_8_bits(header.bit_depth));
  for (; from != end; from += channels) {
    const bool equal = std::equal(from, from + channels, transparent.begin());
    for (std::size_t k = 0; k < channels; ++k) *to++ = static_cast<Sample>(from[k] * scale);
    *to++ = equal ? Sample{0} : static_cast<Sample>(-1);
  }
}

}  // namespace

Page expanded_page(const PngHeader& header, const std::vector<PngChunk>& chunks) {
  Page page = stored_page(header);
  if (header.colour_type == palette_type) page.channels = 3;
  if (is_transparent(header, chunks)) ++page.channels;
  return page;
}

void expand(const Page& stored, const PngHeader& header, const std::vector<PngChunk>& chunks,
            const Page& expanded) {
  if (header.colour_type == palette_type) {
    expand_palette(stored, chunks, expanded);
  } else if (is_transparent(header, chunks)) {
    const PngChunk& key = *find_chunk(chunks, "tRNS");
    if (stored.type == SampleFormat::u16) {
      expand_colour_key<std::uint16_t>(stored, header, key, expanded);
    } else {
      expand_colour_key<Byte>(stored, header, key, expanded);
    }
  } else {
    const int scale = scale_to_8_bits(header.bit_depth);
    const std::span samples(static_cast<const Byte*>(stored.pixels), stored.bytes());
    std::transform(samples.begin(), samples.end(), static_cast<Byte*>(expanded.pixels),
                   [&](Byte sample) { return static_cast<Byte>(sample * scale); });
  }
}

}  // namespace qturn::png
