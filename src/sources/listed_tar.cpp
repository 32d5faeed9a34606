#include "src/sources/listed_tar.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "src/companions/find_companions.hpp"
#include "src/companions/label_files.hpp"
#include "src/companions/leftovers.hpp"
#include "src/companions/shared_labels.hpp"
#include "src/files/tar/input.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/labels/text/any_text.hpp"
#include "src/picture/text.hpp"
#include "src/sample/file_kind.hpp"
#include "src/sample/harmless.hpp"
#include "src/sources/member_reader.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// Whether --labels names a member of the tar.
bool is_named(const LabelOptions& labels, const std::string& member, const fs::path& tar) {
  if (labels.take != TakeLabels::one_file) return false;
  if (labels.file.empty()) return fs::path(member).filename() == labels.file_format->plain_name;
  return labels.file == member || labels.file == tar / member;
}

class Lister {
 public:
  /// `lists_samples`: also what lies beside a picture in its sample.
  Lister(const PlanOptions& options, const std::string& tar, std::uint64_t most_bytes,
         bool lists_samples)
      : options_(options),
        tar_(tar),
        most_bytes_(most_bytes),
        lists_samples_(lists_samples),
        files_(std::make_shared<TarFiles>(tar)),
        is_compressed_(is_compressed_tar(read_head(tar, tar_head_bytes))),
        folders_(tar_) {}

  void list(const std::atomic<bool>& stop) try {
    TarInput input(tar_, stop);
    TarReader reader([&](std::span<std::byte> memory) { return input.read_some(memory); },
                     [&](std::uint64_t bytes) { return input.skip(bytes); });
    while (const std::optional<TarMember> member = reader.next()) {
      const Member named{.name = member->name};
      if (member->refusal.empty() && (options_.hidden || !named.is_hidden())) take(*member, reader);
    }
    if (stop) throw Interrupted();
    end_sample();
  } catch (const TarError& error) {
    if (stop) throw Interrupted();
    damage_ = fmt::format("{}: {}", tar_.string(), error.what());
    end_sample();
  }

  FoundFiles files() {
    if (!damage_.empty()) throw PlanError(damage_);
    return std::move(end_folders());
  }

  Plan plan() {
    if (!damage_.empty() && options_.labels.take == TakeLabels::one_file) throw PlanError(damage_);
    FoundFiles& found = end_folders();
    OutputNames names(options_, false);
    CompanionFiles masks = find_mask_files(options_, found);
    CompanionFiles labels = find_label_files(options_, found, &names);
    SharedLabels shared = find_shared_labels(options_, found, labels, masks, names, {});
    if (!shared.broken().empty()) throw LabelsError(shared.broken().front().problem);
    Plan plan;
    if (!is_compressed_ && options_.others == Others::stop)
      plan.leftovers = leftovers(found, labels, masks, shared);
    if (labels.empty() && masks.empty() && shared.empty()) return plan;
    if (!damage_.empty()) throw PlanError(damage_);
    for (const CompanionFiles* among : {&labels, &masks})
      for (const CompanionFiles::File& each : *among) refuse_second(among->path(each));
    for (const SharedLabels::File& file : shared.files()) refuse_second(file.input);
    for (FoundFile& file : found.files)
      if (file.is_own_picture()) file.to_do = names.variants_of(found.files, file);
    plan.tar = files_;
    plan.jobs = JobList(std::move(found.files), std::move(names), std::move(labels),
                        std::move(shared), std::move(masks));
    return plan;
  }

 private:
  struct Sample {
    std::string key;
    std::vector<TarMember> pictures, masks, others;
  };
  void take(const TarMember& member, TarReader& reader) {
    const std::string_view key = webdataset_key(member.name);
    if (key != sample_.key) end_sample();
    sample_.key = key;
    const bool is_kept = !member.offset && is_held(member);
    if (!files_->add(member, is_kept ? reader.content() : Bytes())) twice_.insert(member.name);
    if (const FileKind kind = kind_of(member, reader); kind == FileKind::other) {
      if (member.offset || is_kept) sample_.others.push_back(member);
    } else {
      (kind == FileKind::mask ? sample_.masks : sample_.pictures).push_back(member);
    }
  }

  /// Whether a member is kept in memory that does not lie in the tar as it is.
  bool is_held(const TarMember& member) const {
    const bool is_picture = codec_of_suffix(lower_suffix(member.name)) != nullptr;
    if (is_compressed_ ? !is_named(options_.labels, member.name, tar_) : is_picture) return false;
    if (member.bytes <= most_bytes_) return true;
    throw WithHints<PlanError>({Hint::more_memory},
                               fmt::format("{}: needs more than {} MiB of memory",
                                           (tar_ / member.name).string(), most_bytes_ >> 20));
  }

