#include "src/run/sample_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "src/formats/table.hpp"
#include "src/plan/find_files.hpp"
#include "src/plan/sample_key.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::uint64_t most_results(const PlanOptions& options) {
  return std::max<std::uint64_t>(
      {1, options.variants.size(), static_cast<std::uint64_t>(options.random_variants)});
}

bool is_hidden_member(const std::string& name) {
  const fs::path path = name;
  return std::any_of(path.begin(), path.end(), [](const fs::path& part) {
    return is_hidden(part.native()) && part != "." && part != "..";
  });
}

std::string type_of(const SampleFile& file) {
  const std::string suffix = lower_suffix(file.name);
  constexpr std::size_t longest = 16;
  if (suffix.size() > longest) return "longer suffix";
  return suffix.empty() ? "no suffix" : suffix;
}

/// What a file takes besides its bytes: its name, as it is kept in several places.
std::uint64_t bytes_of_name(const std::string& name) { return 512 + 4 * name.size(); }

}  // namespace

SampleStream::SampleStream(SampleStreamOptions options, std::unique_ptr<MemberReader> reader,
                           const std::atomic<bool>& stop, SampleKeys& keys, Write write)
    : options_(std::move(options)),
      stop_(stop),
      write_(std::move(write)),
      results_(most_results(options_.plan)),
      reader_(std::move(reader)),
      keys_(keys) {}

bool SampleStream::has(std::size_t index) {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (index < job_count_) return true;
      if (is_given_up_) return false;
    }
    if (stop_ || is_at_end_ || !read_sample()) return false;
  }
}

/// False if the run is over. At the end of the tar there may be no sample.
bool SampleStream::read_sample() try {
  for (;;) {
    std::optional<Member> member = std::exchange(next_member_, std::nullopt);
    if (!member) member = reader_->next();
    if (!member) {
      is_at_end_ = true;
      if (current_) publish();
      if (reader_->has_more()) {
        problem_ = options_.name +
                   ": holds more after its end, perhaps another tar; that is left out, so turn the "
                   "tars one by one";
      }
      return true;
    }
    if (!options_.plan.hidden && is_hidden_member(member->name)) continue;
    const std::string_view key = webdataset_key(member->name);
    if (current_ && current_->key != key) {
      next_member_ = std::move(member);
      publish();
      return true;
    }
    if (!current_) current_.emplace(Sample{.key = std::string(key)});
    if (!take(*member)) return false;
  }
} catch (const TarError& error) {
  is_at_end_ = true;
  if (stop_) return false;
  problem_ = fmt::format("{}: {}", options_.name, error.what());
  if (current_) {
    const Member member{.name = current_->key};
    current_->refuse(current_->files.empty()
                         ? SampleFile{.name = member.name, .path = path_of(member)}
                         : current_->files.front(),
                     "left out, because the tar is damaged or cut here, and more of the sample may "
                     "be missing");
    publish();
  }
  return true;
}

fs::path SampleStream::path_of(const Member& member) const {
  return member.path.empty() ? fs::path(options_.name + "/" + member.name) : member.path;
}

/// False if the run is over.
bool SampleStream::take(const Member& member) {
  Sample& sample = *current_;
  const std::uint64_t name_bytes = bytes_of_name(member.name);
  const std::uint64_t needed = memory_of(sample.file_bytes + member.bytes + name_bytes, 0);
  if (!member.refusal.empty()) {
    sample.refuse(member.name, path_of(member), member.refusal + "; its sample is left out");
  } else if (sample.names.contains(xxh64(member.name, 0))) {
    sample.refuse(member.name, path_of(member), "is in its sample twice; the sample is left out");
  } else if (member.bytes > options_.largest_bytes || needed > options_.largest_bytes) {
    sample.refuse(member.name, path_of(member),
                  fmt::format("its sample needs {} MiB of memory with its results, "
                              "more than {} MiB; a larger --memory permits that",
                              std::max(needed, member.bytes) >> 20, options_.largest_bytes >> 20));
  }
  if (!sample.refusal.empty()) return true;
  if (!wait_for_memory(needed)) return false;
  SampleFile& file =
      sample.files.emplace_back(SampleFile{.name = member.name, .path = path_of(member)});
  file.role = member.role;
  try {
    file.bytes = reader_->content();
  } catch (const MemberError& error) {
    sample.refuse(file, error.what());
  }
  sample.names.insert(xxh64(member.name, 0));
  sample.file_bytes += file.bytes.size() + name_bytes;
  return true;
}

