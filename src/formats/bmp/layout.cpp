#include "src/formats/bmp/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn::bmp {
namespace {

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

}  // namespace

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

}  // namespace qturn::bmp
