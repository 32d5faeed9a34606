#include "tools/qturn/streams.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace qturn {
namespace {

void refuse_unfit_for_input(const CommandLine& line) {
  if (line.command == CommandLine::Command::check)
    throw PlanError("check does not read standard input; name a file");
  if (line.inputs.size() > 1 || !line.files_from.empty())
    throw PlanError("standard input is one picture or one tar; turn other files in another run");
  if (line.in_place) throw PlanError("standard input cannot be replaced; name an output with -o");
  if (line.sidecars) throw PlanError("--sidecars needs a file; nothing lies beside standard input");
  if (line.believe == Believe::sidecars)
    throw PlanError("--believe sidecar needs a file; nothing lies beside standard input");
  if (line.existing == Existing::update)
    throw PlanError("--update compares times, and standard input has none; use --overwrite");
}

void refuse_unfit_for_output(const CommandLine& line) {
  if (line.json && line.json_file.empty() && !line.dry_run)
    throw PlanError("--json and -o - would both write to standard output; give --json=FILE");
  if (line.sidecars)
    throw PlanError("--sidecars cannot write them beside standard output; name a file with -o");
  if (line.verifies())
    throw PlanError("--verify cannot read standard output back; name a file with -o");
  if (line.existing != Existing::refuse) {
    throw PlanError(
        "standard output never exists already; leave out --overwrite, --skip-existing or --update");
  }
  if (line.jpeg_edges == JpegEdges::skip) {
    throw PlanError(
        "with --jpeg-edges skip nothing might be written to standard output; choose another, or "
        "name a file with -o");
  }
  if (!line.dry_run && ::isatty(STDOUT_FILENO))
    throw PlanError(
        "a terminal cannot show a picture; redirect standard output, or name a file with -o");
}

}  // namespace

void take_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest number that is free is this one.
    ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void refuse_what_is_for_tars(const CommandLine& line) {
  if (line.unpack || line.tar_bytes > 0)
    throw PlanError("--unpack and --tar-size are for tars as inputs; leave them out");
  if (line.command != CommandLine::Command::augment) return;
  if (is_from_standard_input(line)) {
    throw PlanError(
        "standard input is not a tar, and augment reads nothing else there; name a folder, or "
        "--files-from -");
  }
}

void refuse_unfit_for_streams(const CommandLine& line) {
  if (is_from_standard_input(line)) refuse_unfit_for_input(line);
  if (is_to_standard_output(line)) refuse_unfit_for_output(line);
}

void leave_labels(const CommandLine& line, PlanOptions& options) {
  if (line.labels.take == TakeLabels::one_format || line.labels.take == TakeLabels::one_file ||
      (line.masks && line.masks->take)) {
    throw PlanError(
        "labels and masks do not go through standard input and output; leave out --labels and "
        "--masks, or name files");
  }
  options.labels = {};
  options.masks = {};
}

}  // namespace qturn
