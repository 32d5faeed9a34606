// What lies in a tar, for all who look for it in folders.
//
// A tar that is a file is listed before it is turned, as a folder is: what belongs to a picture may
// lie in another folder of the tar, or in a file of many pictures, and what would be left untrue is
// known before anything is written. Contents are passed over; a text is read where it lies. A tar
// that is read once, from a pipe or decompressed, is listed while it is turned.
//
// What a sample holds beside its picture is left to the sample (plan/sample_jobs.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "src/companions/shared_labels.hpp"
#include "src/files/tar/input.hpp"
#include "src/inputs/file_list.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/listings.hpp"
#include "src/inputs/options.hpp"
#include "src/plan/jobs.hpp"
#include "src/plan/plan.hpp"
#include "src/plan/sample_jobs.hpp"

namespace qturn {

/// Whether a tar is listed: it can be read twice. If it is compressed, it is only listed where the
/// options name a file of labels, because it would be decompressed twice.
bool is_listed(const PlanOptions& options, const std::string& tar);

/// The files of a tar, also within the samples of pictures. One that is stored with holes is kept
/// in memory and has at most `most_bytes`. Throws PlanError if the tar is damaged; FileError;
/// Interrupted.
FoundFiles find_in_tar(const PlanOptions& options, const std::string& tar, std::uint64_t most_bytes,
                       const std::atomic<bool>& stop);

/// Of a tar: the pictures with what belongs to them outside of their samples, or no jobs if
/// nothing does; and the leftovers. The jobs have no outputs. Folders and files that the options
/// name for labels and masks are those in the tar, or else on the disk. `options.output` is the tar
/// or folder of the results. Of a compressed tar, a file of labels has at most `most_bytes`.
///
/// Throws PlanError if a file that is named is not there, as find_label_files() and its like do,
/// and for a tar that is damaged if anything in it belongs to pictures elsewhere; FileError;
/// Interrupted.
Plan list_tar(const PlanOptions& options, const std::string& tar, std::uint64_t most_bytes,
              const std::atomic<bool>& stop);

/// The folders of a tar.
class TarFolders {
 public:
  struct Folder {
    std::uint32_t number;  ///< in the list of files
    Listings::Reader entries;
  };

  /// `tar`: how the paths of its members begin.
  explicit TarFolders(std::filesystem::path tar) : tar_(std::move(tar)) {}

  /// Members have normal names. Returns the folder.
  Folder& add(const std::string& member);
  FoundFile& add_picture(const std::string& member, std::uint64_t bytes);
  const FileList& files() const { return found_.files; }
  /// What was added, in the same order. `files` have the contents.
  FoundFiles& end(const PlanOptions& options, std::shared_ptr<const TarFiles> files);

 private:
  Folder& folder(const std::string& key);
  void find_named(const PlanOptions& options);

  const std::filesystem::path tar_;
  FoundFiles found_;
  std::map<std::string, Folder> folders_;  // by their keys
};

/// Labels of many pictures in a tar that is read once: they come before their pictures, and are
/// kept in memory until all pictures are turned.
class LabelsInPassing {
 public:
  /// `options.output` is the tar or folder of the results, `tar` how the paths of members begin.
  /// The options must outlive it. Throws LabelsError if they name a file on the disk that cannot be
  /// turned.
  LabelsInPassing(const PlanOptions& options, const std::string& tar, std::uint64_t most_bytes);

  /// Whether the file, which is in the sample of no picture, holds such labels. They are taken
  /// then. If they are about pictures that have come before, throws LeftoverError, or leaves them
  /// to
  /// --others. Throws LabelsError if they cannot be turned, or take more than `most_bytes` with the
  /// others.
  bool take(SampleFile& file);
  /// Adds the next job, with its number and what the labels say about its picture.
  void add(Job& job);
  /// Whether there are any, or the options name some. Another thread may ask, and is told of those
  /// that a picture has.
  bool any() const { return has_any_; }
  /// The pictures by their numbers. Throws PlanError if the labels are not for them, as
  /// find_shared_labels() does.
  Plan plan();

 private:
  const SharedLabelFormat* format_of(const SampleFile& file) const;
  SharedLabels::File read(const std::filesystem::path& file, const SharedLabelFormat& format) const;
  void keep(SharedLabels::File labels);
  bool is_late(SharedLabels::File& file) const;

  const PlanOptions& options_;
  const std::string tar_;
  const std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  const std::shared_ptr<TarFiles> files_;
  TarFolders folders_;
  std::deque<SharedLabels::File> taken_;  // images_ points to them
  SharedLabelImages images_;
  std::atomic<bool> has_any_;
};

}  // namespace qturn
