// PNG's row of the table.
#include "src/formats/png/codec.hpp"

#include <fmt/format.h>

#include "src/formats/codec/capacity.hpp"
#include "src/formats/png/chunks.hpp"
#include "src/formats/png/orientation_metadata.hpp"
#include "src/formats/png/raw_profile.hpp"
#include "src/formats/png/zlib.hpp"

namespace qturn::png {
namespace {

using std::string_view_literals::operator""sv;

constexpr Capacity capacity = {.samples = bit_of(SampleFormat::u8) | bit_of(SampleFormat::u16),
                               .channels = [](int count, Meaning::Alpha alpha) {
                                 const bool has_alpha = count == 2 || count == 4;
                                 return count <= 4 &&
                                        (!has_alpha || alpha == Meaning::Alpha::unassociated);
                               }};

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings) {
  if (image.format != &codec) check_fits(image, codec.name, capacity);
  return encode_png(image, applied, stop, warnings);
}

Bytes retag(std::span<const std::byte> file, Orientation tag, MissingTag missing,
            const TurnEmbedded& turn_embedded, std::vector<std::string>& warnings) {
  const std::vector<PngChunk> chunks = png_chunks(file);
  const PngHeader header = png_header(chunks);
  const MetadataTurn turn{.stored = png_orientation(chunks),
                          .tag = tag,
                          .size = {header.width, header.height},
                          .turn_embedded = turn_embedded};
  return turn_png_metadata(Bytes(file.begin(), file.end()), turn, missing, warnings);
}

void check(std::span<const std::byte> file, MetadataCheck& check) {
  const std::vector<PngChunk> chunks = png_chunks(file);
  for (const PngChunk& chunk : chunks) {
    if (chunk.type == "eXIf") check.exif(chunk.data);
  }
  for (const PngChunk& chunk : chunks) {
    if (const auto orientation = png_ornt(chunk)) check.orientation("orNT", *orientation);
    if (!is_raw_exif(chunk)) continue;
    if (const auto block = raw_exif(chunk)) {
      check.exif(*block);
    } else {
      check.add("Exif in a text chunk is damaged");
    }
  }
  for (const PngChunk& chunk : chunks) {
    if (is_png_xmp(chunk)) check.xmp("XMP", png_xmp(chunk));
  }
  if (const std::size_t rest = bytes_after_png(chunks, file); rest > 0) {
    check.add(fmt::format("{} bytes after the end of the PNG", rest));
  }
}

}  // namespace

const Codec codec = {
    .name = "png",
    .suffixes = {".png", ".apng"},
    .recognises = [](std::span<const std::byte> head,
                     std::string_view) { return text_of(head).starts_with("\x89PNG\r\n\x1a\n"sv); },
    .check_limits = check_png_limits,
    .read_header = read_png_header,
    .decode = decode_png,
    .encode = encode,
    .keeps_metadata = true,
    .finish =
        [](Bytes encoded, const MetadataTurn& turn, std::vector<std::string>& warnings) {
          return turn_png_metadata(std::move(encoded), turn, MissingTag::stays_absent, warnings);
        },
    .retag = retag,
    .check = check,
    .parts = png_parts,
    .read_damaged_header = read_damaged_png_header,
    .salvage = salvage_png,
    .library_version = zlib_library_version,
};

}  // namespace qturn::png
