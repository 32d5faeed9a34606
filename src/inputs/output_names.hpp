// The names of outputs: a pure function of the options and of a file's key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/inputs/file_list.hpp"
#include "src/inputs/options.hpp"

namespace qturn {

/// Whether a path with this suffix (".pdf") can be neither an output file nor a folder.
bool is_other_file(std::string_view lower_suffix);

/// "a.jpeg" for PNG becomes "a.png", for JPEG it stays, and "scan.2024" becomes "scan.2024.png".
std::string name_in_format(const std::filesystem::path& name, const Codec& format);

/// Where the name of a variant goes: at the end of a stem, but in Cityscapes before the kind of
/// file, so that "a__flop_leftImg8bit" and "a__flop_gtFine_labelIds" are found.
std::size_t variant_place(const std::string& stem);

class OutputNames {
 public:
  OutputNames() = default;

  /// The output is a file if `one_file`, the only input is a file, and `options.output` has a
  /// picture's suffix and is not a folder. Otherwise it is a folder, and each result goes to its
  /// key below it. With `options.format` the suffix becomes the format's, unless it is one of its
  /// suffixes already. "-" is standard output, for one file.
  ///
  /// Throws PlanError if the options contradict an output that is a file.
  OutputNames(const PlanOptions& options, bool one_file);

  bool in_place() const { return output_.empty(); }
  bool is_standard_output() const { return output_ == "-"; }
  /// The format to write; null: the input's own.
  const Codec* target() const { return format_; }
  /// Empty if the output is a file, in place, or standard output.
  std::filesystem::path folder() const { return is_file_ ? std::filesystem::path() : output_; }

  /// The variants of a file; the identity alone if there are no variants. A mask has none.
  OrientationSet variants_of(const FileList& files, const FoundFile& file) const;
  int most_variants() const;
  /// Whether outputs are named after their variants.
  bool has_variants() const { return !variants_.empty() || random_variants_ > 0; }

  /// The folder of the outputs whose inputs are in `folder`, as it goes before their names: empty,
  /// or with '/' at the end.
  std::string folder_of(const FileList::Folder& folder) const;
  /// The last part of the output's path.
  std::string name_of(const FoundFile& file, Orientation variant) const;

  /// The output's path; in place the input's, or its target's if it is a symbolic link.
  std::filesystem::path path_of(const FileList& files, const FoundFile& file,
                                Orientation variant) const;

 private:
  bool has_variants(const FoundFile& file) const { return file.picture && has_variants(); }

  std::filesystem::path output_;
  bool is_file_ = false;
  const Codec* format_ = nullptr;
  OrientationSet variants_;
  int random_variants_ = 0;
  bool to_samples_ = false;
  std::uint64_t seed_ = 0;
  DrawGroup group_;
};

}  // namespace qturn
