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
    return {is_named_as_mask(name) ? FileKind::mask : FileKind::picture};
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

bool is_label_folder(const fs::path& folder) {
  const std::string name = lower_case(folder.filename().string());
  return std::ranges::any_of(label_folder_names, [&](std::string_view word) {
    if (!name.ends_with(word)) return false;
    const std::string_view before(name.data(), name.size() - word.size());
    return before.empty() || before.ends_with('_') || before.ends_with('-');
  });
}

bool is_below_labels(const fs::path& folder) {
  return std::any_of(folder.begin(), folder.end(), is_label_folder);
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

bool is_named_as_mask(const fs::path& file) {
  return stem_of_mask(lower_case(file.stem())).has_value();
}

std::vector<MaskFolder> mask_folders(const std::string& lower_name) {
  std::vector<MaskFolder> folders;
  const auto add = [&](std::string_view from, const std::string& to,
                       MaskPlace place = MaskPlace::apart) {
    folders.push_back({std::string(from), to, place});
  };
  for (const std::string_view pictures : {"images", "image", "imgs", "img", "jpegimages"}) {
    for (const std::string_view masks : label_folder_names) add(pictures, std::string(masks));
    add(pictures, "depth", MaskPlace::depth);
  }
  add("rgb", "depth", MaskPlace::depth);
  for (const char* after : {"_masks", "-masks", "_mask", "-mask"})
    add(lower_name, lower_name + after);
  for (const char* before : {"panoptic_", "annotations/panoptic_"})
    add(lower_name, before + lower_name);
  return folders;
}

bool is_mask_of(const fs::path& mask, const fs::path& picture, MaskPlace place) {
  const std::string own = lower_case(mask.stem()), stem = lower_case(picture.stem());
  const auto of = stem_of_mask(own);
  if (place == MaskPlace::sample) {
    const std::string sample = lower_case(std::string(webdataset_key(mask.native())));
    if (is_array(mask)) return sample == lower_case(std::string(webdataset_key(picture.native())));
    return of && (stem == *of || fs::path(sample).filename() == *of);
  }
  if (is_array(mask)) {
    const bool is_named =
        own == stem || own.starts_with(stem + ".") || stem_of_depth_map(own) == stem;
    if (is_named && !is_array(picture)) return true;
  } else if (place == MaskPlace::depth || !codec_of_suffix(mask.extension().string())) {
    return false;
  }
  return of == stem || (place != MaskPlace::beside && own == stem);
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
