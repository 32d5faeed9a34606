#include "src/inputs/output_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "src/formats/table.hpp"
#include "src/inputs/variants.hpp"
#include "src/picture/text.hpp"
#include "src/sample/file_kind.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

const Codec* promised_format(const fs::path& path) {
  return codec_of_suffix(path.extension().string());
}

// Whether the suffix promises a picture that cannot be written. Such a name is not a folder either.
bool promises_what_cannot_be_written(const Codec* promised) {
  return promised && (promised->encode == nullptr || promised->is_array);
}

void refuse_unwritten(const PlanOptions& options, bool one_file, const Codec* promised) {
  if (fs::is_directory(options.output)) return;
  const std::string suffix = lower_case(options.output.extension().string());
  if (is_other_file(suffix))
    throw PlanError(fmt::format(
        "{}: {} files are not written; name a folder, a tar, or a picture such as a.png",
        options.output.string(), suffix));
  if (!promises_what_cannot_be_written(promised)) return;
  // A file that keeps its format is not written from pixels.
  const bool keeps_format =
      promised && one_file &&
      (options.standard_input
           ? codec_of_content(*options.standard_input, "") == promised
           : !options.inputs.empty() && promised_format(options.inputs.front()) == promised);
  if (keeps_format) return;
  throw PlanError(fmt::format("{}: this format cannot be written from others; {} can",
                              options.output.string(), format_names(", ")));
}

}  // namespace

bool is_other_file(std::string_view lower_suffix) {
  constexpr std::string_view others[] = {".7z",  ".cin", ".dds", ".eps", ".iff", ".mov", ".mp4",
                                         ".pdf", ".psd", ".rar", ".rla", ".svg", ".zip"};
  return std::ranges::find(others, lower_suffix) != std::end(others);
}

std::string name_in_format(const fs::path& name, const Codec& format) {
  const Codec* promised = promised_format(name);
  if (promised == &format) return name;
  fs::path renamed = name;
  if (promised) renamed.replace_extension();
  renamed += format.suffixes.front();
  return renamed;
}

std::size_t variant_place(const std::string& stem) {
  const std::string lower = lower_case(stem);
  for (const std::string_view kind : {"_leftimg8bit", "_gtfine_", "_gtcoarse_"})
    if (const std::size_t at = lower.rfind(kind); at != lower.npos && at > 0) return at;
  return stem.size();
}

OutputNames::OutputNames(const PlanOptions& options, bool one_file)
    : output_(options.output),
      format_(options.format),
      random_variants_(options.random_variants),
      to_samples_(options.to_samples),
      seed_(options.seed),
      group_(options.group) {
  for (const Orientation variant : options.variants) variants_.add(variant);
  if (options.to_samples) return;
  if (is_standard_output()) {
    if (!one_file) throw PlanError("several pictures cannot go to standard output; name a folder");
    is_file_ = true;
    return;
  }
  const Codec* promised = promised_format(output_);
  if (!output_.empty()) refuse_unwritten(options, one_file, promised);
  if (!promised || fs::is_directory(output_)) return;

  if (format_ && format_ != promised) {
    throw PlanError(fmt::format("{}: its suffix says {}, and the format asked for is {}",
                                output_.string(), promised->name, format_->name));
  }
  if (!one_file || has_variants()) {
    throw PlanError(output_.string() + ": several pictures cannot go into one file; name a folder");
  }
  is_file_ = true;
  format_ = promised;
}

OrientationSet OutputNames::variants_of(const FileList& files, const FoundFile& file) const {
  OrientationSet variants;
  if (file.is_companion) return variants;
  if (!has_variants(file)) {
    variants.add(Orientation::identity);
  } else if (random_variants_ > 0) {
    for (const Orientation variant :
         random_variants(files.key(file), random_variants_, seed_, group_))
      variants.add(variant);
  } else {
    variants = variants_;
  }
  return variants;
}

int OutputNames::most_variants() const { return std::max({1, random_variants_, variants_.size()}); }

std::string OutputNames::folder_of(const FileList::Folder& folder) const {
  const std::string& file = output_.native();
  return is_file_ ? file.substr(0, file.rfind('/') + 1) : (output_ / folder.key).string();
}

std::string OutputNames::name_of(const FoundFile& file, Orientation variant) const {
  if (is_file_) return output_.filename();
  fs::path name = file.name;
  if (format_ && file.picture) name = name_in_format(name, *format_);
  if (!has_variants(file)) return name;
  std::string named = name;
  const std::size_t place =
      variant_place(to_samples_ ? std::string(webdataset_key(named)) : name.stem().string());
  return named.insert(place, fmt::format("__{}", qturn::name(variant)));
}

fs::path OutputNames::path_of(const FileList& files, const FoundFile& file,
                              Orientation variant) const {
  if (!in_place()) return folder_of(files.folder_of(file)) + name_of(file, variant);
  return file.is_link ? files.link_target(file) : files.path(file);
}

}  // namespace qturn
