#include "src/formats/png/orientation_metadata.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "src/formats/png/chunks.hpp"
#include "src/formats/png/raw_profile.hpp"
#include "src/metadata/xmp.hpp"

namespace qturn::png {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::int32_t>::max();

bool is_metadata(const PngChunk& chunk) {
  return chunk.type == "eXIf" || chunk.type == "caBX" || is_png_xmp(chunk) || png_ornt(chunk) ||
         is_raw_exif(chunk);
}

}  // namespace

Bytes turn_png_metadata(Bytes file, const MetadataTurn& turn, MissingTag missing,
                        std::vector<std::string>& warnings) {
  const std::vector<PngChunk> chunks = png_chunks(file);
  const bool any_exif = std::any_of(chunks.begin(), chunks.end(),
                                    [](const PngChunk& chunk) { return chunk.type == "eXIf"; });
  bool adds = !any_exif && missing == MissingTag::is_added && turn.tag != Orientation::identity;
  if (!adds && std::none_of(chunks.begin(), chunks.end(), is_metadata)) return file;

  Bytes made;
  made.reserve(file.size() + 256);
  const auto head = static_cast<std::size_t>(chunks.front().whole.data() - file.data());
  made.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(head));
  std::size_t end = head;
  bool exif_seen = false;
  for (const PngChunk& chunk : chunks) {
    if (chunk.type == "IDAT" && std::exchange(adds, false)) {
      append_png_chunk(made, "eXIf", minimal_exif(turn.tag));
    }
    if (chunk.type == "eXIf") {
      const MissingTag its_missing =
          std::exchange(exif_seen, true) ? MissingTag::stays_absent : missing;
      append_png_chunk(made, chunk.type,
                       turn_exif(chunk.data, turn, its_missing, no_limit, warnings));
    } else if (png_ornt(chunk)) {
      append_png_chunk(made, chunk.type, std::array{static_cast<std::byte>(turn.tag)});
    } else if (const auto block = raw_exif(chunk)) {
      const Bytes turned = turn_exif(*block, turn, MissingTag::stays_absent, no_limit, warnings);
      append_png_chunk(made, chunk.type, with_raw_exif(chunk, turned));
    } else if (is_png_xmp(chunk)) {
      const std::string_view packet = png_xmp(chunk);
      Bytes data(chunk.data.begin(), chunk.data.end() - static_cast<std::ptrdiff_t>(packet.size()));
      warn_of_other_orientation(packet, turn.stored, warnings);
      const std::string turned = turn_xmp(packet, turn, warnings);
      data.insert(data.end(), bytes_of(turned).begin(), bytes_of(turned).end());
      append_png_chunk(made, chunk.type, data);
    } else {
      if (is_raw_exif(chunk))
        warnings.emplace_back("Exif in a text chunk is damaged and stays as it was");
      made.insert(made.end(), chunk.whole.begin(), chunk.whole.end());
    }
    end += chunk.whole.size();
  }
  made.insert(made.end(), file.begin() + static_cast<std::ptrdiff_t>(end), file.end());
  return made;
}

}  // namespace qturn::png
