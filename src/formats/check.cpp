#include "src/formats/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "src/carriers/exif.hpp"
#include "src/carriers/exif_says.hpp"
#include "src/carriers/xmp.hpp"
#include "src/jpeg/extended_xmp.hpp"
#include "src/jpeg/followers.hpp"
#include "src/jpeg/markers.hpp"
#include "src/png/chunks.hpp"
#include "src/tiff/directories.hpp"
#include "src/webp/chunks.hpp"

namespace qturn {
namespace {

struct Carriers {
  std::vector<Bytes> exif;  // TIFF structures; a TIFF is one itself
  std::vector<std::string> xmp;
};

Bytes copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Carriers find_carriers(std::span<const std::byte> file, Format format) {
  Carriers found;
  switch (format) {
    case Format::jpeg:
      for (const JpegSegment& segment : jpeg_header_segments(file)) {
        if (is_exif(segment)) found.exif.push_back(copy(exif_body(segment.payload)));
        if (is_xmp(segment)) found.xmp.emplace_back(xmp_packet(segment));
      }
      break;
    case Format::png:
      for (const PngChunk& chunk : png_chunks(file)) {
        if (chunk.type == "eXIf") found.exif.push_back(copy(exif_body(chunk.data)));
        if (is_png_xmp(chunk)) found.xmp.emplace_back(png_xmp(chunk));
      }
      break;
    case Format::webp:
      for (const WebpChunk& chunk : webp_chunks(file)) {
        if (chunk.type == "EXIF") found.exif.push_back(copy(exif_body(chunk.data)));
        if (chunk.type == "XMP ") found.xmp.push_back(text_of(chunk.data));
      }
      break;
    case Format::tiff:
      found.exif.push_back(copy(file));
      if (const TiffFile tiff = read_tiff(file); true) {
        const TiffField* xmp = tiff.pages.front().find(tiff_tag::xmp);
        if (xmp) found.xmp.push_back(text_of(xmp->value));
      }
      break;
    default:
      break;
  }
  return found;
}

std::string in_words(Size size) { return fmt::format("{} x {}", size.width, size.height); }

class Checker {
 public:
  explicit Checker(const Header& header)
      : pixels_{header.width, header.height}, stored_(header.stored) {}

  void orientation(std::string_view where, Orientation says) {
    if (says == stored_) return;
    findings.push_back(fmt::format("{} says orientation {}, the picture's is {}", where,
                                   static_cast<int>(says), static_cast<int>(stored_)));
  }

  void size(std::string_view where, std::optional<Size> says) {
    if (!says || *says == pixels_) return;
    std::string finding =
        fmt::format("{} says {}, the pixels are {}", where, in_words(*says), in_words(pixels_));
    const bool is_turned = *says == Size{pixels_.height, pixels_.width};
    if (is_turned && stored_ != Orientation::identity) {
      finding += fmt::format(": they may have been turned, and orientation {} be left over",
                             static_cast<int>(stored_));
    }
    findings.push_back(std::move(finding));
  }

  // A thumbnail or a picture that follows.
  void smaller(std::string_view where, std::optional<Size> says, std::optional<Orientation> tag) {
    const bool other_shape = says && says->width != says->height &&
                             pixels_.width != pixels_.height &&
                             (says->width > says->height) != (pixels_.width > pixels_.height);
    if (!other_shape) {
      // One of the same shape is stored like the picture.
      if (tag) orientation(where, *tag);
      return;
    }
    findings.push_back(fmt::format("{} is {}, of another shape than the pixels, {}{}", where,
                                   in_words(*says), in_words(pixels_),
                                   swaps_axes(stored_) ? ": it may be upright already" : ""));
  }

  std::vector<std::string> findings;

