// BMP in the form it is stored in: bits per pixel, palette, masks, profile and every other byte of
// its headers stay, and the pixels are moved as what they are, indices or numbers of 2 to 4 bytes.
//
// The format is small enough to be read here. OpenImageIO makes 24 bits of most files, loses alpha
// and palettes, and knows six of the nine headers; libgd and stb_image write 24 bits only.
#include "src/formats/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "src/formats/codec/codec.hpp"
#include "src/metadata/resolution.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/packed_pixels.hpp"
#include "src/picture/trailing_data.hpp"

namespace qturn::bmp {
namespace {

// What the headers of a BMP say: Windows' headers of 40, 52, 56, 108 and 124 bytes, OS/2's of 12
// and of 16 to 64 bytes, whose missing fields are 0.

/// Where fields lie in the file.
namespace bmp_field {
constexpr std::size_t file_bytes = 2, pixels_at = 10, header_bytes = 14, width = 18,
                      core_height = 20, height = 22, planes = 26, bits = 28, compression = 30,
                      pixel_bytes = 34, right_resolution = 38, up_resolution = 42, colours = 46,
                      masks = 54, colour_space = 70, profile_at = 126, profile_bytes = 130;
}  // namespace bmp_field

constexpr std::size_t bmp_file_header_bytes = 14, bmp_core_header_bytes = 12;

/// Whether a BMP may have a header of so many bytes.
constexpr bool is_bmp_header(std::uint64_t bytes) {
  return bytes == bmp_core_header_bytes || (bytes >= 16 && bytes <= 64) || bytes == 108 ||
         bytes == 124;
}

struct BmpLayout {
  std::size_t header_bytes = 0;
  std::int64_t width = 0, height = 0;
  bool is_top_down = false;  ///< else the lowest row comes first
  int bits = 0;              ///< of a pixel: 1, 2, 4, 8, 16, 24 or 32
  bool has_run_lengths = false;
  ChannelMasks masks = {};       ///< of 16 bits and more
  std::size_t palette_at = 0;    ///< blue, green, red, of a colour
  std::size_t colour_bytes = 4;  ///< in the palette
  std::size_t colours = 0;       ///< in the palette, that a pixel can name
  std::size_t pixels_at = 0;
  std::size_t profile_at = 0;  ///< in the file
  std::size_t profile_bytes = 0;
  bool profile_is_linked = false;  ///< it is the name of a file

  bool has_palette() const { return bits <= 8; }
  bool is_core() const { return header_bytes == bmp_core_header_bytes; }
  std::uint64_t row_bytes() const {
    return (static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(bits) + 31) / 32 * 4;
  }
  /// The bytes of the pixels where they are stored without run lengths.
  std::uint64_t plain_bytes() const { return row_bytes() * static_cast<std::uint64_t>(height); }
};

namespace compression {
constexpr std::uint64_t none = 0, run_lengths_8 = 1, run_lengths_4 = 2, masks = 3, jpeg = 4,
                        png = 5, masks_with_alpha = 6;
}

// The fields of the file, 0 where its header is too short to have them.
struct Fields {
  std::span<const std::byte> file;
  std::size_t end;  // of the header

  std::uint64_t operator()(std::size_t at, std::size_t bytes) const {
    return at + bytes <= end ? little_endian(file, at, bytes) : 0;
  }
  std::int64_t with_sign(std::size_t at) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>((*this)(at, 4)));
  }
};

bool is_of_os2(std::size_t header_bytes) {
  return header_bytes <= 64 && header_bytes != 40 && header_bytes != 52 && header_bytes != 56;
}

// A header of 40 bytes may be either system's; then the bits tell.
void refuse_compression(std::uint64_t method, int bits, bool os2) {
  if (method == 3 && (os2 || bits == 1)) {
    throw ImageFileError("a BMP with OS/2's Huffman compression is not supported");
  }
  if (method == 4 && (os2 || bits == 24)) {
    throw ImageFileError("a BMP with OS/2's run lengths of 24 bits is not supported");
  }
  if (method == compression::jpeg) throw ImageFileError("a JPEG inside a BMP is not supported");
  if (method == compression::png) throw ImageFileError("a PNG inside a BMP is not supported");
  if (method > compression::masks_with_alpha || (os2 && method > 2)) {
    throw ImageFileError(fmt::format("a BMP with compression {} is not supported", method));
  }
}

