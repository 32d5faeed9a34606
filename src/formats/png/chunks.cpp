#include "src/formats/png/chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "src/formats/codec/zlib.hpp"
#include "src/formats/png/orientation_metadata.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/resolution.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::png {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::size_t overhead = 12;  // length, type, checksum

std::uint32_t u32(std::span<const std::byte> data, std::size_t at) {
  return static_cast<std::uint32_t>(big_endian(data, at, 4));
}

void append_u32(Bytes& to, std::uint32_t value) {
  to.resize(to.size() + 4);
  put_big_endian(to, to.size() - 4, 4, value);
}

// A file that holds the signature, with room for more.
Bytes begin_png(std::size_t expected_bytes) {
  Bytes file;
  file.reserve(expected_bytes);
  append(file, signature);
  return file;
}

void refuse_of_apps(std::string_view type) {
  if (type == "CgBI")
    throw ImageFileError(
        "a PNG of an app for iPhones (CgBI), which only those read, is not supported");
}

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

}  // namespace

void append_png_chunk(Bytes& to, std::string_view type, std::span<const std::byte> data) {
  append_u32(to, static_cast<std::uint32_t>(data.size()));
  const std::size_t summed = to.size();
  append(to, type);
  append(to, data);
  append_u32(to, crc32(std::span(to).subspan(summed)));
}

std::vector<PngChunk> png_chunks(std::span<const std::byte> file) {
  const std::string_view text = text_of(file);
  if (!text.starts_with(signature)) throw ImageFileError("is not a PNG");
  std::vector<PngChunk> chunks;
  for (std::size_t at = signature.size();;) {
    if (file.size() - at < overhead)
      throw ImageFileError("truncated: the end of the PNG is missing");
    const std::uint64_t length = u32(file, at);
    const std::string_view type = text.substr(at + 4, 4);
    if (!std::all_of(type.begin(), type.end(), is_letter)) {
      throw ImageFileError(
          fmt::format("damaged: no PNG chunk where one should begin, at byte {}", at));
    }
    if (length > file.size() - at - overhead) {
      throw ImageFileError(fmt::format("truncated: the file ends within a PNG chunk ({})", type));
    }
    const auto size = static_cast<std::size_t>(length);
    if (crc32(file.subspan(at + 4, size + 4)) != u32(file, at + 8 + size)) {
      throw ImageFileError(fmt::format("damaged: wrong checksum of a PNG chunk ({})", type));
    }
    if (chunks.empty()) refuse_of_apps(type);
    if (chunks.empty() != (type == "IHDR")) throw ImageFileError("damaged: misplaced PNG header");
    chunks.push_back({type, file.subspan(at + 8, size), file.subspan(at, size + overhead)});
    if (type == "IEND") break;
    at += size + overhead;
  }
  if (chunks.front().data.size() != 13) throw ImageFileError("damaged: PNG header of a wrong size");
  return chunks;
}

std::vector<PngChunk> damaged_png_chunks(std::span<const std::byte> file) {
  const std::string_view text = text_of(file);
  if (!text.starts_with(signature)) throw ImageFileError("is not a PNG");
  constexpr std::array needed = {"IHDR"sv, "PLTE"sv, "tRNS"sv, "IDAT"sv};
  constexpr std::array kept = {"eXIf"sv, "iTXt"sv, "iCCP"sv, "tEXt"sv,
                               "zTXt"sv, "orNT"sv, "pHYs"sv};
  constexpr std::size_t before_data = 8;
  std::vector<PngChunk> chunks;
  for (std::size_t at = signature.size(); file.size() - at > before_data;) {
    const std::string_view type = text.substr(at + 4, 4);
    refuse_of_apps(type);
    if (type == "acTL") throw ImageFileError("an animated PNG is not salvaged");
    if (type == "IEND" || !std::all_of(type.begin(), type.end(), is_letter)) break;
    const std::size_t left = file.size() - at - before_data;
    const std::size_t size = std::min<std::size_t>(u32(file, at), left);
    const bool is_whole =
        left >= size + 4 && u32(file, at) == size &&
        crc32(file.subspan(at + 4, size + 4)) == u32(file, at + before_data + size);
    // A palette without a colour would be damage.
    if ((size > 0 && std::ranges::count(needed, type) > 0) ||
        (is_whole && std::ranges::count(kept, type) > 0)) {
      chunks.push_back({type, file.subspan(at + before_data, size),
                        file.subspan(at, std::min(size + overhead, file.size() - at))});
    }
    if (left < size + 4) break;
    at += size + overhead;
  }
  if (chunks.empty() || chunks.front().type != "IHDR" || chunks.front().data.size() != 13) {
    throw ImageFileError("damaged: the header of the PNG is missing");
  }
  return chunks;
}

