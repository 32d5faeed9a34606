// Labels that are not turned: what a file may say about pictures. One test for folders and tars.
//
// A file is suspected by its first 64 KiB, if they may say where something is in a picture. It is
// about the pictures that they name, and about those of its stem, wherever these lie. A file that
// is about no picture of the run is ignored.
//
//   label_2/000001.txt   is about image_2/000001.png
//   ann/a.jpg.json       is about img/a.jpg
//   boxes.csv            is about the pictures that are named in it
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/foreign_format.hpp"
#include "src/picture/errors.hpp"
#include "src/plan/options.hpp"

namespace qturn {

/// The first label_head_bytes of a file, fewer if it is shorter. Nothing if it cannot be read.
std::optional<std::string> label_head_of(const std::filesystem::path& file);

/// Whether the name of a file says that people read it: README.txt.
bool is_note(std::string_view lower_name);

/// A label would not be turned with its pictures.
class ForeignLabelError : public LabelsError {
 public:
  /// Says what it is and what to convert it to. `format`: null if it is not known.
  ForeignLabelError(const std::filesystem::path& file, const ForeignFormat* format);
  /// Of the kind that the head of the file tells.
  ForeignLabelError(const std::filesystem::path& file, std::string_view head);

  /// An array of a picture, and why it is not turned.
  ForeignLabelError(const std::filesystem::path& file, const ImageFileError& why);

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};

/// Pictures and other files, which may come in any order.
class LabelSuspicion {
 public:
  /// `pictures_come_first`: a file is about none of those that come after it.
  explicit LabelSuspicion(bool pictures_come_first) : pictures_come_first_(pictures_come_first) {}

  void add_picture(std::string_view name);
  /// Files of this format are none. Those of the run's pictures are turned, so others are of
  /// pictures that the run leaves out.
  void ignore(std::string_view format) { ignored_.insert(format); }
  /// A file that is neither a picture nor turned with one. `name`: the last part of its path.
  void add_file(const std::filesystem::path& file, std::string_view name, std::string_view head);
  /// One that cannot be read, so that its name alone counts.
  void add_unreadable(const std::filesystem::path& file, std::string_view name);

  struct Label {
    std::filesystem::path file;
    const ForeignFormat* format = nullptr;  ///< null if it is not known
  };
  /// The first that is about a picture. Also one of more suspects than are held.
  const std::optional<Label>& found() const { return found_; }

 private:
  using Hashes = std::vector<std::uint64_t>;
  void take(Label label, Hashes about);
  bool has_picture(std::uint64_t hash);

  static constexpr std::size_t most_held = 64;
  struct Held {
    Label label;
    Hashes about;  // ascending
  };
  const bool pictures_come_first_;
  Hashes pictures_;  // their names and their stems
  bool are_sorted_ = true;
  std::vector<Held> held_;
  std::set<std::string_view> ignored_;
  std::optional<Label> found_;
};

}  // namespace qturn