ChannelMasks masks_of(const Fields& fields, std::uint64_t method, int bits) {
  const bool any = method == compression::masks || method == compression::masks_with_alpha;
  if (!any) return bits == 16 ? masks_of_555(false) : masks_of_888(false);
  constexpr std::size_t with_alpha = 56;
  const bool alpha =
      method == compression::masks_with_alpha || fields.end >= bmp_file_header_bytes + with_alpha;
  ChannelMasks masks = {};
  for (std::size_t i = 0; i < (alpha ? 4 : 3); ++i) {
    const std::size_t at = bmp_field::masks + 4 * i;
    if (at + 4 > fields.file.size()) throw ImageFileError("truncated within the BMP header");
    masks.of[i] = static_cast<std::uint32_t>(little_endian(fields.file, at, 4));
  }
  return masks;
}

void check_size(const BmpLayout& layout, std::span<const std::byte> file) {
  if (layout.width <= 0 || layout.height <= 0) {
    throw ImageFileError(
        fmt::format("damaged: a BMP of {} x {} pixels", layout.width, layout.height));
  }
  if (layout.pixels_at > file.size()) throw ImageFileError("truncated: the pixels are missing");
  const std::uint64_t there = file.size() - layout.pixels_at;
  const auto rows = static_cast<std::uint64_t>(layout.height);
  if (!layout.has_run_lengths) {
    if (const std::uint64_t whole = there / layout.row_bytes(); whole < rows) {
      throw ImageFileError(fmt::format("truncated after {} of {} rows", whole, rows));
    }
    return;
  }
  // A run has up to 255 pixels in two bytes. Pixels may be left out, but not most of a large
  // picture, or a few bytes would ask for all the memory.
  constexpr std::uint64_t small_picture = 1 << 20, most_in_a_byte = 128;
  const std::uint64_t pixels = static_cast<std::uint64_t>(layout.width) * rows;
  if (pixels > small_picture && pixels / most_in_a_byte > there) {
    throw ImageFileError(fmt::format("damaged: {} x {} pixels from {} bytes of run lengths",
                                     layout.width, layout.height, there));
  }
}

void read_profile(BmpLayout& layout, const Fields& fields) {
  constexpr std::uint64_t embedded = 0x4D424544, linked = 0x4C494E4B;  // "MBED", "LINK"
  const std::uint64_t colour_space = fields(bmp_field::colour_space, 4);
  const std::uint64_t bytes = fields(bmp_field::profile_bytes, 4);
  if ((colour_space != embedded && colour_space != linked) || bytes == 0) return;
  const std::uint64_t at = bmp_file_header_bytes + fields(bmp_field::profile_at, 4);
  if (at + bytes > fields.file.size()) {
    throw ImageFileError("truncated: the file ends within the colour profile");
  }
  layout.profile_at = static_cast<std::size_t>(at);
  layout.profile_bytes = static_cast<std::size_t>(bytes);
  layout.profile_is_linked = colour_space == linked;
}

