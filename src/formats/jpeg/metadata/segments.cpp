#include "src/formats/jpeg/metadata/segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "src/formats/jpeg/metadata/orientation_metadata.hpp"
#include "src/metadata/exif_fields.hpp"
#include "src/metadata/photoshop_resources.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::jpeg {
namespace {

using namespace jpeg_marker;
using std::string_view_literals::operator""sv;

// What begins with this is turned, or does not depend on the orientation: by the list of ExifTool's
// module JPEG.pm.
struct KnownSegment {
  int app;
  std::string_view begins;
};
constexpr KnownSegment known_segments[] = {
    {0, "JFIF\0"sv},
    {0, "JFXX\0"sv},
    {0, "AVI1"sv},  // a frame of a video
    {0, "Ocad"sv},  // its revision
    {1, "Exif\0"sv},
    {0, "II\032\0\0\0HEAPJPGM"sv},  // Canon's maker notes (CIFF)
    {1, "QVCI\0"sv},                // Casio's
    {1, "http://ns.adobe.com/"sv},  // XMP, and its extension
    {2, icc_signature},
    {2, mpf_signature},
    {2, "FPXR\0"sv},                         // FlashPix: of Kodak's cameras
    {2, "urn:iso:std:iso:ts:21496:-1\0"sv},  // how a gain map is applied
    {3, "Meta\0"sv},                         // Kodak's Exif
    {3, "META\0"sv},
    {4, "SCALADO\0"sv},  // an index for faster reading
    {5, "RMETA\0"sv},    // Ricoh's texts
    {6, "EPPIM\0"sv},    // for printers
    {6, "GoPro\0"sv},
    {7, "PENTAX \0"sv},  // maker notes
    {7, "HUAWEI\0\0"sv},
    {7, "\032Qualcomm Camera Attributes"sv},
    {8, "SPIFF\0"sv},
    {10, "UNICODE\0"sv},  // a comment
    {11, "JP"sv},         // JUMBF: C2PA is looked for
    {12, "Ducky"sv},      // the quality, a comment
    {12, "[picture info]"sv},
    {12, "OLYMPUS OPTICAL"sv},
    {12, "Type="sv},
    {12, "SEIKO EPSON"sv},
    {13, "Photoshop 3.0\0"sv},  // looked into
    {13, "Adobe_Photoshop2.5:"sv},
    {13, "Adobe_CM"sv},
    {14, "Adobe"sv},
    {15, "Q "sv},  // the quality
};

// Some cameras fill segments with zeros.
bool has_content(const JpegSegment& segment) {
  return std::ranges::any_of(segment.payload, [](std::byte byte) { return byte != std::byte{0}; });
}

bool is_known(const JpegSegment& segment) {
  return std::ranges::any_of(known_segments, [&](const KnownSegment& known) {
    return segment.marker - app0 == known.app && text_of(segment.payload).starts_with(known.begins);
  });
}

/// What it begins with, as far as that is text: "APP4 Scalado".
std::string name_of(const JpegSegment& segment) {
  constexpr std::size_t longest = 24;
  std::string word;
  for (const char c : text_of(segment.payload).substr(0, longest)) {
    if (c <= ' ' || c > '~') break;
    word += c;
  }
  const int number = segment.marker - app0;
  return word.size() < 3 ? fmt::format("APP{}", number) : fmt::format("APP{} {}", number, word);
}

}  // namespace

void look_at_segments(const std::vector<JpegSegment>& segments, Header& header) {
  constexpr std::string_view photoshop = "Photoshop 3.0\0"sv, flir = "FLIR\0"sv;
  Bytes resources;
  for (const JpegSegment& segment : segments) {
    if (segment.marker < app0 || segment.marker > app15) continue;
    const std::string_view text = text_of(segment.payload);
    if (is_exif(segment)) {
      look_at_exif(segment.payload, header);
    } else if (is_xmp(segment)) {
      look_at_xmp(xmp_packet(segment), header);
    } else if (is_manifest(segment)) {
      add_placed(signed_manifest(), header);
    } else if (segment.marker == app0 + 13 && text.starts_with(photoshop)) {
      append(resources, segment.payload.subspan(photoshop.size()));
    } else if (segment.marker == app1 && text.starts_with(flir)) {
      add_placed({.name = "its thermal data (FLIR)"}, header);
    } else if (!is_known(segment) && has_content(segment)) {
      add_unknown(name_of(segment), header);
    }
  }
  look_at_photoshop_resources(resources, header);
  add_placed_in_xmp(read_extended_xmp(segments).packet, header);
}

}  // namespace qturn::jpeg
