// Label files of many pictures.
//
// With --labels auto they are looked for in the folders of the pictures, in those above and in
// folders called annotations there. A file_name is a path below one folder, the same for all images
// of a file. That is the folder below which pictures are found. If there are several, it is the one
// in which the file lies, or whose name is a part of the file's (train2017 of
// instances_train2017.json), or else the one with the most. Beside the input there may be other
// data sets: a file there without any of the pictures is not for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/companions/companion_files.hpp"
#include "src/files/content_hash.hpp"
#include "src/files/safe_file.hpp"
#include "src/files/tar/input.hpp"
#include "src/inputs/file_list.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/options.hpp"
#include "src/inputs/output_names.hpp"
#include "src/labels/many/shared_label.hpp"
#include "src/picture/image.hpp"
#include "src/sample/label_turn.hpp"

namespace qturn {

class SharedLabels {
 public:
  struct File {
    std::filesystem::path input, output;       ///< in place, they are the same
    FileState state = {};                      ///< when it was read
    std::shared_ptr<const TarFiles> tar = {};  ///< it lies there, if that contains it; or null
    const SharedLabelFormat* format = nullptr;
    SwapPairs swap_pairs = {};  ///< that the content was read with
    std::unique_ptr<LabelledImages> content = {};
    std::vector<std::optional<std::size_t>> pictures = {};  ///< by image: the number of its file
    std::size_t found = 0;                                  ///< how many of its images are there

    /// The first of its pictures; some must have been found.
    std::size_t first_picture() const {
      return std::ranges::find_if(pictures, [](const auto& each) { return each.has_value(); })
          ->value();
    }
    /// Hands over its text in parts, and returns its state. Throws FileError.
    FileState read(const std::function<void(std::string_view part)>& take) const;
  };

  /// One that cannot be read.
  struct Broken {
    std::filesystem::path input;
    std::string problem;               ///< with its name, and the place in it if that is known
    std::vector<bool> may_label = {};  ///< by the number of a file: a picture without other labels
  };

  /// Ascending by their paths. Files without any image of the run are not written.
  const std::vector<File>& files() const { return files_; }
  const std::vector<Broken>& broken() const { return broken_; }
  /// Calls `visit(File)` with those that a run in place replaces.
  template <typename Visit>
  void for_each_replaced(Visit visit) const {
    for (const File& file : files_)
      if (file.found > 0 && file.content->has_geometry()) visit(file);
  }
  bool empty() const { return files_.empty(); }

  /// What a file says about an image.
  static SharedLabel label_of(const File& file, std::size_t image);
  /// What they say about a picture.
  std::vector<SharedLabel> of(std::size_t picture) const;

  /// Why it is not known what labels a picture has; empty if it is.
  std::string problem(std::size_t picture) const;

  /// Whether this absolute, normal path is among them.
  bool contain(std::string_view path) const { return paths_.contains(path); }

  void add(File file);
  void add_broken(Broken file);
  /// Must be called when all are added.
  void finish();

 private:
  struct Use {
    std::size_t picture;
    std::uint32_t file, image;
  };
  std::vector<File> files_;
  std::vector<Broken> broken_;
  std::vector<Use> uses_;  // ascending by picture
  PathSet paths_;
};

/// Throws FileError if the picture cannot be read. `tar`: as read_head().
Header header_of_picture(const std::filesystem::path& picture, const TarFiles* tar = nullptr);

/// A file with its content, without its output and its pictures. `tar`: as File::tar.
/// Throws PlanError, which names the file, and the place in it if its content is the reason.
SharedLabels::File read_shared_labels(const std::filesystem::path& path,
                                      const SharedLabelFormat& format, const SwapPairs& swap_pairs,
                                      std::shared_ptr<const TarFiles> tar = {});

/// The files and their formats, by their paths.
using SharedLabelFiles = std::map<std::filesystem::path, const SharedLabelFormat*>;

/// The files that `options.labels` names, or that are found by themselves. Throws PlanError if one
/// cannot be read.
SharedLabelFiles shared_label_files(const PlanOptions& options, FoundFiles& found);

/// Which pictures the images of such files are.
class SharedLabelPictures {
 public:
  SharedLabelPictures(const FileList& files, const SharedLabelFiles& labels);

  /// Of a file that lies among pictures: other files do not describe those that it names, unless
  /// they name them by their way from where they lie themselves.
  void add_described_beside(const SharedLabels::File& file);
  /// Whether a word of a text is the name of a picture. Throws FileError.
  bool any_is_named_in(const std::filesystem::path& file) const;

  /// Fills `file.pictures` and `file.found`. Throws PlanError if pictures in two folders fit
  /// equally, or two of one stem.
  void find_those_of(SharedLabels::File& file) const;

 private:
  template <typename Visit>
  void for_each_match(const SharedLabels::File& file, Visit visit) const;
  bool is_of_another(const SharedLabels::File& file, std::size_t picture,
                     const std::string& folder) const;
  [[noreturn]] void refuse_two(const SharedLabels::File& file, std::size_t image,
                               std::size_t picture) const;

  const FileList& files_;
  std::unordered_multimap<std::string_view, std::size_t> by_name_, by_stem_;
  std::unordered_map<std::uint32_t, std::string> folders_;
  std::unordered_set<std::size_t> described_beside_;  // pictures
};

/// The images of such files, for pictures that come one by one: whether a file means another
/// picture of the name is known when all have come.
class SharedLabelImages {
 public:
  /// `file` must stay where it is.
  void add(const SharedLabels::File& file);
  /// What the files say about a picture that may be an image. Empty for files without geometry.
  std::vector<SharedLabel> of(const std::filesystem::path& picture) const;

 private:
  struct Image {
    const SharedLabels::File* file;
    std::size_t number;
  };
  std::unordered_multimap<std::string, Image> by_name_;
};

/// Finds the files of labels that `options.labels` asks for. `own`: the labels of one picture each.
/// `unreadable`: as Plan::unreadable. Reads each file once. One that cannot be read may be about
/// any picture at its place that has no other labels. Throws PlanError if that is true of all
/// pictures, if no file holds any of the pictures, if pictures in two folders fit
/// equally, if one is about a mask that is not among `masks`, and if a box is proved to be in
/// another order than that which is taken where nothing is said. Only where all boxes may be in
/// either order, the sizes of pictures are read.
SharedLabels find_shared_labels(const PlanOptions& options, FoundFiles& among,
                                const CompanionFiles& own, const CompanionFiles& masks,
                                const OutputNames& names, const std::vector<Sentence>& unreadable);

}  // namespace qturn
