#include "src/formats/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "src/picture/text.hpp"

namespace qturn {
namespace {

// Camera raw files begin like a TIFF, so they are asked first.
constexpr std::array<const Codec*, 19> rows = {
    &jpeg::codec,      &png::codec,       &raw::codec,     &raw::other_codec, &tiff::codec,
    &openexr::codec,   &webp::codec,      &gif::codec,     &bmp::codec,       &pnm::codec,
    &tga::codec,       &hdr::codec,       &oiio::jpeg2000, &oiio::dpx,        &oiio::sgi,
    &heif::heic_codec, &heif::avif_codec, &jxl::codec,     &npy::codec};

template <typename Predicate>
const Codec* find(Predicate is_wanted) {
  const auto found = std::ranges::find_if(rows, [&](const Codec* row) { return is_wanted(*row); });
  return found == rows.end() ? nullptr : *found;
}

// Whether pictures of other formats can be written in this one.
bool is_written(const Codec& codec) { return codec.encode && !codec.is_array; }

}  // namespace

bool is_array(const std::filesystem::path& name) {
  const Codec* codec = codec_of_suffix(name.extension().string());
  return codec && codec->is_array;
}

std::span<const Codec* const> codecs() { return rows; }

std::string lower_suffix(const std::filesystem::path& path) {
  return lower_case(path.extension().string());
}

const Codec* codec_of_content(std::span<const std::byte> head, std::string_view lower_suffix) {
  head = head.first(std::min(head.size(), signature_bytes));
  return find([&](const Codec& codec) { return codec.recognises(head, lower_suffix); });
}

const Codec* codec_of_suffix(std::string_view suffix) {
  if (suffix.empty()) return nullptr;
  const std::string lower = lower_case(std::string(suffix));
  return find([&](const Codec& codec) { return std::ranges::count(codec.suffixes, lower) > 0; });
}

std::string wrong_suffix(const Codec& content, std::string_view suffix) {
  const Codec* promised = codec_of_suffix(suffix);
  if (!promised || promised == &content) return {};
  return fmt::format("its suffix says {}, its content {}", promised->name, content.name);
}

const Codec* codec_of_name(std::string_view name) {
  if (name.empty()) return nullptr;
  const std::string lower = lower_case(std::string(name));
  return find([&](const Codec& codec) {
    return is_written(codec) && (lower == codec.name || lower == codec.alias);
  });
}

std::string format_names(std::string_view separator) {
  std::vector<std::string_view> names;
  for (const Codec* codec : rows) {
    if (is_written(*codec)) names.push_back(codec->name);
  }
  return fmt::format("{}", fmt::join(names, separator));
}

std::string library_versions() {
  std::vector<std::string> versions;
  for (const Codec* codec : rows) {
    if (!codec->library_version) continue;
    std::string version = codec->library_version();
    if (std::ranges::count(versions, version) == 0) versions.push_back(std::move(version));
  }
  return fmt::format("{}", fmt::join(versions, ", "));
}

}  // namespace qturn
