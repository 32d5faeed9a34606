#include "tests/faults/tree.hpp"

#include <fcntl.h>
#include <sys/xattr.h>

#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "tests/fixtures/journal_text.hpp"

namespace faults {

namespace fs = std::filesystem;

namespace {

constexpr char of_folder[] = "{folder}";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// The records of a run with a backup are some, too.
bool is_journal(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(".qturn-journal") || name.starts_with("qturn-run");
}

/// Of the only run that has kept originals, "kept/" and the time when it began. Another one may
/// have left its folder, with a record that says less.
std::string run_in(const fs::path& folder) {
  std::string run = "kept/run";
  std::uintmax_t most = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder / "kept", none)) {
    std::error_code missing;
    const std::uintmax_t bytes = fs::file_size(entry.path() / "qturn-run.jsonl", missing);
    if (missing || bytes < most) continue;
    most = bytes;
    run = entry.path().lexically_relative(folder).string();
  }
  return run;
}

}  // namespace

void read_attributes(const fs::path& path, File& file) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    throw std::runtime_error("cannot look at " + path.string());
  std::array<char, 64> rating;
  const ssize_t length = ::getxattr(path.c_str(), "user.rating", rating.data(), rating.size());
  file.mode = status.st_mode & 07777;
  file.modified_s = status.st_mtim.tv_sec;
  file.rating = {rating.data(), length < 0 ? 0 : static_cast<std::size_t>(length)};
}

Tree read_tree(const fs::path& folder) {
  Tree tree;
  const std::string run = run_in(folder);
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const fs::path& path = entry.path();
    std::ifstream in(path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(in), {}};
    if (is_journal(path)) {
      content = replaced(std::move(content), folder.string(), of_folder);
      content = replaced(std::move(content), run, "kept/run");
    }
    File& file = tree[replaced(path.lexically_relative(folder).string(), run, "kept/run")];
    file.content = std::move(content);
    read_attributes(path, file);
  }
  return tree;
}

void write_tree(const Tree& tree, const fs::path& folder) {
  for (const auto& [name, file] : tree) {
    const fs::path path = folder / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary)
        << (is_journal(path) ? with_checksums(replaced(file.content, of_folder, folder.string()))
                             : file.content);
    // A file system without attributes keeps none, before a run and after it.
    ::setxattr(path.c_str(), "user.rating", file.rating.data(), file.rating.size(), 0);
    const timespec times[] = {{file.modified_s, 0}, {file.modified_s, 0}};
    if (::chmod(path.c_str(), file.mode) != 0 ||
        ::utimensat(AT_FDCWD, path.c_str(), times, 0) != 0) {
      throw std::runtime_error("cannot write " + path.string());
    }
  }
}

}  // namespace faults
