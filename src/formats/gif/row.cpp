// GIF's row of the table.
#include <utility>

#include "src/formats/gif/blocks.hpp"
#include "src/formats/gif/codec.hpp"
#include "src/formats/gif/lzw.hpp"

namespace qturn::gif {
namespace {

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings) {
  if (image.format != &codec) {
    throw ImageFileError(
        "only a GIF can be written as gif: other pictures may have more than its 256 colours");
  }
  return encode_gif(image, applied, stop, warnings);
}

void check(std::span<const std::byte> file, MetadataCheck& check) {
  const GifBlocks gif = gif_blocks(file);
  for (const GifBlock& block : gif.blocks) {
    if (is_gif_xmp(block)) check.xmp("XMP", gif_xmp(block));
  }
  for (std::string& fault : gif_faults(gif)) check.add(std::move(fault));
  check.trailing_data(file, gif.end);
}

}  // namespace

const Codec codec = {
    .name = "gif",
    .suffixes = {".gif"},
    .recognises =
        [](std::span<const std::byte> head, std::string_view) {
          return text_of(head).starts_with("GIF87a") || text_of(head).starts_with("GIF89a");
        },
    .check_limits = check_gif_limits,
    .read_header = read_gif_header,
    .decode = decode_gif,
    .encode = encode,
    .finish = finish_gif,
    .check = check,
    .parts = gif_parts,
    .library_version = gif_library_version,
};

}  // namespace qturn::gif
