#include "src/formats/webp/chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "src/metadata/exif.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::webp {
namespace {

constexpr std::size_t riff_header_bytes = 12, chunk_header_bytes = 8;

// Flags of the VP8X chunk.
constexpr unsigned has_profile = 0x20, has_alpha = 0x10, has_exif = webp_has_exif, has_xmp = 0x04;

// The descriptor of a frame (ANMF) has its place, its delay, and flags.
constexpr std::size_t frame_bytes = 16, frame_flags_at = 15;
constexpr unsigned is_disposed = 0x01, does_not_blend = webp_takes_place;

std::uint32_t u32(std::span<const std::byte> data, std::size_t at) {
  return static_cast<std::uint32_t>(little_endian(data, at, 4));
}

std::int64_t u24(std::span<const std::byte> data, std::size_t at) {
  return static_cast<std::int64_t>(little_endian(data, at, 3));
}

void append_number(Bytes& to, std::uint64_t value, std::size_t bytes) {
  to.resize(to.size() + bytes);
  put_little_endian(to, to.size() - bytes, bytes, value);
}

void append_chunk(Bytes& to, std::string_view type, std::span<const std::byte> data) {
  append(to, type);
  append_number(to, data.size(), 4);
  append(to, data);
  if (data.size() % 2 != 0) to.push_back(std::byte{0});
}

// A chunk's data, as far as `end`.
WebpChunk read_chunk(std::span<const std::byte> file, std::size_t at, std::size_t end) {
  const std::string_view type = text_of(file.subspan(at, 4));
  const std::uint64_t size = u32(file, at + 4);
  if (size > end - at - chunk_header_bytes) {
    throw ImageFileError(fmt::format("truncated: the file ends within a WebP chunk ({})", type));
  }
  return {type, file.subspan(at + chunk_header_bytes, static_cast<std::size_t>(size))};
}

std::vector<WebpChunk> chunks_between(std::span<const std::byte> file, std::size_t begin,
                                      std::size_t end) {
  std::vector<WebpChunk> chunks;
  for (std::size_t at = begin; at + chunk_header_bytes <= end;) {
    chunks.push_back(read_chunk(file, at, end));
    const std::size_t size = chunks.back().data.size();
    at += chunk_header_bytes + size + size % 2;
  }
  return chunks;
}

bool is_bitmap(const WebpChunk& chunk) {
  return chunk.type == "VP8 " || chunk.type == "VP8L" || chunk.type == "ALPH";
}

struct CanvasFields {
  std::uint32_t width = 0, height = 0;
  bool alpha = false;
};

// The canvas as the pixels' own headers say it: RFC 9649, sections 2.6 and 3.4.
CanvasFields canvas_of(const std::vector<WebpChunk>& chunks) {
  CanvasFields canvas;
  for (const WebpChunk& chunk : chunks) {
    if (chunk.type == "VP8L" && chunk.data.size() >= 5) {
      const std::uint32_t bits = u32(chunk.data, 1);
      canvas = {(bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, (bits >> 28 & 1) != 0};
    } else if (chunk.type == "VP8 " && chunk.data.size() >= 10) {
      const std::uint32_t bits = u32(chunk.data, 6);
      canvas.width = bits & 0x3FFF;
      canvas.height = bits >> 16 & 0x3FFF;
    } else if (chunk.type == "ALPH") {
      canvas.alpha = true;
    }
  }
  return canvas;
}

}  // namespace

std::size_t webp_end(std::span<const std::byte> file) {
  return static_cast<std::size_t>(u32(file, 4)) + chunk_header_bytes;
}

std::vector<WebpChunk> webp_chunks(std::span<const std::byte> file) {
  if (file.size() < riff_header_bytes)
    throw ImageFileError("truncated: the WebP header is missing");
  const std::uint64_t riff_bytes = u32(file, 4);
  if (riff_bytes + chunk_header_bytes > file.size()) {
    throw ImageFileError(
        fmt::format("truncated: {} of {} bytes", file.size(), riff_bytes + chunk_header_bytes));
  }
  std::vector<WebpChunk> chunks = chunks_between(file, riff_header_bytes, webp_end(file));
  if (std::none_of(chunks.begin(), chunks.end(), is_webp_pixels)) {
    throw ImageFileError("truncated: a WebP without pixels");
  }
  return chunks;
}

void check_webp_limits(std::span<const std::byte> file, const Limits& limits) {
  MetadataCount metadata;
  std::uint64_t frames = 0;
  for (std::size_t at = riff_header_bytes;
       at < file.size() && file.size() - at >= chunk_header_bytes;) {
    const std::uint64_t size = u32(file, at + 4);
    const std::string_view type = text_of(file.subspan(at, 4));
    if (!is_webp_pixels({type, {}}) && type != "ALPH") metadata.add(size);
    if (size > file.size() - at - chunk_header_bytes) break;
    if (type == "ANMF" && size >= frame_bytes) {
      ++frames;
      at += chunk_header_bytes + frame_bytes;  // to the chunks within
      continue;
    }
    at += chunk_header_bytes + static_cast<std::size_t>(size + size % 2);
  }
  check_limit(limits, &Limits::directories, frames);
  metadata.check(limits);
}

bool webp_is_lossless(const std::vector<WebpChunk>& chunks) {
  return std::none_of(chunks.begin(), chunks.end(), [](const WebpChunk& chunk) {
    if (chunk.type != "ANMF" || chunk.data.size() < frame_bytes) return chunk.type == "VP8 ";
    return std::ranges::any_of(chunks_between(chunk.data, frame_bytes, chunk.data.size()),
                               [](const WebpChunk& part) { return part.type == "VP8 "; });
  });
}

bool is_webp_pixels(const WebpChunk& chunk) { return is_bitmap(chunk) || chunk.type == "ANMF"; }

std::optional<Size> webp_canvas(const std::vector<WebpChunk>& chunks) {
  const auto is_of = [](std::string_view type) {
    return [type](const WebpChunk& chunk) { return chunk.type == type; };
  };
  if (std::ranges::none_of(chunks, is_of("ANMF"))) return std::nullopt;
  const auto header = std::ranges::find_if(chunks, is_of("VP8X"));
  if (header == chunks.end() || header->data.size() < 10) {
    throw ImageFileError("damaged: an animated WebP without its size");
  }
  const Size canvas{u24(header->data, 4) + 1, u24(header->data, 7) + 1};
  constexpr std::int64_t most_pixels = 0xFFFFFFFF;  // RFC 9649, section 2.7
  if (canvas.width * canvas.height > most_pixels) {
    throw ImageFileError(
        fmt::format("damaged: an animated WebP of {} x {} pixels", canvas.width, canvas.height));
  }
  return canvas;
}

std::vector<WebpFrame> webp_frames(const std::vector<WebpChunk>& chunks) {
  std::vector<WebpFrame> frames;
  const Size canvas = webp_canvas(chunks).value_or(Size{});
  for (const WebpChunk& chunk : chunks) {
    if (is_bitmap(chunk)) throw ImageFileError("damaged: a WebP with frames and another picture");
    if (chunk.type != "ANMF") continue;
    const auto& data = chunk.data;
    if (data.size() < frame_bytes) throw ImageFileError("damaged: a frame of a WebP");
    const auto flags = std::to_integer<unsigned>(data[frame_flags_at]);
    frames.push_back(
        {.place = {2 * u24(data, 0), 2 * u24(data, 3), u24(data, 6) + 1, u24(data, 9) + 1},
         .blends = (flags & does_not_blend) == 0,
         .disposed = (flags & is_disposed) != 0,
         .described = data.first(frame_bytes),
         .chunks = chunks_between(data, frame_bytes, data.size())});
    if (std::ranges::any_of(frames.back().chunks,
                            [](const WebpChunk& part) { return part.type == "ANMF"; })) {
      throw ImageFileError("damaged: a frame within a frame of a WebP");
    }
    const FramePlace& place = frames.back().place;
    if (!place.is_within(canvas)) {
      throw ImageFileError(
          fmt::format("damaged: a frame of {} x {} pixels at {}, {} in a WebP of {} x {}",
                      place.width, place.height, place.x, place.y, canvas.width, canvas.height));
    }
  }
  return frames;
}

Orientation webp_orientation(const std::vector<WebpChunk>& chunks) {
  for (const WebpChunk& chunk : chunks) {
    if (chunk.type == "EXIF") return orientation_of_exif(chunk.data);
  }
  return Orientation::identity;
}

Metadata webp_metadata(const std::vector<WebpChunk>& chunks) {
  Metadata metadata;
  for (const WebpChunk& chunk : chunks) {
    if (chunk.type == "ICCP" && metadata.icc.empty()) {
      metadata.icc.assign(chunk.data.begin(), chunk.data.end());
    } else if (chunk.type == "EXIF" && metadata.exif.empty()) {
      metadata.exif = upright_exif(exif_body(chunk.data));
    } else if (chunk.type == "XMP " && metadata.xmp.empty()) {
      metadata.xmp = text_of(chunk.data);
    }
  }
  return metadata;
}

Bytes assemble_webp(const std::vector<WebpChunk>& chunks, const Metadata& metadata) {
  const CanvasFields canvas = canvas_of(chunks);
  const unsigned flags = (metadata.icc.empty() ? 0 : has_profile) | (canvas.alpha ? has_alpha : 0) |
                         (metadata.exif.empty() ? 0 : has_exif) |
                         (metadata.xmp.empty() ? 0 : has_xmp);
  Bytes body;
  append(body, "WEBP");
  // A picture without alpha and metadata is stored simply, as the pixels' chunk alone.
  const bool simple = flags == 0 || (flags == has_alpha && webp_is_lossless(chunks));
  if (!simple) {
    Bytes header;
    append_number(header, flags, 4);
    append_number(header, canvas.width - 1, 3);
    append_number(header, canvas.height - 1, 3);
    append_chunk(body, "VP8X", header);
    if (!metadata.icc.empty()) append_chunk(body, "ICCP", metadata.icc);
  }
  for (const WebpChunk& chunk : chunks) {
    if (is_bitmap(chunk)) append_chunk(body, chunk.type, chunk.data);
  }
  if (!metadata.exif.empty()) append_chunk(body, "EXIF", metadata.exif);
  if (!metadata.xmp.empty()) append_chunk(body, "XMP ", bytes_of(metadata.xmp));
  Bytes file;
  file.reserve(body.size() + chunk_header_bytes);
  append_chunk(file, "RIFF", body);
  return file;
}

Bytes webp_frame(std::span<const std::byte> encoded, std::span<const std::byte> described,
                 const FramePlace& place, std::span<const OwnedWebpChunk> others) {
  Bytes frame(described.begin(), described.end());
  std::size_t at = 0;
  for (const std::int64_t value : {place.x / 2, place.y / 2, place.width - 1, place.height - 1}) {
    put_little_endian(frame, at, 3, static_cast<std::uint64_t>(value));
    at += 3;
  }
  for (const WebpChunk& chunk : webp_chunks(encoded)) {
    if (is_bitmap(chunk)) append_chunk(frame, chunk.type, chunk.data);
  }
  for (const OwnedWebpChunk& chunk : others) append_chunk(frame, chunk.type, chunk.data);
  return frame;
}

Bytes assemble_webp(std::span<const OwnedWebpChunk> skeleton,
                    std::span<const OwnedWebpChunk> pixels, Size canvas, bool alpha) {
  std::size_t bytes = riff_header_bytes;
  for (const auto& chunks : {skeleton, pixels}) {
    for (const OwnedWebpChunk& chunk : chunks) bytes += chunk.data.size() + chunk_header_bytes + 1;
  }
  Bytes file(riff_header_bytes);
  std::ranges::copy(bytes_of("RIFF"), file.begin());
  std::ranges::copy(bytes_of("WEBP"), file.begin() + chunk_header_bytes);
  file.reserve(bytes);
  for (const OwnedWebpChunk& chunk : skeleton) {
    if (chunk.type.empty()) {
      for (const OwnedWebpChunk& part : pixels) append_chunk(file, part.type, part.data);
    } else if (chunk.type == "VP8X" && chunk.data.size() >= 10) {
      Bytes header = chunk.data;
      if (alpha) header[0] |= std::byte{has_alpha};
      put_little_endian(header, 4, 3, static_cast<std::uint64_t>(canvas.width - 1));
      put_little_endian(header, 7, 3, static_cast<std::uint64_t>(canvas.height - 1));
      append_chunk(file, chunk.type, header);
    } else {
      append_chunk(file, chunk.type, chunk.data);
    }
  }
  put_little_endian(file, 4, 4, file.size() - chunk_header_bytes);
  return file;
}

Bytes write_webp(const std::vector<std::pair<std::string_view, Bytes>>& chunks) {
  Bytes body;
  append(body, "WEBP");
  for (const auto& [type, data] : chunks) append_chunk(body, type, data);
  Bytes file;
  file.reserve(body.size() + chunk_header_bytes);
  append_chunk(file, "RIFF", body);
  return file;
}

namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::int32_t>::max();

}  // namespace

