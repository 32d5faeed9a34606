// Where the samples of tars go: a tar, numbered tars of a size, or files in a folder.
#ifndef QTURN_TOOLS_QTURN_SAMPLE_OUTPUTS_HPP
#define QTURN_TOOLS_QTURN_SAMPLE_OUTPUTS_HPP

#include <atomic>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/store/safe_file.hpp"
#include "src/store/tar/writer.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// All of it throws FileError.
class SampleOutput {
 public:
  virtual ~SampleOutput() = default;
  /// Writes a sample, or a variant of one. Returns why it is not written, if others can follow;
  /// or empty.
  virtual std::string add(std::span<const NewMember> members) = 0;
  virtual bool is_empty() const = 0;
  /// Puts in its place what is not there yet. Returns what to warn of.
  virtual std::vector<std::string> finish() = 0;
};

/// `place` is the name of a tar, "-", or with --unpack a folder. With --tar-size the tars are
/// numbered: out-000000.tar, out-000001.tar, ... for out.tar. `stop` must outlive it.
std::unique_ptr<SampleOutput> open_sample_output(const CommandLine& line,
                                                 const std::filesystem::path& place,
                                                 IfExists if_exists, const std::atomic<bool>& stop);

/// Throws PlanError for a name such as out.tgz, which would become a folder.
void refuse_name_of_tar(const std::filesystem::path& output);

/// Throws PlanError if something lies where this output would be written that may not be replaced.
void refuse_existing_output(const CommandLine& line, const std::filesystem::path& place);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_SAMPLE_OUTPUTS_HPP
