#include "tests/faults/rules.hpp"

#include "tests/faults/two_programs.hpp"
#include "tests/fixtures/journal_text.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "src/files/safe_file.hpp"

namespace faults {
namespace {

namespace fs = std::filesystem;

constexpr char manifest[] = "out/manifest.jsonl";
constexpr char coco_file[] = "out/annotations/x.json";
constexpr char list_file[] = "out/val.txt";
/// In place it has the labels of a.png: it follows that, and goes back with it.
constexpr char shared_file[] = "in/annotations/x.json";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The pictures that a COCO file, or a list of a YOLO data set, names. Nothing if it is not whole.
std::optional<std::set<std::string>> pictures_in(const std::string& name, const std::string& text) {
  std::set<std::string> pictures;
  if (name == list_file) {
    for (const std::string& line : lines_of(text)) {
      if (!line.starts_with("./") || !line.ends_with(".png")) return std::nullopt;
      pictures.insert("out/" + line.substr(2));
    }
    return pictures;
  }
  const auto read = nlohmann::json::parse(text, nullptr, false);
  if (read.is_discarded()) return std::nullopt;
  for (const auto& image : read["images"])
    pictures.insert("out/images/" + image["file_name"].get<std::string>());
  return pictures;
}

std::string known_as(const fs::path& path) { return fs::path(user_name_of(path)).filename(); }

class Judge {
 public:
  Judge(const Scenario& scenario, const Run& whole, const Run& run, const Fault& fault)
      : scenario_(scenario), whole_(whole), run_(run), fault_(fault) {}

  std::vector<std::string> broken() {
    if (WIFSIGNALED(run_.status) && WTERMSIG(run_.status) == SIGALRM) return {"it hangs"};
    if (fault_.act) return broken_beside_another();
    const bool is_killed = WIFSIGNALED(run_.status) && fault_.effect.signal == SIGKILL;
    look_at_files();
    look_at_next();
    if (is_killed || is_without_memory()) return broken_;
    if (WIFSIGNALED(run_.status)) {
      // Before it begins to write, the program leaves that to the system.
      const bool is_interrupted = WTERMSIG(run_.status) == SIGINT && all_old_;
      if (!is_interrupted) say("ended by signal " + std::to_string(WTERMSIG(run_.status)));
      return broken_;
    }
    look_at_status(WEXITSTATUS(run_.status));
    look_at_messages(WEXITSTATUS(run_.status));
    look_at_failures();
    look_at_json(WEXITSTATUS(run_.status));
    look_at_attributes();
    return broken_;
  }

 private:
  void say(std::string rule) { broken_.push_back(std::move(rule)); }

