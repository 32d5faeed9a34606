#include "src/formats/tiff/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "src/formats/tiff/library.hpp"
#include "src/formats/tiff/metamorph.hpp"
#include "src/formats/tiff/placed_metadata.hpp"
#include "src/picture/image.hpp"

namespace qturn::tiff {
namespace {

namespace compression = tiff_compression;
namespace photometric = tiff_photometric;

constexpr std::uint16_t response_unit = 532, ycbcr_coefficients = 529, ycbcr_positioning = 531,
                        dng_version = 50706, lsm_info = 34412;

// What decodes to pixels that no encoder gives back: written as deflate.
bool loses(std::uint16_t scheme) {
  constexpr std::array<std::uint16_t, 5> lossy = {compression::jpeg, compression::lerc,
                                                  compression::pixarlog, compression::next,
                                                  compression::thunderscan};
  return std::find(lossy.begin(), lossy.end(), scheme) != lossy.end();
}

// Not among them: fax rows of whole words (32771), which libtiff 4.5 writes and cannot read.
bool is_known(std::uint16_t scheme) {
  constexpr std::array<std::uint16_t, 14> kept = {
      compression::none,     compression::ccitt_rle, compression::ccitt_t4,
      compression::ccitt_t6, compression::lzw,       compression::deflate,
      compression::packbits, compression::jbig,      compression::old_deflate,
      compression::sgilog,   compression::sgilog24,  compression::lzma,
      compression::zstd,     compression::webp};
  return loses(scheme) || std::find(kept.begin(), kept.end(), scheme) != kept.end();
}

// Each strip or tile is a WebP file, whose first chunk tells.
bool is_lossless_webp(std::span<const std::byte> file, const TiffDirectory& page, bool tiled) {
  const auto offsets = page.integers(tiled ? tiff_tag::tile_offsets : tiff_tag::strip_offsets);
  return std::all_of(offsets.begin(), offsets.end(), [&](std::uint64_t at) {
    constexpr std::size_t chunk = 12;
    if (at == 0) return true;  // has no pixels
    if (at > file.size() || file.size() - at < chunk + 4) return false;
    const std::string_view text(reinterpret_cast<const char*>(file.data()) + at, chunk + 4);
    return text.substr(chunk) == "VP8L";
  });
}

bool has_chroma_steps(const TiffDirectory& page) {
  const auto steps = page.integers(tiff_tag::ycbcr_subsampling);
  return steps.size() < 2 || steps[0] != 1 || steps[1] != 1;  // 2 and 2 is the default
}

bool is_offset_of_directory(const TiffField& field) {
  return field.type == tiff_type::directory || field.type == tiff_type::directory64;
}

void add_lost_fields(const TiffDirectory& directory, std::vector<std::string>& changes) {
  for (const std::uint16_t tag : directory.unknown_types) {
    changes.push_back(fmt::format("field {}, of an unknown type, is left out", tag));
  }
  for (const TiffField& field : directory.fields) {
    if (is_offset_of_directory(field)) {
      changes.push_back(fmt::format("the directory that field {} leads to is left out", field.tag));
    }
  }
  for (const auto& [tag, child] : directory.children) add_lost_fields(child, changes);
}

void become_deflate(TiffStorage& storage, const std::string& from) {
  storage.written.compression = compression::deflate;
  storage.written.predictor = 1;
  storage.changes.push_back(from + " becomes deflate");
}

// ImageJ describes a stack of more than 4 GB in the text of its only page.
std::uint64_t imagej_pictures(const TiffDirectory& page) {
  const TiffField* field = page.find(tiff_tag::description);
  if (!field) return 0;
  const std::string_view text(reinterpret_cast<const char*>(field->value.data()),
                              field->value.size());
  constexpr std::string_view key = "\nimages=";
  const std::size_t at = text.find(key);
  if (!text.starts_with("ImageJ=") || at == std::string_view::npos) return 0;
  std::uint64_t number = 0;
  for (const char c : text.substr(at + key.size(), 10)) {
    if (c < '0' || c > '9') break;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

void refuse_page(const TiffDirectory& page) {
  const auto scheme = static_cast<std::uint16_t>(
      std::min<std::uint64_t>(page.integer(tiff_tag::compression, 1), 65535));
  if (!is_known(scheme)) {
    throw ImageFileError(compression_name(scheme) + " of a TIFF is not supported");
  }
  if (!tiff_library_has(scheme)) {
    throw ImageFileError(fmt::format("{} is not built into the {} here", compression_name(scheme),
                                     tiff_library_version()));
  }
  const std::uint64_t colours = page.integer(tiff_tag::photometric, 1);
  if (colours == photometric::colour_filter_array) {
    throw ImageFileError("a colour filter array is not supported: its pattern would not turn");
  }
  if (page.find(dng_version)) throw ImageFileError("a camera raw file (DNG) is not supported");
  if (page.find(lsm_info)) throw ImageFileError("a Zeiss LSM file is not supported");
  if (const std::uint64_t planes = metamorph_planes(page); planes > 1) {
    throw ImageFileError(fmt::format("a MetaMorph stack of {} pictures is not supported", planes));
  }
  if ((scheme == compression::none || scheme == compression::packbits) &&
      page.integer(tiff_tag::predictor, 1) != 1) {
    throw ImageFileError(fmt::format(
        "a predictor without a compression that has one is not supported: readers disagree on it"));
  }
  if (page.integer(tiff_tag::image_depth, 1) > 1 || page.integer(tiff_tag::tile_depth, 1) > 1) {
    throw ImageFileError("a volume (a stack of slices) is not supported");
  }
  if (colours == photometric::ycbcr && scheme != compression::jpeg && has_chroma_steps(page)) {
    throw ImageFileError("a TIFF in YCbCr with fewer chroma samples is not supported without JPEG");
  }
}

std::uint16_t integer_type(std::uint16_t was, std::uint64_t value) {
  return static_cast<std::uint16_t>(was == tiff_type::u16 && value <= 65535 ? tiff_type::u16
                                                                            : tiff_type::u32);
}

bool is_of_jpeg_colours(std::uint16_t tag) {
  return tag == ycbcr_coefficients || tag == tiff_tag::ycbcr_subsampling ||
         tag == ycbcr_positioning || tag == response_unit;
}

// Fields with the places of bytes that have moved.
bool is_place(const TiffField& field) {
  constexpr std::array<std::uint16_t, 8> tags = {
      tiff_tag::strip_offsets,    tiff_tag::strip_byte_counts,      tiff_tag::tile_offsets,
      tiff_tag::tile_byte_counts, tiff_tag::free_offsets,           tiff_tag::free_byte_counts,
      tiff_tag::jpeg_interchange, tiff_tag::jpeg_interchange_length};
  return is_offset_of_directory(field) ||
         std::find(tags.begin(), tags.end(), field.tag) != tags.end();
}

// Fields of a compression that the page does not have any more.
bool is_of_compression(std::uint16_t tag) {
  constexpr std::array<std::uint16_t, 8> tags = {tiff_tag::t4_options,
                                                 tiff_tag::t6_options,
                                                 tiff_tag::predictor,
                                                 tiff_tag::jpeg_tables,
                                                 512,
                                                 515,
                                                 517,
                                                 50674};
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

}  // namespace

std::string compression_name(std::uint16_t scheme) {
  switch (scheme) {
    case compression::ccitt_rle:
    case compression::ccitt_t4:
    case compression::ccitt_t6:
      return "fax compression";
    case compression::ccitt_rle_word:
      return "fax compression in words";
    case compression::lzw:
      return "LZW compression";
    case compression::old_jpeg:
      return "old-style JPEG compression";
    case compression::jpeg:
      return "JPEG compression";
    case compression::deflate:
    case compression::old_deflate:
      return "deflate compression";
    case compression::next:
      return "NeXT compression";
    case compression::thunderscan:
      return "ThunderScan compression";
    case compression::pixarlog:
      return "PixarLog compression";
    case compression::jbig:
      return "JBIG compression";
    case compression::sgilog:
    case compression::sgilog24:
      return "LogLuv compression";
    case compression::lerc:
      return "LERC compression";
    case compression::lzma:
      return "LZMA compression";
    case compression::zstd:
      return "Zstandard compression";
    case compression::webp:
      return "WebP compression";
    case 33003:
    case 33005:
    case 34712:
      return "JPEG 2000 compression";
    case 50002:
    case 52546:
      return "JPEG XL compression";
    default:
      return fmt::format("compression {}", scheme);
  }
}

TiffStorage tiff_storage(std::span<const std::byte> file, const TiffDirectory& page) {
  TiffStorage storage;
  storage.read = tiff_layout(page);
  storage.written = storage.read;
  TiffLayout& written = storage.written;
  const std::uint16_t scheme = storage.read.compression;
  if (loses(scheme) || !is_known(scheme)) {
    become_deflate(storage, compression_name(scheme));
  } else if (scheme == compression::webp && !is_lossless_webp(file, page, storage.read.tiled)) {
    become_deflate(storage, "lossy WebP compression");
  } else if (scheme == compression::jbig &&
             turned_layout(written, Orientation::rotate90).blocks() + written.blocks() > 2) {
    become_deflate(storage, "JBIG compression in several strips");
  }
  if (scheme == compression::jpeg && storage.read.photometric == photometric::ycbcr) {
    written.photometric = photometric::rgb;
    storage.changes.emplace_back("YCbCr becomes RGB");
  }
  if (written.tiled && (written.block_width % 16 != 0 || written.block_height % 16 != 0)) {
    written.block_width = (written.block_width + 15) / 16 * 16;
    written.block_height = (written.block_height + 15) / 16 * 16;
    storage.changes.push_back(fmt::format("tiles of {} x {} pixels become {} x {}",
                                          storage.read.block_width, storage.read.block_height,
                                          written.block_width, written.block_height));
  }
  if (page.find(tiff_tag::jpeg_interchange) && scheme != compression::old_jpeg) {
    storage.changes.emplace_back("a JPEG beside its pixels is left out");
  }
  add_lost_fields(page, storage.changes);
  return storage;
}

void refuse_unsupported_pages(const TiffFile& tiff) {
  if (imagej_pictures(tiff.pages.front()) > tiff.pages.size()) {
    throw ImageFileError("a stack of ImageJ with one directory for many pictures is not supported");
  }
  for (const TiffDirectory& page : tiff.pages) refuse_page(page);
}

void refuse_what_cannot_turn(const TiffFile& tiff) {
  refuse_unsupported_pages(tiff);
  if (tiff.must_stay && tiff.is_too_much)
    throw ImageFileError(
        "a MetaMorph file with more than 1 MiB beside its pixels is not supported");
  for (const TiffDirectory& page : tiff.pages) {
    for (const TiffDirectory& picture : page.pictures) {
      refuse_page(picture);
      if (picture.leads_on || picture.find(tiff_tag::sub_directories)) {
        throw ImageFileError("sub-directories that lead to others are not supported");
      }
      if (tiff_orientation(picture) != tiff_orientation(page) &&
          picture.find(tiff_tag::orientation)) {
        throw ImageFileError("its pictures in sub-directories have other orientations");
      }
    }
  }
}

TiffDirectory turned_directory(const TiffDirectory& source, const TiffStorage& storage,
                               const TiffLayout& turned, Orientation applied) {
  const bool axes_swapped = swaps_axes(applied);
  const bool recompressed = storage.written.compression != storage.read.compression;
  const bool recoloured = storage.written.photometric != storage.read.photometric;
  TiffDirectory directory{.fields = {}, .children = source.children};
  const auto add = [&](const TiffField& was, std::int64_t number) {
    const auto value = static_cast<std::uint64_t>(number);
    directory.fields.push_back(
        tiff_integers(was.tag, integer_type(was.type, value), std::span(&value, 1)));
  };
  for (const TiffField& field : source.fields) {
    // Slides have JPEGs in RGB and say how YCbCr would be subsampled.
    const bool is_lost_subsampling = recompressed && field.tag == tiff_tag::ycbcr_subsampling;
    if (is_place(field) || (recompressed && is_of_compression(field.tag)) || is_lost_subsampling ||
        (recoloured && is_of_jpeg_colours(field.tag))) {
      continue;
    }
    switch (field.tag) {
      case tiff_tag::width:
        add(field, turned.width);
        break;
      case tiff_tag::height:
        add(field, turned.height);
        break;
      case tiff_tag::tile_width:
        add(field, turned.block_width);
        break;
      case tiff_tag::tile_height:
        add(field, turned.block_height);
        break;
      case tiff_tag::rows_per_strip:
        // If there is one strip, the field may state more rows than the page has.
        if (storage.read.block_height == storage.read.height && field.type == tiff_type::u32 &&
            source.integer(field.tag, 0) == 0xFFFFFFFF) {
          directory.fields.push_back(field);
        } else {
          add(field, turned.block_height);
        }
        break;
      case tiff_tag::compression:
        add(field, turned.compression);
        break;
      case tiff_tag::photometric:
        add(field, turned.photometric);
        break;
      default:
        directory.fields.push_back(field);
        if (axes_swapped && field.tag == tiff_tag::x_resolution) {
          directory.fields.back().tag = tiff_tag::y_resolution;
        } else if (axes_swapped && field.tag == tiff_tag::y_resolution) {
          directory.fields.back().tag = tiff_tag::x_resolution;
        }
    }
  }
  turn_placed_metadata(directory, {storage.read.width, storage.read.height}, applied);
  return directory;
}

}  // namespace qturn::tiff
