// The turned label files of many pictures of an augmentation, which are written when its pictures
// are.
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
#include "src/files/safe_file.hpp"
#include "src/labels/labelled_images.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/options.hpp"

namespace qturn {

/// The variants of each image of a file that were written, or were there and are left alone.
class VariantsInPlace {
 public:
  VariantsInPlace(const SharedLabels::File& file, const JobList& jobs, const RunOptions& options,
                  const WrittenPictures& written)
      : file_(file), jobs_(jobs), options_(options), written_(written) {}

  /// Until the next call. Throws FileError if a picture is read for it and cannot be.
  const std::vector<LabelledVariant>& of(std::size_t image);

 private:
  void find(std::size_t picture, const LabelledImages::Image& image);
  StoredPicture stored_of(std::size_t picture);
  /// What a file of the run that the labels name is called in a variant of their picture.
  std::map<std::string, std::string> others_of(const LabelledImages::Image& image,
                                               Orientation variant);

  const SharedLabels::File& file_;
  const JobList& jobs_;
  const RunOptions& options_;
  const WrittenPictures& written_;
  std::optional<NamedFiles> named_;
  std::optional<std::size_t> image_;
  std::vector<LabelledVariant> variants_;
  std::unordered_map<std::size_t, StoredPicture> read_again_;  // by picture
};

/// Writes the file with the labels of these variants. `made` is called with what was read and with
/// the result before that is put in place, with names relative to `output_folder`; its exceptions
/// are passed on. If it `verifies`, the result is first read back and turned back. Returns what to
/// warn of; throws FileError.
std::vector<std::string> write_shared_labels(const SharedLabels::File& file,
                                             const std::filesystem::path& output_folder,
                                             const VariantsOf& variants_of,
                                             const std::function<void(const ManifestFile&)>& made,
                                             IfExists if_exists, const RealPlaces* places = nullptr,
                                             bool verifies = false);

// A turned label file of many pictures, compared with its original.

/// Turns `result`, which has the labels of these variants, back, one variant at a time, and
/// compares the text with that of the original. Memory grows with the pictures. Throws ProofError
/// with both texts where they differ; FileError.
void prove_shared_labels(const SharedLabels::File& file, const std::filesystem::path& result,
                         const VariantsOf& variants_of);

}  // namespace qturn
