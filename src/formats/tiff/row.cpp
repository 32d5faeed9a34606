// TIFF's row of the table.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "src/formats/codec/capacity.hpp"
#include "src/formats/table.hpp"
#include "src/formats/tiff/codec.hpp"
#include "src/formats/tiff/directories.hpp"
#include "src/formats/tiff/library.hpp"
#include "src/formats/tiff/orientation_metadata.hpp"
#include "src/metadata/exif.hpp"

namespace qturn::tiff {
namespace {

// The meaning of a second sample must be known.
constexpr Capacity capacity = {.pages = true, .channels = [](int count, Meaning::Alpha alpha) {
                                 return count != 2 || alpha != Meaning::Alpha::none;
                               }};

bool recognises(std::span<const std::byte> head, std::string_view) {
  using std::string_view_literals::operator""sv;
  constexpr std::array signatures = {"II*\0"sv, "MM\0*"sv, "II+\0\x08\0\0\0"sv,
                                     "MM\0+\0\x08\0\0"sv};
  return std::ranges::any_of(signatures,
                             [&](auto each) { return text_of(head).starts_with(each); });
}

Image decode(std::span<const std::byte> file, Samples samples, PixelArena& arena,
             const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  if (samples == Samples::as_stored) return decode_tiff(file, arena, stop, warnings);
  return decode_shown_tiff(file, arena, stop, warnings);
}

Image decode_otherwise(std::span<const std::byte> file, PixelArena& arena,
                       const std::atomic<bool>& stop) {
  std::vector<std::string> unused;
  return decode_tiff(file, arena, stop, unused, Inflater::of_libtiff);
}

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings) {
  if (is_stored_tiff(image)) return encode_tiff(image, applied, stop, warnings);
  check_fits(image, codec.name, capacity);
  return encode_plain_tiff(image, stop, warnings);
}

Bytes retag(std::span<const std::byte> file, Orientation tag, MissingTag missing,
            const TurnEmbedded& turn_embedded, std::vector<std::string>& warnings) {
  const MetadataTurn turn{
      .stored = stored_orientation(file).value, .tag = tag, .turn_embedded = turn_embedded};
  return turn_tiff_metadata(Bytes(file.begin(), file.end()), turn, OtherPages::are_tagged, missing,
                            warnings);
}

void check_later_page(const TiffDirectory& page, std::size_t number, Header header,
                      MetadataCheck& check) {
  constexpr std::uint16_t pixel_x_dimension = 0xA002, pixel_y_dimension = 0xA003;
  const auto size_of = [](const TiffDirectory& directory, std::uint16_t width,
                          std::uint16_t height) {
    return Size{static_cast<std::int64_t>(directory.integer(width, 0)),
                static_cast<std::int64_t>(directory.integer(height, 0))};
  };
  const Size size = size_of(page, tiff_tag::width, tiff_tag::height);
  header.width = size.width;
  header.height = size.height;
  header.stored = tiff_orientation(page);
  MetadataCheck own(header);
  if (const auto exif = page.children.find(tiff_tag::exif); exif != page.children.end()) {
    const Size says = size_of(exif->second, pixel_x_dimension, pixel_y_dimension);
    if (says.width != 0 && says.height != 0) own.size(fmt::format("Exif of page {}", number), says);
  }
  if (const TiffField* xmp = page.find(tiff_tag::xmp)) {
    own.xmp(fmt::format("XMP of page {}", number), text_of(xmp->value));
  }
  for (const std::string& finding : own.findings()) check.add(finding);
}

void check(std::span<const std::byte> file, MetadataCheck& check) {
  const TiffFile tiff = read_tiff(file);
  check.size("Exif", read_exif(file).pixels);
  if (const TiffField* xmp = tiff.pages.front().find(tiff_tag::xmp)) {
    check.xmp("XMP", text_of(xmp->value));
  }
  if (const TiffField* field = tiff.pages.front().find(tiff_tag::photoshop_resources))
    check.photoshop(field->value);
  const auto stored = tiff.pages.front().integer(tiff_tag::orientation, 1);
  if (!orientation_of_tag(stored)) {
    check.add(fmt::format("orientation {} is not one of the eight; 1 is assumed", stored));
  }
  for (std::size_t i = 0; i < tiff.pages.size(); ++i) {
    if (!std::ranges::is_sorted(tiff.pages[i].fields, {}, &TiffField::tag)) {
      check.add(fmt::format("the fields of page {} are not in order", i + 1));
    }
  }
  const Header header = read_tiff_header(file);
  for (std::size_t i = 1; i < tiff.pages.size(); ++i) {
    check_later_page(tiff.pages[i], i + 1, header, check);
  }
  check.trailing_data(file, tiff.end);
}

}  // namespace

const Codec codec = {
    .name = "tiff",
    .alias = "tif",
    .suffixes = {".tif", ".tiff"},
    .recognises = recognises,
    .check_limits = check_tiff_limits,
    .read_header = [](std::span<const std::byte> file) { return read_tiff_header(file); },
    .decode = decode,
    .decode_otherwise = decode_otherwise,
    .encode = encode,
    .keeps_metadata = true,
    .finish =
        [](Bytes encoded, const MetadataTurn& turn, std::vector<std::string>& warnings) {
          return turn_tiff_metadata(std::move(encoded), turn, OtherPages::are_turned,
                                    MissingTag::stays_absent, warnings);
        },
    .retag = retag,
    .check = check,
    .parts = tiff_parts,
    .read_damaged_header =
        [](std::span<const std::byte> file) {
          return read_tiff_header(file, MissingPixels::are_left_out);
        },
    .salvage =
        [](std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
           std::vector<std::string>& warnings) {
          return decode_shown_tiff(file, arena, stop, warnings, MissingPixels::are_left_out);
        },
    .library_version = tiff_library_version,
};

}  // namespace qturn::tiff
