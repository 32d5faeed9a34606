#include "src/sources/sample_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "src/files/safe_file.hpp"
#include "src/files/tar/input.hpp"
#include "src/files/tar/tar.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/sample/file_kind.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::string type_of(const SampleFile& file) {
  const std::string suffix = lower_suffix(file.name);
  constexpr std::size_t longest = 16;
  if (suffix.size() > longest) return "longer suffix";
  return suffix.empty() ? "no suffix" : suffix;
}

/// The memory for a file's name, which is kept in several places.
std::uint64_t bytes_of_name(const std::string& name) { return 512 + 4 * name.size(); }

/// Null for folders, for a tar that is listed, and where no labels of many pictures are turned.
std::unique_ptr<LabelsInPassing> labels_in_passing(const SampleStreamOptions& options) {
  const TakeLabels take = options.plan.labels.take;
  if (options.name.empty() || options.listed || options.label_bytes == 0 ||
      (take != TakeLabels::found && take != TakeLabels::one_file))
    return nullptr;
  return std::make_unique<LabelsInPassing>(options.plan, options.name, options.label_bytes);
}

/// The files of a sample, by the paths that its jobs have. They are handed over: each is read once.
class FilesInMemory : public Source {
 public:
  explicit FilesInMemory(std::vector<SampleFile> files) : files_(std::move(files)) {
    for (std::size_t i = 0; i < files_.size(); ++i) places_.emplace(files_[i].path.native(), i);
  }
  Original read(const fs::path& name, FileBytes) const override {
    SampleFile& file = files_[position(name)];
    Original original{.path = name, .lower_suffix = lower_suffix(name), .bytes = {}};
    original.bytes = std::exchange(file.bytes, {});
    original.hash = hash_of(original.bytes);
    return original;
  }
  std::uint64_t size(const fs::path& name) const override {
    return files_[position(name)].bytes.size();
  }
  bool hands_over() const override { return true; }
  std::size_t position(const fs::path& name) const override { return places_.at(name.native()); }

