// WebP's row of the table.
#include "src/formats/codec/capacity.hpp"
#include "src/formats/webp/chunks.hpp"
#include "src/formats/webp/codec.hpp"
#include "src/formats/webp/orientation_metadata.hpp"

namespace qturn::webp {
namespace {

constexpr Capacity capacity = {
    .samples = bit_of(SampleFormat::u8), .channels = [](int count, Meaning::Alpha alpha) {
      return count == 3 || (count == 4 && alpha == Meaning::Alpha::unassociated);
    }};

bool recognises(std::span<const std::byte> head, std::string_view) {
  const std::string_view text = text_of(head);
  return text.starts_with("RIFF") && text.size() >= 12 && text.substr(8, 4) == "WEBP";
}

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>&) {
  if (image.format != &codec) check_fits(image, codec.name, capacity);
  return encode_webp(image, applied, stop);
}

Bytes retag(std::span<const std::byte> file, Orientation tag, MissingTag missing,
            const TurnEmbedded& turn_embedded, std::vector<std::string>& warnings) {
  const Header header = read_webp_header(file);
  if (missing == MissingTag::is_added) {
    warnings.emplace_back("browsers do not look at the orientation of a WebP");
  }
  const MetadataTurn turn{
      .stored = header.stored, .tag = tag, .size = header.size(), .turn_embedded = turn_embedded};
  return turn_webp_metadata(Bytes(file.begin(), file.end()), turn, missing, warnings);
}

void check(std::span<const std::byte> file, MetadataCheck& check) {
  const std::vector<WebpChunk> chunks = webp_chunks(file);
  for (const WebpChunk& chunk : chunks) {
    if (chunk.type == "EXIF") check.exif(chunk.data);
  }
  for (const WebpChunk& chunk : chunks) {
    if (chunk.type == "XMP ") check.xmp("XMP", text_of(chunk.data));
  }
  check.trailing_data(file, webp_end(file));
}

}  // namespace

const Codec codec = {
    .name = "webp",
    .suffixes = {".webp"},
    .recognises = recognises,
    .check_limits = check_webp_limits,
    .read_header = read_webp_header,
    .decode = decode_webp,
    .encode = encode,
    .takes_quality = true,
    .encoding_bytes_per_pixel = webp_encoding_bytes_per_pixel,
    .keeps_metadata = true,
    .finish =
        [](Bytes encoded, const MetadataTurn& turn, std::vector<std::string>& warnings) {
          return turn_webp_metadata(std::move(encoded), turn, MissingTag::stays_absent, warnings);
        },
    .retag = retag,
    .check = check,
    .parts = webp_parts,
    .library_version = webp_library_version,
};

}  // namespace qturn::webp
