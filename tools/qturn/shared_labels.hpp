// The turned label files of many pictures of an augmentation, which are written when its pictures
// are.
#ifndef QTURN_TOOLS_QTURN_SHARED_LABELS_HPP
#define QTURN_TOOLS_QTURN_SHARED_LABELS_HPP

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/dataset/manifest_lines.hpp"
#include "src/plan/jobs.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {

/// What a run has done, by the numbers of pictures.
struct WrittenPictures {
  const std::vector<OrientationSet>& variants;
  /// Nothing of a picture that this run has not read.
  const std::vector<std::optional<StoredPicture>>& stored;
};

/// The variants of each image of a file that were written, or were there and are left alone.
class VariantsInPlace {
 public:
  VariantsInPlace(const SharedLabels::File& file, const CommandLine& line, const Plan& plan,
                  const WrittenPictures& written)
      : file_(file), line_(line), jobs_(plan.jobs), written_(written) {}

  /// Until the next call. Throws FileError if a picture is read for it and cannot be.
  const std::vector<LabelledVariant>& of(std::size_t image);

 private:
  void find(std::size_t picture, const LabelledImages::Image& image);
  const StoredPicture& stored_of(std::size_t picture);

  const SharedLabels::File& file_;
  const CommandLine& line_;
  const JobList& jobs_;
  const WrittenPictures written_;
  std::optional<std::size_t> image_;
  std::vector<LabelledVariant> variants_;
  std::unordered_map<std::size_t, StoredPicture> read_again_;  // by picture
};

/// Writes the file with the labels of these variants. `made` is told what was read and made of it
/// before that is in its place, with names relative to `output_folder`, and what it throws is
/// passed on. Returns what to warn of; throws FileError.
std::vector<std::string> write_shared_labels(const SharedLabels::File& file,
                                             const std::filesystem::path& output_folder,
                                             const VariantsOf& variants_of,
                                             const std::function<void(const ManifestFile&)>& made,
                                             const RealPlaces* places = nullptr);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_SHARED_LABELS_HPP