  /// A picture, a mask, or another file.
  FileKind kind_of(const TarMember& member, TarReader& reader) const {
    constexpr std::uint64_t likely_read = 4096;  // with its header
    const std::string name = member.name.substr(member.name.rfind('/') + 1);
    const std::string suffix = lower_suffix(name);
    if (is_suffix_of_labels(suffix)) return FileKind::other;
    Bytes head;
    if (!codec_of_suffix(suffix) && member.offset)
      head = member.bytes <= likely_read
                 ? reader.content()
                 : read_head(tar_ / member.name, tar_head_bytes, files_.get());
    if (!format_of(options_, suffix, head) || !is_selected(options_, member.name, name))
      return FileKind::other;
    const KindOfFile found = kind_of_file(member.name, head);
    return found.is_picture() ? found.kind : FileKind::other;
  }

  /// Lists a sample: its pictures, and the rest only if it has none, for what lies beside a picture
  /// is left to the sample.
  void end_sample() {
    const Sample sample = std::exchange(sample_, {});
    for (const TarMember& picture : sample.pictures)
      folders_.add_picture(picture.name, picture.bytes);
    if (!sample.pictures.empty() && !lists_samples_) return;
    for (const TarMember& mask : sample.masks) folders_.add_picture(mask.name, mask.bytes);
    for (const TarMember& other : sample.others) folders_.add(other.name);
  }

  FoundFiles& end_folders() {
    FoundFiles& found = folders_.end(options_, files_);
    found.files.sort();
    return found;
  }

  Leftovers leftovers(FoundFiles& found, const CompanionFiles& labels, const CompanionFiles& masks,
                      const SharedLabels& shared) {
    std::set<std::string_view> formats;
    for (const CompanionFiles::File& label : labels)
      formats.insert(labels.place_of(label).rule->format->name);
    const auto is_turned = [&](const std::string& path) {
      return labels.contain(path) || masks.contain(path) || shared.contain(path);
    };
    return find_leftovers(options_, found, is_turned, formats, false);
  }

  void refuse_second(const fs::path& file) const {
    if (twice_.contains(file.lexically_relative(tar_)))
      throw PlanError(fmt::format("{}: is in the tar twice", file.string()));
  }

  const PlanOptions& options_;
  const fs::path tar_;
  const std::uint64_t most_bytes_;
  const bool lists_samples_;
  const std::shared_ptr<TarFiles> files_;
  const bool is_compressed_;
  std::string damage_;
  std::set<std::string> twice_;  // the names of members
  TarFolders folders_;
  Sample sample_;
};

}  // namespace

TarFolders::Folder& TarFolders::add(const std::string& member) {
  const std::size_t base = member.rfind('/') + 1;
  Folder& folder = this->folder(member.substr(0, base));
  folder.entries.add(member.substr(base), Listings::Kind::file);
  return folder;
}

FoundFile& TarFolders::add_picture(const std::string& member, std::uint64_t bytes) {
  const Folder& folder = add(member);
  struct stat status = {};
  status.st_ino = found_.files.size() + 1;  // each member is a file of its own
  status.st_size = static_cast<off_t>(bytes);
  FoundFile& file = found_.files.add(
      folder.number, std::string_view(member).substr(member.rfind('/') + 1), status);
  file.picture = true;
  return file;
}

/// `key`: empty, or with '/' at the end.
TarFolders::Folder& TarFolders::folder(const std::string& key) {
  if (const auto known = folders_.find(key); known != folders_.end()) return known->second;
  const std::string path = tar_ / key / "";
  Folder& made = folders_
                     .emplace(key, Folder{found_.files.add_folder(path, key),
                                          found_.listings.reader(path, Listings::Pictures::all)})
                     .first->second;
  if (key.empty()) return made;
  const fs::path own = fs::path(key).parent_path(), above = own.parent_path();
  folder(above.empty() ? "" : (above / "").string())
      .entries.add(own.filename(), Listings::Kind::folder);
  return made;
}

/// What the options name lies in the tar, or else on the disk.
void TarFolders::find_named(const PlanOptions& options) {
  const LabelOptions& labels = options.labels;
  std::vector<fs::path> on_disk;
  for (const fs::path& named : {labels.file, labels.folder, options.masks.folder}) {
    if (named.empty()) continue;
    const fs::path member = tar_ / named, key = (named / "").lexically_normal();
    if (found_.tar->contain(member) || folders_.contains(key.string()))
      found_.in_tar.emplace(named, member);
    else
      on_disk.push_back(named);
  }
  found_.listings.read_only_below(on_disk);
}

FoundFiles& TarFolders::end(const PlanOptions& options, std::shared_ptr<const TarFiles> files) {
  for (auto& [key, folder] : folders_) folder.entries.finish({});
  found_.tar = std::move(files);
  find_named(options);
  return found_;
}

LabelsInPassing::LabelsInPassing(const PlanOptions& options, const std::string& tar,
                                 std::uint64_t most_bytes)
    : options_(options),
      tar_(tar),
      most_bytes_(most_bytes),
      files_(std::make_shared<TarFiles>(tar)),
      folders_(tar),
      has_any_(options.labels.take == TakeLabels::one_file) {
  const LabelOptions& labels = options_.labels;
  if (has_any_ && fs::is_regular_file(labels.file)) keep(read(labels.file, *labels.file_format));
}

