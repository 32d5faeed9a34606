#include "tools/qturn/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "src/dataset/shards.hpp"
#include "src/dataset/shared_files.hpp"
#include "src/files/backup.hpp"
#include "src/files/journals.hpp"
#include "src/files/tar/input.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/find_files.hpp"
#include "src/sources/listed_tar.hpp"
#include "tools/qturn/journaling.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/label_notices.hpp"
#include "tools/qturn/run.hpp"
#include "tools/qturn/run_options.hpp"
#include "tools/qturn/sample_run.hpp"
#include "tools/qturn/sharding.hpp"
#include "tools/qturn/streams.hpp"
#include "tools/qturn/tar_outputs.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

bool is_tar(const std::string& input) try {
  const Bytes head = read_head(input, tar_head_bytes);
  return may_be_tar(head) || (fs::path(input).extension() == ".tar" && may_be_empty_tar(head));
} catch (const FileError&) {
  return false;
}

void refuse_unfit(const CommandLine& line) {
  const bool takes_companions_from_elsewhere =
      !line.labels.folder.empty() || (line.masks && !line.masks->folder.empty());
  const std::pair<bool, const char*> unfit[] = {
      {line.in_place, "a tar is not turned in place; name another one with -o"},
      {!line.base.empty(), "a tar keeps its name, not its path, in the output; leave out --base"},
      {line.dry_run && is_from_standard_input(line),
       "--dry-run would use up standard input; name a tar that is a file"},
      {line.leaves_existing() && (line.tar_bytes > 0 || line.shard),
       "--skip-existing and --update look at whole tars; leave out --tar-size and --shard, or use "
       "--resume"},
      {takes_companions_from_elsewhere && is_from_standard_input(line),
       "a folder of --labels or --masks is read before the pictures, which a pipe cannot give "
       "twice; name a tar that is a file"},
      {line.shard && (line.unpack || line.tar_bytes > 0),
       "--shard writes a tar for each tar; leave out --unpack and --tar-size"},
      {line.others == Others::copy && line.labels.take == TakeLabels::none,
       "with --labels none the other files of a picture's sample are left out, so --others copy "
       "would not copy them; leave out one"},
  };
  for (const auto& [is_given, why] : unfit)
    if (is_given) throw PlanError(why);
  refuse_unfit_for_tars(line);
}

/// The inputs of each output.
std::map<fs::path, std::vector<std::string>> inputs_of(const std::vector<SampleInput>& places) {
  std::map<fs::path, std::vector<std::string>> inputs;
  for (const SampleInput& place : places) inputs[place.output].push_back(place.tar);
  return inputs;
}

/// With --resume, adds a record to each output that is a tar made from files. Leaves out outputs
/// that are done.
void add_records(const CommandLine& line, JpegEdges edges, std::vector<SampleInput>& places) {
  if (!leaves_record(line) || line.shard || line.unpack) return;
  for (const auto& each : inputs_of(places)) {
    const fs::path& output = each.first;
    if (output == "-" || std::ranges::count(each.second, "-") > 0) continue;
    std::vector<std::string> names;
    std::string states;
    for (const std::string& input : each.second) {
      names.push_back(fs::absolute(input).lexically_normal().string());
      states += fmt::format("{} {}\n", fs::file_size(input),
                            fs::last_write_time(input).time_since_epoch().count());
    }
    const auto record = std::make_shared<TarRecord>(
        line, output, std::move(names), hash_of(std::as_bytes(std::span(states))), edges);
    // This reads the whole output, so only once, however many inputs it has.
    const bool is_done = line.resume && record->is_done();
    std::erase_if(places, [&](SampleInput& place) {
      if (place.output != output) return false;
      place.record = record;
      return is_done;
    });
  }
}

/// "000.tar" of "in/000.tar.gz".
std::string tar_name(const fs::path& input) {
  fs::path name = input.filename();
  if (name.extension() == ".gz" || name.extension() == ".zst") name.replace_extension();
  return name.replace_extension(".tar");
}

