#include "src/inputs/listings.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <tuple>

#include "src/formats/table.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/inputs/options.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/text.hpp"
#include "src/sample/file_kind.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// Nothing if the entry is neither a regular file nor a folder.
std::optional<Listings::Kind> kind_of(int opened, const dirent& entry) {
  if (entry.d_type == DT_REG) return Listings::Kind::file;
  if (entry.d_type == DT_DIR) return Listings::Kind::folder;
  if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return std::nullopt;
  struct stat own, target;
  if (::fstatat(opened, entry.d_name, &own, AT_SYMLINK_NOFOLLOW) != 0 ||
      ::fstatat(opened, entry.d_name, &target, 0) != 0)
    return std::nullopt;
  if (S_ISREG(target.st_mode)) return Listings::Kind::file;
  if (!S_ISDIR(target.st_mode)) return std::nullopt;
  return S_ISLNK(own.st_mode) ? Listings::Kind::link_to_folder : Listings::Kind::folder;
}

bool is_picture_alone(const std::string& lower) {
  return is_named_as_picture(lower) && !is_array(lower) && !is_named_as_mask(lower);
}

}  // namespace

std::error_code for_each_entry(const fs::path& folder,
                               const std::function<void(int opened, const dirent& entry)>& visit) {
  const auto reason = [] { return std::error_code(errno, std::generic_category()); };
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.empty() ? "." : folder.c_str()),
                                                   ::closedir);
  if (!opened) return reason();
  errno = 0;
  for (; const dirent* entry = ::readdir(opened.get()); errno = 0) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") visit(::dirfd(opened.get()), *entry);
  }
  return errno == 0 ? std::error_code() : reason();
}

Listings::Reader::Reader(Listings& all, std::string path, Pictures pictures)
    : all_(all), path_(std::move(path)), pictures_(pictures) {
  if (is_below_labels(path_)) pictures_ = Pictures::all;
}

Listings::Entry* Listings::Reader::add(int opened, const dirent& entry) {
  if (is_of_a_run(entry.d_name)) return nullptr;
  return add(entry.d_name, kind_of(opened, entry));
}

Listings::Entry* Listings::Reader::add(const std::string& name, std::optional<Kind> kind) {
  const std::string lower = lower_case(name);
  if (!kind || (*kind == Kind::file && pictures_ == Pictures::masks && is_picture_alone(lower)))
    return nullptr;
  const char* kept = all_.names_.add(name);
  return &entries_.emplace_back(
      Entry{.lower = lower == name ? kept : all_.names_.add(lower), .name = kept, .kind = *kind});
}

void Listings::Reader::finish(std::error_code error) {
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory)
    error.clear();
  std::ranges::sort(entries_, {}, [](const Entry& entry) {
    return std::tuple(entry.lower, std::string_view(entry.name));
  });
  all_.folders_.try_emplace({path_, pictures_}, Folder{std::move(entries_), error});
}

Listings::Reader Listings::reader(const fs::path& folder, Pictures pictures) {
  return {*this, normal_path(folder / ""), pictures};
}

const Listings::Folder& Listings::folder(const fs::path& path, Pictures pictures) {
  const auto [known, is_new] =
      asked_for_[static_cast<std::size_t>(pictures)].try_emplace(path.native());
  if (!is_new) return *known->second;
  const std::string normal = normal_path(path / "");
  const auto found = [&](Pictures wanted) -> const Folder* {
    const auto at = folders_.find({normal, wanted});
    return at == folders_.end() ? nullptr : &at->second;
  };
  const auto any = [&] {
    const Folder* all = found(Pictures::all);
    return all || pictures == Pictures::all ? all : found(pictures);
  };
  const auto is_below = [&](const std::string& root) { return normal.starts_with(root); };
  if (!any()) {
    Reader entries = reader(path, pictures);
    const bool is_read = !roots_ || std::ranges::any_of(*roots_, is_below);
    entries.finish(!is_read ? std::error_code()
                            : for_each_entry(path, [&](int opened, const dirent& entry) {
                                entries.add(opened, entry);
                              }));
  }
  return *(known->second = any());
}

void Listings::read_only_below(const std::vector<fs::path>& roots) {
  roots_.emplace();
  for (const fs::path& root : roots) roots_->push_back(normal_path(root / ""));
}

std::span<const Listings::Entry> Listings::of(const fs::path& folder, Pictures pictures) {
  const Folder& found = this->folder(folder, pictures);
  if (found.error)
    throw LabelsError(fmt::format("cannot look for labels and masks in {}: {}", folder.string(),
                                  found.error.message()));
  return found.entries;
}

std::span<const Listings::Entry> Listings::if_readable(const fs::path& folder, Pictures pictures) {
  return this->folder(folder, pictures).entries;
}

std::span<const Listings::Entry> Listings::starting_with(const fs::path& folder,
                                                         std::string_view start,
                                                         Pictures pictures) {
  const auto entries = of(folder, pictures);
  const auto first = std::ranges::lower_bound(entries, start, {}, &Entry::lower);
  const auto last = std::find_if_not(
      first, entries.end(), [&](const Entry& entry) { return entry.lower.starts_with(start); });
  return {first, last};
}

const Listings::Entry* Listings::find(const fs::path& folder, const std::string& name,
                                      bool is_folder) {
  const Entry* found = nullptr;
  const std::string lower = lower_case(name);
  for (const Entry& entry : starting_with(folder, lower)) {
    if (entry.lower.size() > lower.size()) break;
    if (entry.is_folder() == is_folder && (!found || entry.name == name)) found = &entry;
  }
  return found;
}

std::string Listings::head(const fs::path& file, const Entry& entry, std::size_t most,
                           const TarFiles* tar) {
  if (entry.is_whole || entry.head_bytes >= most)
    return {entry.head, std::min<std::size_t>(entry.head_bytes, most)};
  const bool is_all = most == std::string::npos;
  std::string head(text_of(is_all ? read_whole(file, tar) : read_head(file, most, tar)));
  keep(entry, head, head.size() < most);
  return head;
}

std::optional<std::string> Listings::head_if_readable(const fs::path& file, const Entry& entry,
                                                      std::size_t most, const TarFiles* tar) try {
  return head(file, entry, most, tar);
} catch (const FileError&) {
  return std::nullopt;
}

void Listings::keep(const Entry& entry, std::string_view head, bool is_whole) {
  if (kept_bytes_ + head.size() > most_kept_bytes) return;
  kept_bytes_ += head.size();
  entry.head = heads_.add(head);
  entry.head_bytes = static_cast<std::uint32_t>(head.size());
  entry.is_whole = is_whole;
}

}  // namespace qturn