// Throws ImageFileError for damage, a file that is cut among it, and for what is not supported.
BmpLayout read_bmp_layout(std::span<const std::byte> file) {
  constexpr std::size_t shortest = bmp_file_header_bytes + bmp_core_header_bytes;
  if (file.size() < shortest) throw ImageFileError("truncated within the BMP header");
  if (text_of(file.first(2)) != "BM") throw ImageFileError("not a BMP");
  BmpLayout layout;
  const std::uint64_t header_bytes = little_endian(file, bmp_field::header_bytes, 4);
  if (!is_bmp_header(header_bytes)) {
    throw ImageFileError(
        fmt::format("a BMP with a header of {} bytes is not supported", header_bytes));
  }
  layout.header_bytes = static_cast<std::size_t>(header_bytes);
  const std::size_t header_end = bmp_file_header_bytes + layout.header_bytes;
  if (file.size() < header_end) throw ImageFileError("truncated within the BMP header");
  const Fields fields{file, header_end};
  const bool core = layout.is_core();
  layout.width =
      core ? static_cast<std::int64_t>(fields(18, 2)) : fields.with_sign(bmp_field::width);
  layout.height =
      core ? static_cast<std::int64_t>(fields(20, 2)) : fields.with_sign(bmp_field::height);
  layout.is_top_down = layout.height < 0;
  layout.height = layout.is_top_down ? -layout.height : layout.height;
  layout.pixels_at = static_cast<std::size_t>(fields(bmp_field::pixels_at, 4));
  const std::uint64_t planes = core ? fields(22, 2) : fields(bmp_field::planes, 2);
  const std::uint64_t bits = core ? fields(24, 2) : fields(bmp_field::bits, 2);
  const std::uint64_t method = core ? compression::none : fields(bmp_field::compression, 4);
  layout.bits = static_cast<int>(bits);
  refuse_compression(method, layout.bits, is_of_os2(layout.header_bytes));
  layout.has_run_lengths =
      method == compression::run_lengths_8 || method == compression::run_lengths_4;
  constexpr int depths[] = {1, 2, 4, 8, 16, 24, 32};
  if (std::ranges::count(depths, layout.bits) == 0) {
    throw ImageFileError(fmt::format("a BMP of {} bits per pixel is not supported", bits));
  }
  if (planes > 1) throw ImageFileError(fmt::format("a BMP of {} planes is not supported", planes));
  if (layout.has_run_lengths && layout.bits != (method == compression::run_lengths_8 ? 8 : 4)) {
    throw ImageFileError(fmt::format("damaged: run lengths of {} bits per pixel", bits));
  }

  layout.masks = masks_of(fields, method, layout.bits);
  const bool masks_follow = layout.header_bytes == 40 && (method == compression::masks ||
                                                          method == compression::masks_with_alpha);
  const std::size_t mask_bytes = method == compression::masks_with_alpha ? 16 : 12;
  layout.palette_at = header_end + (masks_follow ? mask_bytes : 0);
  if (layout.pixels_at < layout.palette_at) {
    throw ImageFileError("damaged: the pixels of the BMP begin within its header");
  }
  layout.colour_bytes = core ? 3 : 4;
  check_size(layout, file);
  if (layout.has_palette()) {
    const std::size_t all = std::size_t{1} << bits;
    const std::uint64_t used = fields(bmp_field::colours, 4);
    constexpr std::uint64_t most = 65536;  // some files have more than a pixel can name
    if (used > most) throw ImageFileError(fmt::format("damaged: a palette of {} colours", used));
    const std::size_t room = (layout.pixels_at - layout.palette_at) / layout.colour_bytes;
    // Some writers leave out colours that no pixel has, but do not count them.
    if (room < std::min<std::uint64_t>(used, all)) {
      throw ImageFileError("damaged: the pixels of the BMP begin within its palette");
    }
    layout.colours = std::min({used == 0 ? all : static_cast<std::size_t>(used), all, room});
  }
  read_profile(layout, fields);
  return layout;
}

// Run lengths of a BMP's palette indices, of 4 or 8 bits.

struct BmpRunLengths {
  std::size_t bytes = 0;              ///< that they take
  std::uint64_t left_out_pixels = 0;  ///< they have no colour
};

class Reader {
 public:
  Reader(const BmpLayout& layout, std::span<const std::byte> data, std::uint8_t* first_row,
         std::int64_t row_step)
      : layout_(layout),
        data_(data),
        first_row_(first_row),
        row_step_(row_step),
        row_end_((layout.width * layout.bits + 31) / 32 * 32 / layout.bits) {}

  BmpRunLengths run() {
    while (!is_complete() || next_belongs_to_it()) {
      const int count = next(), value = next();
      if (count > 0) {
        write(count, [&](int i) { return index_in(value, i); });
      } else if (value == end_of_picture) {
        break;
      } else if (value == end_of_row) {
        if (y_ == layout_.height) break;  // one more after the last row
        go_to(0, y_ + 1);
      } else if (value == move) {
        const int right = next(), up = next();
        go_to(x_ + right, y_ + up);
      } else {
        write_plain(value);
      }
    }
    const auto all = static_cast<std::uint64_t>(layout_.width * layout_.height);
    return {at_, all - written_};
  }

 private:
  static constexpr int end_of_row = 0, end_of_picture = 1, move = 2;

