#include "src/companions/companion_files.hpp"

#include <algorithm>
#include <utility>

#include "src/inputs/folder_layout.hpp"
#include "src/inputs/output_names.hpp"
#include "src/picture/text.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {

namespace fs = std::filesystem;

std::uint32_t CompanionFiles::add_place(Place place) {
  places_.push_back(std::move(place));
  return static_cast<std::uint32_t>(places_.size() - 1);
}

void CompanionFiles::add(std::size_t picture, std::uint32_t place, std::string_view name) {
  files_.push_back({picture, place, names_.add(name)});
  paths_.add(normal_path(path(files_.back())));
  places_[place].holds_any = true;
}

const CompanionFiles::File* CompanionFiles::of(std::size_t picture) const {
  const auto found = std::ranges::lower_bound(files_, picture, {}, &File::picture);
  return found == files_.end() || found->picture != picture ? nullptr : &*found;
}

std::span<const CompanionFiles::File> CompanionFiles::all_of(std::size_t picture) const {
  return {std::ranges::lower_bound(files_, picture, {}, &File::picture),
          std::ranges::upper_bound(files_, picture, {}, &File::picture)};
}

std::string CompanionFiles::name_of(const File& companion, const fs::path& picture,
                                    const fs::path& output) {
  // "a.jpg.xmp" of "a.jpg"
  const std::string own = companion.name;
  const std::string& whole = picture.native();
  if (picture.has_extension() && lower_case(own).starts_with(lower_case(whole) + "."))
    return output.string() + own.substr(whole.size());
  // "a_gtFine_polygons.json" of "a_leftImg8bit.png"
  const std::string stem = picture.stem(), now = output.stem();
  const std::size_t kind = variant_place(stem);
  if (!lower_case(own).starts_with(lower_case(stem)))
    return now.substr(0, variant_place(now)) + own.substr(kind);
  return world_file_name(now + own.substr(stem.size()), output);
}

}  // namespace qturn
