// Files beside pictures that say where on a map the pixels lie. World files have six numbers for
// that: a.tfw or a.wld for a.tif, a.jgw for a.jpg. The rational polynomials (RPC) of satellite
// pictures are in a.rpb or a_rpc.txt, and GDAL notes any of that in a.tif.aux.xml. They are not
// turned.
#ifndef QTURN_SRC_SAMPLE_WORLD_FILES_HPP
#define QTURN_SRC_SAMPLE_WORLD_FILES_HPP

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace qturn {

/// Whether a file that has the stem of the picture is called as one of its world files.
bool is_world_file(const std::filesystem::path& file, const std::filesystem::path& picture);

/// Whether it is called as one of any picture.
bool is_named_as_world_file(const std::filesystem::path& file);

/// Whether GDAL's notes about a picture, a.tif.aux.xml, say where on a map it lies.
bool are_notes_of_place(std::string_view name, std::string_view text);

/// Those that are there. Only a.tif.aux.xml is read: it may be about something else.
std::vector<std::filesystem::path> world_files_beside(const std::filesystem::path& picture);

/// "a.tfw beside it (where it lies on a map)": what a turn makes stale.
std::string stale_world_file(const std::filesystem::path& file);

}  // namespace qturn

#endif  // QTURN_SRC_SAMPLE_WORLD_FILES_HPP