  bool is_complete() const {
    return y_ == layout_.height || (y_ == layout_.height - 1 && x_ >= layout_.width);
  }

  // The last end of a row and the end of the picture may be missing.
  bool next_belongs_to_it() const {
    if (data_.size() - at_ < 2) return false;
    const int count = std::to_integer<int>(data_[at_]),
              value = std::to_integer<int>(data_[at_ + 1]);
    return count == 0 ? value == end_of_row || value == end_of_picture
                      : y_ < layout_.height && x_ + count <= row_end_;
  }

  int next() {
    if (at_ == data_.size()) {
      throw ImageFileError(fmt::format("truncated after {} of {} rows", y_, layout_.height));
    }
    return std::to_integer<int>(data_[at_++]);
  }

  // Two indices of 4 bits take turns.
  std::uint8_t index_in(int byte, int i) const {
    if (layout_.bits == 8) return static_cast<std::uint8_t>(byte);
    return static_cast<std::uint8_t>(i % 2 == 0 ? byte >> 4 : byte & 15);
  }

  void write_plain(int count) {
    const auto bytes = static_cast<std::size_t>((count * layout_.bits + 15) / 16 * 2);
    if (data_.size() - at_ < bytes) {
      throw ImageFileError(fmt::format("truncated after {} of {} rows", y_, layout_.height));
    }
    const std::span plain = data_.subspan(at_, bytes);
    const int in_a_byte = 8 / layout_.bits;
    write(count, [&](int i) {
      return index_in(std::to_integer<int>(plain[static_cast<std::size_t>(i / in_a_byte)]), i);
    });
    at_ += bytes;
  }

  template <typename Index>
  void write(int count, Index index) {
    if (y_ >= layout_.height || x_ + count > row_end_) leads_out();
    const auto inside = static_cast<int>(std::clamp<std::int64_t>(layout_.width - x_, 0, count));
    if (first_row_) {
      std::uint8_t* to = first_row_ + y_ * row_step_ + x_;
      for (int i = 0; i < inside; ++i) to[i] = index(i);
    }
    written_ += static_cast<std::uint64_t>(inside);
    x_ += count;
  }

  void go_to(std::int64_t x, std::int64_t y) {
    if (x > row_end_ || y > layout_.height) leads_out();
    x_ = x;
    y_ = y;
  }

  [[noreturn]] void leads_out() const {
    throw ImageFileError(fmt::format("damaged: run lengths lead out of row {}", y_));
  }

  const BmpLayout& layout_;
  const std::span<const std::byte> data_;
  std::uint8_t* const first_row_;
  const std::int64_t row_step_;
  const std::int64_t row_end_;  // with what fills up its last word
  std::size_t at_ = 0;
  std::int64_t x_ = 0, y_ = 0;
  std::uint64_t written_ = 0;
};

// Reads those at the beginning of `data`. The rows of indices are written in the order of the
// file, a byte each: the first at `first_row`, the next `row_step` bytes further. Pixels that are
// left out keep what is there. Null: nothing is written.
//
// Throws ImageFileError when they end too early or lead out of the picture. They may fill up a row
// to whole words of 32 bits, as some writers let them.
BmpRunLengths read_run_lengths(const BmpLayout& layout, std::span<const std::byte> data,
                               std::uint8_t* first_row, std::int64_t row_step) {
  return Reader(layout, data, first_row, row_step).run();
}

using std::string_view_literals::operator""sv;

struct BmpExtras final : Extras {
  BmpLayout layout;
  Bytes head;  ///< the file up to its pixels
  Bytes tail;  ///< what follows them up to the end of the profile

  std::shared_ptr<Extras> copy() const override { return std::make_shared<BmpExtras>(*this); }
};

// A palette index, or the bytes of a pixel.
Page stored_page(const BmpLayout& layout) {
  Page page{.width = layout.width, .height = layout.height, .channels = 1};
  if (layout.bits == 16) page.type = SampleFormat::u16;
  if (layout.bits > 16) page.channels = layout.bits / 8;
  return page;
}

std::span<const std::byte> palette_of(const BmpLayout& layout, std::span<const std::byte> file) {
  return file.subspan(layout.palette_at, layout.colours * layout.colour_bytes);
}

