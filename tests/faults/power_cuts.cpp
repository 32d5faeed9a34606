#include "tests/faults/power_cuts.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/files/content_hash.hpp"
#include "tests/faults/disk_record.hpp"
#include "tests/faults/disk_states.hpp"
#include "tests/faults/disturbed_run.hpp"
#include "tests/faults/rules.hpp"
#include "tests/faults/scenarios.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace faults {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

bool has(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

struct PowerCut {
  Scenario scenario;
  /// A run is killed there; the power fails during it, or during the run that resumes it.
  std::optional<Place> killed_at = {};
  /// What is run before that, in the same folder, to make what the scenario begins with.
  std::vector<Words> earlier = {};
};

std::vector<PowerCut> power_cuts() {
  std::vector<PowerCut> all;
  for (Scenario& scenario : scenarios()) {
    // It goes by times, which do not tell what is cut off.
    if (has(scenario.words, "--update")) continue;
    // --skip-existing is for a run that was killed: it would take for done what is cut off.
    if (scenario.to_finish && has(*scenario.to_finish, "--skip-existing"))
      scenario.to_finish.reset();
    all.push_back({std::move(scenario)});
  }
  const auto named = [&](std::string_view name) {
    return std::ranges::find(all, name, [](const PowerCut& each) { return each.scenario.name; })
        ->scenario;
  };
  const auto add = [&](std::string name, std::string_view like, const Words& more) -> PowerCut& {
    Scenario scenario = named(like);
    scenario.name = std::move(name);
    scenario.words = with(scenario.words, more);
    return all.emplace_back(PowerCut{std::move(scenario)});
  };
  add("in place, begun with --resume", "in place, a data set", {"--resume"}).scenario.to_finish =
      Words();
  add("in place, killed, then resumed", "in place, a data set", {}).killed_at =
      Place{"rename", 0, "in/images/a.xmp"};
  add("to a folder, killed, then resumed", "to a folder, a data set", {}).killed_at =
      Place{"rename", 0, "out/images/a.xmp"};
  add("to a folder, killed before the flush, then resumed", "to a folder, a data set", {})
      .killed_at = Place{"fsync"};
  add("to a folder, --fsync each", "to a folder, a data set", {"--fsync", "each"});
  add("augment, --fsync each", "augment, labels, a mask and sidecars", {"--fsync", "each"});

  const auto after = [](const Scenario& scenario) { return undisturbed(scenario).after; };
  const Scenario to_tar = {"to a tar",
                           {"rotate90", "in", "-o", "out.tar", "--device", "cpu", "-j1"},
                           named("in place").before,
                           Words()};
  all.push_back({to_tar});
  Scenario coco_to_tar = to_tar;
  coco_to_tar.before = named("augment, COCO labels").before;
  Tree tars;
  tars["in.tar"] = after(coco_to_tar)["out.tar"];
  all.push_back({{"from a tar to a folder, COCO labels",
                  {"rotate90", "in.tar", "-o", "out", "--unpack", "--device", "cpu", "-j1"},
                  tars}});
  tars["in.tar"] = after(to_tar)["out.tar"];
  Tree to_shards;
  for (const char* name : {"in/0.tar", "in/1.tar", "in/2.tar"}) to_shards[name] = tars["in.tar"];
  Scenario tars_in_shards = {"a shard of tars",
                             {"augment", "in/0.tar", "in/1.tar", "in/2.tar", "-o", "out",
                              "--variants", "flip", "--device", "cpu", "-j1"},
                             to_shards};
  const std::string labels = "augment, labels, a mask and sidecars";
  for (const Scenario& whole : {named(labels), named("augment, COCO labels"), tars_in_shards}) {
    const Words first = with(whole.words, {"--shard", "0/2"});
    all.push_back({.scenario = {"merge: " + whole.name, {"merge", "out"}, whole.before, Words()},
                   .earlier = {first, with(whole.words, {"--shard", "1/2"})}});
  }
  add("a shard", labels, {"--shard", "0/2"});
  add("a shard without a sample", labels, {"--shard", "1/2"});
  add("a shard, killed, then resumed", labels, {"--shard", "0/2"}).killed_at =
      Place{"rename", 0, "out/images/a__flip.xmp"};
  tars_in_shards.words = with(tars_in_shards.words, {"--shard", "0/2"});
  all.push_back({tars_in_shards});
  tars_in_shards.name += ", killed, then resumed";
  all.push_back({tars_in_shards, Place{"rename", 0, "out/2.tar"}});
  return all;
}

/// Whether each result is flushed before it is in its place.
bool is_flushed_each(const Scenario& scenario) {
  const Words& words = scenario.words;
  return has(words, "--in-place") || has(words, "each") || has(words, "turned.jpg") ||
         has(words, "out.tar") || words.front() == "merge" || words.front() == "restore";
}

void empty(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
}

Record record_of(const PowerCut& cut, const fs::path& folder) {
  empty(folder);
  write_tree(cut.scenario.before, folder);
  Recorder recorder(folder);
  const auto follow_run = [&](const Words& words, const OnCall& on_call) {
    return run(words, folder, on_call,
               [&](const SystemCall& call, std::int64_t result) { recorder.leave(call, result); });
  };
  Words words = cut.scenario.words;
  if (cut.killed_at) {
    bool is_struck = false;
    follow_run(words, [&](const SystemCall& call) {
      recorder.enter(call);
      const bool strikes = call.name == cut.killed_at->call && call.to == cut.killed_at->to;
      is_struck = is_struck || strikes;
      return strikes ? Effect{.signal = SIGKILL} : Effect{};
    });
    if (!is_struck) throw std::logic_error(cut.scenario.name + ": is not killed");
    words.emplace_back("--resume");
  }
  const Run whole = follow_run(words, [&](const SystemCall& call) {
    recorder.enter(call);
    return Effect{};
  });
  if (whole.status != 0) throw std::runtime_error(cut.scenario.name + ": " + whole.err);
  return recorder.record();
}

/// As if the program had not made these flushes.
void forget_flushes(const std::string& of, Record& record) {
  std::set<Inode> journals;
  for (const Operation& operation : record.operations)
    if (operation.to.name == ".qturn-journal") journals.insert(operation.inode);
  for (Operation& operation : record.operations) {
    const Inode inode = operation.inode;
    const std::string kind = record.before.nodes[inode].is_folder ? "folders"
                             : journals.contains(inode)           ? "journals"
                                                                  : "files";
    if (operation.kind == Operation::Kind::flush && kind == of) operation.flushed = 0;
  }
}

/// A state of the disk as files and folders.
struct Files {
  Tree tree;
  std::map<std::string, std::string> links;  ///< further names of a file
  std::set<std::string> folders;
  bool has_originals = true;  ///< no picture that was there before has become another file
};

Files files_of(const Disk& disk, const Disk& before) {
  Files files;
  std::map<Inode, std::string> names;
  const auto walk = [&](const auto& self, const Node& folder, const Node* old,
                        const fs::path& path) -> void {
    for (const auto& [name, inode] : folder.names) {
      const Node& node = disk.nodes.at(inode);
      const std::string here = path / name;
      const auto known = old ? old->names.find(name) : folder.names.end();
      const bool was_there = old && known != old->names.end();
      if (node.is_folder) {
        files.folders.insert(here);
        self(self, node, was_there ? &before.nodes.at(known->second) : nullptr, here);
      } else if (const auto [first, is_new] = names.try_emplace(inode, here); is_new) {
        files.tree[here] = node.file;
        files.has_originals = files.has_originals && (!was_there || known->second == inode);
      } else {
        files.links[here] = first->second;
      }
    }
  };
  walk(walk, disk.nodes.at(Disk::root), &before.nodes.at(Disk::root), "");
  return files;
}

qturn::ContentHash hash_of(const Files& files) {
  std::string text;
  for (const auto& [name, file] : files.tree)
    text += fmt::format("{}\n{} {} {} {}\n{}", name, file.mode, file.modified_s, file.rating,
                        file.content.size(), file.content);
  for (const auto& [name, first] : files.links) text += fmt::format("{}={}\n", name, first);
  for (const std::string& name : files.folders) text += name + "/\n";
  return qturn::hash_of(std::as_bytes(std::span(text)));
}

/// In place of what is there.
void write_files(Files files, const fs::path& folder) {
  empty(folder);
  for (auto& [name, file] : files.tree) {
    if (!name.ends_with(".qturn-journal")) continue;
    std::string& text = file.content;
    // The first line of a journal states which inodes the pictures have. Here they have others.
    constexpr std::string_view member = ",\"originals\":\"";
    const std::size_t at = text.find(member);
    if (files.has_originals && at != text.npos)
      text.erase(at, text.find('"', at + member.size()) + 1 - at);
  }
  for (const std::string& name : files.folders) fs::create_directories(folder / name);
  write_tree(files.tree, folder);
  for (const auto& [name, first] : files.links) fs::create_hard_link(folder / first, folder / name);
}

struct State {
  Fates fates;
  bool by_ext4 = false, by_posix = false;
  /// By these rules it is possible after the end of the run: everything must be there.
  bool by_ext4_at_end = false, by_posix_at_end = false;
};

std::vector<State> states_of(const Record& record, const PowerCutOptions& options) {
  struct HashOfHash {
    std::size_t operator()(const qturn::ContentHash& hash) const { return hash.low; }
  };
  std::unordered_map<qturn::ContentHash, std::size_t, HashOfHash> known;
  std::vector<State> states;
  for (const Rules rules : {Rules::ext4, Rules::posix}) {
    for_each_state(record, rules, {options.most, options.seed}, [&](const Fates& fates) {
      const Files files = files_of(disk_after(record, fates), record.before);
      const auto [place, is_new] = known.try_emplace(hash_of(files), states.size());
      if (is_new) states.push_back({fates});
      State& state = states[place->second];
      const bool is_ext4 = rules == Rules::ext4;
      (is_ext4 ? state.by_ext4 : state.by_posix) = true;
      if (fates.size() == record.operations.size())
        (is_ext4 ? state.by_ext4_at_end : state.by_posix_at_end) = true;
    });
  }
  return states;
}

bool is_same(const Tree& a, const Tree& b, const std::string& name) {
  const auto one = a.find(name), other = b.find(name);
  if (one == a.end() || other == b.end()) return one == a.end() && other == b.end();
  return one->second.content == other->second.content;
}

/// Whether all that the run makes is there. A finished run may leave its journal.
bool is_whole(const Tree& whole, const Tree& after) {
  return std::ranges::all_of(whole, [&](const auto& file) {
    return is_own(file.first) || is_record(file.first) || file.first == json_file ||
           is_same(whole, after, file.first);
  });
}

/// And nothing else: there is nothing to finish.
bool is_done(const Tree& whole, const Tree& after) {
  return is_whole(whole, after) &&
         std::ranges::all_of(after, [&](const auto& file) { return whole.contains(file.first); });
}

/// Results that are flushed at the end may be lost or cut off. Then the run that is to finish this
/// one says so by name, and does it when it is told to replace them.
std::vector<std::string> broken_promises_at_end(const Scenario& scenario, const Run& whole,
                                                const Tree& cut, const fs::path& folder,
                                                std::string& said) {
  std::vector<std::string> broken;
  for (const auto& [name, file] : scenario.before)
    if (is_same(scenario.before, whole.after, name) && !is_same(scenario.before, cut, name) &&
        !is_own(name))
      broken.emplace_back("a file is lost");
  Words words = scenario.words;
  std::erase(words, "--resume");
  const Run next = run(with(words, {"--resume"}), folder);
  said = next.err;
  if (next.status == 0 && is_whole(whole.after, next.after)) return broken;
  if (next.status == 0) broken.emplace_back("exit 0, but something was not done");
  if (!WIFEXITED(next.status)) broken.emplace_back("ended by a signal");
  if (next.err.find("out/") == std::string::npos) broken.emplace_back("no message names a file");
  const bool is_shard = has(words, "--shard");
  if (is_shard && next.err.find("--overwrite") != std::string::npos)
    broken.emplace_back("a message names an option that shards do not have");
  std::erase(words, "--overwrite");
  words.emplace_back("--resume");
  if (!is_shard) words.emplace_back("--overwrite");
  // Only there they must be removed: those that are named. Each run may name others of a sample,
  // which has a picture, a label, a mask and a sidecar.
  Run replaced = next;
  for (int runs = is_shard ? 4 : 1; runs > 0 && replaced.status != 0; --runs) {
    for (const auto& [name, file] : replaced.after)
      if (is_shard && name.starts_with("out/") && replaced.err.find(name) != std::string::npos)
        fs::remove(folder / name);
    replaced = run(words, folder);
    said += replaced.err;
  }
  if (replaced.status != 0 || !is_whole(whole.after, replaced.after))
    broken.emplace_back("the run that was to replace what is cut off failed");
  return broken;
}

std::vector<std::string> broken_promises(const Scenario& scenario, const Run& whole,
                                         const State& state, const fs::path& folder,
                                         std::string& said) {
  const Tree cut = read_tree(folder);
  if ((state.by_ext4_at_end || state.by_posix_at_end) && !is_whole(whole.after, cut))
    return {fmt::format("the run had ended{}, and yet not all is there",
                        state.by_ext4_at_end ? "" : " (by POSIX)")};
  if (!is_flushed_each(scenario)) return broken_promises_at_end(scenario, whole, cut, folder, said);
  const Fault power_cut{"a power cut", {.signal = SIGKILL}};
  Run run;
  run.status = SIGKILL;
  run.after = cut;
  const bool ends_there =
      scenario.to_finish && is_done(whole.after, cut) && !has(scenario.words, "--resume");
  const auto words = ends_there ? std::nullopt : words_to_finish(scenario, cut);
  if (words) {
    const Run next = faults::run(*words, folder);
    said = next.err;
    run.next = {{next.status, next.err, next.after}};
  }
  return broken_rules(scenario, whole, run, power_cut);
}

std::string words_of(const Operation& operation, Fate fate) {
  constexpr const char* kinds[] = {"name",     "unname",     "rename", "write",
                                   "truncate", "attributes", "flush"};
  constexpr const char* fates[] = {"", " LOST", " CUT", " ZEROS"};
  std::string text = fmt::format("{} {}", kinds[static_cast<int>(operation.kind)], operation.inode);
  if (!operation.from.name.empty()) text += " " + operation.from.name + " ->";
  if (!operation.to.name.empty())
    text += fmt::format(" {}/{}", operation.to.folder, operation.to.name);
  if (operation.kind == Operation::Kind::write)
    text += fmt::format(" {} bytes at {}", operation.data.size(), operation.offset);
  return text + fates[static_cast<int>(fate)];
}

/// How often each promise was broken.
using Findings = std::map<std::string, std::size_t>;

/// All states are made in the same folder, because files of a run may name it.
Findings look_at_states(const Scenario& scenario, const Run& whole, const Record& record,
                        const std::vector<State>& states, const fs::path& folder,
                        const std::string& keep) {
  Findings findings;
  for (const State& state : states) {
    const Files files = files_of(disk_after(record, state.fates), record.before);
    write_files(files, folder);
    std::string said;
    const auto broken = broken_promises(scenario, whole, state, folder, said);
    for (const std::string& promise : broken)
      ++findings[fmt::format("{}, {}", promise, state.by_ext4 ? "ext4" : "POSIX")];
    if (broken.empty() || keep.empty() || fs::exists(keep)) continue;
    write_files(files, folder);
    fs::copy(folder, keep, fs::copy_options::recursive);
    std::ofstream note(keep + ".txt");
    note << "it was at " << folder.string() << "\n";
    for (const std::string& promise : broken) note << promise << "\n";
    for (std::size_t at = 0; at < state.fates.size(); ++at)
      note << words_of(record.operations[at], state.fates[at]) << "\n";
    note << said;
  }
  return findings;
}

/// One of the processes that share the scenarios. Returns its exit status, and writes to `counts`
/// how many states it has looked at.
int look_at(PowerCut cut, const PowerCutOptions& options, const fs::path& counts) {
  const TemporaryFolder place;
  const fs::path& folder = place.path();
  Scenario& scenario = cut.scenario;
  if (!cut.earlier.empty()) {
    write_tree(scenario.before, folder);
    for (const Words& words : cut.earlier)
      if (const Run run = faults::run(words, folder); run.status != 0)
        throw std::runtime_error(scenario.name + ": " + run.err);
    scenario.before = read_tree(folder);
    empty(folder);
  }
  const Run whole = undisturbed(scenario, folder);
  if (WEXITSTATUS(whole.status) == cannot_be_followed) return cannot_be_followed;
  Record record = record_of(cut, folder);
  forget_flushes(options.forget, record);
  std::vector<State> states = states_of(record, options);
  const auto by_ext4 = std::ranges::count_if(states, &State::by_ext4);
  const auto by_posix = std::ranges::count_if(states, &State::by_posix);
  const std::size_t step = states.size() / std::max<std::size_t>(options.states, 1) + 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < states.size(); i += step) std::swap(states[kept++], states[i]);
  states.resize(kept);
  const Findings findings = look_at_states(scenario, whole, record, states, folder, options.keep);
  std::string said =
      fmt::format("{}: {} operations, {} states by ext4, {} by POSIX, {} looked at\n",
                  scenario.name, record.operations.size(), by_ext4, by_posix, states.size());
  for (const auto& [line, count] : findings) said += fmt::format("  {:6}  {}\n", count, line);
  fmt::print("{}", said);
  std::fflush(stdout);
  std::ofstream(counts, std::ios::app) << fmt::format("{}\n", states.size());
  return findings.empty() ? 0 : 1;
}

}  // namespace

