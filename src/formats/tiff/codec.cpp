#include "src/formats/tiff/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "src/formats/codec/codec.hpp"
#include "src/formats/table.hpp"
#include "src/formats/tiff/directories.hpp"
#include "src/formats/tiff/layout.hpp"
#include "src/formats/tiff/library.hpp"
#include "src/formats/tiff/metadata.hpp"
#include "src/formats/tiff/orientation_metadata.hpp"
#include "src/formats/tiff/page_pixels.hpp"
#include "src/formats/tiff/placed_metadata.hpp"
#include "src/formats/tiff/storage.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/trailing_data.hpp"

namespace qturn::tiff {
namespace {

// Pages and their pictures, in the order in which they are written, with Page::ahead.
template <typename File, typename Visit>
void for_each_picture(File& tiff, Visit visit) {
  for (auto& page : tiff.pages) {
    const Orientation ahead = ahead_of(page, tiff);
    visit(page, ahead);
    for (auto& picture : page.pictures) visit(picture, ahead);
  }
}

struct TiffExtras final : Extras {
  TiffFile tiff;
  std::vector<TiffStorage> storage;  ///< of each picture

  std::shared_ptr<Extras> copy() const override { return std::make_shared<TiffExtras>(*this); }
};

// The most that another format gets: each sample in bytes of its own, and a palette's colours.
std::uint64_t shown_pixel_bytes(const TiffLayout& layout) {
  const int palette_bytes = layout.photometric == tiff_photometric::palette ? 3 : 0;
  return static_cast<std::uint64_t>((layout.bits + 7) / 8 * layout.samples + palette_bytes);
}

// Memory of encoders and decoders besides strips.
std::uint64_t memory_of(std::uint16_t compression) {
  constexpr std::uint64_t mib = 1 << 20;
  switch (compression) {
    case tiff_compression::lzma:
      return 100 * mib;
    case tiff_compression::zstd:
      return 32 * mib;
    default:
      return mib;
  }
}

// The most that so many bytes of pixels are encoded to. Noise takes up to a third more by LZW,
// whose codes have 12 bits; other compressions store it nearly as it is.
std::uint64_t most_encoded_bytes(std::uint64_t pixel_bytes, const TiffLayout& layout) {
  const bool grows = layout.compression == tiff_compression::lzw;
  return pixel_bytes + pixel_bytes / (grows ? 3 : 32);
}

void add_once(std::vector<std::string>& sentences, const std::string& sentence) {
  if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) {
    sentences.push_back(sentence);
  }
}

}  // namespace

Header read_tiff_header(std::span<const std::byte> file, MissingPixels missing) {
  const TiffFile tiff = read_tiff_structure(file, missing);
  Header header;
  header.pages = static_cast<int>(tiff.pages.size());
  header.stored = tiff_orientation(tiff.pages.front());
  // Of each page's XMP look_at_fields() adds the rest.
  header.has_ignored_tag = turns_upright_picture(tiff_xmp(file), header.stored);
  header.changes_only_if_allowed = true;
  std::uint64_t decoding = 0, encoding = 0, encoded = 0, shown = 0;
  for_each_picture(tiff, [&](const TiffDirectory& page, Orientation ahead) {
    header.pages_differ |= ahead != Orientation::identity;
    const TiffStorage storage = tiff_storage(file, page);
    const TiffLayout& layout = storage.read;
    if (header.width == 0) {
      header.width = layout.width;
      header.height = layout.height;
    }
    const auto pixels = static_cast<std::uint64_t>(layout.width * layout.height);
    header.pixels_total += pixels;
    const auto pixel_bytes = static_cast<std::uint64_t>(layout.pixel_bytes());
    header.pixel_bytes_total += pixels * pixel_bytes;
    shown += pixels * shown_pixel_bytes(layout);
    encoded += most_encoded_bytes(pixels * pixel_bytes, storage.written);
    decoding = std::max(decoding, tiff_decoding_bytes(layout) + memory_of(layout.compression));
    for (const Orientation each : {Orientation::identity, Orientation::rotate90}) {
      const TiffLayout written = turned_layout(storage.written, each);
      encoding = std::max(
          encoding, tiff_encoding_bytes(written, tiff.little) + memory_of(written.compression));
    }
    for (PlacedMetadata& placed : placed_metadata(page)) add_placed(std::move(placed), header);
    look_at_fields(page, header);
    if (header.storage_change.empty() && !storage.changes.empty()) {
      header.storage_change = storage.changes.front();
    }
  });
  // Fields are in what was read, in what is written and in the file. The encoded pixels exist twice
  // while the file is put together.
  header.shown_bytes_total = shown;
  header.decoding_bytes = decoding + 3 * tiff.value_bytes;
  header.encoding_bytes = encoding + 3 * tiff.value_bytes + 2 * encoded + most_for_fixed_bytes;
  return header;
}

Image decode_tiff(std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings, Inflater inflater) {
  auto extras = std::make_shared<TiffExtras>();
  extras->tiff = read_tiff(file);
  refuse_what_cannot_turn(extras->tiff);
  warn_of_trailing_data(file, extras->tiff.end, warnings);
  Image image{.format = &codec,
              .stored = tiff_orientation(extras->tiff.pages.front()),
              .pages = {},
              .extras = {}};
  for_each_picture(extras->tiff, [&](const TiffDirectory& directory, Orientation ahead) {
    extras->storage.push_back(tiff_storage(file, directory));
    const TiffLayout& layout = extras->storage.back().read;
    Page page = layout.page();
    page.ahead = ahead;
    page.pixels = arena.take(page.bytes());
    decode_tiff_page(file, directory, layout, extras->tiff.little, page, stop, inflater);
    image.pages.push_back(page);
  });
  image.extras = extras;
  return image;
}

bool is_stored_tiff(const Image& image) {
  return dynamic_cast<const TiffExtras*>(image.extras.get()) != nullptr;
}

Bytes encode_tiff(const Image& turned, Orientation applied, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings) {
  const auto& extras = dynamic_cast<const TiffExtras&>(*turned.extras);
  TiffFile tiff = extras.tiff;
  std::vector<Bytes> encoded;
  for_each_picture(tiff, [&](TiffDirectory& directory, Orientation ahead) {
    const std::size_t i = encoded.size();
    const TiffStorage& storage = extras.storage[i];
    const Orientation its = compose(ahead, applied);
    const TiffLayout layout = turned_layout(storage.written, its);
    TiffDirectory made = turned_directory(directory, storage, layout, its);
    const SparseBlocks sparse =
        turned_sparse_blocks(sparse_blocks(directory, storage.read), storage.read, layout, its);
    encoded.push_back(encode_tiff_page(turned.pages[i], layout, sparse, tiff.little, made, stop));
    made.pictures = std::move(directory.pictures);
    directory = std::move(made);
    for (const std::string& change : storage.changes) add_once(warnings, change);
  });
  const std::vector<std::span<const std::byte>> pixels(encoded.begin(), encoded.end());
  Bytes file = write_tiff(tiff, pixels, warnings);
  constexpr std::size_t version = 2;
  const bool is_big = file[version] == std::byte{43} || file[version + 1] == std::byte{43};
  if (is_big && !tiff.big) {
    throw ImageFileError("turned, it is larger than the 4 GiB of a TIFF that is not a BigTIFF");
  }
  return file;
}

// --- The row of the table.

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