std::size_t bytes_after_png(const std::vector<PngChunk>& chunks, std::span<const std::byte> file) {
  const std::span<const std::byte> end = chunks.back().whole;
  return file.size() - static_cast<std::size_t>(end.data() - file.data()) - end.size();
}

void check_png_limits(std::span<const std::byte> file, const Limits& limits) {
  // Shorter ones are more to describe than to hold.
  constexpr std::uint64_t fewest_pixels = 64;
  MetadataCount metadata;
  std::uint64_t frames = 0;
  for (std::size_t at = signature.size(); at < file.size() && file.size() - at >= overhead;) {
    const std::uint64_t length = u32(file, at);
    const std::string_view type = text_of(file.subspan(at + 4, 4));
    const bool is_pixels = type == "IDAT" || type == "fdAT";
    // After IEND there are no chunks, and what is longer than the file takes no memory.
    if (type == "IEND" || length > file.size() - at - overhead) break;
    if (type == "fcTL") ++frames;
    if (!is_pixels || length < fewest_pixels) metadata.add(is_pixels ? 0 : length);
    at += static_cast<std::size_t>(length) + overhead;
  }
  check_limit(limits, &Limits::directories, frames);
  metadata.check(limits);
}

const PngChunk* find_chunk(const std::vector<PngChunk>& chunks, std::string_view type) {
  const auto found = std::find_if(chunks.begin(), chunks.end(),
                                  [&](const PngChunk& chunk) { return chunk.type == type; });
  return found == chunks.end() ? nullptr : &*found;
}

PngHeader png_header(const std::vector<PngChunk>& chunks) {
  const auto& data = chunks.front().data;
  return {.width = u32(data, 0),
          .height = u32(data, 4),
          .bit_depth = std::to_integer<int>(data[8]),
          .colour_type = std::to_integer<int>(data[9]),
          .interlaced = data[12] != std::byte{0}};
}

int channels(const PngHeader& header) {
  constexpr std::array of_colour_type = {1, 0, 3, 1, 2, 0, 4};
  return of_colour_type[static_cast<std::size_t>(header.colour_type)];
}

std::size_t bits_per_pixel(const PngHeader& header) {
  return static_cast<std::size_t>(channels(header)) * static_cast<std::size_t>(header.bit_depth);
}

Orientation png_orientation(const std::vector<PngChunk>& chunks) {
  using Certainty = StoredOrientation::Certainty;
  const auto says = [](std::span<const std::byte> block) {
    return stored_orientation(exif_body(block)).certainty == Certainty::present;
  };
  for (const PngChunk& chunk : chunks) {
    if (chunk.type != "eXIf") continue;
    const Orientation stored = orientation_of_exif(chunk.data);
    if (says(chunk.data)) return stored;
    break;
  }
  for (const PngChunk& chunk : chunks) {
    const auto block = raw_exif(chunk);
    if (block && says(*block)) return orientation_of_exif(*block);
  }
  for (const PngChunk& chunk : chunks) {
    if (const auto orientation = png_ornt(chunk)) return *orientation;
  }
  return Orientation::identity;
}

std::optional<Orientation> png_ornt(const PngChunk& chunk) {
  if (chunk.type != "orNT" || chunk.data.size() != 1) return std::nullopt;
  return orientation_of_tag(std::to_integer<std::uint64_t>(chunk.data[0]));
}