std::vector<SampleInput> places_of(const CommandLine& line) {
  const fs::path output = line.output;
  if (output.empty()) throw PlanError("no output; name a tar or a folder with -o");
  const bool is_tar_name = output.extension() == ".tar" && !fs::is_directory(output);
  if (line.tar_bytes > 0 && !is_tar_name)
    throw PlanError("--tar-size numbers tars; name them with -o, such as out/train.tar");
  if (line.unpack && (is_tar_name || is_to_standard_output(line)))
    throw PlanError("--unpack needs a folder; name one with -o");
  const bool is_one = is_to_standard_output(line) || is_tar_name || line.unpack;
  if (is_one && line.shard) throw PlanError("--shard needs a folder as output; name one with -o");
  if (!is_one || line.unpack) refuse_name_of_tar(output);
  std::vector<SampleInput> places;
  for (const std::string& input : line.inputs) {
    if (!is_one && input == "-")
      throw PlanError(
          "the tar on standard input has no name; name a tar with -o, or - for standard output");
    places.push_back({input, is_one ? output : output / tar_name(input)});
  }
  std::set<fs::path> seen;
  for (const SampleInput& place : places) {
    if (!seen.insert(place.output).second) {
      if (is_one) break;  // it was looked at
      throw PlanError(fmt::format("{}: two inputs have this name; choose another output for one",
                                  place.output.string()));
    }
    std::error_code absent;
    if (fs::exists(place.output, absent)) {
      for (const SampleInput& other : places)
        if (fs::equivalent(other.tar, place.output, absent))
          throw PlanError(place.output.string() + ": is an input as well; choose another output");
    }
  }
  return places;
}

/// The shard of this run. Removes the other shards' places from `places`.
TarShard shard_of(const CommandLine& line, const PlanOptions& plan, JpegEdges edges,
                  std::vector<SampleInput>& places) {
  std::set<std::string> tars;
  for (const SampleInput& place : places) tars.insert(place.output.filename());
  TarShard shard(shard_options(line, plan, edges), line.output, tars, line.resume);
  std::erase_if(places,
                [&](const SampleInput& place) { return !shard.is_to_do(place.output.filename()); });
  return shard;
}

/// Leaves out tars that exist, with --update only what is not older than its inputs, and says so.
/// Standard input has no time, and --update with it was refused.
void leave_existing(const CommandLine& line, std::vector<SampleInput>& places) {
  if (!line.leaves_existing() || line.unpack) return;
  for (const auto& each : inputs_of(places)) {
    const fs::path& output = each.first;
    if (!fs::exists(output)) continue;
    const fs::file_time_type time = fs::last_write_time(output);
    const bool is_older = line.existing == Existing::update &&
                          std::ranges::any_of(each.second, [&](const std::string& input) {
                            return fs::last_write_time(input) > time;
                          });
    if (is_older) continue;
    std::erase_if(places, [&](const SampleInput& place) { return place.output == output; });
    if (!line.quiet)
      print_message(fmt::format("left alone, because it {}: {}",
                                line.existing == Existing::skip ? "exists" : "is up to date",
                                printable(output.string())));
  }
}

/// Reads what lies where in the tars, and says what belongs together. Throws PlanError for all
/// reasons not to start.
void list_tars(const CommandLine& line, PlanOptions& plan, const RunOptions& options,
               const ReportPlace& json, std::vector<SampleInput>& places) {
  std::map<fs::path, fs::path> outputs;
  plan.to_samples = true;
  for (SampleInput& place : places) {
    if (!is_listed(plan, place.tar)) {
      if (!line.labels.folder.empty() || !plan.masks.folder.empty()) {
        throw PlanError(place.tar +
                        ": is compressed, and is read once, so labels and masks of another folder "
                        "are not found for it; decompress it");
      }
      continue;
    }
    plan.output = place.output;
    Plan listed = list_tar(plan, place.tar, bytes_of_reader(options), watch_stop_signals());
    if (line.unpack) listed.places.add_folder(place.output);
    place.listed = std::make_shared<const Plan>(std::move(listed));
    refuse_unfit_companions(line, *place.listed);
    say_labels(line, *place.listed);
    warn_of_sides(line, *place.listed);
    if (line.unpack)
      check_shared_files(*place.listed, line.if_shared_files_exist(),
                         [&](const fs::path& file) { json.refuse(file); });
    for (const SharedLabels::File& file : place.listed->jobs.shared_labels().files()) {
      if (file.found == 0) continue;
      const auto [other, is_new] = outputs.emplace(file.output, file.input);
      if (is_new) continue;
      throw PlanError(fmt::format(
          "{} and {} would both be written to {}; {}", other->second.string(), file.input.string(),
          file.output.string(),
          line.unpack ? "unpack each tar into a folder of its own" : "name a folder as output"));
    }
  }
}

