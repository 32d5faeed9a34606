#include "src/formats/png/orientation_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "src/formats/codec/zlib.hpp"
#include "src/formats/png/chunks.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/metadata/xmp.hpp"

namespace qturn::png {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::int32_t>::max();

using std::string_view_literals::operator""sv;

constexpr std::array exif_keywords = {"Raw profile type exif\0"sv, "Raw profile type APP1\0"sv};
constexpr std::string_view xmp_keyword = "XML:com.adobe.xmp\0"sv;

// Texts about the picture: titles, dates, programs, the camera's exposure, prompts of a model.
bool is_text(const PngChunk& chunk) {
  return chunk.type == "tEXt" || chunk.type == "zTXt" || chunk.type == "iTXt";
}

// What is before the text: the keyword; in zTXt a method of compression; in iTXt whether it is
// compressed, a method, a language and the keyword in that language.
struct Place {
  std::size_t text_at = 0;
  bool is_compressed = false;
};

std::optional<Place> place_of_text(const PngChunk& chunk) {
  const std::string_view data = text_of(chunk.data);
  const std::size_t end = data.find('\0') + 1;
  if (end == 0) return std::nullopt;
  if (chunk.type == "tEXt") return Place{end, false};
  if (chunk.type == "zTXt" && data.size() > end) return Place{end + 1, true};
  if (chunk.type != "iTXt" || data.size() < end + 2) return std::nullopt;
  const std::size_t language_end = data.find('\0', end + 2);
  if (language_end == std::string_view::npos) return std::nullopt;
  const std::size_t keyword_end = data.find('\0', language_end + 1);
  if (keyword_end == std::string_view::npos) return std::nullopt;
  return Place{keyword_end + 1, data[end] != '\0'};
}

std::optional<Bytes> text_in(const PngChunk& chunk) {
  const auto place = place_of_text(chunk);
  if (!place) return std::nullopt;
  const auto data = chunk.data.subspan(place->text_at);
  if (!place->is_compressed) return Bytes(data.begin(), data.end());
  constexpr std::size_t largest = 16 << 20;
  return bytes_of_zlib(data, largest);
}

// The data of a chunk that holds a text, with another one.
Bytes with_text(const PngChunk& chunk, std::string_view text) {
  const Place place = *place_of_text(chunk);
  Bytes data(chunk.data.begin(), chunk.data.begin() + static_cast<std::ptrdiff_t>(place.text_at));
  if (place.is_compressed) {
    append(data, zlib_of(bytes_of(text)));
  } else {
    append(data, text);
  }
  return data;
}

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
    } else if (const std::string packet = png_xmp(chunk); !packet.empty()) {
      warn_of_other_orientation(packet, turn.stored, warnings);
      const std::string turned = turn_xmp(packet, turn, warnings);
      if (turned == packet) {
        append(made, chunk.whole);
      } else {
        append_png_chunk(made, chunk.type, with_text(chunk, turned));
      }
    } else {
      if (is_png_xmp(chunk)) warnings.emplace_back("its XMP is damaged and stays as it was");
      if (is_raw_exif(chunk))
        warnings.emplace_back("Exif in a text chunk is damaged and stays as it was");
      made.insert(made.end(), chunk.whole.begin(), chunk.whole.end());
    }
    end += chunk.whole.size();
  }
  made.insert(made.end(), file.begin() + static_cast<std::ptrdiff_t>(end), file.end());
  return made;
}