Metadata png_metadata(const std::vector<PngChunk>& chunks) {
  Metadata metadata;
  for (const PngChunk& chunk : chunks) {
    if (chunk.type == "eXIf" && metadata.exif.empty()) {
      metadata.exif = upright_exif(exif_body(chunk.data));
    } else if (is_png_xmp(chunk)) {
      metadata.xmp = png_xmp(chunk);
    } else if (chunk.type == "pHYs" && chunk.data.size() == 9 && chunk.data[8] == std::byte{1}) {
      metadata.resolution = resolution_in(u32(chunk.data, 0), u32(chunk.data, 4), 1);
    }
  }
  for (const PngChunk& chunk : chunks) {
    if (!metadata.exif.empty()) break;
    if (const auto block = raw_exif(chunk)) metadata.exif = upright_exif(exif_body(*block));
  }
  return metadata;
}

Bytes png_skeleton(const std::vector<PngChunk>& chunks) {
  Bytes skeleton = begin_png(1024);
  bool pixels = false;
  const bool animated = is_animated(chunks);
  for (const PngChunk& chunk : chunks) {
    if (chunk.type == "fdAT" && animated) continue;
    if (chunk.type != "IDAT") {
      append(skeleton, chunk.whole);
    } else if (!std::exchange(pixels, true)) {
      append_png_chunk(skeleton, chunk.type, {});
    }
  }
  return skeleton;
}

namespace {

// Chunks ready to be written again.
struct Ancillary {
  Bytes before_pixels, after_pixels;
};

// pHYs and oFFs: a number for each axis, exchanged here, and their unit.
Bytes exchanged_numbers(std::span<const std::byte> data) {
  Bytes turned(data.begin(), data.end());
  std::swap_ranges(turned.begin(), turned.begin() + 4, turned.begin() + 4);
  return turned;
}

// sCAL: a unit and the same as texts, with a zero between them.
Bytes exchanged_texts(std::span<const std::byte> data) {
  Bytes turned(data.begin(), data.end());
  const auto first = turned.begin() + 1;
  const auto between = std::find(first, turned.end(), std::byte{0});
  const auto bytes_of_first = between - first;
  std::rotate(first, between + 1, turned.end());
  std::rotate(turned.end() - bytes_of_first - 1, turned.end() - 1, turned.end());
  return turned;
}

// The orientation and what else of Exif and XMP turns is for turn_png_metadata().
void append_turned(Bytes& to, const PngChunk& chunk, Orientation applied,
                   std::vector<std::string>& warnings) {
  constexpr std::size_t numbers_bytes = 9;
  const bool swapped = swaps_axes(applied);
  if (chunk.data.size() == numbers_bytes &&
      ((chunk.type == "pHYs" && swapped) ||
       (chunk.type == "oFFs" && applied == Orientation::transpose))) {
    append_png_chunk(to, chunk.type, exchanged_numbers(chunk.data));
  } else if (chunk.type == "sCAL" && swapped && chunk.data.size() > 1 &&
             std::find(chunk.data.begin() + 1, chunk.data.end(), std::byte{0}) !=
                 chunk.data.end()) {
    append_png_chunk(to, chunk.type, exchanged_texts(chunk.data));
  } else if (chunk.type == "oFFs" && applied != Orientation::identity) {
    // It is measured from the left and top edges of the page, and another corner of the picture is
    // there after the turn.
    warnings.emplace_back(
        "its place on a page (oFFs) is left out, because the page's size is not known");
  } else {
    append(to, chunk.whole);
  }
}

constexpr std::size_t largest_chunk = 1 << 30;  // the format ends at 2^31

// Writes what belongs to an animation. Control chunks and pixels are numbered together.
class FrameWriter {
 public:
  FrameWriter(std::span<const std::span<const std::byte>> frames, Orientation applied, Size canvas)
      : frames_(frames), applied_(applied), canvas_(canvas) {}

