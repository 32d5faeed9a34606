// GIF, also animated. Pixels are indices, so a turn is exact: every frame is decompressed, moved
// and compressed again, and everything else is copied (blocks.hpp). giflib compresses.
#include "src/formats/table.hpp"

#include <fmt/format.h>
#include <gif_lib.h>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "src/formats/gif/blocks.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/trailing_data.hpp"

namespace qturn::gif {
namespace {

// The compression of GIF. giflib compresses: it gets one frame at a time, as a GIF of its own that
// holds nothing else. It does not decompress, because it takes some damage for pixels.

constexpr const char* damaged_pixels = "damaged: the pixels of a GIF";

// Calls `row` with each row in the order of the file.
template <typename Row>
void in_file_order(const Page& page, bool interlaced, const std::atomic<bool>& stop, Row row) {
  struct Pass {
    std::int64_t first, step;
  };
  static constexpr std::array<Pass, 4> passes = {{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
  static constexpr std::array<Pass, 1> whole = {{{0, 1}}};
  const std::span<const Pass> used = interlaced ? std::span<const Pass>(passes) : whole;
  for (const Pass& pass : used) {
    for (std::int64_t y = pass.first; y < page.height; y += pass.step) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      row(static_cast<GifPixelType*>(page.pixels) + y * page.row_bytes());
    }
  }
}

// Closing it frees it, whether or not that succeeds.
struct CloseWriter {
  void operator()(GifFileType* gif) const { EGifCloseFile(gif, nullptr); }
};

[[noreturn]] void fail(const GifFileType* gif, const char* what) {
  if (gif && gif->Error == E_GIF_ERR_NOT_ENOUGH_MEM) throw std::bad_alloc();
  throw ImageFileError(what);
}

// The indices of a frame, from its codes. giflib decodes codes that stand for nothing, and refuses
// codes that begin with more than 9 bits.
class Indices {
 public:
  // `lzw` ends with an empty part.
  explicit Indices(std::span<const std::byte> lzw)
      : root_bits_(std::to_integer<int>(lzw[0])), data_(lzw.subspan(1)) {
    if (root_bits_ < 1 || root_bits_ >= most_bits) throw ImageFileError(damaged_pixels);
    restart();
  }

  // Whether there are so many more.
  bool read(std::uint8_t* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (waiting_ == 0 && !read_string()) return false;
      to[i] = string_[--waiting_];
    }
    return true;
  }

 private:
  static constexpr int most_bits = 12, most_codes = 1 << most_bits;

  int clear() const { return 1 << root_bits_; }

  void restart() {
    bits_ = root_bits_ + 1;
    next_ = clear() + 2;
    last_ = -1;
  }

  // -1: there is none.
  int read_code() {
    while (held_bits_ < bits_) {
      if (part_bytes_ == 0 && at_ < data_.size()) part_bytes_ = std::to_integer<int>(data_[at_++]);
      if (part_bytes_ == 0) return -1;
      held_ |= std::to_integer<unsigned>(data_[at_++]) << held_bits_;
      held_bits_ += 8;
      --part_bytes_;
    }
    const int code = static_cast<int>(held_ & ((1U << bits_) - 1));
    held_ >>= bits_;
    held_bits_ -= bits_;
    return code;
  }

  // The string of the next code, its last index first. False at the end, and for a code that stands
  // for nothing.
  bool read_string() {
    int code = read_code();
    for (; code == clear(); code = read_code()) restart();
    const int most = last_ < 0 ? clear() - 1 : std::min(next_, most_codes - 1);
    if (code < 0 || code == clear() + 1 || code > most) return false;
    int from = code;
    if (code == next_) {  // the string before, and its first index once more
      ++waiting_;
      from = last_;
    }
    for (; from >= clear(); from = prefix_[static_cast<std::size_t>(from)])
      string_[waiting_++] = suffix_[static_cast<std::size_t>(from)];
    if (from > 255) return false;
    const auto first = static_cast<std::uint8_t>(from);
    string_[waiting_++] = first;
    if (code == next_) string_[0] = first;
    if (last_ >= 0 && next_ < most_codes) {
      prefix_[static_cast<std::size_t>(next_)] = static_cast<std::uint16_t>(last_);
      suffix_[static_cast<std::size_t>(next_++)] = first;
    }
    if (next_ == 1 << bits_ && bits_ < most_bits) ++bits_;
    last_ = code;
    return true;
  }

  const int root_bits_;
  std::span<const std::byte> data_;
  std::size_t at_ = 0;
  int part_bytes_ = 0;  // that are left of the part at `at_`
  unsigned held_ = 0;
  int held_bits_ = 0, bits_ = 0;
  int next_ = 0, last_ = -1;  // codes; -1: none since the last clear code
  std::array<std::uint16_t, most_codes> prefix_{};
  std::array<std::uint8_t, most_codes> suffix_{};
  std::array<std::uint8_t, most_codes + 1> string_{};
  std::size_t waiting_ = 0;  // indices of the string that are still to be read
};

// What giflib writes: first what describes the frame, which is not wanted, then the frame.
struct Output {
  Bytes& to;
  bool is_wanted = false;
  bool is_out_of_memory = false;
};

int write_output(GifFileType* gif, const GifByteType* data, int size) {
  auto& output = *static_cast<Output*>(gif->UserData);
  if (!output.is_wanted) return size;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  try {
    output.to.insert(output.to.end(), bytes, bytes + size);
  } catch (const std::bad_alloc&) {  // which must not travel through giflib
    output.is_out_of_memory = true;
    return 0;
  }
  return size;
}

// Decompresses `lzw`, the size of the codes and the parts of a frame, into the pixels of `page`:
// an index each. An interlaced frame's rows come in four passes. Throws ImageFileError if a code
// stands for nothing, or if the codes end before the last pixel; Interrupted.
void decompress_gif_frame(std::span<const std::byte> lzw, bool interlaced, const Page& page,
                          const std::atomic<bool>& stop) {
  const auto indices = std::make_unique<Indices>(lzw);
  std::int64_t rows = 0;
  in_file_order(page, interlaced, stop, [&](GifPixelType* row) {
    if (!indices->read(row, page.width)) {
      throw ImageFileError(
          fmt::format("{} after {} of {} rows", damaged_pixels, rows, page.height));
    }
    ++rows;
  });
}

// Appends the opposite to `to`. Indices have so many bits (2 to 8). Throws Interrupted.
void compress_gif_frame(const Page& page, bool interlaced, int bits, Bytes& to,
                        const std::atomic<bool>& stop) {
  Output output{to};
  const std::unique_ptr<GifFileType, CloseWriter> gif(EGifOpen(&output, write_output, nullptr));
  // Its number of colours tells giflib how many bits an index has.
  const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> colours(
      GifMakeMapObject(1 << bits, nullptr), GifFreeMapObject);
  if (!gif || !colours) throw std::bad_alloc();
  const auto width = static_cast<int>(page.width), height = static_cast<int>(page.height);
  const auto expect = [&](int done) {
    if (done == GIF_OK) return;
    if (output.is_out_of_memory) throw std::bad_alloc();
    fail(gif.get(), "giflib cannot compress a frame");
  };
  expect(EGifPutScreenDesc(gif.get(), width, height, bits, 0, colours.get()));
  // The size of the codes is the last byte that this writes.
  expect(EGifPutImageDesc(gif.get(), 0, 0, width, height, false, nullptr));
  to.push_back(static_cast<std::byte>(bits));
  output.is_wanted = true;
  in_file_order(page, interlaced, stop,
                [&](GifPixelType* row) { expect(EGifPutLine(gif.get(), row, width)); });
  output.is_wanted = false;  // closing it writes the end of the file
}

// "giflib 5.2.1".
std::string gif_library_version() {
  return fmt::format("giflib {}.{}.{}", GIFLIB_MAJOR, GIFLIB_MINOR, GIFLIB_RELEASE);
}

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

// From 0x2C on: the place, then flags. The palette's flags stay.
void put_place(std::span<std::byte> descriptor, const FramePlace& place) {
  std::size_t at = 1;
  for (const std::int64_t value : {place.x, place.y, place.width, place.height}) {
    put_little_endian(descriptor, at, 2, static_cast<std::uint64_t>(value));
    at += 2;
  }
}

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

std::vector<FilePart> gif_parts(std::span<const std::byte> file, Orientation applied) {
  const GifBlocks gif = gif_blocks(file);
  std::vector<FilePart> parts;
  Bytes head(gif.head.begin(), gif.head.end());
  constexpr std::size_t size_at = 6, size_bytes = 4;
  std::fill_n(&head[size_at], size_bytes, std::byte{0});
  head[aspect_at] = std::byte{0};  // not every ratio can be stated the other way round
  parts.push_back(FilePart::of_copy(FilePart::fixed, "the global palette", head));
  for (const GifBlock& block : gif.blocks) {
    if (block.is_frame) {
      const FramePlace place = turned(block.place, applied, gif.canvas);
      parts.push_back(
          said_part("a frame", fmt::format("{} {} {} {} {}", place.x, place.y, place.width,
                                           place.height, block.interlaced)));
      parts.emplace_back(FilePart::fixed, "a palette", block.palette);
    } else if (is_gif_xmp(block)) {
      add_xmp_parts("the XMP", gif_xmp(block), parts);
    } else {
      parts.emplace_back(FilePart::fixed, fmt::format("the extension {:#04x}", block.label),
                         block.whole);
    }
  }
  return parts;
}

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings) {
  if (image.format != &codec) {
    throw ImageFileError(
        "only a GIF can be written as gif: other pictures may have more than its 256 colours");
  }
  return encode_gif(image, applied, stop, warnings);
}

void check(std::span<const std::byte> file, MetadataCheck& check) {
  const GifBlocks gif = gif_blocks(file);
  for (const GifBlock& block : gif.blocks) {
    if (is_gif_xmp(block)) check.xmp("XMP", gif_xmp(block));
  }
  for (std::string& fault : gif_faults(gif)) check.add(std::move(fault));
  check.trailing_data(file, gif.end);
}

}  // namespace

const Codec codec = {
    .name = "gif",
    .suffixes = {".gif"},
    .recognises =
        [](std::span<const std::byte> head, std::string_view) {
          return text_of(head).starts_with("GIF87a") || text_of(head).starts_with("GIF89a");
        },
    .check_limits = check_gif_limits,
    .read_header = read_gif_header,
    .decode = decode_gif,
    .encode = encode,
    .finish = finish_gif,
    .check = check,
    .parts = gif_parts,
    .library_version = gif_library_version,
};

}  // namespace qturn::gif
