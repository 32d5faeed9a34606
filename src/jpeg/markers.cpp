#include "src/jpeg/markers.hpp"

#include <fmt/format.h>

#include <cstring>

#include "src/carriers/exif.hpp"
#include "src/formats/image.hpp"
#include "src/jpeg/codec.hpp"

namespace qturn {
namespace {

constexpr unsigned char tem = 0x01, sof0 = 0xC0, dht = 0xC4, jpg = 0xC8, dac = 0xCC, rst0 = 0xD0,
                        rst7 = 0xD7, soi = 0xD8, eoi = 0xD9, sos = 0xDA, dhp = 0xDE, sof15 = 0xCF,
                        app1 = 0xE1, app2 = 0xE2;

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

std::string_view text_of(const JpegSegment& segment) {
  return {reinterpret_cast<const char*>(segment.payload.data()), segment.payload.size()};
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

std::size_t jpeg_end(std::span<const std::byte> file) {
  const auto byte = [&](std::size_t i) { return std::to_integer<unsigned char>(file[i]); };
  for (std::size_t at = 2; at + 1 < file.size();) {
    const void* found = std::memchr(file.data() + at, 0xFF, file.size() - 1 - at);
    if (!found) break;
    at = static_cast<std::size_t>(static_cast<const std::byte*>(found) - file.data());
    const unsigned char marker = byte(at + 1);
    if (marker == 0xFF) {
      ++at;
      continue;
    }
    at += 2;
    if (marker == eoi) return at;
    if (marker == 0 || marker == tem || marker == soi || (marker >= rst0 && marker <= rst7)) {
      continue;
    }
    if (file.size() - at < 2) break;
    at += static_cast<std::size_t>(byte(at) << 8 | byte(at + 1));
  }
  return file.size();
}

Orientation orientation_in(const std::vector<JpegSegment>& segments) {
  for (const JpegSegment& segment : segments) {
    if (is_exif(segment)) return orientation_of_exif(segment.payload);
  }
  return Orientation::identity;
}

bool is_exif(const JpegSegment& segment) {
  return segment.marker == app1 && is_exif_signed(text_of(segment));
}

bool is_xmp(const JpegSegment& segment) {
  return segment.marker == app1 && text_of(segment).starts_with(xmp_signature);
}

bool is_mpf(const JpegSegment& segment) {
  return segment.marker == app2 && text_of(segment).starts_with(mpf_signature);
}

std::string_view xmp_packet(const JpegSegment& segment) {
  return text_of(segment).substr(xmp_signature.size());
}

}  // namespace qturn
