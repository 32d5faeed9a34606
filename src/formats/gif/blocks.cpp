#include "src/formats/gif/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "src/picture/bytes.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::gif {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t screen_bytes = 13;  // with the signature
constexpr std::size_t frame_bytes = 10;
constexpr unsigned trailer = 0x3B, frame_begins = 0x2C, extension_begins = 0x21;
constexpr unsigned text_label = 0x01, control_label = 0xF9, comment_label = 0xFE,
                   application_label = 0xFF;

// After the length of an application's name.
constexpr std::string_view xmp_name = "\x0bXMP DataXMP"sv;
constexpr std::string_view icc_name = "ICCRGBG1012"sv;

unsigned u8(std::span<const std::byte> data, std::size_t at) {
  return std::to_integer<unsigned>(data[at]);
}

std::int64_t u16(std::span<const std::byte> data, std::size_t at) {
  return static_cast<std::int64_t>(little_endian(data, at, 2));
}

std::size_t palette_bytes(unsigned flags) {
  return (flags & 0x80) != 0 ? std::size_t{3} << ((flags & 7) + 1) : 0;
}

// Reads from the beginning to the end; what is not there is a cut.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> file) : file_(file) {}

  std::size_t at() const { return at_; }
  bool is_at_end() const { return at_ == file_.size(); }

  std::span<const std::byte> take(std::size_t bytes) {
    if (bytes > file_.size() - at_) throw ImageFileError("truncated: the file ends within a GIF");
    at_ += bytes;
    return file_.subspan(at_ - bytes, bytes);
  }

  // Parts, each with its length before it, and the empty one that ends them.
  void skip_parts() {
    while (const unsigned length = u8(take(1), 0)) take(length);
  }

  std::span<const std::byte> since(std::size_t begin) const {
    return file_.subspan(begin, at_ - begin);
  }

 private:
  std::span<const std::byte> file_;
  std::size_t at_ = 0;
};

GifBlock read_frame(Reader& reader, std::size_t begin) {
  const auto described = reader.take(frame_bytes - 1);
  const unsigned flags = u8(described, 8);
  GifBlock frame;
  frame.is_frame = true;
  frame.place = {u16(described, 0), u16(described, 2), u16(described, 4), u16(described, 6)};
  frame.interlaced = (flags & 0x40) != 0;
  frame.palette = reader.take(palette_bytes(flags));
  const std::size_t lzw = reader.at();
  reader.take(1);
  reader.skip_parts();
  frame.lzw = reader.since(lzw);
  frame.whole = reader.since(begin);
  return frame;
}

// The next block; nothing at the end.
std::optional<GifBlock> read_block(Reader& reader) {
  const std::size_t begin = reader.at();
  if (reader.is_at_end()) throw ImageFileError("truncated: the end of the GIF is missing");
  const unsigned kind = u8(reader.take(1), 0);
  if (kind == trailer) return std::nullopt;
  if (kind == frame_begins) return read_frame(reader, begin);
  if (kind != extension_begins) {
    throw ImageFileError(
        fmt::format("damaged: no block of a GIF where one should begin, at byte {}", begin));
  }
  GifBlock extension;
  extension.label = u8(reader.take(1), 0);
  reader.skip_parts();
  extension.whole = reader.since(begin);
  return extension;
}

// No memory is taken for pixels that cannot be there.
void check_plausible(const GifBlock& frame) {
  // A code of 12 bits stands for fewer than 4096 pixels.
  constexpr std::uint64_t most_per_byte = 4096 * 2 / 3;
  const auto pixels = static_cast<std::uint64_t>(frame.place.width * frame.place.height);
  if (pixels > most_per_byte * frame.lzw.size()) {
    throw ImageFileError(fmt::format("damaged: {} x {} pixels cannot come from {} bytes",
                                     frame.place.width, frame.place.height, frame.lzw.size()));
  }
}

// Browsers and Pillow show all of the first frame. Of later ones they show different parts.
void enlarge_canvas(GifBlocks& gif, const FramePlace& first) {
  constexpr std::int64_t most = 65535;
  const Size needed{std::max(gif.canvas.width, first.x + first.width),
                    std::max(gif.canvas.height, first.y + first.height)};
  if (needed == gif.canvas || std::max(needed.width, needed.height) > most) return;
  gif.canvas = needed;
  gif.canvas_is_enlarged = true;
}

std::span<const std::byte> read_head(Reader& reader) {
  const auto screen = reader.take(screen_bytes);
  reader.take(palette_bytes(u8(screen, 10)));
  return reader.since(0);
}

// What follows an XMP packet, so that programs that take the packet for parts find their end: any
// byte of the packet, taken for a length, leads into this.
Bytes xmp_trailer() {
  Bytes bytes = {std::byte{1}};
  for (int i = 255; i >= 0; --i) bytes.push_back(static_cast<std::byte>(i));
  bytes.push_back(std::byte{0});
  return bytes;
}

}  // namespace