const SharedLabelFormat* LabelsInPassing::format_of(const SampleFile& file) const {
  const LabelOptions& labels = options_.labels;
  const std::string name = fs::path(file.name).filename();
  if (labels.take == TakeLabels::one_file)
    return is_named(labels, file.name, tar_) ? labels.file_format : nullptr;
  if (labels.take != TakeLabels::found || is_excluded(options_, file.name, name)) return nullptr;
  const SharedLabelFormat* format =
      shared_format_of(lower_suffix(name), text_of(file.bytes).substr(0, text_head_bytes));
  return format && !format->is_named_only ? format : nullptr;
}

bool LabelsInPassing::take(SampleFile& file) {
  const SharedLabelFormat* format = format_of(file);
  if (!format) return false;
  if (file.bytes.size() > most_bytes_ - bytes_) {
    throw LabelsError(fmt::format("{}: labels of many pictures need more than {} MiB of memory",
                                  file.path.string(), most_bytes_ >> 20),
                      {Hint::more_memory});
  }
  TarMember member;
  member.name = file.name;
  member.bytes = file.bytes.size();
  files_->add(member, std::move(file.bytes));
  SharedLabels::File labels = read(file.path, *format);
  if (is_late(labels)) {
    file.bytes = files_->remove(file.name);
    if (options_.others != Others::stop) return false;
    throw LeftoverError(
        file.path,
        fmt::format("{} labels of pictures that have come before; in a tar that is read once, "
                    "labels of many pictures come first",
                    format->name),
        {{Hint::name_shared_labels, fmt::format("{}:{}", format->option, file.name)}});
  }
  bytes_ += member.bytes;
  folders_.add(file.name);
  keep(std::move(labels));
  return true;
}

SharedLabels::File LabelsInPassing::read(const fs::path& file,
                                         const SharedLabelFormat& format) const try {
  SharedLabels::File labels = read_shared_labels(file, format, swap_pairs_of(options_), files_);
  for (std::size_t image = 0; image < labels.content->size(); ++image) {
    const std::string mask = labels.content->mask_of(image);
    if (mask.empty()) continue;
    throw LabelsError(fmt::format(
        "{}: is about the pixels of {}, and masks of other folders are only found in a tar that is "
        "a file and not compressed",
        file.string(), mask));
  }
  return labels;
} catch (const LabelsError&) {
  throw;
} catch (const PlanError& error) {
  throw LabelsError(error.what());
}

void LabelsInPassing::keep(SharedLabels::File labels) {
  taken_.push_back(std::move(labels));
  images_.add(taken_.back());
  has_any_ = true;
}

/// Whether it is about pictures that have come before.
bool LabelsInPassing::is_late(SharedLabels::File& file) const try {
  if (folders_.files().empty()) return false;
  SharedLabelPictures pictures(folders_.files(), {{file.input, file.format}});
  for (const SharedLabels::File& before : taken_) pictures.add_described_beside(before);
  pictures.find_those_of(file);
  return file.found > 0;
} catch (const PlanError&) {  // about several
  return true;
}

void LabelsInPassing::add(Job& job) {
  job.number = Job::unnumbered;
  if (job.copy_verbatim || !job.problem.text.empty()) return;
  job.number = folders_.files().size();
  folders_.add_picture(job.key, 0);
  job.shared_labels = images_.of(job.input);
  job.tells_stored = !job.shared_labels.empty();
}

Plan LabelsInPassing::plan() {
  FoundFiles& found = folders_.end(options_, files_);
  OutputNames names(options_, false);
  SharedLabels labels = find_shared_labels(options_, found, {}, {}, names, {});
  if (!labels.broken().empty()) throw LabelsError(labels.broken().front().problem);
  for (const SharedLabels::File& taken : taken_) {
    const bool is_in_tar = files_->contain(taken.input);  // if not, another one of its name may be
    if (!is_in_tar || !taken.content->has_geometry() || labels.contain(normal_path(taken.input)))
      continue;
    throw LabelsError(fmt::format(
        "{}: has the name of a picture, so it is not turned as {} labels of many pictures",
        taken.input.string(), taken.format->name));
  }
  Plan plan;
  plan.tar = files_;
  plan.jobs = JobList(std::move(found.files), std::move(names), {}, std::move(labels));
  return plan;
}

bool is_listed(const PlanOptions& options, const std::string& tar) {
  if (!fs::is_regular_file(tar)) return false;
  if (options.labels.take == TakeLabels::one_file) return true;
  return !is_compressed_tar(read_head(tar, tar_head_bytes));
}

Plan list_tar(const PlanOptions& options, const std::string& tar, std::uint64_t most_bytes,
              const std::atomic<bool>& stop) {
  Lister lister(options, tar, most_bytes, false);
  lister.list(stop);
  return lister.plan();
}

FoundFiles find_in_tar(const PlanOptions& options, const std::string& tar, std::uint64_t most_bytes,
                       const std::atomic<bool>& stop) {
  Lister lister(options, tar, most_bytes, true);
  lister.list(stop);
  return lister.files();
}

}  // namespace qturn
