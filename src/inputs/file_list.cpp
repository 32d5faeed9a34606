#include "src/inputs/file_list.hpp"

#include <cstring>
#include <limits>
#include <stdexcept>

namespace qturn {
namespace {

constexpr std::uint32_t most_folders = 1 << 29;

}  // namespace

std::uint32_t FileList::add_folder(std::string path, std::string key) {
  if (folders_.size() == most_folders) throw std::length_error("too many folders");
  folders_.push_back({std::move(path), std::move(key)});
  return static_cast<std::uint32_t>(folders_.size() - 1);
}

FoundFile& FileList::add(std::uint32_t folder, std::string_view name, const struct stat& status) {
  // Nearly all files are on the device of the one before.
  auto device = std::find(devices_.rbegin(), devices_.rend(), status.st_dev);
  if (device == devices_.rend()) {
    if (devices_.size() > std::numeric_limits<std::uint16_t>::max())
      throw std::length_error("too many file systems");
    devices_.push_back(status.st_dev);
    device = devices_.rbegin();
  }
  FoundFile& file = files_.emplace_back();
  file.name = names_.add(name);
  file.inode = status.st_ino;
  file.bytes = static_cast<std::uint64_t>(status.st_size);
  file.modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
  file.folder = folder;
  file.has_links = status.st_nlink > 1;
  file.device = static_cast<std::uint16_t>(devices_.rend() - device - 1);
  return file;
}

void FileList::set_link_target(const FoundFile& file, std::string_view path) {
  link_targets_[file.name] = names_.add(path);
}

int FileList::compare_keys(const FoundFile& a, const FoundFile& b) const {
  if (a.folder == b.folder) return std::strcmp(a.name, b.name);
  const std::string_view in_a = folder_of(a).key, in_b = folder_of(b).key;
  const std::size_t both = std::min(in_a.size(), in_b.size());
  if (const int order = in_a.substr(0, both).compare(in_b.substr(0, both)); order != 0)
    return order;
  if (in_a.size() == in_b.size()) return std::strcmp(a.name, b.name);
  // One folder lies in the other. The rest of its path ends with '/', which no name contains, so
  // the two differ before the rest ends.
  return in_a.size() < in_b.size() ? std::string_view(a.name).compare(in_b.substr(both))
                                   : in_a.substr(both).compare(b.name);
}

std::optional<std::size_t> FileList::find(std::string_view key) const {
  const auto found = std::ranges::lower_bound(
      files_, key, {}, [&](const FoundFile& file) { return this->key(file); });
  if (found == files_.end() || this->key(*found) != key) return std::nullopt;
  return static_cast<std::size_t>(found - files_.begin());
}

void FileList::sort() {
  const auto order = [this](const FoundFile& a, const FoundFile& b) {
    const int keys = compare_keys(a, b);
    return keys != 0 ? keys <=> 0 : id(a) <=> id(b);
  };
  std::stable_sort(files_.begin(), files_.end(),
                   [&](const FoundFile& a, const FoundFile& b) { return order(a, b) < 0; });
  files_.erase(
      std::unique(files_.begin(), files_.end(),
                  [&](const FoundFile& a, const FoundFile& b) { return order(a, b) == 0; }),
      files_.end());
}

}  // namespace qturn
