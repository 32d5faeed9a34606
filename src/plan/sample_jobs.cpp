#include "src/plan/sample_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "src/companions/label_files.hpp"
#include "src/companions/leftovers.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/inputs/output_names.hpp"
#include "src/inputs/variants.hpp"
#include "src/picture/text.hpp"
#include "src/sample/file_kind.hpp"
#include "src/sample/harmless.hpp"
#include "src/sample/sidecars.hpp"

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
                std::span<const SampleFile> files, bool is_listed)
      : options_(options), output_(output), files_(files), is_listed_(is_listed) {}

  SamplePlan plan() {
    for (const SampleFile& file : files_)
      kinds_.push_back(file.is_known ? KindOfFile() : kind_of_file(file.name, file.bytes));
    for (const SampleFile& file : files_)
      (is_mask(file) ? masks_ : is_picture(file) ? pictures_ : others_).push_back(&file);
    take_masks_out_of_pictures();
    if (pictures_.empty()) {
      take_without_picture();
      return std::move(plan_);
    }
    for (const SampleFile* picture : pictures_) {
      refuse_other_variant(*picture);
      start(*picture);
    }
    for (const SampleFile* mask : masks_) add_mask(*mask);
    for (const SampleFile* other : others_) add_other(*other);
    refuse_two_of_one_name();
    return std::move(plan_);
  }

 private:
  static bool is(const SampleFile& file, CompanionKind kind) {
    return file.companion && file.companion->kind == kind;
  }

  static bool is_mask(const SampleFile& file) { return is(file, CompanionKind::mask); }

  bool is_picture(const SampleFile& file) const {
    if (file.is_known) return !file.companion;
    return kind_of(file).is_picture() && is_selected(options_, file.name, base_of(file)) &&
           format_of(options_, lower_suffix(file.name), file.bytes);
  }

  /// The kind of a file that is not known.
  const KindOfFile& kind_of(const SampleFile& file) const {
    return kinds_[static_cast<std::size_t>(&file - files_.data())];
  }

  void take_masks_out_of_pictures() {
    if (!options_.masks.take) return;
    const auto is_called_so = [&](const SampleFile* file) {
      return !file->is_known && kind_of(*file).kind == FileKind::mask;
    };
    const auto masks =
        std::stable_partition(pictures_.begin(), pictures_.end(), std::not_fn(is_called_so));
    if (is_listed_ && masks == pictures_.begin()) return;  // it is known that they have no picture
    masks_.insert(masks_.end(), masks, pictures_.end());
    pictures_.erase(masks, pictures_.end());
    for (const SampleFile* mask : masks_) {
      const auto is_its_own = [&](const SampleFile* picture) {
        return is_mask_of(mask->name, picture->name);
      };
      if (mask->is_known || std::ranges::any_of(pictures_, is_its_own)) continue;
      refuse(*mask,
             "has the name of a mask, and its picture is not in its sample, so they would not be "
             "turned together; call it as in a.mask.png",
             {Hint::turn_without_masks});
    }
  }

  /// A picture in a folder of masks may be a mask whose picture is in another sample.
  void refuse_other_variant(const SampleFile& picture) const {
    const fs::path folder = fs::path(picture.name).parent_path();
    if (is_listed_ || picture.is_known || options_.random_variants == 0 || !options_.masks.take ||
        !is_below_labels(folder))
      return;
    refuse(picture,
           "lies in a folder of masks, and its picture is not in its sample, so they would get "
           "different variants; call it as in a.mask.png",
           {Hint::turn_without_masks});
  }

  void take_without_picture() {
    for (const SampleFile* file : others_) {
      if (!is_listed_) refuse_lone_companion(*file);
      if (options_.others != Others::copy || !is_selected(options_, file->name, base_of(*file))) {
        plan_.left_out.push_back(file);
        continue;
      }
      Job& job = plan_.jobs.emplace_back();
      job.input = file->path;
      job.key = file->name;
      job.file_bytes = file->bytes.size();
      job.copy_verbatim = true;
      job.outputs.push_back({.path = output_ + file->name});
    }
  }

  /// The picture of such a file may be in another sample, and is turned there.
  void refuse_lone_companion(const SampleFile& file) const {
    const std::string base = lower_case(base_of(file));
    const auto refuse_as = [&](std::string_view what, std::string_view how) {
      refuse(file, fmt::format("may be a {}, and no picture is in its sample; {}", what, how),
             {{Hint::exclude, "*" + fs::path(file.name).extension().string()}});
    };
    const bool is_wanted = options_.labels.take == TakeLabels::found || is_of_wanted_format(file);
    if (options_.others == Others::stop && kind_of(file).kind == FileKind::label &&
        takes_labels(file) && is_wanted && known_kind(file.name) == KnownKind::none &&
        !format_in_words(lower_suffix(file.name), text_of(file.bytes).substr(0, text_head_bytes))
             .empty()) {
      refuse_as("label", "give both the same name in the same folder");
    }
    if (kind_of(file).kind == FileKind::array && options_.masks.take &&
        stem_of_depth_map(fs::path(base).stem().string()) &&
        !is_excluded(options_, file.name, base_of(file))) {
      refuse_as("depth map", "call it as in a.depth.npy");
    }
  }

  bool is_of_wanted_format(const SampleFile& file) const {
    const LabelFormat* wanted = options_.labels.rule.format;
    return wanted && wanted->suffix == lower_suffix(file.name);
  }

  bool takes_labels(const SampleFile& file) const {
    return options_.labels.take != TakeLabels::none && options_.labels.folder.empty() &&
           !is_excluded(options_, file.name, base_of(file));
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
      return random_variants(pictures_.front()->name, options_.random_variants, options_.seed,
                             options_.group);
    if (options_.variants.empty()) return {Orientation::identity};
    return options_.variants;
  }

  /// The variant goes where the sample's key ends, so that all files of a variant stay one sample.
  fs::path output_of(const std::string& name, Orientation variant) const {
    if (!options_.has_variants()) return output_ + name;
    const std::string key(webdataset_key(name));
    const std::size_t base = key.rfind('/') + 1, place = base + variant_place(key.substr(base));
    return fmt::format("{}{}__{}{}", output_, key.substr(0, place), qturn::name(variant),
                       name.substr(place));
  }

  void add_mask(const SampleFile& mask) {
    if (codec_of_suffix(lower_suffix(mask.name)) == codec_of_name("jpeg")) {
      refuse(mask, "is a mask and a JPEG, which changes the values of pixels; store it as a PNG",
             {Hint::turn_without_masks});
    }
    const std::string stem = lower_stem(mask);
    const std::size_t number = picture_of(stem_of_mask(stem).value_or(stem));
    if (!mask.is_known && kind_of(mask).kind == FileKind::array)
      expect_array(mask, *pictures_[number]);
    add(plan_.jobs[number], CompanionKind::mask, mask, mask.name);
  }

  static void expect_array(const SampleFile& file, const SampleFile& picture) try {
    expect_array_of(file.bytes, picture.bytes, lower_suffix(picture.name));
  } catch (const ImageFileError& error) {
    throw LeftoverError(file.path, error.what());
  }

  /// Only the file itself tells what it is, so a sample is turned in the same way whatever lies
  /// beside it.
  void add_other(const SampleFile& file) {
    if (is(file, CompanionKind::label)) return add_label(file, file.companion->rule);
    if (is(file, CompanionKind::sidecar)) return add_sidecar(file);
    const KindOfFile& kind = kind_of(file);
    if (kind.kind == FileKind::xmp && options_.sidecars) return add_sidecar(file);
    if (kind.kind == FileKind::array && options_.masks.take &&
        !is_excluded(options_, file.name, base_of(file)))
      return add_mask(file);
    const bool is_of_one_format =
        is_suffix_of_labels(lower_suffix(file.name)) && options_.labels.take != TakeLabels::found;
    const bool is_wanted = !is_of_one_format || is_of_wanted_format(file);
    const bool is_unknown = kind.kind == FileKind::coordinates || kind.kind == FileKind::array;
    if (is_unknown && !is_excluded(options_, file.name, base_of(file)) && !is_harmless(file)) {
      if (options_.others == Others::copy && options_.labels.take != TakeLabels::none)
        return add_sidecar(file);
      plan_.left_out.push_back(&file);
      return;
    }
    // A copy of a picture would not be turned.
    if (!takes_labels(file) || kind.is_picture() || !is_wanted)
      plan_.left_out.push_back(&file);
    else if (is_of_one_format)
      add_label(file, rule_of(options_.labels.rule.format));
    else if (kind.kind == FileKind::label)
      add_label(file, rule_of(kind.format));
    else
      add_sidecar(file);
  }

  /// Throws LeftoverError if the file is not harmless and such files stop the run.
  bool is_harmless(const SampleFile& file) const {
    const SampleFile& picture = *pictures_[picture_of(lower_stem(file))];
    const auto header = header_if_readable(picture.bytes, lower_suffix(picture.name));
    if (options_.only_tagged && header && header->stored == Orientation::identity) return true;
    const auto suspicion = suspicion_beside(file.name, text_of(file.bytes),
                                            header ? std::optional(header->size()) : std::nullopt);
    if (!suspicion) return true;
    if (options_.others != Others::stop) return false;
    const std::string known = format_in_words(lower_suffix(file.name), text_of(file.bytes));
    throw LeftoverError(file.path, known.empty() ? suspicion->why : known);
  }

  /// The rule of a label about which only its format is known.
  std::shared_ptr<const LabelRule> rule_of(const LabelFormat* format) const {
    LabelRule rule = options_.labels.rule;
    rule.format = format;
    return std::make_shared<const LabelRule>(std::move(rule));
  }

  void add_label(const SampleFile& file, const std::shared_ptr<const LabelRule>& rule) {
    Job& job = job_of(lower_stem(file));
    const auto is_label = [](const Companion& each) { return each.kind == CompanionKind::label; };
    if (std::ranges::any_of(job.companions(), is_label)) {
      refuse(file, "is a second label of " + job.input.filename().string(),
             {{Hint::choose_label_format, std::string(rule->format->option)}});
    }
    add(job, CompanionKind::label, file, file.name, rule);
  }

  void add_sidecar(const SampleFile& file) {
    if (!is_turned_sidecar(file.name)) plan_.copied.push_back(&file);
    Job& job = job_of(lower_stem(file));
    add(job, CompanionKind::sidecar, file, sidecar_name(file, job));
  }

  /// `name`: what the turned file is called, without the variant.
  void add(Job& job, CompanionKind kind, const SampleFile& file, const std::string& name,
           const std::shared_ptr<const LabelRule>& rule = {}) const {
    for (JobOutput& output : job.outputs) {
      const auto place = std::ranges::upper_bound(output.companions, kind, {}, &Companion::kind);
      output.companions.insert(place, {kind, file.path, output_of(name, output.variant), rule});
    }
  }

  /// "a.jpg.xmp" becomes "a.png.xmp" with its picture.
  std::string sidecar_name(const SampleFile& file, const Job& job) const {
    const bool is_after_whole_name = lower_case(file.name).starts_with(lower_case(job.key) + ".");
    if (!options_.format) return file.name;
    if (!is_after_whole_name)
      return world_file_name(file.name, name_in_format(job.key, *options_.format));
    return name_in_format(job.key, *options_.format) + file.name.substr(job.key.size());
  }

  Job& job_of(std::string_view stem) { return plan_.jobs[picture_of(stem)]; }

  /// The picture with this stem; the first picture if there is none.
  std::size_t picture_of(std::string_view stem) const {
    const auto same = [&](const SampleFile* picture) {
      return lower_stem(*picture) == stem || lower_case(base_of(*picture)) == stem;
    };
    const auto found = std::ranges::find_if(pictures_, same);
    return found == pictures_.end() ? 0 : static_cast<std::size_t>(found - pictures_.begin());
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
      for (const Companion& each : first.companions) take(job, each.output);
    }
  }

  const PlanOptions& options_;
  const std::string& output_;
  std::span<const SampleFile> files_;
  const bool is_listed_;
  std::vector<KindOfFile> kinds_;  ///< by file
  std::vector<const SampleFile*> pictures_, masks_, others_;
  SamplePlan plan_;
};

}  // namespace

SamplePlan plan_sample(const PlanOptions& options, const std::string& output,
                       std::span<const SampleFile> files, bool is_listed) {
  return SamplePlanner(options, output, files, is_listed).plan();
}

}  // namespace qturn
