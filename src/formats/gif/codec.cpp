#include "src/formats/gif/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "src/formats/gif/blocks.hpp"
#include "src/formats/gif/lzw.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/trailing_data.hpp"

namespace qturn::gif {
namespace {

constexpr std::size_t width_at = 6, height_at = 8, aspect_at = 12;

struct GifExtras final : Extras {
  // A frame's descriptor and palette, or an extension as it is written again.
  struct Piece {
    Bytes kept;
    bool is_frame = false;
    FramePlace place;
    bool interlaced = false;
    int bits = 0;  // of an index
  };
  Bytes head;
  Size canvas;
  std::vector<Piece> pieces;

  std::shared_ptr<Extras> copy() const override { return std::make_shared<GifExtras>(*this); }
};

Bytes copy_of(std::span<const std::byte> data) { return {data.begin(), data.end()}; }

Page page_of(const GifBlock& frame) {
  return {.width = frame.place.width, .height = frame.place.height, .channels = 1};
}

// The frame of a GIF that is not animated, and what is transparent in it.
struct Still {
  const GifBlock* frame = nullptr;
  int transparent = -1;
};

Still still_of(const GifBlocks& gif) {
  Still still;
  for (const GifBlock& block : gif.blocks) {
    if (block.is_frame) {
      still.frame = &block;
      return still;
    }
    still.transparent = std::max(still.transparent, gif_transparent_index(block));
  }
  throw ImageFileError("damaged: a GIF without pixels");
}

Page shown_page(const GifBlocks& gif, const Still& still) {
  const bool is_covered = still.frame->place.width == gif.canvas.width &&
                          still.frame->place.height == gif.canvas.height;
  return {.width = gif.canvas.width,
          .height = gif.canvas.height,
          .channels = is_covered && still.transparent < 0 ? 3 : 4};
}

// Colours for the indices, on the canvas; what the frame does not cover is transparent.
Page show(const GifBlocks& gif, const Page& indices, PixelArena& arena) {
  const Still still = still_of(gif);
  const auto palette = still.frame->palette.empty() ? gif.palette : still.frame->palette;
  if (palette.empty()) throw ImageFileError("a GIF without a palette has no colours to keep");
  Page shown = shown_page(gif, still);
  shown.pixels = arena.take(shown.bytes());
  auto* const to = static_cast<std::uint8_t*>(shown.pixels);
  std::fill_n(to, shown.bytes(), std::uint8_t{0});
  const auto* from = static_cast<const std::uint8_t*>(indices.pixels);
  const auto channels = static_cast<std::size_t>(shown.channels);
  for (std::int64_t y = 0; y < indices.height; ++y) {
    std::uint8_t* pixel = to + (still.frame->place.y + y) * shown.row_bytes() +
                          still.frame->place.x * shown.pixel_bytes();
    for (std::int64_t x = 0; x < indices.width; ++x, ++from, pixel += channels) {
      const std::size_t colour = std::size_t{3} * *from;
      if (colour >= palette.size()) {
        if (channels == 4 && *from == still.transparent) continue;
        throw ImageFileError("damaged: a pixel has no colour in the palette");
      }
      for (std::size_t k = 0; k < 3; ++k)
        pixel[k] = std::to_integer<std::uint8_t>(palette[colour + k]);
      if (channels == 4) pixel[3] = *from == still.transparent ? 0 : 255;
    }
  }
  return shown;
}

void decompress(const GifBlock& frame, Page& page, PixelArena& arena,
                const std::atomic<bool>& stop) {
  page.pixels = arena.take(page.bytes());
  decompress_gif_frame(frame.lzw, frame.interlaced, page, stop);
}

// Byte 12 says how wide a pixel is, in its height: (n + 15) / 64; 0 says nothing.
std::byte exchanged_aspect(std::byte aspect, std::vector<std::string>& warnings) {
  const auto value = std::to_integer<int>(aspect);
  if (value == 0) return aspect;
  constexpr int square = 64 * 64;
  const int exchanged = std::clamp((square + (value + 15) / 2) / (value + 15) - 15, 1, 255);
  if ((exchanged + 15) * (value + 15) != square) {
    warnings.emplace_back("the shape of its pixels is rounded, because GIF cannot state the other");
  }
  return static_cast<std::byte>(exchanged);
}

// From 0x2C on: the place, and then flags, of which the palette's stay.
void put_place(std::span<std::byte> descriptor, const FramePlace& place) {
  std::size_t at = 1;
  for (const std::int64_t value : {place.x, place.y, place.width, place.height}) {
    put_little_endian(descriptor, at, 2, static_cast<std::uint64_t>(value));
    at += 2;
  }
}

}  // namespace

Header read_gif_header(std::span<const std::byte> file) {
  const GifBlocks gif = gif_blocks(file);
  Header header;
  header.width = gif.canvas.width;
  header.height = gif.canvas.height;
  header.pages = static_cast<int>(gif.frames());
  header.faults = gif_faults(gif);
  std::uint64_t others = gif.head.size();
  for (const GifBlock& block : gif.blocks) {
    others += sizeof(GifExtras::Piece);
    if (block.is_frame) {
      header.pixel_bytes_total += page_of(block).bytes();
      others += block.palette.size();
    } else {
      others += block.whole.size();
    }
  }
  header.pixels_total = header.pixel_bytes_total;
  if (header.pages == 1) {
    // Another format gets the canvas.
    header.shown_bytes_total = shown_page(gif, still_of(gif)).bytes();
    header.pixels_total =
        std::max(header.pixels_total, static_cast<std::uint64_t>(header.width * header.height));
  }
  // The blocks and what is kept of them. The codes of noise take 1.5 bytes each; while the file
  // grows there are two of it, and then one with another packet of XMP.
  header.decoding_bytes = (1 << 20) + 4 * others;
  header.encoding_bytes = (2 << 20) + 4 * others + 5 * header.pixels_total;
  return header;
}

Image decode_gif(std::span<const std::byte> file, Samples samples, PixelArena& arena,
                 const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  const GifBlocks gif = gif_blocks(file);
  auto extras = std::make_shared<GifExtras>();
  Image image{.format = &codec, .pages = {}, .canvas = gif.canvas};
  if (samples == Samples::for_another_format) {
    extras->metadata = gif_metadata(gif);
    if (gif.frames() > 1) {
      throw ImageFileError(
          fmt::format("an animation of {} frames can only stay a GIF", gif.frames()));
    }
    const Still still = still_of(gif);
    Page page = page_of(*still.frame);
    decompress(*still.frame, page, arena, stop);
    image.pages = {show(gif, page, arena)};
  } else {
    extras->head = copy_of(gif.head);
    extras->canvas = gif.canvas;
    for (const GifBlock& block : gif.blocks) {
      GifExtras::Piece piece;
      piece.is_frame = block.is_frame;
      if (block.is_frame) {
        piece.kept = copy_of(block.whole.first(block.whole.size() - block.lzw.size()));
        piece.place = block.place;
        piece.interlaced = block.interlaced;
        // giflib writes no codes of one bit, and an index has eight at most.
        piece.bits = std::clamp(std::to_integer<int>(block.lzw[0]), 2, 8);
        image.pages.push_back(page_of(block));
        decompress(block, image.pages.back(), arena, stop);
      } else {
        piece.kept = copy_of(block.whole);
      }
      extras->pieces.push_back(std::move(piece));
    }
  }
  warn_of_trailing_data(file, gif.end, warnings);
  image.extras = std::move(extras);
  return image;
}

Bytes encode_gif(const Image& turned, Orientation applied, const std::atomic<bool>& stop,
                 std::vector<std::string>& warnings) {
  const auto& extras = dynamic_cast<const GifExtras&>(*turned.extras);
  Bytes file = extras.head;
  const Size canvas = turned_size(applied, extras.canvas);
  put_little_endian(file, width_at, 2, static_cast<std::uint64_t>(canvas.width));
  put_little_endian(file, height_at, 2, static_cast<std::uint64_t>(canvas.height));
  if (swaps_axes(applied)) file[aspect_at] = exchanged_aspect(file[aspect_at], warnings);
  auto page = turned.pages.begin();
  for (const GifExtras::Piece& piece : extras.pieces) {
    const std::size_t begin = file.size();
    append(file, piece.kept);
    if (!piece.is_frame) continue;
    put_place(std::span(file).subspan(begin), qturn::turned(piece.place, applied, extras.canvas));
    compress_gif_frame(*page++, piece.interlaced, piece.bits, file, stop);
  }
  file.push_back(std::byte{0x3B});
  return file;
}

Bytes finish_gif(Bytes encoded, const MetadataTurn& turn, std::vector<std::string>& warnings) {
  const GifBlocks gif = gif_blocks(encoded);
  if (std::ranges::none_of(gif.blocks, is_gif_xmp)) return encoded;
  Bytes made = copy_of(gif.head);
  made.reserve(encoded.size() + 256);
  for (const GifBlock& block : gif.blocks) {
    if (is_gif_xmp(block)) {
      warn_of_other_orientation(gif_xmp(block), turn.stored, warnings);
      append(made, gif_xmp_extension(turn_xmp(gif_xmp(block), turn, warnings)));
    } else {
      append(made, block.whole);
    }
  }
  append(made, std::span<const std::byte>(encoded).subspan(gif.end - 1));
  return made;
}

}  // namespace qturn::gif