  static const File* find(const Tree& tree, const std::string& name) {
    const auto found = tree.find(name);
    return found == tree.end() ? nullptr : &found->second;
  }
  static bool same(const File* a, const File* b) {
    return a && b ? a->content == b->content : a == b;
  }
  /// Then it ends as it would by a kill (tasks/suspend.hpp).
  bool is_without_memory() const {
    return run_.err.find("no memory for a task") != std::string::npos;
  }
  /// Of a run in place that --resume has completed: it keeps its journal.
  static bool says_done(const File* file) { return file && is_ended_journal(file->content); }
  static std::string after_first_line(const File& file) {
    return file.content.substr(std::min(file.content.find('\n'), file.content.size()));
  }
  /// Whether the undisturbed run makes it.
  bool is_made(const std::string& name) const {
    return name != json_file && name != manifest && !is_record(name) && !is_put_back(name) &&
           !is_merged(name) && !same(find(scenario_.before, name), find(whole_.after, name));
  }
  /// An original that is no longer kept.
  bool is_put_back(const std::string& name) const {
    return name.starts_with("kept/") && !find(whole_.after, name);
  }
  /// What shards know of each other. A merge first gives their folder another name.
  bool is_merged(const std::string& name) const {
    return name.starts_with("out/.qturn-shards") && !find(whole_.after, name);
  }
  bool is_new(const std::string& name) const {
    return is_made(name) && same(find(run_.after, name), find(whole_.after, name));
  }
  static bool is_picture(const std::string& name) {
    const std::string suffix = fs::path(name).extension();
    return !std::set<std::string>{".xmp", ".jsonl", ".yaml", ".caption", ".xml", ".json"}.contains(
               suffix) &&
           name != coco_file && !name.ends_with("/val.txt") &&
           name.find("labels/") == std::string::npos && name.find("masks/") == std::string::npos &&
           !name.starts_with("kept/");
  }
  /// Files of an interrupted run stay if the run that is to finish it fails. A journal is what the
  /// next run needs to finish this one; after a run that is whole it is left only if that is said.
  /// A lock may be left: the next run sees that its program is gone.
  void look_at_own(const std::string& name) {
    if (!find(run_.after, name) || cannot_remove()) return;
    if (WIFSIGNALED(run_.status) || is_without_memory()) return;
    // What a killed run has left is --resume's to remove; restore removes what it finds.
    const bool is_left_to_others = run_.status != 0 || scenario_.words.front() == "restore";
    if (is_left_to_others && find(scenario_.before, name)) return;
    const std::string file = fs::path(name).filename().string();
    const bool is_journal = file.starts_with(".qturn-journal");
    if (says_done(find(run_.after, name))) return;
    if (is_journal && (run_.status != 0 || has_line({"warning: ", file}))) return;
    if (qturn::is_temporary_name(file) && has_line({file})) return;
    // What could not follow its picture, until --resume puts it in its place.
    if (run_.status != 0 && has_line({"not all that belongs to it", known_as(name)})) return;
    say(is_journal              ? "its journal is left"
        : file == ".qturn-lock" ? "its lock is left"
                                : "a temporary is left");
  }
  bool cannot_remove() const { return run_.struck && run_.struck->name == "unlink"; }
  bool has_line(const std::vector<std::string>& words) const {
    return std::ranges::any_of(lines_of(run_.err), [&](const std::string& line) {
      return std::ranges::all_of(
          words, [&](const std::string& word) { return line.find(word) != std::string::npos; });
    });
  }

  void look_at_files() {
    std::set<std::string> names;
    for (const Tree* tree : {&scenario_.before, &whole_.after, &run_.after}) {
      for (const auto& [name, file] : *tree) names.insert(name);
    }
    for (const std::string& name : names) {
      const File* before = find(scenario_.before, name);
      const File* after = find(run_.after, name);
      if (name == json_file || is_record(name) || is_merged(name)) continue;
      if (name == manifest) {
        look_at_manifest();
        continue;
      }
      if (name == coco_file || name == list_file) {
        look_at_names(name);
        continue;
      }
      if (is_own(name)) {
        look_at_own(name);
        continue;
      }
      if (before && !after && !is_put_back(name)) say("a file is lost");
      if (!same(after, before) && !same(after, find(whole_.after, name)) &&
          !same(after, find(scenario_.completed, name))) {
        say("a file is neither the original nor the complete new one");
      }
      if (is_put_back(name) && after && run_.status == 0 &&
          !has_line({"warning: ", known_as(name)}))
        say("an original is still kept, and nothing says so");
      all_new_ = all_new_ && (!is_made(name) || is_new(name));
      all_old_ = all_old_ && (is_put_back(name) || same(after, before));
    }
  }

