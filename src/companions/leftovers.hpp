// What would be left behind: files about pictures that are neither turned with them nor known to be
// harmless (sample/harmless.hpp). If only the pictures were turned, the data set would be wrong,
// and nothing would show it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/files/tar/input.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/options.hpp"

namespace qturn {

/// Files about pictures are in the way.
class LeftoverError : public LabelsError {
 public:
  LeftoverError(const std::filesystem::path& file, std::string why);
  LeftoverError(const std::filesystem::path& file, std::string why, Hints hints);
  const std::filesystem::path& file() const { return file_; }
  const std::string& why() const { return why_; }

 private:
  std::filesystem::path file_;
  std::string why_;
};

struct Leftovers {
  struct File {
    std::filesystem::path path;
    std::string why;  ///< "names 3 pictures with 4 numbers each: x, y, w, h"
  };
  std::vector<File> first;      ///< at most ten, by folder
  bool has_more = false;        ///< than those
  std::set<std::string> paths;  ///< of all, absolute and normal; of the first if the run stops
  std::vector<std::filesystem::path> tables;  ///< harmless ones that name pictures
  std::uint64_t label_files = 0;  ///< of formats that are turned, which the user leaves out
  std::uint64_t with_crops = 0;   ///< of programs that develop pictures
};

/// Looks into the folders of the inputs or of the files that were named, and into those that
/// symbolic links there lead to; and into folders beside an input that belong to it by their names
/// (labels to images, label_2 to image_2, train_masks to train). Each file is read once.
///
/// With random variants, or if something could not be looked into (`is_partial`), a mask that is a
/// picture of its own is one, too: its picture gets another variant, or may lie there.
///
/// `is_turned`: whether a file, by its absolute, normal path, is turned with pictures. `formats`:
/// the names of the label formats that are turned. Files in them belong to pictures left out.
Leftovers find_leftovers(const PlanOptions& options, FoundFiles& found,
                         const std::function<bool(const std::string&)>& is_turned,
                         const std::set<std::string_view>& formats, bool is_partial);

/// "*.json" of "x/a.json": what leaves out such files.
std::string pattern_of(const std::filesystem::path& file);

/// Whether the head of a picture says that a viewer turns it. `tar`: as read_head().
bool is_tagged(const std::string& picture, const TarFiles* tar = nullptr);

/// As its head says. Nothing if that does not tell.
std::optional<Size> size_of_picture(const std::string& picture, const TarFiles* tar = nullptr);

}  // namespace qturn