 private:
  Size pixels_;
  Orientation stored_;
};

std::optional<std::int64_t> integer(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [read, error] = std::from_chars(text->data(), end, value);
  return error == std::errc() && read == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<std::string> check_xmp(std::string_view packet, const Header& header,
                                   std::string_view where) {
  Checker checker(header);
  try {
    const XmpSays says = read_xmp(packet);
    const auto number = integer(says.orientation);
    if (number && *number >= 1 && *number <= 8) {
      checker.orientation(where, static_cast<Orientation>(*number));
    } else if (says.orientation) {
      checker.findings.push_back(
          fmt::format("{} says orientation '{}', which is none", where, *says.orientation));
    }
    const auto width = integer(says.width), height = integer(says.height);
    if (width && height) checker.size(where, Size{*width, *height});
  } catch (const ImageFileError& error) {
    checker.findings.push_back(fmt::format("{} cannot be read: {}", where, error.what()));
  }
  return checker.findings;
}

namespace {

void add(std::vector<std::string> more, std::vector<std::string>& findings) {
  std::ranges::move(more, std::back_inserter(findings));
}

// The pictures behind a JPEG: each with itself, as any JPEG, and with the first one.
void check_followers(std::span<const std::byte> file, Checker& first) {
  const JpegFollowers followers(file, jpeg_header_segments(file), jpeg_end(file), first.findings);
  for (const JpegFollowers::Picture& picture : followers.pictures()) {
    // What follows this one in turn is of no concern.
    const auto jpeg = picture.jpeg.first(jpeg_end(picture.jpeg));
    try {
      for (const std::string& finding : check_carriers(jpeg, Format::jpeg)) {
        first.findings.push_back(fmt::format("{}: {}", picture.name, finding));
      }
      std::optional<Orientation> tag;
      const Carriers carriers = find_carriers(jpeg, Format::jpeg);
      if (!carriers.exif.empty()) tag = read_exif(carriers.exif.front()).orientation;
      const Header header = read_header(jpeg, Format::jpeg);
      first.smaller(picture.name, Size{header.width, header.height}, tag);
    } catch (const ImageFileError& error) {
      first.findings.push_back(fmt::format("{} cannot be read: {}", picture.name, error.what()));
    }
  }
}

void check_later_pages(std::span<const std::byte> file, const Header& first,
                       std::vector<std::string>& findings) {
  constexpr std::uint16_t pixel_x_dimension = 0xA002, pixel_y_dimension = 0xA003;
  const TiffFile tiff = read_tiff(file);
  for (std::size_t i = 1; i < tiff.pages.size(); ++i) {
    const TiffDirectory& page = tiff.pages[i];
    Header header = first;
    header.width = static_cast<std::int64_t>(page.integer(tiff_tag::width, 0));
    header.height = static_cast<std::int64_t>(page.integer(tiff_tag::height, 0));
    if (const auto exif = page.children.find(tiff_tag::exif); exif != page.children.end()) {
      const auto side = [&](std::uint16_t tag) {
        return static_cast<std::int64_t>(exif->second.integer(tag, 0));
      };
      const Size says{side(pixel_x_dimension), side(pixel_y_dimension)};
      Checker checker(header);
      if (says.width != 0 && says.height != 0) {
        checker.size(fmt::format("Exif of page {}", i + 1), says);
      }
      add(std::move(checker.findings), findings);
    }
    if (const TiffField* xmp = page.find(tiff_tag::xmp)) {
      add(check_xmp(text_of(xmp->value), header, fmt::format("XMP of page {}", i + 1)), findings);
    }
  }
}

}  // namespace

std::vector<std::string> check_carriers(std::span<const std::byte> file, Format format) {
  const Header header = read_header(file, format);
  const Carriers carriers = find_carriers(file, format);
  Checker checker(header);
  bool is_first = true;
  for (const Bytes& block : carriers.exif) {
    const ExifSays says = read_exif(block);
    if (!is_first && says.orientation) {
      checker.orientation("a second Exif block", *says.orientation);
    }
    is_first = false;
    checker.size("Exif", says.pixels);
    if (format != Format::tiff) {
      checker.size("Exif's first directory", says.image);
      checker.smaller("the thumbnail", says.thumbnail, says.thumbnail_orientation);
      if (says.damaged) checker.findings.emplace_back("the Exif block is damaged");
    }
  }
  for (const std::string& packet : carriers.xmp) {
    add(check_xmp(packet, header, "XMP"), checker.findings);
  }
  if (format == Format::jpeg) {
    const std::vector<JpegSegment> segments = jpeg_header_segments(file);
    const ExtendedXmp extended = read_extended_xmp(segments);
    if (extended.damaged) {
      checker.findings.emplace_back("the extended XMP is damaged");
    } else if (!extended.parts.empty()) {
      add(check_xmp(extended.packet, header, "extended XMP"), checker.findings);
    }
    check_followers(file, checker);
  }
  if (format == Format::tiff) check_later_pages(file, header, checker.findings);
  return checker.findings;
}

}  // namespace qturn