  /// The run after one that was ended by a signal, or that failed in part.
  void look_at_next() {
    if (!run_.next) {
      const bool is_ended = fault_.effect.signal != 0 && run_.status != 0;
      if (is_ended && !all_new_) say("it has no journal, but is done in part");
      return;
    }
    if (run_.next->status != 0) say("the run that was to finish it failed");
    std::set<std::string> names;
    for (const Tree* tree : {&whole_.after, &run_.next->after}) {
      for (const auto& [name, file] : *tree) names.insert(name);
    }
    names.erase(json_file);
    std::erase_if(names, is_record);
    std::erase_if(names, [&](const auto& name) { return says_done(find(run_.next->after, name)); });
    // Without a journal, a run does not know whose a temporary is.
    const bool has_journal = std::ranges::any_of(
        run_.after, [](const auto& file) { return file.first.ends_with(".qturn-journal"); });
    const auto was_left = [&](const std::string& name) {
      return std::ranges::any_of(run_.after, [&](const auto& file) {
        return fs::path(file.first).filename() == fs::path(name).filename();
      });
    };
    if (!has_journal)
      std::erase_if(names, [&](const auto& name) { return is_own(name) && was_left(name); });
    const bool is_alike = std::ranges::all_of(names, [&](const std::string& name) {
      const File *now = find(run_.next->after, name), *wanted = find(whole_.after, name);
      // With --skip-existing, the run does not know the options that results were made with, and
      // its manifest does not state them.
      if (name == manifest && scenario_.to_finish && now && wanted)
        return after_first_line(*now) == after_first_line(*wanted);
      return same(now, wanted);
    });
    if (!is_alike) say("after the run that was to finish it, other files are there than wanted");
  }

  /// After an error the manifest lists what was written, and nothing else.
  void look_at_manifest() {
    const File* file = find(run_.after, manifest);
    all_new_ = all_new_ && same(file, find(whole_.after, manifest));
    all_old_ = all_old_ && !file;
    if (!file) return;
    std::set<std::string> listed;
    for (const std::string& text : lines_of(file->content)) {
      const auto line = nlohmann::json::parse(text, nullptr, false);
      if (line.is_discarded()) return say("a line of the manifest is not whole");
      listed.insert("out/" + line.value("output", ""));
    }
    for (const auto& [name, made] : whole_.after) {
      if (is_picture(name) && is_made(name) && is_new(name) != listed.contains(name)) {
        say("the manifest lists other pictures than were written");
      }
    }
  }

  /// So do a COCO file and a list.
  void look_at_names(const std::string& name) {
    const File* file = find(run_.after, name);
    all_new_ = all_new_ && same(file, find(whole_.after, name));
    all_old_ = all_old_ && !file;
    if (!file) return;
    const auto listed = pictures_in(name, file->content);
    if (!listed) return say("a file that names pictures is not whole");
    const auto all = pictures_in(name, find(whole_.after, name)->content);
    for (const std::string& picture : all.value())
      if (same(find(run_.after, picture), find(whole_.after, picture)) != listed->contains(picture))
        say("a file names other pictures than were written");
  }

  void look_at_status(int status) {
    const bool is_interrupted = fault_.effect.signal == SIGINT;
    if (status == 0 && !all_new_) say("exit 0, but something was not done");
    if (status == 2 && !all_old_) say("exit 2, but files have changed");
    if (status > 2 && !(is_interrupted && status == 130)) {
      say("exit " + std::to_string(status));
    }
  }

  void look_at_messages(int status) {
    std::uint64_t written = 0;
    for (const auto& [name, file] : whole_.after)
      written += is_picture(name) && !name.ends_with("/notes.txt") && is_new(name);
    bool gives_reason = false;
    for (const std::string& line : lines_of(run_.err)) {
      std::istringstream words(line);
      std::string program, of;
      std::uint64_t count = 0;
      if (words >> program >> count >> of && program == "qturn:" && of == "of") {
        if (count != written) say("the summary counts other pictures than were written");
      } else {
        gives_reason = true;
      }
      if (line.starts_with("terminate called")) say("terminate");
    }
    if (status == 0 || status == 130) return;
    if (!gives_reason) say("no message says why it failed");
    // A fault that lasts strikes other files, too, and any of them may be named. The folder of the
    // run has a name of its own in each message.
    if (fault_.lasts || !run_.struck || run_.struck->path.empty() || run_.struck->path == ".")
      return;
    if (gives_reason && !has_line({known_as(run_.struck->path)}) &&
        (run_.struck->to.empty() || !has_line({known_as(run_.struck->to)}))) {
      say("no message names the file");
    }
  }

