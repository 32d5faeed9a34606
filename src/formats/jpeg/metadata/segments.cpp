// What a JPEG's segments hold besides the picture, as far as a turn is concerned.
#include "src/formats/jpeg/metadata/orientation_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "src/metadata/exif.hpp"
#include "src/metadata/photoshop_resources.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::jpeg {
namespace {

using namespace jpeg_marker;
using std::string_view_literals::operator""sv;

// What begins with this is turned, or does not depend on the orientation, or has the name of what
// a turn makes untrue: by the list of ExifTool's module JPEG.pm. Some makers' thermal cameras begin
// their segments with nothing of their own. The first that fits counts.
struct KnownSegment {
  int app;
  std::string_view begins;
  std::string_view stale = {}, maker = {};
};
constexpr std::string_view dji = "DJI", infiray = "InfiRay", thermal_dji = "its thermal data (DJI)",
                           thermal_infiray = "its thermal data (InfiRay)",
                           preview = "a preview in a segment", jpeg_begin = "\xff\xd8\xff"sv;
constexpr KnownSegment known_segments[] = {
    {0, "JFIF\0"sv},
    {0, "JFXX\0"sv},
    {0, "AVI1"sv},  // a frame of a video
    {0, "Ocad"sv},  // its revision
    {1, "Exif\0"sv},
    {0, "II\032\0\0\0HEAPJPGM"sv},  // Canon's maker notes (CIFF)
    {1, "QVCI\0"sv},                // Casio's
    {1, "http://ns.adobe.com/"sv},  // XMP, and its extension
    {1, "FLIR\0"sv, "its thermal data (FLIR)"},
    {1, "PARROT\0"sv, "its thermal data (Parrot)"},
    {2, icc_signature},
    {2, mpf_signature},
    {2, "FPXR\0"sv},                         // FlashPix: of Kodak's cameras
    {2, "urn:iso:std:iso:ts:21496:-1\0"sv},  // how a gain map is applied
    {2, jpeg_begin, preview},
    {2, "QVGA\0\xff\xd8\xff"sv, preview},
    {2, "BGTH\xff\xd8\xff"sv, preview},
    {3, "Meta\0"sv},  // Kodak's Exif
    {3, "META\0"sv},
    {3, "_JPSJPS_"sv, "its stereo pair (JPS)"},
    {3, jpeg_begin, preview},
    {4, "SCALADO\0"sv},  // an index for faster reading
    {4, "Qualcomm Camera Debug"sv},
    {4, "FPXR\0"sv},
    {4, jpeg_begin, preview},
    {5, "RMETA\0"sv},       // Ricoh's texts
    {5, "ssuniqueid\0"sv},  // Samsung's number
    {5, jpeg_begin, preview},
    {6, "EPPIM\0"sv},  // for printers
    {6, "GoPro\0"sv},
    {7, "PENTAX \0"sv},  // maker notes
    {7, "HUAWEI\0\0"sv},
    {7, "\032Qualcomm Camera Attributes"sv},
    {7, "DJI-DBG\0"sv},  // texts about faults
    {8, "SPIFF\0"sv},
    {9, "Media Jukebox\0"sv},  // texts
    {10, "UNICODE\0"sv},       // a comment
    {11, "JP"sv},              // JUMBF: C2PA is looked for
    {11, "HDR_RI "sv, "its ratio image (JPEG-HDR)"},
    {12, "Ducky"sv},  // the quality, a comment
    {12, "[picture info]"sv},
    {12, "OLYMPUS OPTICAL"sv},
    {12, "Type="sv},
    {12, "SEIKO EPSON"sv},
    {13, "Photoshop 3.0\0"sv},  // looked into
    {13, "Adobe_Photoshop2.5:"sv},
    {13, "Adobe_CM"sv},
    {14, "Adobe"sv},
    {15, "Q "sv},  // the quality
    {3, "", thermal_dji, dji},
    {4, "\xaa\x55\x12\x06"sv, thermal_dji, dji},
    {5, "", thermal_dji, dji},
    {2, "", thermal_infiray, infiray},
    {3, "", thermal_infiray, infiray},
    {4, "", thermal_infiray, infiray},
    {5, "", thermal_infiray, infiray},
    {6, "", thermal_infiray, infiray},
    {7, "", thermal_infiray, infiray},
    {8, "", thermal_infiray, infiray},
    {9, "", thermal_infiray, infiray},
};

// The maker of a camera whose segments do not say it themselves; empty: another one, or none.
std::string_view maker_of(const std::vector<JpegSegment>& segments) {
  for (const JpegSegment& segment : segments) {
    const std::string_view text = text_of(segment.payload);
    if (segment.marker == app2 && text.size() > 4 && text.substr(4).starts_with("IJPEG\0"sv))
      return infiray;
    if (is_exif(segment) && read_exif(exif_body(segment.payload)).make.starts_with(dji)) return dji;
  }
  return {};
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
  const std::string_view maker = maker_of(segments);
  for (const JpegSegment& segment : segments) {
    if (segment.marker < app0 || segment.marker > app15) continue;
    if (is_exif(segment)) {
      look_at_exif(segment.payload, header);
    } else if (is_xmp(segment)) {
      look_at_xmp(xmp_packet(segment), header, ListedPictures::are_turned);
    } else if (is_manifest(segment)) {
      add_placed(signed_manifest(), header);
    } else if (!all_zero(segment.payload)) {  // with zeros some cameras fill segments
      const auto* known = std::ranges::find_if(known_segments, [&](const KnownSegment& each) {
        return segment.marker - app0 == each.app &&
               text_of(segment.payload).starts_with(each.begins) &&
               (each.maker.empty() || each.maker == maker);
      });
      if (known == std::end(known_segments)) {
        add_unknown(name_of(segment), header);
      } else if (!known->stale.empty()) {
        add_placed({.name = std::string(known->stale)}, header);
      }
    }
  }
  look_at_photoshop_resources(photoshop_resources(segments).whole, Resources::are_turned, header);
  add_placed_in_xmp(read_extended_xmp(segments).packet, header);
}

}  // namespace qturn::jpeg
