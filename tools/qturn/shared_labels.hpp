// The turned label files of many pictures of an augmentation, which are written when its pictures
// are.
#ifndef QTURN_TOOLS_QTURN_SHARED_LABELS_HPP
#define QTURN_TOOLS_QTURN_SHARED_LABELS_HPP

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "src/plan/jobs.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/manifest_lines.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {

/// What a run has done, by the numbers of pictures.
struct WrittenPictures {
  const std::vector<OrientationSet>& variants;
  /// Nothing of a picture that this run has not read.
  const std::vector<std::optional<StoredPicture>>& stored;
};

/// Writes the file with the labels of each variant that was written, and of each that was there and
/// is left alone. `made` is told what was read and made of it before that is in its place, and what
/// it throws is passed on. Returns what to warn of; throws FileError.
std::vector<std::string> write_shared_labels(const SharedLabels::File& file,
                                             const CommandLine& line, const Plan& plan,
                                             const WrittenPictures& written,
                                             const std::function<void(const ManifestFile&)>& made);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_SHARED_LABELS_HPP
