// The names of tars as outputs.
#pragma once

#include <filesystem>

#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Whether a tar has this suffix, compressed or not.
bool names_a_tar(const std::filesystem::path& output);

/// Throws PlanError for a name such as out.tgz, which would become a folder.
void refuse_name_of_tar(const std::filesystem::path& output);

/// Throws PlanError if a file that may not be replaced lies where this output would be written.
void refuse_existing_output(const CommandLine& line, const std::filesystem::path& place);

}  // namespace qturn
