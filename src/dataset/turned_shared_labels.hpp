// The turned label files of many pictures of an augmentation. They are written after its
// pictures.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/companions/shared_labels.hpp"
#include "src/companions/tables.hpp"
#include "src/dataset/manifest.hpp"
#include "src/dataset/written_pictures.hpp"
#include "src/files/journals.hpp"
#include "src/files/safe_file.hpp"
#include "src/labels/labelled_images.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/options.hpp"
#include "src/sinks/file_sample_writer.hpp"

namespace qturn {

/// For each image of a file: the variants that were written, or were there and are left alone. If
/// the file is replaced itself, an image stays as it is whose picture was not turned, or whose
/// labels were turned before.
class VariantsInPlace {
 public:
  /// `journals`: of a run in place; or null.
  VariantsInPlace(const SharedLabels::File& file, const JobList& jobs, const RunOptions& options,
                  const WrittenPictures& written, const Journals* journals = nullptr)
      : file_(file), jobs_(jobs), options_(options), written_(written), journals_(journals) {}

  /// Whether any image does not stay as it is. Throws as the next does.
  bool is_any_turned();
  /// Valid until the next call. Throws FileError if a picture must be read for it and cannot be.
  const std::vector<LabelledVariant>& operator()(std::size_t image);

 private:
  void find(std::size_t picture, const LabelledImages::Image& image);
  std::optional<StoredPicture> stored_of(std::size_t picture);
  /// Of the result, if the labels say it.
  std::uint64_t bytes_of(std::size_t picture, Orientation variant,
                         const std::filesystem::path& place) const;
  /// The labels may name other files of the run: their names in a variant, by their names before.
  std::map<std::string, std::string> others_of(const LabelledImages::Image& image,
                                               Orientation variant);

  const SharedLabels::File& file_;
  const JobList& jobs_;
  const RunOptions& options_;
  const WrittenPictures& written_;
  const Journals* const journals_;
  std::optional<NamedFiles> named_;
  std::optional<std::size_t> image_;
  std::vector<LabelledVariant> variants_;
  // By picture, of those that this run has not read.
  std::unordered_map<std::size_t, std::optional<StoredPicture>> read_again_;
};

/// Writes the file with the labels of these variants. Calls `list` before the result is put in
/// place, with the names relative to `output_folder` and the hashes; its exceptions are passed on.
/// If `verifies`, the result is first read again and turned back. Returns warnings; throws
/// FileError.
std::vector<std::string> write_shared_labels(const SharedLabels::File& file,
                                             const std::filesystem::path& output_folder,
                                             const VariantsOf& variants_of,
                                             const std::function<void(const ManifestFile&)>& list,
                                             IfExists if_exists, const RealPlaces* places = nullptr,
                                             bool verifies = false);

/// In place: replaces the file, unless nothing in it has to be turned. Otherwise the same.
std::vector<std::string> replace_shared_labels(const SharedLabels::File& file, const JobList& jobs,
                                               VariantsInPlace variants, const RealPlaces* places,
                                               bool verifies, const FileSampleWriter& writer);

/// The text of the turned file, for a tar. Throws FileError also if it has more than `most_bytes`.
std::string turned_shared_labels(const SharedLabels::File& file, const VariantsOf& variants_of,
                                 std::uint64_t most_bytes, bool verifies);

}  // namespace qturn
