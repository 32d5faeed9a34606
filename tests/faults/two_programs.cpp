#include "tests/faults/two_programs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

#include "src/files/journal.hpp"
#include "src/files/safe_file.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace faults {
namespace {

namespace fs = std::filesystem;
using Kind = Act::Kind;

struct Word {
  Kind kind;
  const char* word;
};
constexpr Word to_files[] = {{Kind::save, "saves"},
                             {Kind::save_late, "saves late"},
                             {Kind::replace, "replaces"},
                             {Kind::hard_link, "links hard to"},
                             {Kind::symbolic_link, "links to"},
                             {Kind::move, "moves"},
                             {Kind::remove, "removes"}};

/// The name without its suffixes and without the name of a variant.
std::string stem_of(const std::string& name) {
  const std::string file = fs::path(name).filename().string();
  return file.substr(0, std::min(file.find('.'), file.find("__")));
}

/// What it adds to a file. Of a label it must be found in the turned one.
std::string added_to(const std::string& name) {
  return name.ends_with(".txt") ? "1 0.5 0.5 0.2 0.2\n" : "\n";
}

void write(const fs::path& file, const std::string& content) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  if (!(out << content).flush()) throw std::runtime_error("cannot write " + file.string());
}

/// Whether the run that was killed before has made such a name: its journal knows the run's id.
bool is_of_killed_run(const Scenario& scenario, const std::string& temporary) {
  constexpr std::size_t last_letters = 4;
  const std::string letters = temporary.substr(temporary.rfind(".qturn-") + 7);
  const std::string id = letters.substr(0, letters.size() - last_letters);
  return std::ranges::any_of(scenario.before, [&](const auto& file) {
    return qturn::is_journal_name(fs::path(file.first).filename().string()) &&
           file.second.content.find(id) != std::string::npos;
  });
}

}  // namespace

std::string user_name_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!qturn::is_temporary_name(name)) return path.string();
  return (path.parent_path() / name.substr(1, name.rfind(".qturn-") - 1)).string();
}

std::vector<Fault> acts_at(const SystemCall& call, const Scenario& scenario, const Run& whole) {
  std::vector<Fault> acts;
  if (call.path.empty()) return acts;
  const auto add = [&](Kind kind, const char* word, const std::string& name) {
    acts.push_back({.name = "another " + (word + (" " + name)), .act = Act{kind, name}});
  };
  std::set<std::string> names;
  for (const Tree* tree : {&scenario.before, &whole.after})
    for (const auto& [name, file] : *tree)
      if (!is_own(name) && !name.starts_with("kept/") && name != json_file) names.insert(name);
  std::set<std::string> about, folders;
  for (const fs::path& path : {call.path, call.to}) {
    if (path.empty()) continue;
    const std::string name = user_name_of(path);
    if (names.contains(name)) about.insert(name);
    for (const std::string& each : names)
      if (fs::path(each).parent_path() == path || is_own(path.filename().string())) {
        folders.insert(fs::path(each).parent_path().string());
        about.insert(each);
        break;
      }
  }
  // When a file gets its name, or is about to, others that belong to it may change as well.
  const std::set<std::string> own = about;
  if (call.name == "rename" || call.name == "link" || call.name == "fsync")
    for (const std::string& name : own)
      for (const std::string& other : names)
        if (stem_of(other) == stem_of(name)) about.insert(other);
  for (const std::string& name : about) {
    for (const auto& [kind, word] : to_files)
      if (kind != Kind::save_late || scenario.before.contains(name)) add(kind, word, name);
  }
  for (const fs::path& path : {call.path, call.to})
    // A killed run's temporary may be what another program saved: it is put back, or removed. So
    // may be a file that another program puts under such a name.
    if (const std::string name = path.filename().string();
        qturn::is_temporary_name(name) && !is_of_killed_run(scenario, name))
      for (const auto& [kind, word] : to_files)
        if (kind != Kind::save_late) add(kind, word, a_temporary);
  for (const std::string& folder : folders)
    if (!folder.empty()) add(Kind::move_folder, "moves the folder", folder);
  add(Kind::qturn, "qturn", "");
  return acts;
}

OtherProgram::OtherProgram(Act act, fs::path folder)
    : act_(std::move(act)), folder_(std::move(folder)) {
  if (act_.kind == Kind::save_late)
    open_ = qturn::FileDescriptor(::open((folder_ / act_.name).c_str(), O_WRONLY | O_CLOEXEC));
}

Deed OtherProgram::act(const Scenario& scenario, const SystemCall* call) const {
  if (act_.kind == Kind::qturn) {
    const Run second = run(scenario.words, folder_);
    return {.second = second.status};
  }
  std::string name = act_.name;
  if (name == a_temporary) {
    if (!call) return {};
    for (const fs::path& path : {call->path, call->to})
      if (qturn::is_temporary_name(path.filename().string())) name = path.string();
    if (name == a_temporary) return {};
  }
  const fs::path file = folder_ / name;
  const fs::path to = file.string() + moved;
  const bool exists = fs::exists(fs::symlink_status(file));
  if (act_.kind == Kind::move_folder) {
    if (!exists) return {};
    fs::rename(file, to);
    fs::create_directories(folder_ / elsewhere);
    fs::create_directory_symlink(folder_ / elsewhere, file);
    return {.place = name};
  }
  const std::string found = exists ? content_of(file) : "";
  // While the two have exchanged their names, the temporary is the original: to change that is a
  // change of the picture.
  const auto original = scenario.before.find(user_name_of(name));
  if (act_.name == a_temporary && original != scenario.before.end() &&
      original->second.content == found)
    return {};
  // Restore's temporary is a hard link to the kept original: a write changes the original.
  if (act_.name == a_temporary && act_.kind == Kind::save && exists &&
      fs::hard_link_count(file) > 1)
    return {};
  std::string content = found + added_to(name);
  const fs::path other = folder_ / elsewhere / fs::path(name).filename();
  switch (act_.kind) {
    case Kind::save:
      write(file, content);
      break;
    case Kind::save_late: {
      // It has had it open since before the run, and may no longer find it under its name.
      const std::string text = scenario.before.at(name).content + added_to(name);
      if (::ftruncate(open_.get(), 0) != 0 ||
          ::pwrite(open_.get(), text.data(), text.size(), 0) < 0)
        throw std::runtime_error("cannot write " + name);
      content = text;
      break;
    }
    case Kind::replace:
      write(other, content);
      fs::create_directories(file.parent_path());
      fs::rename(other, file);
      break;
    case Kind::hard_link:
      write(other, content);
      fs::create_directories(file.parent_path());
      fs::remove(file);
      fs::create_hard_link(other, file);
      break;
    case Kind::symbolic_link:
      write(other, content);
      fs::create_directories(file.parent_path());
      fs::create_symlink(other, folder_ / "link");
      fs::rename(folder_ / "link", file);
      break;
    case Kind::move:
      if (!exists) return {};
      fs::rename(file, to);
      return {.place = name + moved, .content = found};
    case Kind::remove:
      if (!exists) return {};
      fs::remove(file);
      return {.place = name};
    default:
      break;
  }
  return {.place = name, .content = content};
}

Tree made_after(const Scenario& scenario, const Act& act) {
  const TemporaryFolder folder;
  write_tree(scenario.before, folder.path());
  const OtherProgram other(act, folder.path());
  other.act(scenario, nullptr);
  return run(scenario.words, folder.path()).after;
}

}  // namespace faults