std::size_t GifBlocks::frames() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(blocks, [](const GifBlock& block) { return block.is_frame; }));
}

GifBlocks gif_blocks(std::span<const std::byte> file) {
  Reader reader(file);
  GifBlocks gif;
  gif.head = read_head(reader);
  gif.canvas = {u16(gif.head, 6), u16(gif.head, 8)};
  gif.palette = gif.head.subspan(screen_bytes);
  bool any_frame = false;
  for (;;) {
    // Some writers leave the trailer out. After a control its frame is missing.
    gif.has_trailer = !reader.is_at_end() || !any_frame || gif.blocks.back().label == control_label;
    if (!gif.has_trailer) break;
    const std::optional<GifBlock> block = read_block(reader);
    if (!block) break;
    if (block->label == text_label && !block->is_frame) {
      throw ImageFileError("a GIF with a text to draw (a plain text extension) is not supported");
    }
    if (block->is_frame && !std::exchange(any_frame, true)) enlarge_canvas(gif, block->place);
    if (block->is_frame && !block->place.is_within(gif.canvas)) {
      throw ImageFileError(
          fmt::format("damaged: a frame of {} x {} pixels at {}, {} in a GIF of {} x {}",
                      block->place.width, block->place.height, block->place.x, block->place.y,
                      gif.canvas.width, gif.canvas.height));
    }
    if (block->is_frame) check_plausible(*block);
    gif.blocks.push_back(*block);
  }
  gif.end = reader.at();
  if (!any_frame) throw ImageFileError("damaged: a GIF without pixels");
  return gif;
}

std::vector<std::string> gif_faults(const GifBlocks& gif) {
  std::vector<std::string> faults;
  if (!gif.has_trailer) {
    faults.emplace_back("the end of the GIF is missing, and frames before it may be missing too");
  }
  if (gif.canvas_is_enlarged) {
    faults.push_back(fmt::format("its first frame reaches beyond its canvas; viewers show {} x {}",
                                 gif.canvas.width, gif.canvas.height));
  }
  return faults;
}

void check_gif_limits(std::span<const std::byte> file, const Limits& limits) {
  MetadataCount metadata;
  std::uint64_t frames = 0, controls = 0;
  try {
    Reader reader(file);
    read_head(reader);
    while (const std::optional<GifBlock> block = read_block(reader)) {
      if (block->is_frame) {
        ++frames;
      } else if (block->label != control_label || ++controls > frames + 1) {
        metadata.add(block->whole.size());  // a frame has one control, before it
      }
    }
  } catch (const ImageFileError&) {
  }
  check_limit(limits, &Limits::directories, frames);
  metadata.check(limits);
}

int gif_transparent_index(const GifBlock& control) {
  constexpr std::size_t control_bytes = 8;
  if (control.label != control_label || control.whole.size() != control_bytes) return -1;
  return (u8(control.whole, 3) & 1) != 0 ? static_cast<int>(u8(control.whole, 6)) : -1;
}

Bytes gif_data(const GifBlock& extension) {
  Bytes data;
  auto rest = extension.whole.subspan(2);
  while (const unsigned length = u8(rest, 0)) {
    const auto part = rest.subspan(1, length);
    data.insert(data.end(), part.begin(), part.end());
    rest = rest.subspan(1 + length);
  }
  return data;
}

bool is_gif_xmp(const GifBlock& extension) {
  static const Bytes end = xmp_trailer();
  return extension.label == application_label &&
         text_of(extension.whole.subspan(2)).starts_with(xmp_name) &&
         text_of(extension.whole.subspan(2 + xmp_name.size())).ends_with(text_of(end));
}

std::string_view gif_xmp(const GifBlock& extension) {
  const std::string_view text = text_of(extension.whole.subspan(2 + xmp_name.size()));
  return text.substr(0, text.size() - xmp_trailer().size());
}

Bytes gif_xmp_extension(std::string_view packet) {
  Bytes made = {static_cast<std::byte>(extension_begins),
                static_cast<std::byte>(application_label)};
  const Bytes end = xmp_trailer();
  for (const auto part : {bytes_of(xmp_name), bytes_of(packet), std::span<const std::byte>(end)}) {
    made.insert(made.end(), part.begin(), part.end());
  }
  return made;
}

Metadata gif_metadata(const GifBlocks& gif) {
  Metadata metadata;
  for (const GifBlock& block : gif.blocks) {
    if (block.label == comment_label) {
      metadata.comment += text_of(gif_data(block));
    } else if (is_gif_xmp(block)) {
      if (metadata.xmp.empty()) metadata.xmp = gif_xmp(block);
    } else if (block.label == application_label && metadata.icc.empty()) {
      const Bytes data = gif_data(block);
      if (text_of(data).starts_with(icc_name)) {
        metadata.icc.assign(data.begin() + static_cast<std::ptrdiff_t>(icc_name.size()),
                            data.end());
      }
    }
  }
  return metadata;
}

}  // namespace qturn::gif
