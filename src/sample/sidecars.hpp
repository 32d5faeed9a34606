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
  CompanionFile file = {};        ///< once it is read
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

/// What to do with them. In place, those that agree with their picture are turned with it unless
/// they are ignored.
enum class Sidecars : std::uint8_t { ignore, report, turn };

struct SidecarOptions {
  Sidecars sidecars = Sidecars::ignore;
  Believe believe = Believe::neither;
  bool in_place = false;

  /// Whether they may say how their picture is stored.
  bool decide() const { return sidecars == Sidecars::turn || believe != Believe::neither; }
};

/// The sidecars of a picture that says itself that it is `stored` so. Throws FileError if they are
/// to be turned with it and cannot be read, or as stored_by() does.
FoundSidecars read_sidecars(const std::filesystem::path& picture, Orientation stored,
                            const SidecarOptions& options, SharedStems& shared);

/// Those, turned with the picture that becomes `output`. `warnings` receives what is unusual about
/// them, of an upright picture also where they contradict it.
std::vector<CompanionFile> turned_sidecars(const FoundSidecars& found, const MetadataTurn& turn,
                                           const std::filesystem::path& output,
                                           const SidecarOptions& options,
                                           std::vector<Sentence>& warnings);

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
CompanionFile turned_sidecar(const std::filesystem::path& input,
                             const std::filesystem::path& output, const MetadataTurn& turn,
                             const Source& source, std::vector<std::string>& warnings);

/// Compares the text of a sidecar that was turned, written and read again with what was made, and
/// the orientation that it says with the picture's. Throws ProofError.
void prove_sidecar(const CompanionFile& made, const MetadataTurn& turn, std::string_view text);

/// The content of a file that is turned, beside the turned picture. Throws ImageFileError if it is
/// not what it is called.
std::string turned_sidecar_text(const std::filesystem::path& name, const std::string& text,
                                const MetadataTurn& turn, std::vector<std::string>& warnings);

/// The place of the sidecar that is made of `like` for another picture.
std::filesystem::path sidecar_of(const std::filesystem::path& picture, const Sidecar& like);

// Files beside pictures that say where on a map the pixels lie. World files have six numbers for
// that: a.tfw or a.wld for a.tif, a.jgw for a.jpg. They are turned. The rational polynomials (RPC)
// of satellite pictures are in a.rpb or a_rpc.txt, and are not. GDAL notes any of that in
// a.tif.aux.xml.

/// Whether a file that has the stem of the picture is called as one of its world files.
bool is_world_file(const std::filesystem::path& file, const std::filesystem::path& picture);

/// Whether it is called as one of any picture.
bool is_named_as_world_file(const std::filesystem::path& file);

/// Whether one that is called so is turned: of all but polynomials, which are called so too. GDAL's
/// notes are if are_turned_notes() says so.
bool is_turned_world_file(const std::filesystem::path& file);

/// Its six numbers, or the numbers in notes, after the turn, exactly, in decimals; all else in it
/// stays. Throws ImageFileError if it has others.
std::string turned_world_file(std::string_view text, const MetadataTurn& turn);

/// What it is called beside such a picture: "a.tfw" beside a.png "a.pgw".
std::string world_file_name(const std::string& name, const std::filesystem::path& picture);

/// Whether GDAL's notes about a picture, a.tif.aux.xml, say where on a map it lies.
bool are_notes_of_place(std::string_view name, std::string_view text);

/// Whether they can be turned: they have no polynomials.
bool are_turned_notes(std::string_view name, std::string_view text);

/// Those that are there. Only a.tif.aux.xml is read: it may be about something else.
std::vector<std::filesystem::path> world_files_beside(const std::filesystem::path& picture);

/// "a.tfw beside it (where it lies on a map)": what a turn makes stale.
std::string stale_world_file(const std::filesystem::path& file);

}  // namespace qturn
