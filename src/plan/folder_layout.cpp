#include "src/plan/folder_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/formats/table.hpp"
#include "src/picture/text.hpp"

namespace qturn {

namespace fs = std::filesystem;

std::string normal_path(const fs::path& path) {
  return fs::absolute(path.empty() ? "." : path).lexically_normal();
}

fs::path without_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

fs::path from_here(const fs::path& path) {
  const fs::path relative = path.lexically_relative(fs::current_path());
  return relative.empty() || *relative.begin() == ".." ? path : relative;
}

bool is_named_as_picture(const fs::path& file) {
  return codec_of_suffix(file.extension().string()) != nullptr;
}

std::optional<std::string> key_below_inputs(const fs::path& path, const FileList& files) {
  const std::string wanted = normal_path(path);
  std::optional<std::string> key;
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < files.folder_count(); ++i) {
    const FileList::Folder& folder = files.folder_at(i);
    // Of keys below several inputs the first part is the name of the input.
    const auto ends = std::ranges::mismatch(folder.path.rbegin(), folder.path.rend(),
                                            folder.key.rbegin(), folder.key.rend());
    const auto same = static_cast<std::size_t>(ends.in1 - folder.path.rbegin());
    if (same < folder.key.size()) continue;
    const std::string root = normal_path(folder.path.substr(0, folder.path.size() - same));
    if (!wanted.starts_with(root) || root.size() <= deepest) continue;
    deepest = root.size();
    key = wanted.substr(root.size());
  }
  return key;
}

fs::path folders_below_input(const FileList::Folder& folder) {
  fs::path below = fs::path(folder.key).parent_path();
  if (below.is_absolute() || (!below.empty() && *below.begin() == "..")) below.clear();
  return below;
}

std::string tail_from(const std::string& folder, std::string_view name) {
  if (name.empty()) return "";
  const std::string lower = "/" + lower_case(folder);
  const std::size_t at = lower.rfind(fmt::format("/{}/", name));
  return at == std::string::npos ? "" : folder.substr(at);
}

namespace {

/// What ends with `tail`, without it: both end with '/'.
std::optional<std::string> before_tail(const std::string& folder, const std::string& tail) {
  if (!folder.ends_with(tail)) return std::nullopt;
  std::string before = folder.substr(0, folder.size() - tail.size());
  if (!before.empty() && before.back() != '/') return std::nullopt;
  return before;
}

}  // namespace

std::optional<SiblingFolder> find_sibling(Listings& listings, const FileList::Folder& pictures,
                                          std::string_view from, std::string_view to) {
  const std::string absolute = normal_path(pictures.path), tail = tail_from(absolute, from);
  if (tail.empty()) return std::nullopt;
  fs::path root = absolute.substr(0, absolute.size() - tail.size());
  if (const auto typed = before_tail(pictures.path, tail)) root = *typed;
  const auto find_below = [&](fs::path folder, const fs::path& parts) -> std::optional<fs::path> {
    for (const fs::path& part : parts) {
      const Listings::Entry* found = listings.find(folder, part, true);
      if (!found) return std::nullopt;
      folder /= found->name;
    }
    return folder;
  };
  const auto found = find_below(root, to);
  if (!found) return std::nullopt;
  const fs::path below = fs::path(tail.substr(tail.find('/') + 1)).parent_path();
  const auto folder = find_below(*found, below);
  if (!folder) return std::nullopt;
  SiblingFolder sibling{.name = found->native().substr((root / "").native().size()),
                        .path = *folder / "",
                        .key = {},
                        .depth = std::distance(below.begin(), below.end())};
  if (const auto before = before_tail(pictures.key, tail))
    sibling.key = *before + sibling.name + "/" + tail.substr(tail.find('/') + 1);
  return sibling;
}

}  // namespace qturn
