// XMP files beside pictures: a.xmp and a.jpg.xmp for a.jpg, or with .XMP in capitals. Some programs
// look for an orientation there first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "src/files/path_set.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/sample/companion.hpp"

namespace qturn {

struct Sidecar {
  std::filesystem::path path;
  bool after_whole_name = false;  ///< a.jpg.xmp
  Companion file = {};            ///< once it is read
  std::optional<Orientation> says = {};
};

/// The stems that several files of a folder have, XMP files left out. A folder is listed once, when
/// the first of its pictures is asked about: once for each took 20 s for 4000 pictures. Safe on
/// several threads.
class SharedStems {
 public:
  /// Throws FileError if the folder cannot be listed.
  bool contain_that_of(const std::filesystem::path& picture);

 private:
  std::mutex mutex_;
  std::map<std::filesystem::path, PathSet> by_folder_;
};

/// The files that have the name of a sidecar of this picture. They are not read. Throws FileError
/// if it cannot be known whether there are any.
std::vector<Sidecar> named_as_sidecars(const std::filesystem::path& picture);

struct FoundSidecars {
  std::vector<Sidecar> sidecars = {};
  /// Sentences about others: those that cannot be read, and an a.xmp that holds an orientation but
  /// may belong to another file (a raw picture, a.png).
  std::vector<std::string> unreadable = {}, shared = {};
  /// How the picture is stored, if they decide that; otherwise as it says itself.
  std::optional<Orientation> say = {};
};

/// The sidecars of a picture. Throws FileError as named_as_sidecars() does.
FoundSidecars find_sidecars(const std::filesystem::path& picture, SharedStems& shared);

/// Which one decides where a picture and its sidecars state different turns.
enum class Believe : std::uint8_t { neither, picture, sidecars };

/// How a picture is stored that says `stored` itself, 1 if it says nothing: as a program shows it
/// that looks into its sidecars, too. What they say counts where the picture says 1. Throws
/// FileError where they state another turn than the picture, or two different ones, and `believe`
/// does not decide that.
Orientation stored_by(const std::vector<Sidecar>& sidecars, Orientation stored, Believe believe);

/// Whether a file that has the name of a sidecar is one. To read them all would take as long as the
/// run, so this is asked only about those that are in the way.
bool is_sidecar(const std::filesystem::path& file, const std::filesystem::path& picture,
                SharedStems& shared);

/// Whether a file is called as XMP is.
bool is_xmp(const std::filesystem::path& path);

/// Whether a file beside a picture is called as one that is turned with it: XMP or a world file.
bool is_turned_sidecar(const std::filesystem::path& path);

/// A file beside a picture, as it is beside the turned picture: others than those are copied.
/// Throws FileError if it cannot be read, or is not what it is called.
Companion turned_sidecar(const std::filesystem::path& input, const std::filesystem::path& output,
                         const MetadataTurn& turn, const Source& source,
                         std::vector<std::string>& warnings);

/// Compares the text of a sidecar that was turned, written and read again with what was made, and
/// the orientation that it says with the picture's. Throws ProofError.
void prove_sidecar(const Companion& made, const MetadataTurn& turn, std::string_view text);

/// The content of a file that is turned, beside the turned picture. Throws ImageFileError if it is
/// not what it is called.
std::string turned_sidecar_text(const std::filesystem::path& name, const std::string& text,
                                const MetadataTurn& turn, std::vector<std::string>& warnings);

/// The place of the sidecar that is made of `like` for another picture.
std::filesystem::path sidecar_of(const std::filesystem::path& picture, const Sidecar& like);

}  // namespace qturn
