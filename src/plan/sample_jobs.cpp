#include "src/plan/sample_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "src/formats/table.hpp"
#include "src/labels/coordinates.hpp"
#include "src/plan/find_files.hpp"
#include "src/plan/folder_layout.hpp"
#include "src/plan/label_files.hpp"
#include "src/plan/lower_case.hpp"
#include "src/plan/mask_files.hpp"
#include "src/plan/suspected_label.hpp"
#include "src/plan/variants.hpp"
#include "src/sample/sample_key.hpp"
#include "src/sample/sidecars.hpp"
#include "src/sample/world_files.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::string lower_stem(const SampleFile& file) { return lower_case(fs::path(file.name).stem()); }

[[noreturn]] void refuse(const SampleFile& file, const std::string& why, Hints hints) {
  throw WithHints<PlanError>(std::move(hints),
                             fmt::format("{} {}", file.path.filename().string(), why));
}

class SamplePlanner {
 public:
  SamplePlanner(const PlanOptions& options, const std::string& output,
                std::span<const SampleFile> files)
      : options_(options), output_(output), files_(files) {}

  SamplePlan plan() {
    for (const SampleFile& file : files_)
      (is_mask(file) ? masks_ : is_picture(file) ? pictures_ : others_).push_back(&file);
    take_masks_out_of_pictures();
    if (pictures_.empty()) {
      take_without_picture();
      return std::move(plan_);
    }
    for (const SampleFile* picture : pictures_) start(*picture);
    for (const SampleFile* mask : masks_) add_mask(*mask);
    for (const SampleFile* other : others_) add_other(*other);
    refuse_two_of_one_name();
    return std::move(plan_);
  }

 private:
  static bool is(const SampleFile& file, CompanionKind kind) {
    return file.role && file.role->companion == kind;
  }

  static bool is_mask(const SampleFile& file) { return is(file, CompanionKind::mask); }

  bool is_picture(const SampleFile& file) const {
    if (file.role) return !file.role->companion;
    return is_selected(options_, file.name, fs::path(file.name).filename()) &&
           format_of(options_, lower_suffix(file.name), file.bytes);
  }

  /// A mask is named after a picture of the sample, or after the sample.
  void take_masks_out_of_pictures() {
    if (!options_.masks.take) return;
    const std::string own = lower_case(fs::path(webdataset_key(files_.front().name)).filename());
    const auto is_named_mask = [&](const SampleFile* file) {
      if (file->role) return false;
      const std::string stem = lower_stem(*file);
      const auto of = stem_of_mask(stem);
      return of && std::ranges::any_of(pictures_, [&](const SampleFile* picture) {
               return picture != file && (lower_stem(*picture) == *of || own == *of);
             });
    };
    const auto masks =
        std::stable_partition(pictures_.begin(), pictures_.end(), std::not_fn(is_named_mask));
    masks_.insert(masks_.end(), masks, pictures_.end());
    pictures_.erase(masks, pictures_.end());
    for (const SampleFile* picture : pictures_) {
      if (picture->role || !stem_of_mask(lower_stem(*picture))) continue;
      refuse(*picture,
             "has the name of a mask, and its picture is not in its sample, so they would not be "
             "turned together; call it as in a.mask.png",
             {Hint::turn_without_masks});
    }
  }

  void take_without_picture() {
    for (const SampleFile* file : others_) {
      refuse_lone_label(*file);
      if (options_.others != Others::copy || !is_selected(options_, file->name, base_of(*file))) {
        plan_.left_out.push_back(file);
        continue;
      }
      if (takes_labels(*file)) refuse_coordinates(*file);
      Job& job = plan_.jobs.emplace_back();
      job.input = file->path;
      job.key = file->name;
      job.file_bytes = file->bytes.size();
      job.copy_verbatim = true;
      job.outputs.push_back({.path = output_ + file->name});
    }
  }

  /// Its picture may be in another sample, and is turned there.
  void refuse_lone_label(const SampleFile& file) const {
    const auto* format = label_format_of(file);
    if (!takes_labels(file) || format == std::end(label_formats)) return;
    if (is_note(lower_case(base_of(file)))) return;
    if (options_.labels.take != TakeLabels::found && options_.labels.format != format) return;
    if (!may_be_label(lower_suffix(file.name), head_of(file))) return;
    refuse(file,
           "may be a label, and no picture is in its sample; give both the same name in the same "
           "folder",
           {{Hint::exclude, "*" + fs::path(file.name).extension().string()}});
  }

  bool takes_labels(const SampleFile& file) const {
    return options_.labels.take != TakeLabels::none &&
           !is_excluded(options_, file.name, base_of(file));
  }

  static const LabelFormat* label_format_of(const SampleFile& file) {
    return std::ranges::find(label_formats, lower_suffix(file.name), &LabelFormat::suffix);
  }

  static std::string_view head_of(const SampleFile& file) {
    return text_of(file.bytes).substr(0, label_head_bytes);
  }

  static void refuse_coordinates(const SampleFile& file) {
    if (is_named_as_world_file(file.name)) return;  // the outcome says that it is stale
    if (may_be_label(lower_suffix(file.name), head_of(file)))
      throw ForeignLabelError(file.path, head_of(file));
  }

  static std::string base_of(const SampleFile& file) { return fs::path(file.name).filename(); }

  void start(const SampleFile& picture) {
    Job& job = plan_.jobs.emplace_back();
    job.input = picture.path;
    job.key = picture.name;
    job.file_bytes = picture.bytes.size();
    job.target = options_.format;
    std::string name = picture.name;
    if (options_.format) name = name_in_format(name, *options_.format);
    for (const Orientation variant : variants())
      job.outputs.push_back({.path = output_of(name, variant), .variant = variant});
  }