bool is_grey(std::span<const std::byte> palette, std::size_t colour_bytes) {
  for (std::size_t at = 0; at < palette.size(); at += colour_bytes) {
    if (palette[at] != palette[at + 1] || palette[at] != palette[at + 2]) return false;
  }
  return true;
}

// The page as another format gets it, without memory.
Page shown_page(const BmpLayout& layout, std::span<const std::byte> file) {
  Page page = stored_page(layout);
  if (layout.has_palette()) {
    page.channels = is_grey(palette_of(layout, file), layout.colour_bytes) ? 1 : 3;
  } else {
    page.channels = layout.masks.channels();
    page.type = layout.masks.type();
  }
  return page;
}

// Where the pixels end in the file, with the run lengths that were read.
std::size_t pixels_end(const BmpLayout& layout, std::span<const std::byte> file,
                       const BmpRunLengths& read) {
  if (!layout.has_run_lengths) {
    return layout.pixels_at + static_cast<std::size_t>(layout.plain_bytes());
  }
  const std::size_t end = layout.pixels_at + read.bytes;
  const std::size_t said = layout.pixels_at + little_endian(file, bmp_field::pixel_bytes, 4);
  return said <= file.size() ? std::max(end, said) : end;
}

std::size_t picture_end(const BmpLayout& layout, std::span<const std::byte> file,
                        const BmpRunLengths& read) {
  return std::max(pixels_end(layout, file, read), layout.profile_at + layout.profile_bytes);
}

std::int64_t row_in_file(const BmpLayout& layout, std::int64_t y, std::int64_t height) {
  return layout.is_top_down ? y : height - 1 - y;
}

BmpRunLengths read_rows(const BmpLayout& layout, std::span<const std::byte> file, const Page& page,
                        const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  auto* const pixels = static_cast<std::uint8_t*>(page.pixels);
  const std::span data = file.subspan(layout.pixels_at);
  if (layout.has_run_lengths) {
    std::fill_n(pixels, page.bytes(), std::uint8_t{0});
    const std::int64_t first = row_in_file(layout, 0, page.height);
    const auto read = read_run_lengths(layout, data, pixels + first * page.row_bytes(),
                                       layout.is_top_down ? page.row_bytes() : -page.row_bytes());
    if (read.left_out_pixels > 0) {
      warnings.push_back(
          fmt::format("{} pixels that its run lengths leave out get the palette's first colour",
                      read.left_out_pixels));
    }
    return read;
  }
  const auto* row = reinterpret_cast<const std::uint8_t*>(data.data());
  for (std::int64_t y = 0; y < page.height; ++y, row += layout.row_bytes()) {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
    unpack_bits(row, layout.bits, page.width,
                pixels + row_in_file(layout, y, page.height) * page.row_bytes(),
                page.pixel_bytes());
  }
  return {};
}

void show_indices(const BmpLayout& layout, std::span<const std::byte> palette, const Page& stored,
                  const Page& shown) {
  const std::span indices(static_cast<const std::uint8_t*>(stored.pixels), stored.bytes());
  auto* to = static_cast<std::byte*>(shown.pixels);
  for (const std::uint8_t index : indices) {
    if (index >= layout.colours) {
      throw ImageFileError("damaged: a pixel has no colour in the palette");
    }
    const std::size_t at = index * layout.colour_bytes;
    if (shown.channels == 3) {
      *to++ = palette[at + 2];
      *to++ = palette[at + 1];
    }
    *to++ = palette[at];
  }
}

Page show(const Page& stored, const BmpLayout& layout, std::span<const std::byte> file,
          PixelArena& arena, const std::atomic<bool>& stop) {
  Page shown = shown_page(layout, file);
  if (!layout.has_palette() && !layout.masks.can_expand()) {
    throw ImageFileError(
        "a BMP whose channels have more than 16 bits, or bits apart from each "
        "other, cannot become another format");
  }
  shown.pixels = arena.take(shown.bytes());
  if (stop) throw Interrupted();
  if (layout.has_palette()) {
    show_indices(layout, palette_of(layout, file), stored, shown);
  } else {
    expand_channels(layout.masks, {static_cast<const std::byte*>(stored.pixels), stored.bytes()},
                    static_cast<std::size_t>(stored.pixel_bytes()), shown.pixels);
  }
  return shown;
}

