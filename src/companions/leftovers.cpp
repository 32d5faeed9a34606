#include "src/companions/leftovers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "src/files/content_hash.hpp"
#include "src/files/tar/input.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/text.hpp"
#include "src/sample/file_kind.hpp"
#include "src/sample/harmless.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// Null if the head of a file does not tell.
template <typename Answer>
auto ask_header(const std::string& picture, const TarFiles* tar, Answer answer)
    -> std::optional<decltype(answer(std::declval<Header>()))> {
  for (const std::size_t bytes : {std::size_t{1} << 16, std::size_t{1} << 20}) {
    try {
      const Bytes head = read_head(picture, bytes, tar);
      const Codec* codec = codec_of_content(head, lower_suffix(picture));
      if (!codec) return std::nullopt;
      return answer(codec->read_header(head));
    } catch (const std::exception&) {
      // It may lie further on.
    }
  }
  return std::nullopt;
}

class LeftoverFinder {
 public:
  LeftoverFinder(const PlanOptions& options, FoundFiles& among,
                 const std::function<bool(const std::string&)>& is_turned,
                 const std::set<std::string_view>& formats)
      : options_(options),
        among_(among),
        files_(among.files),
        listings_(among.listings),
        is_turned_(is_turned),
        formats_(formats) {}

  Leftovers find(bool is_partial) {
    const bool refuses_lone_masks = options_.masks.take && options_.masks.folder.empty() &&
                                    (options_.random_variants > 0 || is_partial);
    std::set<std::uint32_t> of_pictures;
    std::map<std::uint32_t, std::string> prefixes;
    for (std::size_t number = 0; number < files_.size(); ++number) {
      const FoundFile& file = files_[number];
      if (!file.picture) continue;
      const auto [known, is_new] = prefixes.try_emplace(file.folder);
      if (is_new) known->second = normal_path(fs::path(files_.folder_of(file).path) / "");
      pictures_.add(known->second + file.name);
      if (file.is_companion) continue;
      if (refuses_lone_masks && (is_named_as_mask(file.name) ||
                                 is_below_labels(folders_below_input(files_.folder_of(file)))))
        add(files_.path(file), known->second + file.name,
            "is a mask by its name or its folder, and its picture is not found, so they would not "
            "be turned alike");
      names_.add(file.name, number);
      of_pictures.insert(file.folder);
      takes_arrays_ = takes_arrays_ || is_array(file.name);
    }
    pictures_.sort();
    std::set<std::pair<std::string, std::string>> folders;  // whose order is always the same
    for (std::size_t i = 0; i < files_.folder_count(); ++i)
      folders.emplace(files_.folder_at(i).path, files_.folder_at(i).key);
    for (const auto& [path, key] : folders) look_in(path, key, true);
    for (const fs::path& place : LabelPlaces(files_).all()) look_beside(place, of_pictures);
    return std::move(found_);
  }

 private:
  bool is_left_out(const Listings::Entry& entry) const {
    return !options_.hidden && is_hidden(entry.name);
  }

  /// So many are enough for the message, if that is all.
  bool is_over() const { return found_.has_more && options_.others == Others::stop; }

  /// `key`: of the folder below the output, for --exclude.
  void look_in(const fs::path& folder, const std::string& key, bool follows,
               bool is_beside = false) {
    if (is_over() || !seen_.insert(normal_path(folder / "")).second) return;
    const std::string prefix = normal_path(folder / "");
    const bool is_of_labels = is_beside || is_label_folder(fs::path(prefix).parent_path());
    using enum Listings::Pictures;
    std::vector<std::string> links;
    for (const Listings::Entry& entry : listings_.if_readable(folder, is_of_labels ? all : masks)) {
      const std::string name = entry.name;
      if (is_over() || is_left_out(entry) || is_excluded(options_, key + name, name)) continue;
      if (!entry.is_folder()) look_at(entry, folder / name, prefix + name, is_of_labels);
      if (entry.kind == Listings::Kind::link_to_folder) links.push_back(name);
    }
    if (!follows || options_.follow) return;
    for (const std::string& name : links) look_in(folder / name, key + name + "/", false);
  }

  /// Looks into folders that belong to folders of pictures beside them, such as labels to images.
  void look_beside(const fs::path& place, const std::set<std::uint32_t>& of_pictures) {
    for (const std::string& name : folders_in(place)) {
      if (seen_.contains(normal_path(place / name / ""))) continue;
      for (const std::uint32_t number : of_pictures) {
        const fs::path pictures = normal_path(files_.folder_at(number).path);
        const fs::path below = pictures.lexically_relative(place);
        const std::string first = below.begin()->string();
        if (first == ".." || !are_labels_of(name, first)) continue;
        const fs::path same = place / name / below.lexically_relative(first);
        std::error_code unknown;
        look_below(from_here(fs::is_directory(same, unknown) ? same.parent_path() : place / name));
      }
    }
  }

  void look_below(const fs::path& folder) {
    if (seen_.contains(normal_path(folder / ""))) return;
    look_in(folder, "", false, true);
    for (const std::string& name : folders_in(folder))
      if (!is_over()) look_below(folder / name);
  }

  std::vector<std::string> folders_in(const fs::path& folder) {
    std::vector<std::string> folders;
    for (const Listings::Entry& entry : listings_.if_readable(folder))
      if (entry.kind == Listings::Kind::folder && !is_left_out(entry))
        folders.emplace_back(entry.name);
    return folders;
  }