  /// A message that begins with the name of a picture says that it failed, unless it is a warning.
  void look_at_failures() {
    for (const auto& before : scenario_.before) {
      const std::string& name = before.first;  // which clang 14 captures, unlike a binding
      if (!name.starts_with("in/") || !is_picture(name)) continue;
      const auto is_of_this = [&](const std::string& made) {
        return made == name ||
               (!made.starts_with("in/") && is_picture(made) &&
                (fs::path(made).stem().string().starts_with(fs::path(name).stem().string()) ||
                 made == "turned.jpg"));
      };
      const bool is_failed = std::ranges::any_of(lines_of(run_.err), [&](const std::string& line) {
        return line.starts_with("qturn: error: " + name + ": ");
      });
      bool is_done = false, is_whole = true;
      for (const auto& [made, content] : whole_.after) {
        if (!is_made(made) || !is_of_this(made)) continue;
        is_done = true;
        is_whole = is_whole && is_new(made);
      }
      if (is_failed && is_done && is_whole) say("a picture is said to have failed, but is done");
    }
  }

  void look_at_json(int status) {
    const File* file = find(run_.after, json_file);
    if (!file) return;
    std::set<std::string> done;
    for (const std::string& text : lines_of(file->content)) {
      const auto line = nlohmann::json::parse(text, nullptr, false);
      if (line.is_discarded()) {
        if (status == 0) say("a JSON line is not whole");
        continue;
      }
      const std::string output = line.value("output", "");
      const std::string said = line.value("status", "");
      if (said == "done") done.insert(output);
      if (said == "done" && is_made(output) && !is_new(output)) {
        say("a JSON line says that a picture is done, but it is not");
      }
      if (said == "failed" && is_new(output)) {
        say("a JSON line says that a picture failed, but it is done");
      }
    }
    if (status != 0 && status != 130) return;
    for (const auto& [name, made] : whole_.after) {
      if (is_picture(name) && is_new(name) && !done.contains(name)) {
        say("a picture was written, and no JSON line says so");
      }
    }
  }

  void look_at_attributes() {
    for (const auto& [name, wanted] : whole_.after) {
      if (!is_new(name)) continue;
      const File& found = run_.after.at(name);
      // A time that the run takes from another file is long ago.
      const bool keeps_time = wanted.modified_s <= File().modified_s;
      const bool is_alike = found.mode == wanted.mode && found.rating == wanted.rating &&
                            (!keeps_time || found.modified_s == wanted.modified_s);
      if (!is_alike && !has_line({"warning: ", fs::path(name).filename().string()})) {
        say("mode, times or attributes are lost without a word");
      }
    }
  }

  std::vector<std::string> broken_beside_another() {
    if (WIFSIGNALED(run_.status) || WEXITSTATUS(run_.status) > 2) return {"it crashes"};
    if (run_.deed.second)
      look_beside_second(WEXITSTATUS(run_.status), WEXITSTATUS(*run_.deed.second));
    else
      look_beside_other(WEXITSTATUS(run_.status));
    return broken_;
  }

  /// What the run would have made of the folder after the other program.
  const File* first(const std::string& name) {
    if (!first_) first_ = made_after(scenario_, *fault_.act);
    return find(*first_, name);
  }
  /// Where a file is now; the other program may have moved its folder.
  const File* now(const std::string& name) const {
    if (const File* file = find(run_.after, name)) return file;
    const std::string& place = run_.deed.place;
    const bool is_in_moved = fault_.act->kind == Act::Kind::move_folder && !place.empty() &&
                             name.starts_with(place + "/");
    return is_in_moved ? find(run_.after, place + moved + name.substr(place.size())) : nullptr;
  }
  bool is_judged(const std::string& name) const {
    return !is_own(name) && !is_record(name) && !is_merged(name) && name != json_file &&
           name != manifest && name != coco_file && name != list_file &&
           !name.starts_with(elsewhere) && name.find(moved) == std::string::npos &&
           !is_put_back(name);
  }
  std::set<std::string> judged_names() const {
    std::set<std::string> names;
    for (const Tree* tree : {&scenario_.before, &whole_.after, &run_.after})
      for (const auto& [name, file] : *tree)
        if (is_judged(name)) names.insert(name);
    return names;
  }
  /// Whether the run has made the file, of the original or of what the other program has put there.
  bool is_done(const std::string& name) {
    return same(now(name), find(whole_.after, name)) || is_made_of_others(name);
  }
  /// What a link leads to is turned if the link has come after the plan.
  bool is_made_of_others(const std::string& name) {
    const File* file = now(name);
    if (same(file, first(name))) return true;
    if (fault_.act->kind == Act::Kind::move_folder) return false;
    if (!saved_) saved_ = made_after(scenario_, {Act::Kind::save, fault_.act->name});
    return same(file, find(*saved_, name));
  }