// Many programs keep an alpha there that the header does not declare.
void warn_of_fourth_byte(const BmpLayout& layout, const Page& stored,
                         std::vector<std::string>& warnings) {
  const auto& masks = layout.masks.of;
  if (layout.has_palette() || stored.pixel_bytes() != 4 || masks[3] != 0) return;
  const std::span pixels(static_cast<const std::byte*>(stored.pixels), stored.bytes());
  if (bits_everywhere(pixels, 4, ~(masks[0] | masks[1] | masks[2])) == Bits::mixed) {
    warnings.emplace_back("its header does not declare the fourth byte, which is not kept");
  }
}

Header read_header(std::span<const std::byte> file) {
  const BmpLayout layout = read_bmp_layout(file);
  const Page stored = stored_page(layout), shown = shown_page(layout, file);
  Header header = header_of_size({layout.width, layout.height});
  header.pixel_bytes_total = stored.bytes();
  header.shown_bytes_total = shown.bytes();
  // The head, and what stands around a profile that the file has anywhere.
  header.decoding_bytes =
      (1 << 20) + layout.pixels_at + (layout.profile_bytes == 0 ? 0 : file.size());
  // Rows that were columns have other padding.
  header.encoding_bytes = header.decoding_bytes + layout.plain_bytes() +
                          4 * static_cast<std::uint64_t>(std::max(layout.width, layout.height));
  if (layout.has_run_lengths) header.storage_change = "run lengths become plain pixels";
  return header;
}

// Pixels per metre, to the right and up. Where one is not given, it is 0.
std::optional<Resolution> resolution_of(std::span<const std::byte> file, const BmpLayout& layout) {
  constexpr std::size_t end = bmp_field::up_resolution + 4;
  if (layout.is_core() || bmp_file_header_bytes + layout.header_bytes < end) return std::nullopt;
  const auto number = [&](std::size_t at) {
    return static_cast<double>(little_endian(file, at, 4));
  };
  return resolution_in(number(bmp_field::right_resolution), number(bmp_field::up_resolution), 1);
}

Image decode(std::span<const std::byte> file, Samples samples, PixelArena& arena,
             const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  auto extras = std::make_shared<BmpExtras>();
  const BmpLayout& layout = extras->layout = read_bmp_layout(file);
  Page page = stored_page(layout);
  page.pixels = arena.take(page.bytes());
  const BmpRunLengths read = read_rows(layout, file, page, stop, warnings);
  warn_of_trailing_data(file, picture_end(layout, file, read), warnings);
  const auto profile = file.subspan(layout.profile_at, layout.profile_bytes);
  if (samples == Samples::for_another_format) {
    warn_of_fourth_byte(layout, page, warnings);
    page = show(page, layout, file, arena, stop);
    if (layout.profile_is_linked) {
      warnings.emplace_back("its colour profile, another file, is not kept");
    } else {
      extras->metadata.icc.assign(profile.begin(), profile.end());
    }
  } else {
    const std::size_t end = pixels_end(layout, file, read);
    if (layout.profile_bytes > 0 && layout.profile_at < end &&
        layout.profile_at + layout.profile_bytes > layout.pixels_at) {
      throw ImageFileError("damaged: the colour profile lies within the pixels");
    }
    extras->head.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(layout.pixels_at));
    const std::size_t after = picture_end(layout, file, read);
    extras->tail.assign(file.begin() + static_cast<std::ptrdiff_t>(end),
                        file.begin() + static_cast<std::ptrdiff_t>(after));
  }
  extras->metadata.resolution = resolution_of(file, layout);
  return {.format = &codec,
          .stored = Orientation::identity,
          .pages = {page},
          .extras = std::move(extras)};
}

constexpr std::size_t info_header_bytes = 40, alpha_header_bytes = 108;

