// Where the samples of tars go: to a tar, to numbered tars of limited size, or to a folder.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "src/files/journals.hpp"
#include "src/files/real_places.hpp"
#include "src/sinks/sample_writer.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// `place` is the name of a tar, "-", or with --unpack a folder. With --tar-size the tars are
/// numbered: out-000000.tar, out-000001.tar, ... for out.tar. `journals`: of a folder; `record`: of
/// tars; or null. All that is not a value must outlive it. Throws FileError.
std::unique_ptr<SampleWriter> open_sample_output(const CommandLine& line,
                                                 const std::filesystem::path& place,
                                                 IfExists if_exists, RealPlaces& folders,
                                                 Journals* journals, Journal* record,
                                                 const std::atomic<bool>& stop);

/// Whether a tar has this suffix, compressed or not.
bool names_a_tar(const std::filesystem::path& output);

/// Throws PlanError for a name such as out.tgz, which would become a folder.
void refuse_name_of_tar(const std::filesystem::path& output);

/// Throws PlanError if a file that may not be replaced lies where this output would be written.
void refuse_existing_output(const CommandLine& line, const std::filesystem::path& place);

}  // namespace qturn