 private:
  mutable std::vector<SampleFile> files_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

SampleStream::SampleStream(SampleStreamOptions options, std::unique_ptr<MemberReader> reader,
                           const std::atomic<bool>& stop, SampleKeys& keys)
    : options_(std::move(options)),
      stop_(stop),
      results_(options_.plan.most_variants()),
      memory_(options_.memory_bytes),
      reader_(std::move(reader)),
      keys_(keys),
      pairs_([this](std::size_t number) { return drawn_[number].second; }, true),
      labels_(labels_in_passing(options_)) {}

std::optional<SampleJobs> SampleStream::next() try {
  while (!is_at_end_ && !stop_) {
    std::optional<Gathered> sample = gather();
    if (!sample) continue;
    if (std::optional<SampleJobs> jobs = planned(std::move(*sample))) return jobs;
  }
  return std::nullopt;
} catch (const Interrupted&) {
  return std::nullopt;
}

/// Reads all members of the next sample. Nothing at the end of the tar.
std::optional<SampleStream::Gathered> SampleStream::gather() try {
  for (;;) {
    std::optional<Member> member = std::exchange(next_member_, std::nullopt);
    if (!member) member = reader_->next();
    if (!member) {
      is_at_end_ = true;
      if (reader_->has_more()) {
        problem_ = options_.name +
                   ": holds more after its end, perhaps another tar; that is left out, so turn the "
                   "tars one by one";
      }
      return std::exchange(current_, std::nullopt);
    }
    if (!options_.plan.hidden && member->is_hidden()) continue;
    if (is_listed(*member)) continue;
    const std::string_view key = webdataset_key(member->name);
    if (current_ && current_->key != key) {
      next_member_ = std::move(member);
      return std::exchange(current_, std::nullopt);
    }
    if (!current_) current_.emplace(Gathered{.key = std::string(key)});
    take(*member);
  }
} catch (const TarError& error) {
  is_at_end_ = true;
  if (stop_) return std::nullopt;
  problem_ = fmt::format("{}: {}", options_.name, error.what());
  if (current_) {
    const Member member{.name = current_->key};
    current_->refuse(
        current_->files.empty() ? SampleFile{.name = member.name, .path = path_of(member)}
                                : current_->files.front(),
        {"left out, because the tar is damaged or cut here, and more of the sample may "
         "be missing"});
  }
  return std::exchange(current_, std::nullopt);
}

fs::path SampleStream::path_of(const Member& member) const {
  return member.path.empty() ? fs::path(options_.name + "/" + member.name) : member.path;
}

void SampleStream::take(const Member& member) {
  Gathered& sample = *current_;
  const std::uint64_t name_bytes = bytes_of_name(member.name);
  const std::uint64_t needed = memory_of(sample.file_bytes + member.bytes + name_bytes, 0);
  if (!member.refusal.empty()) {
    sample.refuse(member.name, path_of(member), member.refusal + "; its sample is left out");
  } else if (sample.names.contains(xxh64(member.name, 0))) {
    sample.refuse(member.name, path_of(member), {"is in its sample twice; the sample is left out"});
  } else {
    refuse_too_large(sample, member, std::max(needed, member.bytes));
  }
  if (sample.is_refused()) return;
  reserve(sample, needed);
  SampleFile& file =
      sample.files.emplace_back(SampleFile{.name = member.name, .path = path_of(member)});
  file.is_known = member.is_known;
  file.companion = member.companion;
  try {
    const bool is_large = spare_ && member.bytes >= SpareBytes::worth_keeping;
    file.bytes = reader_->content(is_large ? spare_->take(member.bytes) : Bytes());
  } catch (const MemberError& error) {
    sample.refuse(file, std::string(error.what()));
  }
  sample.names.insert(xxh64(member.name, 0));
  sample.file_bytes += file.bytes.size() + name_bytes;
}

void SampleStream::refuse_too_large(Gathered& sample, const Member& member,
                                    std::uint64_t needed) const {
  if (needed <= options_.largest_bytes) return;
  sample.refuse(member.name, path_of(member),
                {fmt::format("its sample needs {} MiB of memory with its results, more than {} MiB",
                             needed >> 20, options_.largest_bytes >> 20),
                 {Hint::more_memory}});
}

/// Nobody else waits for this memory, so the sample first gives back what it has.
void SampleStream::reserve(Gathered& sample, std::uint64_t bytes) {
  sample.memory = {};
  sample.memory = memory_.reserve(bytes, stop_);
}

std::uint64_t SampleStream::memory_of(std::uint64_t file_bytes, std::uint64_t result_bytes) const {
  return file_bytes + std::max(result_bytes, file_bytes * results_);
}

/// The size of the results, as far as pixels tell it, if a lossless format is written. 0 if the
/// sizes of the files tell more.
std::uint64_t SampleStream::expected_results(const std::vector<Job>& jobs,
                                             const std::vector<SampleFile>& files) const {
  if (!options_.plan.format || options_.plan.format->is_lossy) return 0;
  std::uint64_t bytes = 0;
  for (const Job& job : jobs) {
    const auto file = std::ranges::find(files, job.input, &SampleFile::path);
    if (file == files.end() || job.copy_verbatim) continue;
    const Codec* codec = format_of(options_.plan, lower_suffix(file->name), file->bytes);
    if (!codec) continue;
    try {
      if (codec->check_limits) codec->check_limits(file->bytes, Limits());
      bytes += codec->read_header(file->bytes).pixel_bytes_total * job.outputs.size();
    } catch (const ImageFileError&) {  // which its outcome says
    }
  }
  return bytes;
}

/// Nothing if there is nothing to do.
std::optional<SampleJobs> SampleStream::planned(Gathered sample) {
  if (!keys_.insert(xxh64(sample.key, 0)).second && !sample.files.empty()) {
    sample.refuse(sample.files.front(),
                  fmt::format("left out, because there was a sample called {} before; its files "
                              "must follow each other, as tar --sort=name writes them",
                              sample.key));
  }
  std::vector<Job> jobs = jobs_of(sample);
  if (jobs.empty()) return std::nullopt;
  for (Job& job : jobs) number(job);
  reserve(sample, memory_of(sample.file_bytes, expected_results(jobs, sample.files)));
  std::ranges::move(sample.elsewhere, std::back_inserter(sample.files));
  return SampleJobs{.jobs = std::move(jobs),
                    .source = std::make_shared<FilesInMemory>(std::move(sample.files)),
                    .memory = std::make_unique<SampleMemory>(
                        std::move(sample.memory), sample.file_bytes, options_.largest_bytes)};
}

void SampleStream::number(Job& job) {
  if (labels_) return labels_->add(job);
  job.number = job_count_++;
  if (!options_.listed || options_.listed->jobs.files().empty()) return;
  const JobList& listed = options_.listed->jobs;
  const std::optional<std::size_t> picture = listed.files().find(job.key);
  job.number = picture.value_or(Job::unnumbered);
  if (picture) job.shared_labels = listed.shared_labels().of(*picture);
  job.tells_stored = picture && !listed.shared_labels().empty();
}

/// Whether a member belongs to pictures elsewhere, and comes with them.
bool SampleStream::is_listed(const Member& member) const {
  if (!lists_tar() || options_.listed->jobs.files().empty()) return false;
  const JobList& listed = options_.listed->jobs;
  const std::string path = normal_path(path_of(member));
  return listed.shared_labels().contain(path) || listed.labels().contain(path) ||
         listed.masks().contain(path);
}

/// Adds the labels and masks that lie elsewhere. Throws PlanError if they are not of one picture
/// alone; FileError.
void SampleStream::add_listed(Gathered& sample, std::vector<Job>& jobs) const {
  if (!lists_tar()) return;
  const JobList& listed = options_.listed->jobs;
  for (Job& job : jobs) {
    const std::optional<std::size_t> picture = listed.files().find(job.key);
    if (!picture) continue;
    for (const Companion& each : listed.companions_of(*picture, Orientation::identity)) {
      if (std::ranges::count(sample.elsewhere, each.input, &SampleFile::path) > 0)
        throw PlanError(each.input.string() + " belongs to two pictures of a sample");
      SampleFile& file = sample.elsewhere.emplace_back(
          SampleFile{.name = each.input.string(), .path = each.input});
      file.bytes = read_head(each.input, options_.largest_bytes, options_.listed->tar.get());
      sample.file_bytes += file.bytes.size() + bytes_of_name(file.name);
      const auto is_label = [](const Companion& own) { return own.kind == CompanionKind::label; };
      if (is_label(each) && std::ranges::any_of(job.companions(), is_label))
        throw PlanError(each.input.string() + " is a second label of " + job.key);
    }
    for (JobOutput& output : job.outputs) {
      for (Companion& each : listed.companions_of(*picture, output.variant)) {
        const auto place =
            std::ranges::upper_bound(output.companions, each.kind, {}, &Companion::kind);
        output.companions.insert(place, std::move(each));
      }
    }
  }
  refuse_too_large(sample, {.name = sample.files.front().name}, memory_of(sample.file_bytes, 0));
}

bool SampleStream::is_picture(const SampleFile& file) const {
  return !file.is_known && !is_array(file.name) &&
         format_of(options_.plan, lower_suffix(file.name), file.bytes);
}

/// Takes the labels of many pictures in a sample without a picture.
void SampleStream::take_labels(Gathered& sample) {
  const auto is_one = [&](const SampleFile& file) { return is_picture(file); };
  if (!labels_ || sample.is_refused() || std::ranges::any_of(sample.files, is_one)) return;
  try {
    std::erase_if(sample.files, [&](SampleFile& file) { return labels_->take(file); });
  } catch (const LeftoverError& error) {
    // What it hints at would read the tar again.
    leftover_ = options_.is_pipe ? LeftoverError(error.file(), error.why()) : error;
  } catch (const LabelsError& error) {
    labels_problem_ = error;
  }
}

std::vector<Job> SampleStream::jobs_of(Gathered& sample) {
  std::vector<Job> jobs;
  take_labels(sample);
  if (sample.files.empty() && !sample.is_refused()) return jobs;
  if (!leftover_ && !labels_problem_ && !sample.is_refused()) {
    try {
      look_for_leftovers(sample);
      SamplePlan planned = plan_sample(options_.plan, options_.output, sample.files, lists_tar());
      look_for_pairs(sample, planned);
      if (options_.strict && !planned.copied.empty()) {
        sample.refuse(
            *planned.copied.front(),
            {"would be copied as it is with each variant of its picture", {Hint::be_less_strict}});
      }
      for (const SampleFile* file : planned.left_out) {
        ++left_out_[type_of(*file)];
        if (options_.plan.labels.take != TakeLabels::found && !file->is_known &&
            !turned_format(lower_suffix(file->name), text_of(file->bytes)).empty())
          ++label_files_;
      }
      for (const SampleFile* file : planned.copied) ++copied_[type_of(*file)];
      jobs = std::move(planned.jobs);
      add_listed(sample, jobs);
    } catch (const FileError& error) {
      sample.refuse(sample.files.front(), std::string(error.what()));
    } catch (const LeftoverError& error) {
      if (options_.is_pipe)
        sample.refuse(error.file().filename(), error.file(), {error.why(), error.hints()});
      else
        leftover_ = error;
    } catch (const PlanError& error) {
      sample.refuse(sample.files.front(), {error.what(), hints_of(error)});
    }
  }
  if (leftover_ || labels_problem_ || (!pair_.empty() && !options_.is_pipe)) {
    is_at_end_ = true;
    return {};
  }
  if (sample.is_refused()) {
    sample.files.clear();
    sample.elsewhere.clear();
    sample.file_bytes = 0;
    Job job;
    job.input = sample.refused_path;
    job.key = sample.refused;
    job.problem = sample.refusal;
    job.outputs.push_back({.path = options_.output + sample.refused});
    jobs.clear();
    jobs.push_back(std::move(job));
  }
  return jobs;
}

/// Throws PlanError if two pictures may belong together. The files of a folder were checked before.
/// All pictures of a sample get the variants of its first one.
void SampleStream::look_for_pairs(const Gathered& sample, const SamplePlan& planned) {
  if (options_.plan.random_variants == 0 || options_.plan.group.is_given()) return;
  if (planned.jobs.empty() || planned.jobs.front().copy_verbatim) return;
  const std::string& key = planned.jobs.front().key;
  const auto file = std::ranges::find(sample.files, key, &SampleFile::name);
  if (file == sample.files.end() || file->is_known) return;
  const auto header = header_if_readable(file->bytes, lower_suffix(key));
  drawn_.emplace_back(key, header ? std::optional(header->size()) : std::nullopt);
  const auto other = pairs_.add(key, drawn_.size() - 1);
  if (!other) return;
  pair_ = drawn_[*other].first + " and " + key;
  throw PlanError(pair_ + " may belong together, and would get different variants");
}

/// Looks at the files of a tar that are in no picture's sample. The files of a folder were checked
/// before.
void SampleStream::look_for_leftovers(const Gathered& sample) {
  if (options_.plan.others != Others::stop || lists_tar()) return;
  const auto name_of = [](const SampleFile& file) {
    return fs::path(file.name).filename().string();
  };
  bool is_among_pictures = false;
  std::vector<std::uint64_t> stems;
  for (const SampleFile& file : sample.files) {
    if (!is_picture(file)) continue;
    is_among_pictures = true;
    const auto header = header_if_readable(file.bytes, lower_suffix(file.name));
    if (options_.plan.only_tagged && header && header->stored == Orientation::identity) continue;
    pictures_.add(name_of(file), sizes_.size());
    sizes_.push_back(header ? std::optional(header->size()) : std::nullopt);
    const std::vector<std::uint64_t> own = stems_in(name_of(file), "");
    stems.insert(stems.end(), own.begin(), own.end());
  }
  for (const Loose& file : loose_)
    if (std::ranges::any_of(stems, [&](std::uint64_t stem) {
          return std::ranges::binary_search(file.stems, stem);
        }))
      refuse_untrue(file);
  for (const SampleFile& file : sample.files) {
    const std::string name = name_of(file), suffix = lower_suffix(file.name);
    if (is_among_pictures || file.is_known || is_excluded(options_.plan, file.name, name)) continue;
    const std::string_view head = text_of(file.bytes).substr(0, text_head_bytes);
    const bool is_left_out = options_.plan.labels.take != TakeLabels::found;
    if (!suspicion_beside(file.name, head)) continue;
    if (is_left_out && !turned_format(suffix, head).empty()) continue;
    Loose loose{file.path, std::string(head), stems_in(name, head)};
    refuse_untrue(loose);
    constexpr std::size_t most = 64;
    if (loose_.size() == most)
      throw LeftoverError(file.path, "is one of many files that may be about pictures");
    loose_.push_back(std::move(loose));
  }
}

/// Throws LeftoverError if the file is about pictures that have come before.
void SampleStream::refuse_untrue(const Loose& file) const {
  const std::vector<std::size_t> own = pictures_.of_file(file.path.filename().string());
  if (is_array(file.path) && own.empty()) return;
  const auto suspicion = suspicion_of(file.path, file.head, own, pictures_,
                                      [&](std::size_t number) { return sizes_[number]; });
  if (!suspicion) return;
  const std::string known = format_in_words(lower_suffix(file.path), file.head);
  throw LeftoverError(file.path, known.empty() ? suspicion->why : known);
}

}  // namespace qturn