// The headers for a picture from another format, its sizes not yet said: grey by a palette, else 24
// bits; alpha needs the masks of a header of 108 bytes.
Bytes head_of(const Page& page, const std::optional<Resolution>& resolution) {
  const bool grey = page.channels == 1, alpha = page.channels == 4;
  const std::size_t header_bytes = alpha ? alpha_header_bytes : info_header_bytes;
  const std::size_t colours = grey ? 256 : 0;
  Bytes head(bmp_file_header_bytes + header_bytes + 4 * colours);
  const auto put = [&](std::size_t at, std::size_t bytes, std::uint64_t value) {
    put_little_endian(head, at, bytes, value);
  };
  std::ranges::copy(bytes_of("BM"), head.begin());
  put(bmp_field::file_bytes, 4, 1);  // 0 would stay 0
  put(bmp_field::pixels_at, 4, head.size());
  put(bmp_field::header_bytes, 4, header_bytes);
  put(bmp_field::planes, 2, 1);
  put(bmp_field::bits, 2, 8 * static_cast<std::uint64_t>(page.channels));
  put(bmp_field::pixel_bytes, 4, 1);
  if (resolution) {
    const auto rounded = [](double value) {
      return static_cast<std::uint64_t>(std::lround(value));
    };
    put(bmp_field::right_resolution, 4, rounded(resolution->x));
    put(bmp_field::up_resolution, 4, rounded(resolution->y));
  }
  if (alpha) {
    constexpr std::uint64_t by_masks = 3, srgb = 0x73524742;
    put(bmp_field::compression, 4, by_masks);
    put(bmp_field::colour_space, 4, srgb);
    for (std::size_t i = 0; i < 4; ++i) put(bmp_field::masks + 4 * i, 4, masks_of_888(true).of[i]);
  }
  for (std::size_t i = 0; i < colours; ++i) {
    put(bmp_file_header_bytes + header_bytes + 4 * i, 4, i << 16 | i << 8 | i);
  }
  return head;
}

// Says in the head what depends on the picture's size. Sizes in bytes that are 0 stay 0.
void set_sizes(Bytes& head, const BmpLayout& layout, std::size_t tail_bytes) {
  const auto put = [&](std::size_t at, std::size_t bytes, std::uint64_t value) {
    if (at + bytes <= bmp_file_header_bytes + layout.header_bytes) {
      put_little_endian(head, at, bytes, value);
    }
  };
  const auto is_said = [&](std::size_t at) { return little_endian(head, at, 4) != 0; };
  const auto width = static_cast<std::uint64_t>(layout.width);
  const auto height = static_cast<std::uint64_t>(layout.height);
  const std::uint64_t end = layout.pixels_at + layout.plain_bytes();
  constexpr std::uint64_t most_bytes = 0xFFFFFFFF, most_pixels = 0x7FFFFFFF;
  if (std::max(width, height) > most_pixels || end + tail_bytes > most_bytes) {
    throw ImageFileError("the picture is too large for a BMP, which has at most 4 GiB");
  }
  if (is_said(bmp_field::file_bytes)) put(bmp_field::file_bytes, 4, end + tail_bytes);
  if (layout.is_core()) {
    put(bmp_field::width, 2, width);
    put(bmp_field::core_height, 2, height);
    return;
  }
  put(bmp_field::width, 4, width);
  put(bmp_field::height, 4, layout.is_top_down ? -height : height);
  if (layout.has_run_lengths) put(bmp_field::compression, 4, 0);
  if (layout.header_bytes >= 24 && is_said(bmp_field::pixel_bytes)) {
    put(bmp_field::pixel_bytes, 4, layout.plain_bytes());
  }
  if (tail_bytes > 0) {
    put(bmp_field::profile_at, 4, end + tail_bytes - layout.profile_bytes - bmp_file_header_bytes);
  }
}

void exchange_resolutions(Bytes& head, const BmpLayout& layout) {
  constexpr std::size_t right = bmp_field::right_resolution, up = bmp_field::up_resolution;
  if (bmp_file_header_bytes + layout.header_bytes < up + 4) return;
  const std::uint64_t was_right = little_endian(head, right, 4);
  put_little_endian(head, right, 4, little_endian(head, up, 4));
  put_little_endian(head, up, 4, was_right);
}

