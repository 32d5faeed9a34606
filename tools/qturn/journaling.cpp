#include "tools/qturn/journaling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/dataset/shards.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/result_options.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

fs::path normal(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

/// Names of a list, or their number and hash if they are many.
std::vector<std::string> in_short(std::set<std::string> names) {
  constexpr std::size_t few = 20;
  if (names.size() <= few) return {names.begin(), names.end()};
  const std::string all = fmt::format("{}", fmt::join(names, "\n"));
  return {fmt::format("{} files with the hash {}", names.size(),
                      digits_of(hash_of(std::as_bytes(std::span(all)))))};
}

fs::path common_folder(const NameList& files) {
  fs::path common;
  bool is_first = true;
  files.for_each([&](std::string_view file) {
    const fs::path folder = normal(fs::path(file)).parent_path();
    if (is_first) common = folder;
    is_first = false;
    fs::path shared;
    for (auto a = common.begin(), b = folder.begin();
         a != common.end() && b != folder.end() && *a == *b; ++a, ++b) {
      shared /= *a;
    }
    common = shared;
  });
  return common;
}

std::vector<JournalRoot> roots_in_place(const PlanOptions& options) {
  struct Root {
    fs::path folder;
    std::set<std::string> inputs;
  };
  std::map<fs::path, Root> roots;  // by the real path, because a folder may have several names
  const auto add = [&](fs::path folder, const std::string& input) {
    if (folder.empty()) folder = ".";
    Root& root = roots[fs::canonical(folder)];
    if (root.folder.empty()) root.folder = folder;
    root.inputs.insert(input);
  };
  for (const fs::path& input : options.inputs) {
    if (fs::is_directory(input)) {
      add(input.has_filename() ? input : input.parent_path(), ".");
    } else {
      add(input.parent_path(), input.filename().string());
    }
  }
  if (!options.listed.empty()) {
    const fs::path common = common_folder(options.listed);
    options.listed.for_each([&](std::string_view file) {
      add(common, normal(fs::path(file)).lexically_relative(common).string());
    });
  }
  std::vector<JournalRoot> result;
  for (auto& [real, root] : roots)
    result.push_back({root.folder, in_short(std::move(root.inputs))});
  return result;
}

/// The next run would turn what is kept there.
void refuse_backup_in_inputs(const fs::path& backup, const PlanOptions& options) {
  const fs::path place = fs::weakly_canonical(fs::absolute(backup));
  for (const fs::path& input : options.inputs) {
    if (!fs::is_directory(input)) continue;
    const fs::path folder = fs::canonical(input);
    if (std::ranges::mismatch(folder, place).in1 == folder.end()) {
      throw PlanError(fmt::format(
          "--backup {} lies inside the input {}, where the next run would read it; choose a folder "
          "elsewhere",
          backup.string(), input.string()));
    }
  }
}

/// A second run would put its originals among those of the first, and nobody could tell them apart.
void refuse_used_backup(const fs::path& backup) {
  std::error_code none;
  if (fs::is_empty(backup, none) || none) return;  // or not there
  throw PlanError(fmt::format(
      "--backup {} already holds files, such as the originals of another run; choose a folder that "
      "is new or empty",
      backup.string()));
}

void say_nothing_to_resume(const CommandLine& line) {
  if (!line.quiet) print_message("there is no interrupted run to resume, so this one begins");
}

}  // namespace

std::string operation_of(const CommandLine& line, JpegEdges edges) {
  std::string text = line.command == CommandLine::Command::augment ? "augment"
                     : line.orientation == Orientation::identity
                         ? "upright"
                         : std::string(name(line.orientation));
  const auto flag = [&](bool is_set, const char* option) {
    if (is_set) text += fmt::format(" {}", option);
  };
  const auto value = [&](const char* option, const auto& given) {
    text += fmt::format(" {} {}", option, given);
  };
  if (line.command == CommandLine::Command::augment) {
    if (line.random > 0) {
      value("--random", line.random);
      value("--seed", line.seed);
    } else {
      value("--variants", line.variants.empty() ? "all" : line.variants);
    }
  }
  for (const TypedOption& option : result_options(line, edges)) {
    text += " " + option.name;
    if (!option.value.empty()) text += " " + option.value;
  }
  flag(line.strict, "--strict");
  flag(line.break_links, "--break-links");
  if (!line.backup.empty()) value("--backup", line.backup);
  return text;
}

std::vector<std::string> absolute_inputs(const PlanOptions& options) {
  std::set<std::string> names;
  for (const fs::path& input : options.inputs) names.insert(normal(input).string());
  options.listed.for_each(
      [&](std::string_view file) { names.insert(normal(fs::path(file)).string()); });
  return in_short(std::move(names));
}

std::unique_ptr<Journals> open_journals(const CommandLine& line, const PlanOptions& options,
                                        const Plan& plan, JpegEdges edges, bool flushed) {
  using Start = JournalOptions::Start;
  if (!line.backup.empty()) refuse_backup_in_inputs(line.backup, options);
  if (!line.backup.empty() && !line.resume) refuse_used_backup(line.backup);
  if (!line.in_place && plan.output_folder.empty()) return nullptr;
  JournalOptions journal{.roots = {},
                         .operation = operation_of(line, edges),
                         .start = line.resume    ? Start::resume
                                  : line.restart ? Start::restart
                                                 : Start::anew,
                         .in_place = line.in_place,
                         .overwrite = line.existing == Existing::overwrite,
                         .flushed = flushed};
  if (line.in_place) {
    journal.roots = roots_in_place(options);
    journal.originals = [&files = plan.jobs.files()](const JournalOptions::Visit& visit) {
      for (const FoundFile& file : files) {
        const FileId id = files.id(file);
        if (file.picture)
          visit(files.path(file), {id.device, id.inode, file.bytes, file.modified_ns});
      }
    };
  } else {
    journal.roots = {{plan.output_folder, absolute_inputs(options)}};
    if (line.shard) journal.roots[0].place = shard_folder(plan.output_folder, *line.shard);
  }
  auto journals = std::make_unique<Journals>(std::move(journal), plan.journals);
  if (!line.resume || journals->resumes()) return journals;
  if (!line.backup.empty()) refuse_used_backup(line.backup);
  if (!line.shard) say_nothing_to_resume(line);
  return journals;
}

void begin_if_nothing_to_resume(CommandLine& line) {
  if (!line.resume || line.shard || line.in_place) return;
  const fs::path journal = fs::path(line.output) / journal_name;
  std::error_code error;
  const auto bytes = fs::file_size(journal, error);
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    throw FileError("cannot look at " + journal.string(), journal, error);
  if (!error && bytes > 0) return;
  refuse_unmerged_shards(line.output);
  line.resume = false;
  say_nothing_to_resume(line);
}

std::set<fs::path> result_folders(const Plan& plan) {
  std::set<fs::path> folders;
  const FileList& files = plan.jobs.files();
  for (const FoundFile& file : files) {
    (file.to_do | file.kept).for_each([&](Orientation variant) {
      folders.insert(plan.jobs.names().path_of(files, file, variant).parent_path());
    });
  }
  for (const LabelFiles* among : plan.jobs.companions())
    for (const LabelFiles::Label& label : *among)
      folders.insert(plan.jobs.label_of(*among, label, Orientation::identity).parent_path());
  for (const SharedLabels::File& file : plan.jobs.shared_labels().files())
    if (file.found > 0) folders.insert(file.output.parent_path());
  for (const DataSets::File& file : plan.jobs.data_sets().files())
    folders.insert(file.output.parent_path());
  return folders;
}

}  // namespace qturn