int run_power_cuts(const PowerCutOptions& options) {
  // Files in memory: nothing has to be flushed.
  if (fs::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
  const TemporaryFolder folder;
  const fs::path counts = folder.path() / "counts";
  fmt::print("seed {}\n", options.seed);
  std::fflush(stdout);
  unsigned running = 0;
  bool is_followed = true, is_whole = true, is_clean = true;
  const auto wait_for_one = [&] {
    int status = 0;
    if (::wait(&status) < 0) throw std::runtime_error("wait failed");
    --running;
    is_followed = is_followed && WEXITSTATUS(status) != cannot_be_followed;
    is_whole = is_whole && WIFEXITED(status) && WEXITSTATUS(status) != 2;
    is_clean = is_clean && status == 0;
  };
  for (const PowerCut& cut : power_cuts()) {
    if (!options.scenario.empty() && cut.scenario.name != options.scenario) continue;
    if (running == options.jobs) wait_for_one();
    ++running;
    if (::fork() != 0) continue;
    int status = 2;
    try {
      status = look_at(cut, options, counts);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}\n", cut.scenario.name, error.what());
    }
    ::_exit(status);
  }
  while (running > 0) wait_for_one();
  if (!is_followed) {
    fmt::print("skipped: this system lets no program follow another\n");
    return 4;
  }
  if (!is_whole) throw std::runtime_error("not all scenarios were looked at");
  std::size_t looked_at = 0, scenarios_run = 0;
  std::ifstream in(counts);
  for (std::size_t count; in >> count; looked_at += count) ++scenarios_run;
  fmt::print("{} scenarios, {} states, {}\n", scenarios_run, looked_at,
             is_clean ? "no findings" : "with findings");
  return is_clean ? 0 : 1;
}

}  // namespace faults