  bool may_be_table(std::string_view suffix) const {
    constexpr std::string_view suffixes[] = {".csv", ".tsv", ".jsonl", ".json"};
    return options_.has_variants() && std::ranges::count(suffixes, suffix) > 0;
  }

  void look_at(const Listings::Entry& entry, const fs::path& file, const std::string& path,
               bool is_of_labels) {
    if (is_turned_(path) || pictures_.contains(path)) return;
    if (is_array(path) && takes_arrays_) return;
    const KnownKind kind = known_kind(path);
    if (kind == KnownKind::harmless) return;
    const std::vector<std::size_t> own = names_.of_file(file.filename().string());
    if (kind == KnownKind::keeps_crops) {
      if (own.empty() ? !options_.only_tagged : any_moves(own)) ++found_.with_crops;
      return;
    }
    if (is_named_as_picture(file) && !is_array(file)) {
      if (!is_of_labels || own.empty() || !any_moves(own)) return;
      if (!options_.masks.take) return leave(path);
      return add(file, path, "has the name of a picture, and is not turned with it as a mask");
    }
    const TarFiles* const tar = among_.tar.get();
    std::optional<std::string> head = listings_.head_if_readable(file, entry, text_head_bytes, tar);
    if (!head) {
      if (!own.empty() && any_moves(own))
        add(file, path, "has the name of a picture, and cannot be read");
      return;
    }
    if (const Codec* codec = codec_of_content(bytes_of(*head), lower_suffix(file));
        codec && !codec->is_array)
      return;
    if (own.empty() && head->size() == text_head_bytes && head->find('\0') == head->npos &&
        !names_any(*head, names_))
      head = listings_.head_if_readable(file, entry, most_text_bytes, tar).value_or(*head);
    const auto suspicion =
        suspicion_of(file, *head, own, names_, [&](std::size_t number) { return size_of(number); });
    if (!suspicion && own.empty() && may_be_table(lower_suffix(file)) && !is_known_text(*head) &&
        names_any(*head, names_))
      found_.tables.push_back(file);
    if (!suspicion || !(suspicion->pictures.empty() || any_moves(suspicion->pictures))) return;
    const std::string suffix = lower_suffix(file);
    const std::string_view format = turned_format(suffix, *head);
    if (formats_.contains(format)) return;
    if (!format.empty() && options_.labels.take != TakeLabels::found) return leave(path);
    const std::string known = format_in_words(suffix, *head);
    add(file, path, known.empty() ? suspicion->why : known);
  }

  /// The user says that such files do not turn.
  void leave(const std::string& path) {
    ++found_.label_files;
    found_.paths.insert(path);
  }

  void add(const fs::path& file, const std::string& path, std::string why) {
    constexpr std::size_t most = 10;
    found_.paths.insert(path);
    found_.has_more = found_.first.size() == most;
    if (!found_.has_more) found_.first.push_back({file, std::move(why)});
  }

  /// Upright pictures stay as they are. What a sidecar says may turn them, too.
  bool any_moves(const std::vector<std::size_t>& pictures) {
    if (!options_.only_tagged) return true;
    return std::ranges::any_of(pictures, [&](std::size_t number) {
      const auto [known, is_new] = moves_.try_emplace(number, false);
      const std::string path = files_.path(files_[number]);
      if (is_new)
        known->second = is_tagged(path, among_.tar.get()) || !named_as_sidecars(path).empty();
      return known->second;
    });
  }

  std::optional<Size> size_of(std::size_t number) const {
    return size_of_picture(files_.path(files_[number]), among_.tar.get());
  }

  const PlanOptions& options_;
  const FoundFiles& among_;
  const FileList& files_;
  Listings& listings_;
  const std::function<bool(const std::string&)>& is_turned_;
  const std::set<std::string_view>& formats_;
  PictureNames names_;
  PathSet pictures_;
  std::set<std::string> seen_;
  std::map<std::size_t, bool> moves_;
  Leftovers found_;
  bool takes_arrays_ = false;  // as pictures
};

}  // namespace

std::string pattern_of(const fs::path& file) {
  return file.extension().empty() ? file.filename().string() : "*" + file.extension().string();
}

LeftoverError::LeftoverError(const fs::path& file, std::string why)
    : LeftoverError(file, std::move(why), {{Hint::exclude, pattern_of(file)}}) {}

LeftoverError::LeftoverError(const fs::path& file, std::string why, Hints hints)
    : LabelsError(fmt::format("{}: {}", file.string(), why), std::move(hints)),
      file_(file),
      why_(std::move(why)) {}

bool is_tagged(const std::string& picture, const TarFiles* tar) {
  return ask_header(picture, tar,
                    [](const Header& header) { return header.stored != Orientation::identity; })
      .value_or(false);
}

std::optional<Size> size_of_picture(const std::string& picture, const TarFiles* tar) {
  return ask_header(picture, tar, [](const Header& header) { return header.size(); });
}

Leftovers find_leftovers(const PlanOptions& options, FoundFiles& found,
                         const std::function<bool(const std::string&)>& is_turned,
                         const std::set<std::string_view>& formats, bool is_partial) {
  return LeftoverFinder(options, found, is_turned, formats).find(is_partial);
}

}  // namespace qturn
