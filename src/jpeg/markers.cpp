#include "src/jpeg/markers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/carriers/exif.hpp"
#include "src/formats/image.hpp"
#include "src/jpeg/codec.hpp"

namespace qturn {
namespace {

constexpr unsigned char tem = 0x01, sof0 = 0xC0, dht = 0xC4, jpg = 0xC8, dac = 0xCC, rst0 = 0xD0,
                        rst7 = 0xD7, soi = 0xD8, eoi = 0xD9, sos = 0xDA, dhp = 0xDE, sof15 = 0xCF,
                        app0 = 0xE0, app1 = 0xE1;

bool is_frame(unsigned char marker) {
  return marker >= sof0 && marker <= sof15 && marker != dht && marker != jpg && marker != dac;
}

// Frame types as ITU T.81, table B.1, numbers them.
void check_frame(unsigned char marker, std::span<const std::byte> payload) {
  const int type = marker - sof0;
  if (type == 3 || type == 7 || type == 11 || type == 15) {
    throw ImageFileError("lossless JPEG (a process of its own) is not supported");
  }
  if (type == 5 || type == 6 || type == 13 || type == 14) {
    throw ImageFileError("hierarchical JPEG is not supported");
  }
  if (type == 9 || type == 10) throw ImageFileError("arithmetic-coded JPEG is not supported");
  if (!payload.empty() && payload[0] != std::byte{8}) {
    throw ImageFileError(
        fmt::format("{}-bit JPEG is not supported", std::to_integer<int>(payload[0])));
  }
}

}  // namespace

std::vector<JpegSegment> jpeg_header_segments(std::span<const std::byte> file) {
  const auto byte = [&](std::size_t i) { return std::to_integer<unsigned char>(file[i]); };
  if (file.size() < 2 || byte(0) != 0xFF || byte(1) != soi) throw ImageFileError("is no JPEG");
  std::vector<JpegSegment> segments;
  std::size_t at = 2;
  while (true) {
    // Bytes between segments are skipped, as libjpeg does (and warns); 0xFF may be repeated.
    while (at < file.size() && byte(at) != 0xFF) ++at;
    while (at < file.size() && byte(at) == 0xFF) ++at;
    if (at >= file.size()) throw ImageFileError("truncated before the picture begins");
    const unsigned char marker = byte(at++);
    if (marker == 0 || marker == tem || marker == soi || (marker >= rst0 && marker <= rst7)) {
      continue;
    }
    if (marker == eoi) throw ImageFileError("ends before the picture begins");
    if (file.size() - at < 2) throw ImageFileError("truncated before the picture begins");
    const std::size_t length = static_cast<std::size_t>(byte(at) << 8 | byte(at + 1));
    if (length < 2) throw ImageFileError("damaged before the picture begins");
    if (file.size() - at < length) throw ImageFileError("truncated before the picture begins");
    const JpegSegment segment{marker, at + 2, file.subspan(at + 2, length - 2)};
    if (marker == dhp) throw ImageFileError("hierarchical JPEG is not supported");
    if (is_frame(marker)) check_frame(marker, segment.payload);
    if (marker == sos) return segments;
    segments.push_back(segment);
    at += length;
  }
}

bool is_exif(const JpegSegment& segment) {
  const std::string_view text(reinterpret_cast<const char*>(segment.payload.data()),
                              segment.payload.size());
  return segment.marker == app1 && text.starts_with(exif_signature);
}

Orientation orientation_in(const std::vector<JpegSegment>& segments) {
  for (const JpegSegment& segment : segments) {
    if (is_exif(segment)) return orientation_of_exif(segment.payload);
  }
  return Orientation::identity;
}

std::optional<Bytes> retag_jpeg_upright(std::span<const std::byte> file) {
  Bytes retagged(file.begin(), file.end());
  for (const JpegSegment& segment : jpeg_header_segments(file)) {
    if (!is_exif(segment)) continue;
    const std::size_t body = exif_body(segment.payload).size();
    const std::size_t end = segment.offset + segment.payload.size();
    if (!set_upright(std::span(retagged).subspan(end - body, body), Directories::first)) {
      return std::nullopt;
    }
  }
  return retagged;
}

Bytes tag_jpeg(std::span<const std::byte> file, Orientation orientation) {
  Bytes tagged(file.begin(), file.end());
  const std::vector<JpegSegment> segments = jpeg_header_segments(file);
  if (std::ranges::none_of(segments, is_exif)) {
    // Little-endian, one entry: Orientation.
    using std::string_view_literals::operator""sv;
    constexpr std::string_view block =
        "\xFF\xE1\x00\x22"
        "Exif\0\0"
        "II*\0\x08\0\0\0\x01\0"
        "\x12\x01\x03\0\x01\0\0\0\0\0\0\0"
        "\0\0\0\0"sv;
    // JFIF wants to be first, and readers do not mind.
    const bool jfif = !segments.empty() && segments.front().marker == app0;
    const std::size_t at = jfif ? segments.front().offset + segments.front().payload.size() : 2;
    const auto bytes = std::as_bytes(std::span(block));
    tagged.insert(tagged.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin(), bytes.end());
    tagged[at + block.size() - 8] = static_cast<std::byte>(orientation);
    return tagged;
  }
  for (const JpegSegment& segment : segments) {
    if (!is_exif(segment)) continue;
    const std::size_t body = exif_body(segment.payload).size();
    const std::size_t end = segment.offset + segment.payload.size();
    if (!set_orientation(std::span(tagged).subspan(end - body, body), orientation)) {
      throw ImageFileError("its Exif block has no orientation that could be set");
    }
  }
  return tagged;
}

}  // namespace qturn
