#include "src/png/carriers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/carriers/xmp.hpp"
#include "src/png/chunks.hpp"

namespace qturn {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t no_limit = std::numeric_limits<std::int32_t>::max();

bool is_carrier(const PngChunk& chunk) {
  return chunk.type == "eXIf" || chunk.type == "caBX" || is_png_xmp(chunk);
}

}  // namespace

Bytes turn_png_carriers(Bytes file, const CarrierTurn& turn, MissingTag missing,
                        std::vector<std::string>& warnings) {
  const std::vector<PngChunk> chunks = png_chunks(file);
  const bool any_exif = std::any_of(chunks.begin(), chunks.end(),
                                    [](const PngChunk& chunk) { return chunk.type == "eXIf"; });
  bool adds = !any_exif && missing == MissingTag::is_added && turn.tag != Orientation::identity;
  if (!adds && std::none_of(chunks.begin(), chunks.end(), is_carrier)) return file;

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
    } else if (is_png_xmp(chunk)) {
      const std::string_view packet = png_xmp(chunk);
      Bytes data(chunk.data.begin(), chunk.data.end() - static_cast<std::ptrdiff_t>(packet.size()));
      const std::string turned = turn_xmp(packet, turn, warnings);
      const auto bytes = std::as_bytes(std::span(turned));
      data.insert(data.end(), bytes.begin(), bytes.end());
      append_png_chunk(made, chunk.type, data);
    } else {
      if (chunk.type == "caBX") {
        warnings.emplace_back("its signed manifest (C2PA) no longer holds");
      }
      made.insert(made.end(), chunk.whole.begin(), chunk.whole.end());
    }
    end += chunk.whole.size();
  }
  made.insert(made.end(), file.begin() + static_cast<std::ptrdiff_t>(end), file.end());
  return made;
}

}  // namespace qturn