  void look_beside_other(int status) {
    const std::string& place = run_.deed.place;
    const std::optional<std::string>& content = run_.deed.content;
    const Act::Kind kind = fault_.act->kind;
    const bool is_of_temporary = fault_.act->name == a_temporary;
    const std::string concerned = is_of_temporary ? user_name_of(place) : fault_.act->name;
    const auto is_concerned = [&](const std::string& name) {
      if (kind == Act::Kind::move_folder || name == "turned.jpg") return true;
      const bool is_restored_as_one =
          scenario_.words.front() == "restore" && find(scenario_.before, shared_file);
      if (known_as(name) == known_as(shared_file) || is_restored_as_one) return true;
      return known_as(name).starts_with(
          known_as(concerned).substr(0, known_as(concerned).find('.')));
    };
    // It is asked for that an output is replaced, whatever it is.
    const auto& words = scenario_.words;
    const bool may_replace =
        place.starts_with("out/") &&
        (std::ranges::count(words, "--overwrite") > 0 || std::ranges::count(words, "--update") > 0);
    // A temporary is not another program's to work on; but the original must be safe.
    const bool is_its_own =
        place.empty() || kind == Act::Kind::move_folder || may_replace || is_of_temporary;
    if (!is_its_own && content) {
      const File* found = find(run_.after, place);
      const bool is_kept = found && found->content == *content;
      const bool is_named = std::ranges::any_of(run_.after, [&](const auto& file) {
        return file.second.content == *content &&
               has_line({fs::path(file.first).filename().string()});
      });
      // Or ours has been made of it.
      if (!is_kept && !is_named && !(found && is_made_of_others(place)))
        say("what another program saved is lost");
      const std::string other = elsewhere + ("/" + fs::path(place).filename().string());
      const bool is_linked = kind == Act::Kind::hard_link || kind == Act::Kind::symbolic_link;
      if (is_linked && !same(find(run_.after, other), first(other)) &&
          (!find(run_.after, other) || find(run_.after, other)->content != *content))
        say("a file that is linked to has changed");
    }
    const bool is_gone = kind == Act::Kind::remove || kind == Act::Kind::move;
    if (!is_its_own && is_gone && !is_of_temporary && concerned.starts_with("in/") &&
        find(run_.after, concerned) && find(scenario_.before, concerned))
      say("what another program removed or moved is there again");
    for (const std::string& name : judged_names()) {
      const File *before = find(scenario_.before, name), *after = now(name);
      bool is_others = !place.empty() && (name == place || name == concerned);
      // If its file has taken the place of ours, that is said, and the original is kept.
      if (is_of_temporary && name == concerned)
        is_others =
            status != 0 && content && after && after->content == *content &&
            (!before || may_replace || std::ranges::any_of(run_.after, [&](const auto& file) {
              return same(&file.second, before) || same(&file.second, find(whole_.after, name));
            }));
      if (before && !after && !is_others) say("a file is lost");
      const bool is_old = same(after, before);
      all_old_ = all_old_ && (is_old || is_others);
      if (is_others) continue;
      if (!is_old && !same(after, find(scenario_.completed, name)) && !is_done(name))
        say("a file is neither the original nor the complete new one");
      if (status == 0 && !is_done(name) && kind != Act::Kind::move_folder)
        say("exit 0, but something was not done");
      if (status == 1 && is_made(name) && !is_concerned(name) && !is_done(name))
        say("another picture was not done");
    }
    if (status == 2 && !all_old_) say("exit 2, but files have changed");
    const std::string folder = fs::path(concerned).parent_path().filename().string();
    if (status != 0 && !has_line({known_as(concerned)}) &&
        !has_line({known_as(concerned).substr(0, known_as(concerned).find('.'))}) &&
        (status == 1 || folder.empty() || !has_line({folder})))
      say("no message names the file");
    look_at_claims([&](const std::string& name) {
      return kind == Act::Kind::move_folder ||
             (!is_of_temporary && (name == place || name == concerned));
    });
    for (const auto& [name, file] : run_.after)
      if (is_own(name) && name != place && kind != Act::Kind::move_folder &&
          !name.starts_with(elsewhere))
        look_at_own(name);
  }

