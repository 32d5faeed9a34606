// Files beside pictures that say how they are shown, or where on a map they lie.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/files/content_hash.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/picture/errors.hpp"
#include "src/sample/companion.hpp"

namespace qturn {

// XMP files beside pictures: a.xmp and a.jpg.xmp for a.jpg, or with .XMP in capitals. Some programs
// look for an orientation there first.

struct Sidecar {
  std::filesystem::path path;
  bool after_whole_name = false;  ///< a.jpg.xmp
  Companion file = {};            ///< once it is read
  std::optional<Orientation> says = {};
};

/// The stems that several files of a folder share, XMP files left out. A folder of which it is not
/// told is listed once, for the first question about one of its pictures: to list it for each took
/// 20 s for 4000 pictures. Safe on several threads.
class SharedStems {
 public:
  /// `stems`: of all its files, once for each.
  void add(const std::filesystem::path& folder, PathSet stems);
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
  /// Sentences about other sidecars: some cannot be read, and an a.xmp with an orientation may
  /// belong to another file (a raw picture, a.png).
  std::vector<std::string> unreadable = {}, shared = {};
  /// How the picture is stored, if its sidecars decide that; nothing if it says so itself.
  std::optional<Orientation> say = {};
};

/// The sidecars of a picture. Throws FileError as named_as_sidecars() does.
FoundSidecars find_sidecars(const std::filesystem::path& picture, SharedStems& shared);

/// Which one decides if a picture and its sidecars state different turns.
enum class Believe : std::uint8_t { neither, picture, sidecars };

/// How a program that also looks into the sidecars takes a picture to be stored. `stored`: what the
/// picture itself says, 1 if it says nothing. The sidecars count if the picture says 1. Throws
/// FileError if they state another turn than the picture, or two different turns, and `believe`
/// does not decide that.
Orientation stored_by(const std::vector<Sidecar>& sidecars, Orientation stored, Believe believe);

/// What to do with sidecars. In place, a sidecar that agrees with its picture is turned with it
/// unless sidecars are ignored.
enum class Sidecars : std::uint8_t { ignore, report, turn };

struct SidecarOptions {
  Sidecars sidecars = Sidecars::ignore;
  Believe believe = Believe::neither;
  bool in_place = false;

  /// Whether they may say how their picture is stored.
  bool decide() const { return sidecars == Sidecars::turn || believe != Believe::neither; }
};

/// The sidecars of a picture whose own metadata says `stored`. Throws FileError if they are to be
/// turned with it and cannot be read, or as stored_by() does.
FoundSidecars read_sidecars(const std::filesystem::path& picture, Orientation stored,
                            const SidecarOptions& options, SharedStems& shared);

/// Turns these sidecars with the picture that becomes `output`. `warnings` receives what is unusual
/// about them, and where they contradict an upright picture.
std::vector<Companion> turned_sidecars(const FoundSidecars& found, const MetadataTurn& turn,
                                       const std::filesystem::path& output,
                                       const SidecarOptions& options,
                                       std::vector<Sentence>& warnings);

/// Whether a file that has the name of a sidecar is one. To read all sidecars would take as long as
/// the run, so this is asked only about files that are in the way.
bool is_sidecar(const std::filesystem::path& file, const std::filesystem::path& picture,
                SharedStems& shared);

/// Whether a file has the suffix of XMP.
bool is_xmp(const std::filesystem::path& path);

/// Whether a file beside a picture is turned with it, by its name: XMP or a world file.
bool is_turned_sidecar(const std::filesystem::path& path);

/// Turns such a file with its picture, and copies any other file. Throws FileError if it cannot be
/// read, or is not what its name says.
Companion turned_sidecar(const std::filesystem::path& input, const std::filesystem::path& output,
                         const MetadataTurn& turn, const Source& source,
                         std::vector<std::string>& warnings);

/// Compares `text`, a turned sidecar that was written and read again, with `made`, and its
/// orientation with the picture's. Throws ProofError.
void prove_sidecar(const Companion& made, const MetadataTurn& turn, std::string_view text);

/// The turned content of a file for which is_turned_sidecar() is true. Throws ImageFileError if it
/// is not what its name says.
std::string turned_sidecar_text(const std::filesystem::path& name, const std::string& text,
                                const MetadataTurn& turn, std::vector<std::string>& warnings);

/// The path of a sidecar for `picture` that is named as `like` is.
std::filesystem::path sidecar_of(const std::filesystem::path& picture, const Sidecar& like);

// Files beside pictures that say where on a map the pixels lie. World files have six numbers for
// that: a.tfw or a.wld for a.tif, a.jgw for a.jpg. They are turned. The rational polynomials (RPC)
// of satellite pictures, in a.rpb or a_rpc.txt, are not turned. GDAL may write either into
// a.tif.aux.xml.

/// Whether a file with the picture's stem has the suffix of one of its world files.
bool is_world_file(const std::filesystem::path& file, const std::filesystem::path& picture);

/// Whether a file has the suffix of a world file of any picture.
bool is_named_as_world_file(const std::filesystem::path& file);

/// Whether a file with such a name is turned: all are but polynomials. GDAL's notes also count, and
/// are turned if are_turned_notes() says so.
bool is_turned_world_file(const std::filesystem::path& file);

/// Turns the six numbers of a world file, or the numbers in GDAL's notes, exactly, in decimals. All
/// else in the text stays. Throws ImageFileError if it does not have these numbers.
std::string turned_world_file(std::string_view text, const MetadataTurn& turn);

/// The name of a world file beside such a picture: "a.tfw" becomes "a.pgw" beside a.png.
std::string world_file_name(const std::string& name, const std::filesystem::path& picture);

/// Whether GDAL's notes about a picture, a.tif.aux.xml, say where on a map it lies.
bool are_notes_of_place(std::string_view name, std::string_view text);

/// Whether GDAL's notes can be turned: they say where it lies, without polynomials.
bool are_turned_notes(std::string_view name, std::string_view text);

/// The world files that are there. Only a.tif.aux.xml is read: it may be about something else.
std::vector<std::filesystem::path> world_files_beside(const std::filesystem::path& picture);

/// "a.tfw beside it (where it lies on a map)": what a turn makes stale.
std::string stale_world_file(const std::filesystem::path& file);

}  // namespace qturn
