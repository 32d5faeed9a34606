#include "src/sample/file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "src/formats/table.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/text.hpp"
#include "src/sample/harmless.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {

namespace fs = std::filesystem;

std::optional<Header> header_if_readable(std::span<const std::byte> picture,
                                         std::string_view lower_suffix) try {
  const Codec* codec = codec_of_content(picture, lower_suffix);
  return codec ? std::optional(codec->read_header(picture)) : std::nullopt;
} catch (const ImageFileError&) {
  return std::nullopt;
}

KindOfFile kind_of_file(const fs::path& name, std::span<const std::byte> content) {
  const std::string suffix = lower_suffix(name);
  for (const Codec* codec : {codec_of_suffix(suffix), codec_of_content(content, suffix)}) {
    if (!codec) continue;
    if (codec->is_array) return {FileKind::array};
    return {stem_of_mask(lower_case(name.stem())) ? FileKind::mask : FileKind::picture};
  }
  if (is_xmp(name)) return {FileKind::xmp};
  const std::string_view text = text_of(content);
  if (is_named_as_world_file(name) || are_turned_notes(name.native(), text))
    return {FileKind::world_file};
  for (const LabelFormat& format : label_formats)
    if (suffix == format.suffix && !format.is_named_only && (text.empty() || format.is_of(text)))
      return {FileKind::label, &format};
  if (suspicion_beside(name, text)) return {FileKind::coordinates};
  return {};
}

bool is_suffix_of_labels(std::string_view lower_suffix) {
  return std::ranges::find(label_formats, lower_suffix, &LabelFormat::suffix) !=
         std::end(label_formats);
}

std::optional<std::string_view> stem_of_mask(std::string_view lower_stem) {
  constexpr std::string_view digits = "0123456789", marks = "_-.";
  std::string_view stem = lower_stem.substr(0, lower_stem.find_last_not_of(digits) + 1);
  if (stem.size() < lower_stem.size() && (stem.ends_with('_') || stem.ends_with('-')))
    stem.remove_suffix(1);
  for (const std::string_view word : {"mask", "masks"}) {
    if (!stem.ends_with(word)) continue;
    stem.remove_suffix(word.size());
    if (stem.size() < 2 || marks.find(stem.back()) == std::string_view::npos) return std::nullopt;
    return stem.substr(0, stem.size() - 1);
  }
  return std::nullopt;
}

std::optional<std::string_view> stem_of_depth_map(std::string_view lower_stem) {
  for (const std::string_view end : {"_depth", "_depth_mask"}) {
    if (lower_stem.size() > end.size() && lower_stem.ends_with(end))
      return lower_stem.substr(0, lower_stem.size() - end.size());
  }
  return std::nullopt;
}

bool is_mask_of(const fs::path& mask, const fs::path& picture) {
  if (is_array(mask)) {
    return lower_case(std::string(webdataset_key(mask.native()))) ==
           lower_case(std::string(webdataset_key(picture.native())));
  }
  const std::string stem = lower_case(mask.stem());
  const auto of = stem_of_mask(stem);
  const fs::path sample = webdataset_key(mask.native());
  return of && (lower_case(picture.stem()) == *of || lower_case(sample.filename()) == *of);
}

void expect_array_of(std::span<const std::byte> array, std::span<const std::byte> picture,
                     std::string_view lower_suffix_of_picture) {
  const Codec* codec = codec_of_content(array, {});
  if (!codec || !codec->is_array) throw ImageFileError("not a NumPy array");
  const Size own = codec->read_header(array).size();
  const auto header = header_if_readable(picture, lower_suffix_of_picture);
  const auto size = header ? std::optional(header->size()) : std::nullopt;
  if (!size || own == *size || turned_size(Orientation::transpose, own) == *size) return;
  throw ImageFileError(fmt::format("is {} x {}, the picture is {} x {}", own.width, own.height,
                                   size->width, size->height));
}

}  // namespace qturn