  // The control chunk, turned.
  void append_control(Bytes& to, const PngChunk& control) {
    Bytes data(control.data.begin(), control.data.end());
    const FramePlace place = turned(png_frame_place(control), applied_, canvas_);
    std::size_t at = 0;
    for (const std::int64_t value :
         {std::int64_t{next_++}, place.width, place.height, place.x, place.y}) {
      put_big_endian(data, at, 4, static_cast<std::uint64_t>(value));
      at += 4;
    }
    append_png_chunk(to, control.type, data);
  }

  // The pixels of the next frame.
  void append_pixels(Bytes& to) {
    std::span<const std::byte> rest = frames_.front();
    frames_ = frames_.subspan(1);
    while (!rest.empty()) {
      const auto part = rest.first(std::min(rest.size(), largest_chunk));
      Bytes data;
      data.reserve(part.size() + 4);
      append_u32(data, next_++);
      append(data, part);
      append_png_chunk(to, "fdAT", data);
      rest = rest.subspan(part.size());
    }
  }

 private:
  std::span<const std::span<const std::byte>> frames_;
  Orientation applied_;
  Size canvas_;
  std::uint32_t next_ = 0;
};

Ancillary ancillary_of(const std::vector<PngChunk>& chunks,
                       std::span<const std::span<const std::byte>> frames, Orientation applied,
                       std::vector<std::string>& warnings) {
  Ancillary kept;
  bool after = false;
  const PngHeader header = png_header(chunks);
  FrameWriter writer(frames, applied, {header.width, header.height});
  const bool animated = is_animated(chunks);
  bool has_stray_frames = false;
  for (const PngChunk& chunk : chunks) {
    after |= chunk.type == "IDAT";
    if (chunk.type == "IHDR" || chunk.type == "IDAT" || chunk.type == "IEND") continue;
    if (chunk.type == "iDOT") continue;  // offsets into the pixels that were
    Bytes& to = after ? kept.after_pixels : kept.before_pixels;
    if (animated && chunk.type == "fcTL") {
      writer.append_control(to, chunk);
      if (after) writer.append_pixels(to);
    } else if (!animated && (chunk.type == "fcTL" || chunk.type == "fdAT")) {
      has_stray_frames = true;
    } else {
      append_turned(to, chunk, applied, warnings);
    }
  }
  if (has_stray_frames) {
    warnings.emplace_back("frames of an animation that it does not announce are left out");
  }
  return kept;
}

Ancillary ancillary_of(const Metadata& metadata) {
  Ancillary made;
  Bytes& to = made.before_pixels;
  if (!metadata.icc.empty()) {
    Bytes data;
    append(data, "ICC profile\0\0"sv);  // name, compression method
    append(data, zlib_of(metadata.icc));
    append_png_chunk(to, "iCCP", data);
  }
  if (metadata.resolution) {
    Bytes data;
    append_u32(data, static_cast<std::uint32_t>(std::lround(metadata.resolution->x)));
    append_u32(data, static_cast<std::uint32_t>(std::lround(metadata.resolution->y)));
    data.push_back(std::byte{1});  // per metre
    append_png_chunk(to, "pHYs", data);
  }
  if (!metadata.exif.empty()) append_png_chunk(to, "eXIf", upright_exif(metadata.exif));
  const auto add_text = [&](std::string_view keyword, std::string_view value) {
    if (value.empty()) return;
    Bytes data;
    append(data, keyword);
    // The keyword's end, not compressed, method 0, no language, no translated keyword.
    append(data, "\0\0\0\0\0"sv);
    append(data, value);
    append_png_chunk(to, "iTXt", data);
  };
  add_text("XML:com.adobe.xmp", metadata.xmp);
  add_text("Comment", metadata.comment);
  return made;
}

Bytes assemble(const PngHeader& header, std::span<const std::byte> pixels,
               const Ancillary& ancillary) {
  Bytes head;
  append_u32(head, header.width);
  append_u32(head, header.height);
  for (const int value :
       {header.bit_depth, header.colour_type, 0, 0, static_cast<int>(header.interlaced)}) {
    head.push_back(static_cast<std::byte>(value));
  }
  Bytes file = begin_png(pixels.size() + ancillary.before_pixels.size() +
                         ancillary.after_pixels.size() + 1024);
  append_png_chunk(file, "IHDR", head);
  append(file, ancillary.before_pixels);
  do {
    const auto part = pixels.first(std::min(pixels.size(), largest_chunk));
    append_png_chunk(file, "IDAT", part);
    pixels = pixels.subspan(part.size());
  } while (!pixels.empty());
  append(file, ancillary.after_pixels);
  append_png_chunk(file, "IEND", {});
  return file;
}

}  // namespace