Bytes turn_webp_metadata(Bytes file, const MetadataTurn& turn, MissingTag missing,
                         std::vector<std::string>& warnings) {
  const std::vector<WebpChunk> chunks = webp_chunks(file);
  const auto has = [&](std::string_view type) {
    return std::any_of(chunks.begin(), chunks.end(),
                       [&](const WebpChunk& chunk) { return chunk.type == type; });
  };
  const bool adds =
      !has("EXIF") && missing == MissingTag::is_added && turn.tag != Orientation::identity;
  if (!adds && !has("EXIF") && !has("XMP ")) return file;
  if (adds && !has("VP8X")) {
    Metadata metadata;
    metadata.exif = minimal_exif(turn.tag);
    return assemble_webp(chunks, metadata);
  }

  // EXIF's place is after the pixels, before XMP.
  std::vector<std::pair<std::string_view, Bytes>> made;
  bool exif_seen = false, added = !adds;
  const auto add_exif = [&] {
    if (!std::exchange(added, true)) made.emplace_back("EXIF", minimal_exif(turn.tag));
  };
  for (const WebpChunk& chunk : chunks) {
    Bytes data(chunk.data.begin(), chunk.data.end());
    if (chunk.type == "VP8X" && adds && !data.empty()) data[0] |= std::byte{webp_has_exif};
    if (chunk.type == "EXIF") {
      const MissingTag its_missing =
          std::exchange(exif_seen, true) ? MissingTag::stays_absent : missing;
      data = turn_exif(chunk.data, turn, its_missing, no_limit, warnings);
    }
    if (chunk.type == "XMP ") {
      add_exif();
      const std::string_view packet = text_of(chunk.data);
      warn_of_other_orientation(packet, turn.stored, warnings);
      const std::string turned = turn_xmp(packet, turn, warnings);
      data.assign(bytes_of(turned).begin(), bytes_of(turned).end());
    }
    made.emplace_back(chunk.type, std::move(data));
  }
  add_exif();
  return write_webp(made);
}

}  // namespace qturn::webp
