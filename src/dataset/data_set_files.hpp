// The turned YAML file of a data set and its lists of pictures, which are written when the pictures
// of an augmentation are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "src/dataset/manifest_lines.hpp"
#include "src/files/safe_file.hpp"
#include "src/plan/jobs.hpp"

namespace qturn {

/// What a list of pictures has for one of them, by its place in the list: a line for each variant
/// that was `written`, and for each that was there and is left alone.
std::string lines_of_picture(const DataSets::File& list, std::size_t place, const Plan& plan,
                             const std::vector<OrientationSet>& written);

/// The turned file, be it a list or not.
std::string data_set_text(const DataSets::File& file, const Plan& plan,
                          const std::vector<OrientationSet>& written);

/// Writes the file with this text. `made` is as in write_shared_labels(). Returns warnings;
/// throws FileError.
std::vector<std::string> write_data_set_file(const DataSets::File& file, const std::string& text,
                                             const std::filesystem::path& output_folder,
                                             const std::function<void(const ManifestFile&)>& made,
                                             IfExists if_exists,
                                             const RealPlaces* places = nullptr);

}  // namespace qturn