void refuse_existing(const CommandLine& line, const std::vector<SampleInput>& places) {
  std::set<fs::path> seen;
  for (const SampleInput& place : places)
    if (seen.insert(place.output).second) refuse_existing_output(line, place.output);
}

/// Standard input, whose size is not known, is assumed to have many.
std::uint64_t jpeg_bytes(const std::vector<SampleInput>& places, const PlanOptions& plan) {
  std::uint64_t bytes = 0;
  for (const SampleInput& place : places) {
    if (place.tar == "-") return std::numeric_limits<std::uint64_t>::max();
    bytes += jpeg_bytes_at_most(place.tar);
  }
  return bytes * plan.most_variants();
}

/// The journals of a folder into which tars are unpacked; otherwise null.
std::unique_ptr<Journals> begin_journals(const CommandLine& line, const PlanOptions& plan,
                                         JpegEdges edges) {
  if (!line.unpack) return nullptr;
  Plan found;
  found.output_folder = line.output;
  auto journals = open_journals(line, plan, found, edges, line.fsync.value_or(Fsync::end));
  journals->begin([&] { return folders_below(line.output); });
  return journals;
}

}  // namespace

void take_listed_tars(CommandLine& line, PlanOptions& options) {
  bool are_tars = line.inputs.empty();
  options.listed.for_each([&](std::string_view name) {
    if (line.inputs.empty()) are_tars = are_tars && is_tar(std::string(name));
    if (are_tars) line.inputs.emplace_back(name);
  });
  if (!are_tars) return;
  options.listed = {};
  options.inputs = {line.inputs.begin(), line.inputs.end()};
}

bool are_tars(const CommandLine& line, std::span<const std::byte> head) {
  if (is_from_standard_input(line)) return may_be_tar(head) || may_be_empty_tar(head);
  const auto tars = std::ranges::count_if(line.inputs, is_tar);
  if (tars == 0 || tars == std::ssize(line.inputs)) return tars > 0;
  const std::string& other = *std::ranges::find_if_not(line.inputs, is_tar);
  if (!fs::is_directory(other)) (void)read_head(other, tar_head_bytes);  // says why it cannot
  throw PlanError(fmt::format("{} is a tar, and {} is not; turn them in separate runs",
                              *std::ranges::find_if(line.inputs, is_tar), other));
}

int turn_tars(const CommandLine& line, PlanOptions plan, RunOptions options, const Bytes& head) {
  refuse_unfit(line);
  std::vector<SampleInput> places = places_of(line);
  refuse_unmerged_inputs(plan);
  std::optional<TarShard> shard;
  if (line.shard) {
    shard.emplace(shard_of(line, plan, options.jpeg.edges, places));
    if (!line.quiet) print_message(shard->in_words());
    if (shard->is_complete()) return say_is_done(line);
  } else {
    for (const SampleInput& place : places) refuse_unmerged_shards(place.output.parent_path());
  }
  leave_existing(line, places);
  if (places.empty() && line.leaves_existing()) return exit_code_of_run(true);
  add_records(line, options.jpeg.edges, places);
  if (places.empty() && !shard) return say_is_done(line);
  const bool is_begun = shard && shard->is_begun();
  if (!is_begun) refuse_existing(line, places);
  const ReportPlace json = ReportPlace::json(line);
  for (const SampleInput& place : places) {
    json.refuse(place.tar);
    json.refuse(place.output);
  }
  list_tars(line, plan, options, json, places);
  SampleWork work{
      .inputs = std::move(places), .head = head, .replaces = line.replaces_existing() || is_begun};
  if (line.dry_run) return print_samples(line, std::move(plan), options, work);
  const std::string device = set_device(
      line, [&] { return jpeg_bytes(work.inputs, plan); }, options);
  Report report(line, work.found, device);
  if (shard) {
    if (!begin_shard(*shard)) return say_is_done(line);
    std::erase_if(work.inputs, [&](const SampleInput& place) {
      return !shard->is_to_do(place.output.filename());
    });
    work.shard = &*shard;
  }
  const std::unique_ptr<Journals> journals = begin_journals(line, plan, options.jpeg.edges);
  work.journals = journals.get();
  return turn_samples(line, std::move(plan), options, work, report);
}

}  // namespace qturn
