#include "src/companions/find_companions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/files/content_hash.hpp"
#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/labels/text/any_text.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/text.hpp"
#include "src/sample/file_kind.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

class SidecarFinder {
 public:
  SidecarFinder(const PlanOptions& options, FoundFiles& found, SidecarKinds kinds,
                const std::function<bool(const std::string&)>& is_taken)
      : options_(options),
        files_(found.files),
        listings_(found.listings),
        takes_all_(kinds == SidecarKinds::all),
        is_taken_(is_taken) {}

  CompanionFiles find() {
    for (std::size_t number = 0; number < files_.size(); ++number)
      if (files_[number].is_own_picture()) find_of(number);
    sidecars_.finish();
    refuse_shared();
    for (FoundFile& file : files_)
      if (!file.picture && sidecars_.contain(normal_path(files_.path(file))))
        file.is_companion = true;
    return std::move(sidecars_);
  }

 private:
  void find_of(std::size_t number) {
    const FoundFile& file = files_[number];
    const FileList::Folder& folder = files_.folder_of(file);
    if (!takes_all_ && !folder.may_hold_sidecars) return;
    const fs::path name = lower_case(file.name);
    const std::string start = name.stem().string() + ".";
    for (const Listings::Entry& entry : listings_.starting_with(folder.path, start)) {
      if (entry.is_folder() || !may_be_sidecar(std::string(entry.lower))) continue;
      const fs::path own = entry.lower, whole = folder.path + entry.name;
      const std::string path = normal_path(whole);
      const bool is_notes = entry.name == std::string(file.name) + ".aux.xml" &&
                            are_turned_notes(entry.name, head_of(whole, entry, text_head_bytes));
      const bool is_of_picture = own.stem() == name.stem() || is_notes ||
                                 (is_xmp(own) && own.stem() == name && name.has_extension());
      if (!is_of_picture) continue;
      if (!takes_all_ && !is_notes && !is_world_file(own, name)) continue;
      if (is_taken_(path)) continue;
      if (is_excluded(options_, folder.key + entry.name, entry.name)) continue;
      if (!options_.follow && fs::is_symlink(fs::symlink_status(whole))) continue;
      if (!is_turned_sidecar(own) && !entry.is_no_picture && !may_be_copied(whole, entry)) continue;
      const auto [place, is_new] = places_.try_emplace(file.folder);
      if (is_new) place->second = sidecars_.add_place({.folder = folder});
      sidecars_.add(number, place->second, entry.name);
    }
  }

  /// A sidecar of two pictures would have the variants of both.
  void refuse_shared() const {
    PathSet paths;
    for (const CompanionFiles::File& sidecar : sidecars_)
      paths.add(normal_path(sidecars_.path(sidecar)));
    paths.sort();
    const PathSet suspects = paths.repeated();
    if (suspects.empty()) return;
    std::map<std::string, const FoundFile*> seen;
    for (const CompanionFiles::File& sidecar : sidecars_) {
      const fs::path path = sidecars_.path(sidecar);
      if (!suspects.contains(normal_path(path))) continue;
      const FoundFile& picture = files_[sidecar.picture];
      const auto [other, is_new] = seen.emplace(normal_path(path), &picture);
      if (is_new || files_.id(*other->second) == files_.id(picture)) continue;
      throw PlanError(fmt::format(
          "{} belongs to {} and to {}; turn them one after the other, each with its own output",
          path.string(), files_.path(*other->second), files_.path(picture)));
    }
  }

  /// Not if it is a picture.
  bool may_be_copied(const fs::path& path, const Listings::Entry& entry) const {
    const std::string start = head_of(path, entry, signature_bytes);
    const Codec* codec = codec_of_content(bytes_of(start), lower_suffix(path));
    return !codec || codec->is_array;
  }

  /// Empty if it cannot be read.
  std::string head_of(const fs::path& path, const Listings::Entry& entry, std::size_t most) const {
    return listings_.head_if_readable(path, entry, most).value_or("");
  }

  bool may_be_sidecar(const std::string& lower) const {
    if (!takes_all_) return is_turned_world_file(lower);
    const std::string suffix = lower_suffix(lower);
    if (suffix.empty() || codec_of_suffix(suffix)) return false;
    return options_.labels.take == TakeLabels::found || !is_suffix_of_labels(suffix) ||
           is_turned_world_file(lower);
  }

  const PlanOptions& options_;
  FileList& files_;
  Listings& listings_;
  const bool takes_all_;
  const std::function<bool(const std::string&)>& is_taken_;
  std::map<std::uint32_t, std::uint32_t> places_;  // by the folder of the pictures
  CompanionFiles sidecars_{CompanionKind::sidecar};
};

}  // namespace

CompanionFiles find_sidecar_files(const PlanOptions& options, FoundFiles& found, SidecarKinds kinds,
                                  const std::function<bool(const std::string&)>& is_taken) {
  if (options.labels.take == TakeLabels::none) kinds = SidecarKinds::world_files;
  return SidecarFinder(options, found, kinds, is_taken).find();
}

}  // namespace qturn