Bytes assemble_png(const PngHeader& header, std::span<const std::byte> pixels,
                   std::span<const std::span<const std::byte>> frames,
                   std::span<const std::byte> skeleton, Orientation applied,
                   std::vector<std::string>& warnings) {
  return assemble(header, pixels, ancillary_of(png_chunks(skeleton), frames, applied, warnings));
}

Bytes assemble_png(const PngHeader& header, std::span<const std::byte> pixels,
                   const Metadata& metadata) {
  return assemble(header, pixels, ancillary_of(metadata));
}

namespace {

constexpr std::size_t control_bytes = 26, sequence_bytes = 4;

// Control chunks and pixels are numbered together.
void expect_number(const PngChunk& chunk, std::uint32_t& next) {
  if (chunk.data.size() < sequence_bytes || big_endian(chunk.data, 0, sequence_bytes) != next) {
    throw ImageFileError("damaged: the frames of the PNG are not in order");
  }
  ++next;
}

}  // namespace

bool is_animated(const std::vector<PngChunk>& chunks) {
  return find_chunk(chunks, "acTL") != nullptr;
}

FramePlace png_frame_place(const PngChunk& control) {
  const auto number = [&](std::size_t at) {
    return static_cast<std::int64_t>(big_endian(control.data, at, 4));
  };
  return {number(12), number(16), number(4), number(8)};
}

std::vector<PngFrame> png_frames(const std::vector<PngChunk>& chunks) {
  std::vector<PngFrame> frames;
  const PngChunk* animation = find_chunk(chunks, "acTL");
  if (!animation) return frames;
  if (animation->data.size() != 8) throw ImageFileError("damaged: an animated PNG without a count");
  const PngHeader header = png_header(chunks);
  const Size canvas{header.width, header.height};
  std::uint64_t controls = 0;
  std::uint32_t next = 0;
  bool has_picture = false, counted = false;
  for (const PngChunk& chunk : chunks) {
    if (chunk.type == "acTL") {
      if (counted || has_picture) throw ImageFileError("damaged: a misplaced chunk (acTL)");
      counted = true;
    } else if (chunk.type == "IDAT") {
      has_picture = true;
    } else if (chunk.type == "fcTL") {
      expect_number(chunk, next);
      ++controls;
      if (chunk.data.size() != control_bytes) throw ImageFileError("damaged: a frame of the PNG");
      const FramePlace place = png_frame_place(chunk);
      if (!place.is_within(canvas)) {
        throw ImageFileError(
            fmt::format("damaged: a frame of {} x {} pixels at {}, {} in a PNG of {} x {}",
                        place.width, place.height, place.x, place.y, canvas.width, canvas.height));
      }
      const bool is_picture = !has_picture;
      if (is_picture && (controls > 1 || place != FramePlace{0, 0, canvas.width, canvas.height})) {
        throw ImageFileError("damaged: the first frame of the PNG is not the picture");
      }
      if (!is_picture) frames.push_back({place, {}});
    } else if (chunk.type == "fdAT") {
      expect_number(chunk, next);
      if (frames.empty()) throw ImageFileError("damaged: pixels of a PNG without their frame");
      frames.back().pixels.push_back({"IDAT", chunk.data.subspan(sequence_bytes), {}});
    }
  }
  for (const PngFrame& frame : frames) {
    if (frame.pixels.empty()) throw ImageFileError("damaged: a frame of the PNG without pixels");
  }
  if (const std::uint64_t stated = big_endian(animation->data, 0, 4); stated != controls) {
    throw ImageFileError(
        fmt::format("damaged: {} frames in a PNG that says it has {}", controls, stated));
  }
  return frames;
}

}  // namespace qturn::png
