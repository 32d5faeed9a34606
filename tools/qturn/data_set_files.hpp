// The turned YAML file of a data set and its lists of pictures, which are written when the pictures
// of an augmentation are.
#ifndef QTURN_TOOLS_QTURN_DATA_SET_FILES_HPP
#define QTURN_TOOLS_QTURN_DATA_SET_FILES_HPP

#include <functional>
#include <string>
#include <vector>

#include "src/plan/jobs.hpp"
#include "tools/qturn/manifest_lines.hpp"

namespace qturn {

/// Writes the file; a list with a line for each variant of its pictures that was `written`, and for
/// each that was there and is left alone. `made` is as in write_shared_labels(). Returns what to
/// warn of; throws FileError.
std::vector<std::string> write_data_set_file(const DataSets::File& file, const Plan& plan,
                                             const std::vector<OrientationSet>& written,
                                             const std::function<void(const ManifestFile&)>& made);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_DATA_SET_FILES_HPP
