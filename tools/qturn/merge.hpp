// qturn merge: one output of the shards that wrote to it.
//
// All shards have written the pictures to their places. What is left are the files about all
// pictures: label files of many pictures, those of data sets and the manifest.
// They become what one run would have written, byte for byte. The manifest comes last, then
// OUTPUT/.qturn-shards is removed. A merge that was killed before that can be repeated.
#ifndef QTURN_TOOLS_QTURN_MERGE_HPP
#define QTURN_TOOLS_QTURN_MERGE_HPP

#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Returns the exit status. Throws PlanError or FileError, and nothing is changed, if a shard is
/// not complete or not what it says; UnfinishedError if a file cannot be written.
int merge_shards(const CommandLine& line);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_MERGE_HPP