  /// The summary and the JSON lines. `may_be_gone`: what was done is the other's by now.
  template <typename MayBeGone>
  void look_at_claims(MayBeGone may_be_gone) {
    std::uint64_t written = 0, more = 0;
    for (const std::string& name : judged_names()) {
      if (!is_picture(name) || name.ends_with("/notes.txt")) continue;
      if (!is_made(name)) {
        more += may_be_gone(name);  // of a run before, and made once more
        continue;
      }
      const bool is_ours = same(now(name), find(whole_.after, name)) ||
                           (!same(now(name), find(scenario_.before, name)) && is_done(name));
      written += is_ours;
      more += !is_ours && may_be_gone(name);
    }
    for (const std::string& line : lines_of(run_.err)) {
      std::istringstream words(line);
      std::string program, of;
      std::uint64_t count = 0;
      if (words >> program >> count >> of && program == "qturn:" && of == "of" &&
          (count > written + more + (fault_.act->kind == Act::Kind::move) ||
           (run_.deed.place.empty() && count < written)))
        say("the summary counts other pictures than were written");
    }
    if (const File* file = find(run_.after, json_file)) {
      for (const std::string& text : lines_of(file->content)) {
        const auto line = nlohmann::json::parse(text, nullptr, false);
        if (line.is_discarded()) continue;
        const std::string output = line.value("output", "");
        if (line.value("status", "") == "done" && is_made(output) && !is_done(output) &&
            !may_be_gone(output))
          say("a JSON line says that a picture is done, but it is not");
      }
    }
  }

  /// One after the other, or one of them is refused.
  void look_beside_second(int status, int second) {
    if (second > 2) say("the second run crashes");
    if (status != 0 && second != 0) say("both runs fail");
    if (status != 0 && lines_of(run_.err).empty()) say("no message says why it failed");
    for (const std::string& name : judged_names()) {
      if (name.starts_with("kept/")) continue;  // each run has a folder there
      const bool is_twice = status == 0 && second == 0;
      if (is_twice ? !same(now(name), find(made_twice(), name))
                   : !same(now(name), find(whole_.after, name)))
        say(is_twice ? "two runs have made another file than one after the other"
                     : "one of two runs was refused, and a file is not the complete new one");
    }
    for (const auto& [name, file] : run_.after)
      if (is_own(name)) look_at_own(name);
  }
  const Tree& made_twice() {
    if (!first_) first_ = made_after(scenario_, *fault_.act);
    return *first_;
  }

  const Scenario& scenario_;
  const Run &whole_, &run_;
  const Fault& fault_;
  bool all_new_ = true, all_old_ = true;
  std::optional<Tree> first_, saved_;  // of first() and is_done()
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> broken_rules(const Scenario& scenario, const Run& whole, const Run& run,
                                      const Fault& fault) {
  return Judge(scenario, whole, run, fault).broken();
}

}  // namespace faults