Bytes write(const Page& page, const BmpLayout& layout, Bytes file, std::span<const std::byte> tail,
            bool is_rgb, const std::atomic<bool>& stop) {
  set_sizes(file, layout, tail.size());
  file.reserve(layout.pixels_at + static_cast<std::size_t>(layout.plain_bytes()) + tail.size());
  Bytes row(static_cast<std::size_t>(layout.row_bytes()));
  auto* const bytes = reinterpret_cast<std::uint8_t*>(row.data());
  for (std::int64_t y = 0; y < page.height; ++y) {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
    const auto* from = static_cast<const std::uint8_t*>(page.pixels) +
                       row_in_file(layout, y, page.height) * page.row_bytes();
    pack_bits(from, page.pixel_bytes(), layout.bits, page.width, bytes);
    for (std::int64_t x = 0; is_rgb && x < page.width; ++x) {
      std::swap(bytes[x * page.channels], bytes[x * page.channels + 2]);
    }
    file.insert(file.end(), row.begin(), row.end());
  }
  file.insert(file.end(), tail.begin(), tail.end());
  return file;
}

constexpr Capacity capacity = {
    .samples = bit_of(SampleFormat::u8), .channels = [](int count, Meaning::Alpha alpha) {
      return count == 1 || count == 3 || (count == 4 && alpha == Meaning::Alpha::unassociated);
    }};

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>&) {
  const Page& page = image.pages.front();
  const auto* extras = dynamic_cast<const BmpExtras*>(image.extras.get());
  if (image.format != &codec || !extras || extras->head.empty()) {
    check_fits(image, codec.name, capacity);
    Bytes head = head_of(page, image.extras ? image.extras->metadata.resolution : std::nullopt);
    const BmpLayout layout{
        .header_bytes = page.channels == 4 ? alpha_header_bytes : info_header_bytes,
        .width = page.width,
        .height = page.height,
        .bits = 8 * page.channels,
        .pixels_at = head.size()};
    return write(page, layout, std::move(head), {}, page.channels >= 3, stop);
  }
  BmpLayout layout = extras->layout;
  layout.width = page.width;
  layout.height = page.height;
  Bytes head = extras->head;
  if (swaps_axes(applied)) exchange_resolutions(head, layout);
  return write(page, layout, std::move(head), extras->tail, false, stop);
}

void check(std::span<const std::byte> file, MetadataCheck& check) {
  const std::uint64_t says = little_endian(file, bmp_field::file_bytes, 4);
  // Some writers leave it empty.
  if (says != 0 && says != file.size()) {
    check.add(fmt::format("the header says {} bytes, the file has {}", says, file.size()));
  }
  const BmpLayout layout = read_bmp_layout(file);
  BmpRunLengths read;
  if (layout.has_run_lengths) {
    read = read_run_lengths(layout, file.subspan(layout.pixels_at), nullptr, 0);
  }
  check.trailing_data(file, picture_end(layout, file, read));
}

// The headers and the palette, without what depends on the size.
std::vector<FilePart> parts(std::span<const std::byte> file, Orientation applied) {
  const BmpLayout layout = read_bmp_layout(file);
  Bytes head(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(layout.pixels_at));
  const auto clear = [&](std::size_t at, std::size_t bytes) {
    if (at + bytes <= bmp_file_header_bytes + layout.header_bytes)
      std::fill_n(&head[at], bytes, std::byte{0});
  };
  clear(bmp_field::file_bytes, 4);
  clear(bmp_field::width, layout.is_core() ? 4 : 8);
  if (!layout.is_core()) {
    if (layout.has_run_lengths || layout.has_palette()) clear(bmp_field::compression, 4);
    clear(bmp_field::pixel_bytes, 4);
    clear(bmp_field::profile_at, 4);
    if (swaps_axes(applied)) exchange_resolutions(head, layout);
  }
  return {FilePart::of_copy(FilePart::fixed, "the header with its palette", head),
          {FilePart::fixed, "the colour profile",
           file.subspan(layout.profile_at, layout.profile_bytes)}};
}

// OS/2 has the hot spot of a pointer in two words that are 0 elsewhere.
bool recognises(std::span<const std::byte> head, std::string_view) {
  const std::string_view text = text_of(head);
  return text.starts_with("BM") && text.size() >= 18 &&
         (text.substr(6, 4) == "\0\0\0\0"sv || is_bmp_header(little_endian(head, 14, 4)));
}

}  // namespace

const Codec codec = {
    .name = "bmp",
    .suffixes = {".bmp", ".dib"},
    .recognises = recognises,
    .read_header = read_header,
    .decode = decode,
    .encode = encode,
    .check = check,
    .parts = parts,
};

}  // namespace qturn::bmp