std::uint64_t SampleStream::memory_of(std::uint64_t file_bytes, std::uint64_t result_bytes) const {
  return file_bytes + std::max(result_bytes, file_bytes * results_);
}

std::uint64_t SampleStream::memory_of(const Sample& sample) const {
  return memory_of(sample.file_bytes, std::max(sample.result_bytes, sample.expected_bytes));
}

/// If the size of the pixels tells, and not that of the files.
std::uint64_t SampleStream::expected_results(const Sample& sample) const {
  if (!options_.plan.format || options_.plan.format->is_lossy) return 0;
  std::uint64_t bytes = 0;
  for (const Job& job : sample.jobs) {
    const auto file = std::ranges::find(sample.files, job.input, &SampleFile::path);
    if (file == sample.files.end() || job.copy_verbatim) continue;
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

std::uint64_t SampleStream::in_use() const {
  std::uint64_t bytes = writing_bytes_;
  for (const auto& [first, sample] : samples_) bytes += memory_of(sample);
  return bytes;
}

/// Until there is so much, or nothing else to wait for. False if the run is over.
bool SampleStream::wait_for_memory(std::uint64_t needed) {
  for (;;) {
    if (stop_) return false;  // what is under way ends soon, and wakes this
    {
      const std::lock_guard lock(mutex_);
      if (is_given_up_) return false;
      if (has_memory(needed)) return true;
    }
    suspend([this, needed](Resume resume) {
      const std::lock_guard lock(mutex_);
      reader_waits_ = std::move(resume);
      if (is_given_up_ || has_memory(needed)) wake_reader();
    });
  }
}

/// With the lock held.
bool SampleStream::has_memory(std::uint64_t needed) const {
  return in_use() == 0 || in_use() + needed <= options_.memory_bytes;
}

/// With the lock held.
void SampleStream::wake_reader() {
  if (auto resume = std::exchange(reader_waits_, std::nullopt)) (*resume)();
}

void SampleStream::publish() {
  Sample sample = std::move(*current_);
  current_.reset();
  if (!keys_.insert(xxh64(sample.key, 0)).second && !sample.files.empty()) {
    sample.refuse(sample.files.front(),
                  fmt::format("left out, because there was a sample called {} before; its files "
                              "must follow each other, as tar --sort=name writes them",
                              sample.key));
  }
  plan(sample);
  if (sample.jobs.empty()) return;
  sample.expected_bytes = expected_results(sample);
  if (!wait_for_memory(memory_of(sample))) return;
  const std::lock_guard lock(mutex_);
  const std::size_t first = job_count_;
  for (Job& job : sample.jobs) {
    job.number = job_count_++;
    sample.outputs_left += job.outputs.size();
  }
  Sample& kept = samples_.emplace(first, std::move(sample)).first->second;
  for (SampleFile& file : kept.files) files_[file.path.native()] = &file;
}

void SampleStream::plan(Sample& sample) {
  if (sample.refusal.empty()) {
    try {
      look_for_labels(sample);
      SamplePlan planned = plan_sample(options_.plan, options_.output, sample.files);
      if (options_.strict && !planned.copied.empty()) {
        sample.refuse(*planned.copied.front(),
                      "would be copied as it is with each variant of its picture (--strict)");
      }
      for (const SampleFile* file : planned.left_out) ++left_out_[type_of(*file)];
      for (const SampleFile* file : planned.copied) ++copied_[type_of(*file)];
      sample.jobs = std::move(planned.jobs);
    } catch (const ForeignLabelError& error) {
      foreign_label_ = error;
    } catch (const PlanError& error) {
      sample.refuse(sample.files.front(), error.what());
    }
  }
  if (foreign_label_) {
    is_at_end_ = true;
    sample.jobs.clear();
    return;
  }
  if (!sample.refusal.empty()) {
    sample.files.clear();
    sample.file_bytes = 0;
    sample.jobs = {Job{}};
    sample.jobs.front().input = sample.refused_path;
    sample.jobs.front().key = sample.refused;
    sample.jobs.front().problem = sample.refusal;
    sample.jobs.front().outputs.push_back({.path = options_.output + sample.refused});
  }
  std::set<fs::path> read_once;
  for (const Job& job : sample.jobs) {
    read_once.insert(job.input);
    read_once.insert(job.masks.begin(), job.masks.end());
  }
  for (SampleFile& file : sample.files) file.is_read_once = read_once.contains(file.path);
}

/// Files of a tar that belong to no picture. What a folder holds was looked for before.
void SampleStream::look_for_labels(const Sample& sample) {
  if (options_.plan.labels.take != TakeLabels::found) return;
  const auto name_of = [](const SampleFile& file) {
    return fs::path(file.name).filename().string();
  };
  bool has_picture = false;
  for (const SampleFile& file : sample.files) {
    if (file.role || !format_of(options_.plan, lower_suffix(file.name), file.bytes)) continue;
    has_picture = true;
    suspicion_.add_picture(name_of(file));
  }
  for (const SampleFile& file : sample.files) {
    if (has_picture || file.role || is_excluded(options_.plan, file.name, name_of(file))) continue;
    suspicion_.add_file(file.path, name_of(file),
                        {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()});
  }
  if (const auto& found = suspicion_.found()) throw ForeignLabelError(found->file, found->format);
}

SampleStream::Sample& SampleStream::sample_of(std::size_t job) {
  return std::prev(samples_.upper_bound(job))->second;
}

Job SampleStream::operator[](std::size_t index) {
  const std::lock_guard lock(mutex_);
  const Sample& sample = sample_of(index);
  return sample.jobs[index - sample.jobs.front().number];
}

void SampleStream::give_up() {
  const std::lock_guard lock(mutex_);
  is_given_up_ = true;
  wake_reader();
}

Original SampleStream::read(const fs::path& name, FileBytes) const {
  Original original{.path = name, .lower_suffix = lower_suffix(name), .bytes = {}};
  {
    const std::lock_guard lock(mutex_);
    SampleFile& file = *files_.at(name.native());
    original.bytes = file.is_read_once ? std::exchange(file.bytes, {}) : file.bytes;
  }
  original.hash = hash_of(original.bytes);
  return original;
}

std::uint64_t SampleStream::size(const fs::path& name) const {
  const std::lock_guard lock(mutex_);
  return files_.at(name.native())->bytes.size();
}

void SampleStream::count_result(std::size_t job, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  Sample& sample = sample_of(job);
  const std::uint64_t needed = sample.file_bytes + sample.result_bytes + bytes;
  sample.is_too_large = sample.is_too_large || needed > options_.largest_bytes;
  if (sample.is_too_large) throw FileError(why_too_large(), {}, {});
  sample.result_bytes += bytes;
}

std::string SampleStream::why_too_large() const {
  return fmt::format(
      "its sample needs more than {} MiB of memory with its results; a larger --memory permits "
      "that",
      options_.largest_bytes >> 20);
}

void SampleStream::forget_result(std::size_t job, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto after = samples_.upper_bound(job);
  if (after == samples_.begin()) return;
  auto& [first, sample] = *std::prev(after);
  if (job - first < sample.jobs.size()) sample.result_bytes -= bytes;
}

void SampleStream::keep(std::size_t job, std::vector<Made> files) {
  const std::lock_guard lock(mutex_);
  Sample& sample = sample_of(job);
  const std::size_t variant = variant_of(sample, job, files.front().output);
  for (Made& made : files) {
    const auto file = std::ranges::find(sample.files, made.input, &SampleFile::path);
    sample.kept.push_back({.variant = variant,
                           .file = static_cast<std::size_t>(file - sample.files.begin()),
                           .member = {.name = made.output.native().substr(options_.output.size()),
                                      .content = std::move(made.content)}});
  }
}

std::size_t SampleStream::variant_of(const Sample& sample, std::size_t job,
                                     const fs::path& output) {
  const auto& outputs = sample.jobs[job - sample.jobs.front().number].outputs;
  const auto found = std::ranges::find(outputs, output, &JobOutput::path);
  return static_cast<std::size_t>(found - outputs.begin());
}

/// A reader would take what is there of a variant for all of it.
void SampleStream::leave_out_parts(Sample& sample) const {
  const auto is_missing = [](const Outcome& outcome) {
    return outcome.status == Status::failed || outcome.status == Status::skipped;
  };
  std::map<std::size_t, Outcome> missing;  // by the variant
  for (const Outcome& outcome : sample.outcomes) {
    if (!is_missing(outcome)) continue;
    Outcome& first =
        missing.try_emplace(variant_of(sample, outcome.job, outcome.output), outcome).first->second;
    if (outcome.status == Status::failed && first.status != Status::failed) first = outcome;
  }
  for (Outcome& outcome : sample.outcomes) {
    const auto found = missing.find(variant_of(sample, outcome.job, outcome.output));
    const bool is_alone = found == missing.end();
    if (is_missing(outcome) || (is_alone && !sample.is_too_large)) continue;
    outcome.status = is_alone ? Status::failed : found->second.status;
    outcome.route = is_alone ? Route::none : found->second.route;
    outcome.loss = Loss::none;
    outcome.message = is_alone ? why_too_large()
                               : fmt::format("left out, because {} of the same sample is",
                                             found->second.input.filename().string());
  }
  std::erase_if(sample.kept, [&](const Kept& each) {
    const bool is_left_out = sample.is_too_large || missing.contains(each.variant);
    if (is_left_out) sample.result_bytes -= each.member.content.size();
    return is_left_out;
  });
}

void SampleStream::write(Sample& sample) const {
  std::ranges::sort(sample.kept, {},
                    [](const Kept& each) { return std::pair(each.variant, each.file); });
  for (auto next = sample.kept.begin(); next != sample.kept.end();) {
    const std::size_t variant = next->variant;
    std::vector<NewMember> members;
    for (; next != sample.kept.end() && next->variant == variant; ++next)
      members.push_back(std::move(next->member));
    const std::string problem = write_(members);
    if (problem.empty()) continue;
    for (Outcome& outcome : sample.outcomes) {
      if (variant_of(sample, outcome.job, outcome.output) != variant) continue;
      outcome.status = Status::failed;
      outcome.loss = Loss::none;
      outcome.message = problem;
    }
  }
}

void SampleStream::settle(Outcome outcome, const std::function<void(const Outcome&)>& report) {
  std::unique_lock lock(mutex_);
  Sample& settled = sample_of(outcome.job);
  settled.outcomes.push_back(std::move(outcome));
  if (--settled.outputs_left > 0) return;
  for (const SampleFile& file : settled.files) files_.erase(file.path.native());
  settled.files.clear();
  settled.file_bytes = settled.expected_bytes = 0;
  leave_out_parts(settled);
  while (!samples_.empty() && samples_.begin()->second.outputs_left == 0) {
    Sample sample = std::move(samples_.begin()->second);
    samples_.erase(samples_.begin());
    writing_bytes_ = sample.result_bytes;
    lock.unlock();
    write(sample);
    for (const Outcome& each : sample.outcomes) report(each);
    sample.kept.clear();
    lock.lock();
    writing_bytes_ = 0;
    wake_reader();
  }
  wake_reader();
}

}  // namespace qturn
