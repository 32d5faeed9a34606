// The YAML file of a data set, the lists of pictures that it names, and the lists in ImageSets of
// Pascal VOC. In the turned files, paths lead to the output, so that Ultralytics loads it as it is:
// `path` becomes empty, which means the file's own folder, and a list has a line for each variant.
// tables.hpp has those with more than names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/files/content_hash.hpp"
#include "src/files/safe_file.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/options.hpp"
#include "src/inputs/output_names.hpp"

namespace qturn {

/// A picture of the run, or what belongs to it.
struct NamedFile {
  struct Companion {
    std::size_t among, index;  ///< in JobList::companions()
  };
  std::size_t picture = 0;
  std::optional<Companion> companion = {};
};

class DataSets {
 public:
  /// What is another in the row of each variant.
  struct Change {
    std::size_t at, bytes;
    std::string before;             ///< the folder of a file, or an id
    std::optional<NamedFile> file;  ///< nothing: it is an id
    bool has_suffix = true, is_number = false;
  };
  struct Row {
    std::string text;
    std::vector<Change> changes;
  };
  struct File {
    std::filesystem::path input, output;
    FileState state = {};  ///< when it was read
    ContentHash hash = {};
    std::string text = {};  ///< of the turned one; empty for a list
    /// The numbers of the pictures of a list, in its order.
    std::vector<std::size_t> pictures = {};
    std::string_view end_of_line = "\n";
    /// Of a list of Pascal VOC: the folder ImageSets that it lies in, and what is around the names
    /// of its pictures.
    struct Around {
      std::string before = {}, after = {};
      bool has_suffix = false;  ///< the name
    };
    std::filesystem::path image_sets = {};
    std::vector<Around> around = {};
    /// Of a table: a row for each of `pictures`; `text` is the first line.
    std::vector<Row> rows = {};
    char separator = '\0';  ///< of a table; 0: it is JSON
    std::vector<std::string> columns_of_ids = {};
  };

  const std::vector<File>& files() const { return files_; }
  bool empty() const { return files_.empty(); }
  /// Sentences about what the turned files cannot say.
  const std::vector<std::string>& problems() const { return problems_; }

  void add(File file) { files_.push_back(std::move(file)); }
  void add_problem(std::string sentence) { problems_.push_back(std::move(sentence)); }

 private:
  std::vector<File> files_;
  std::vector<std::string> problems_;
};

/// The file with its text, its state, its hash and the end of its lines. Throws PlanError.
DataSets::File read_list_file(const std::filesystem::path& path);

/// Finds the data sets in the folders of the inputs, in their parents and beside folders called
/// images, if YOLO labels are turned; and the lists of Pascal VOC, if its labels are. Throws
/// PlanError for one that cannot be read, and for a list that could not name its pictures.
DataSets find_data_sets(const PlanOptions& options, FoundFiles& found, const OutputNames& names);

}  // namespace qturn