  std::vector<Orientation> variants() const {
    if (options_.random_variants > 0)
      return random_variants(pictures_.front()->name, options_.random_variants, options_.seed);
    if (options_.variants.empty()) return {Orientation::identity};
    return options_.variants;
  }

  /// As OutputNames says, but cut where the sample's name ends, so that all stay one sample.
  fs::path output_of(const std::string& name, Orientation variant) const {
    if (options_.variants.empty() && options_.random_variants == 0) return output_ + name;
    const std::string_view key = webdataset_key(name);
    return fmt::format("{}{}__{}{}", output_, key, qturn::name(variant), name.substr(key.size()));
  }

  void add_mask(const SampleFile& mask) {
    if (codec_of_suffix(lower_suffix(mask.name)) == codec_of_name("jpeg")) {
      refuse(mask, "is a mask and a JPEG, which changes the values of pixels; store it as a PNG",
             {Hint::turn_without_masks});
    }
    const std::string stem = lower_stem(mask);
    Job& job = job_of(*stem_of_mask(stem));
    job.masks.push_back(mask.path);
    for (JobOutput& output : job.outputs)
      output.masks.push_back(output_of(mask.name, output.variant));
  }

  void add_other(const SampleFile& file) {
    if (is(file, CompanionKind::label)) return add_label(file, *file.role->format);
    if (is(file, CompanionKind::sidecar)) return add_sidecar(file);
    const auto* format = label_format_of(file);
    const bool takes_all = options_.labels.take == TakeLabels::found;
    if (!takes_labels(file) || is_unselected_picture(file)) {
      plan_.left_out.push_back(&file);
    } else if (format != std::end(label_formats)) {
      const bool is_wanted = takes_all || options_.labels.format == format;
      if (!is_wanted)
        plan_.left_out.push_back(&file);
      else if (!takes_all || is_label(file, *format))
        add_label(file, *format);
      else
        add_sidecar(file);
    } else {
      add_sidecar(file);
    }
  }

  /// A copy would not be turned.
  bool is_unselected_picture(const SampleFile& file) const {
    const std::string suffix = lower_suffix(file.name);
    return codec_of_suffix(suffix) || is_camera_raw(suffix) ||
           format_of(options_, suffix, file.bytes);
  }

  /// Or a text of another kind, such as a caption. Nothing but the text itself tells, so that a
  /// sample is turned alike whatever lies beside it.
  static bool is_label(const SampleFile& file, const LabelFormat& format) {
    const std::string_view text = text_of(file.bytes);
    if (text.empty() || format.is_of(text)) return true;
    refuse_coordinates(file);
    return false;
  }

  void add_label(const SampleFile& file, const LabelFormat& format) {
    Job& job = job_of(lower_stem(file));
    if (!job.label.empty()) {
      refuse(file, "is a second label of " + job.input.filename().string(),
             {{Hint::choose_label_format, std::string(format.option)}});
    }
    job.label = file.path;
    job.label_format = &format;
    job.keypoints = file.role ? file.role->keypoints : options_.labels.keypoints;
    for (JobOutput& output : job.outputs) output.label = output_of(file.name, output.variant);
  }

  void add_sidecar(const SampleFile& file) {
    if (!is_xmp(file.name)) {
      if (!file.role) refuse_coordinates(file);
      plan_.copied.push_back(&file);
    }
    Job& job = job_of(lower_stem(file));
    job.sidecars.push_back(file.path);
    for (JobOutput& output : job.outputs)
      output.sidecars.push_back(output_of(sidecar_name(file, job), output.variant));
  }

  /// "a.jpg.xmp" becomes "a.png.xmp" with its picture.
  std::string sidecar_name(const SampleFile& file, const Job& job) const {
    const bool is_after_whole_name = lower_case(file.name).starts_with(lower_case(job.key) + ".");
    if (!options_.format || !is_after_whole_name) return file.name;
    return name_in_format(job.key, *options_.format) + file.name.substr(job.key.size());
  }

  Job& job_of(std::string_view stem) {
    const auto same = [&](const SampleFile* picture) {
      return lower_stem(*picture) == stem || lower_case(base_of(*picture)) == stem;
    };
    const auto found = std::ranges::find_if(pictures_, same);
    return plan_
        .jobs[found == pictures_.end() ? 0 : static_cast<std::size_t>(found - pictures_.begin())];
  }

  void refuse_two_of_one_name() const {
    std::set<fs::path> seen;
    const auto take = [&](const Job& job, const fs::path& path) {
      if (!seen.insert(path).second)
        throw PlanError(fmt::format("{} and another file would both be written to {}",
                                    job.input.filename().string(), path.string()));
    };
    for (const Job& job : plan_.jobs) {
      const JobOutput& first = job.outputs.front();
      take(job, first.path);
      if (!first.label.empty()) take(job, first.label);
      for (const auto* many : {&first.sidecars, &first.masks})
        for (const fs::path& path : *many) take(job, path);
    }
  }

  const PlanOptions& options_;
  const std::string& output_;
  std::span<const SampleFile> files_;
  std::vector<const SampleFile*> pictures_, masks_, others_;
  SamplePlan plan_;
};

}  // namespace

SamplePlan plan_sample(const PlanOptions& options, const std::string& output,
                       std::span<const SampleFile> files) {
  return SamplePlanner(options, output, files).plan();
}

}  // namespace qturn
