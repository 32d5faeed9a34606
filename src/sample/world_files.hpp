// Files beside pictures that say where on a map the pixels lie. World files have six numbers for
// that: a.tfw or a.wld for a.tif, a.jgw for a.jpg. They are turned. The rational polynomials (RPC)
// of satellite pictures are in a.rpb or a_rpc.txt, and are not. GDAL notes any of that in
// a.tif.aux.xml.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/metadata/metadata_turn.hpp"

namespace qturn {

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
