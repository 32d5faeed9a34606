#include "src/metadata/metadata_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "src/metadata/exif.hpp"
#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/photoshop_resources.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/trailing_data.hpp"

namespace qturn {
namespace {

std::string in_words(Size size) { return fmt::format("{} x {}", size.width, size.height); }

// Whether one is the other at another scale, its sides rounded.
bool is_resized(Size one, Size other) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (std::min({one.width, one.height, other.width, other.height}) <= 0) return false;
  if (std::max({one.width, one.height, other.width, other.height}) > most) return false;
  return std::abs(one.width * other.height - one.height * other.width) <=
         std::max(one.width + one.height, other.width + other.height);
}

bool is_on_its_side(Size one, Size other) {
  return one.width != one.height && other.width != other.height &&
         (one.width > one.height) != (other.width > other.height);
}

std::optional<std::int64_t> integer(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [read, error] = std::from_chars(text->data(), end, value);
  return error == std::errc() && read == end ? std::optional(value) : std::nullopt;
}

}  // namespace

void MetadataCheck::orientation(std::string_view where, Orientation says) {
  if (says == stored_) return;
  add(
      fmt::format("{} says orientation {}, the picture's is {}; correct the wrong one, for example "
                  "with ExifTool",
                  where, static_cast<int>(says), static_cast<int>(stored_)));
}

void MetadataCheck::size(std::string_view where, std::optional<Size> says) {
  if (!says || *says == pixels_) return;
  // A camera's size of the sensor stays in pictures that are made smaller, and misleads nobody.
  if (!is_on_its_side(*says, pixels_) && is_resized(*says, pixels_)) return;
  std::string finding =
      fmt::format("{} says {}, the pixels are {}", where, in_words(*says), in_words(pixels_));
  if (!is_on_its_side(*says, pixels_)) {
    finding += ": they were cut, or something else is wrong; look at the picture";
  } else if (stored_ == Orientation::identity) {
    finding += ": they may have been turned; if the picture looks right, nothing needs to be done";
  } else {
    finding += fmt::format(
        ": they may have been turned, and orientation {} be left over; if the picture looks wrong, "
        "set that to 1 (exiftool -n -Orientation=1)",
        static_cast<int>(stored_));
  }
  add(std::move(finding));
}

void MetadataCheck::smaller(std::string_view where, std::optional<Size> says,
                            std::optional<Orientation> tag) {
  if (!says || !is_on_its_side(*says, pixels_)) {
    // One of the same shape is stored like the picture.
    if (tag) orientation(where, *tag);
    return;
  }
  if (smaller_are_proved_) return;
  add(fmt::format(
      "{} is {}, of another shape than the pixels, {}{}; programs that show it first show "
      "another picture, so make it again",
      where, in_words(*says), in_words(pixels_),
      swaps_axes(stored_) ? ": it may be upright already" : ""));
}

void MetadataCheck::trailing_data(std::span<const std::byte> file, std::uint64_t end) {
  if (const std::size_t bytes = trailing_bytes(file, end); bytes > 0) {
    add(fmt::format("{} bytes after the picture", bytes));
  }
}

void MetadataCheck::exif(std::span<const std::byte> block) {
  const ExifSays says = read_exif(exif_body(block));
  if (std::exchange(any_exif_, true) && says.orientation) {
    orientation("a second Exif block", *says.orientation);
  }
  size("Exif", says.pixels);
  size("Exif's first directory", says.image);
  size("Exif's RelatedImageWidth", says.related);
  smaller("the thumbnail", says.thumbnail, says.thumbnail_orientation);
  const Size described = says.pixels.value_or(pixels_);  // larger, if the picture was made smaller
  for (const Position& subject : says.subjects)
    if (subject.x >= described.width || subject.y >= described.height)
      add(fmt::format("Exif says that the subject is at {}, {}, outside the picture", subject.x,
                      subject.y));
  if (says.damaged) add("the Exif block is damaged");
}

void MetadataCheck::xmp(std::string_view where, std::string_view packet) try {
  const XmpSays says = read_xmp(packet);
  if (says.orientation) {
    const auto tag =
        orientation_of_tag(static_cast<std::uint64_t>(integer(says.orientation).value_or(0)));
    if (tag) {
      orientation(where, *tag);
    } else {
      add(fmt::format("{} says orientation '{}', which does not exist", where, *says.orientation));
    }
  }
  const auto width = integer(says.width), height = integer(says.height);
  if (width && height) size(where, Size{*width, *height});
  const auto depth_width = integer(says.depth_width), depth_height = integer(says.depth_height);
  if (depth_width && depth_height) size("GDepth", Size{*depth_width, *depth_height});
  for (const XmpPicture& picture : pictures_in_xmp(packet))
    smaller(picture.name, embedded_size(picture.bytes), std::nullopt);
  if (says.has_unknown_regions) add(fmt::format("the face regions in {} cannot be read", where));
} catch (const ImageFileError& error) {
  add(fmt::format("{} cannot be read: {}", where, error.what()));
}

void MetadataCheck::photoshop(std::span<const std::byte> resources) {
  for (const auto& jpeg : parts_of_resources(resources, Orientation::identity).thumbnails)
    smaller("the thumbnail of Photoshop", jpeg_size(jpeg), std::nullopt);
}

}  // namespace qturn