namespace {

// The name, after an empty line.
std::string_view name_in(std::string_view text) {
  const std::size_t begin = text.find_first_not_of('\n');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::optional<unsigned> digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

bool is_raw_exif(const PngChunk& chunk) {
  return is_text(chunk) && std::ranges::any_of(exif_keywords, [&](std::string_view keyword) {
           return text_of(chunk.data).starts_with(keyword);
         });
}

std::optional<Bytes> raw_exif(const PngChunk& chunk) {
  if (!is_raw_exif(chunk)) return std::nullopt;
  const auto stored = text_in(chunk);
  if (!stored) return std::nullopt;
  std::string_view text = text_of(*stored);
  const std::string_view name = name_in(text);
  if (name.empty()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(name.data() - text.data()) + name.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  std::size_t bytes = 0;
  const auto [number_end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(number_end - text.data()));
  if (bytes > text.size() / 2) return std::nullopt;
  Bytes block;
  block.reserve(bytes);
  unsigned high = 0;
  bool is_half = false;
  for (const char c : text) {
    if (is_space(c)) continue;
    const auto value = digit(c);
    if (!value) return std::nullopt;
    if (is_half) block.push_back(static_cast<std::byte>(high << 4 | *value));
    high = *value;
    is_half = !is_half;
  }
  const bool is_exif = TiffStructure::is_marked(exif_body(block));  // an APP1 may be XMP
  if (block.size() != bytes || is_half || !is_exif) return std::nullopt;
  return block;
}

Bytes with_raw_exif(const PngChunk& chunk, std::span<const std::byte> block) {
  const Bytes before = *text_in(chunk);
  std::string text = fmt::format("\n{}\n{:8}", name_in(text_of(before)), block.size());
  constexpr std::size_t bytes_per_line = 36;
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (i % bytes_per_line == 0) text += '\n';
    text += fmt::format("{:02x}", std::to_integer<unsigned>(block[i]));
  }
  text += '\n';
  return with_text(chunk, text);
}

bool is_png_xmp(const PngChunk& chunk) {
  return chunk.type == "iTXt" && text_of(chunk.data).starts_with(xmp_keyword);
}

std::string png_xmp(const PngChunk& chunk) {
  const auto text = is_png_xmp(chunk) ? text_in(chunk) : std::nullopt;
  return text ? std::string(text_of(*text)) : std::string();
}

namespace {

// The PNG specification and its extensions describe these, or a program is known to write them. A
// stereo pair, sTER, is not here.
constexpr std::array known_chunks = {
    "IHDR"sv, "PLTE"sv, "IDAT"sv, "IEND"sv, "tRNS"sv, "cHRM"sv, "gAMA"sv, "iCCP"sv,
    "sBIT"sv, "sRGB"sv, "cICP"sv, "mDCV"sv, "mDCv"sv, "cLLI"sv, "cLLi"sv, "bKGD"sv,
    "hIST"sv, "pHYs"sv, "sPLT"sv, "eXIf"sv, "tIME"sv, "acTL"sv, "fcTL"sv, "fdAT"sv,
    "oFFs"sv, "sCAL"sv, "pCAL"sv, "gIFg"sv, "gIFx"sv, "fRAc"sv, "caBX"sv,
    "iDOT"sv,  // Apple's offsets into the pixels
    "orNT"sv,  // GraphicsMagick's orientation
    "vpAg"sv,  // ImageMagick's canvas, beside oFFs
    "caNv"sv};

std::string_view name_of_text(const PngChunk& chunk) {
  const std::string_view text = text_of(chunk.data);
  return text.substr(0, text.find('\0'));
}

// A profile in hexadecimal that is not looked into, such as XMP and Photoshop's resources.
bool is_other_profile(const PngChunk& chunk) {
  constexpr std::string_view begin = "Raw profile type ";
  const std::string_view text = text_of(chunk.data);
  if (!is_text(chunk) || !text.starts_with(begin)) return false;
  constexpr std::array harmless = {"iptc\0"sv, "icc\0"sv, "icm\0"sv};
  return !is_raw_exif(chunk) && std::ranges::none_of(harmless, [&](std::string_view kind) {
    return text.substr(begin.size()).starts_with(kind);
  });
}

}  // namespace

void look_at_chunks(const std::vector<PngChunk>& chunks, Header& header) {
  for (const PngChunk& chunk : chunks) {
    if (const std::string packet = png_xmp(chunk); !packet.empty()) look_at_xmp(packet, header);
    if (chunk.type == "eXIf") look_at_exif(chunk.data, header);
    if (const auto block = raw_exif(chunk)) look_at_exif(*block, header);
    if (chunk.type == "caBX") add_placed(signed_manifest(), header);
    if (is_other_profile(chunk)) {
      add_unknown(fmt::format("PNG {}", name_of_text(chunk)), header);
    } else if (!is_text(chunk) && !chunk.data.empty() &&
               std::ranges::find(known_chunks, chunk.type) == known_chunks.end()) {
      add_unknown(fmt::format("PNG {}", chunk.type), header);
    }
  }
}

}  // namespace qturn::png
