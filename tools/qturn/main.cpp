// qturn: the command line. options.cpp defines what it accepts, report.cpp what it prints.
#include <malloc.h>

#include <cstdio>
#include <string>
#include <utility>

#include "src/files/standard_streams.hpp"
#include "src/files/tar/tar.hpp"
#include "src/picture/file_bytes.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/commands.hpp"
#include "tools/qturn/journaling.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/run.hpp"
#include "tools/qturn/run_options.hpp"
#include "tools/qturn/sharding.hpp"
#include "tools/qturn/streams.hpp"

namespace qturn {
namespace {

constexpr int exit_some_failed = 1;
constexpr int exit_nothing_started = 2;

int turn(CommandLine& line) {
  const RunOptions options = turn_options(line);
  if (is_merged(line, options.jpeg.edges)) return say_is_done(line);
  begin_if_nothing_to_resume(line, options.jpeg.edges);
  PlanOptions wanted = plan_options(line);
  Bytes head;
  if (is_from_standard_input(line)) head = read_standard_input_head(tar_head_bytes);
  take_listed_tars(line, wanted);
  if (are_tars(line, head)) return turn_tars(line, std::move(wanted), options, head);
  if (is_packed(line)) return turn_and_pack(line, std::move(wanted), options);
  return turn_files(line, std::move(wanted), options, head);
}

int run_program(int argc, char** argv, CommandLine& line) {
  take_signals();
  if (const std::string said = parse({argv + 1, argv + argc}, line); !said.empty()) {
    std::fputs(said.c_str(), stdout);
    return 0;
  }
  if (line.command == CommandLine::Command::devices) return print_devices(line);
  refuse_unfit_for_streams(line);
  if (line.command == CommandLine::Command::merge) return merge(line);
  if (line.command == CommandLine::Command::check) return check(line);
  if (line.command == CommandLine::Command::restore) return restore(line);
  if (line.shard_is_auto) take_shard_of_environment(line);
  return turn(line);
}

/// Returns the exit status.
int run_or_say_why(int argc, char** argv) {
  CommandLine line;
  try {
    return run_program(argc, argv, line);
  } catch (const UnfinishedError& error) {
    say_why(line, error);
    return exit_some_failed;
  } catch (const std::exception& error) {
    say_why(line, error);
    return exit_nothing_started;
  }
}

}  // namespace
}  // namespace qturn

int main(int argc, char** argv) {
  // When a block of up to 32 MB is freed, glibc keeps later blocks of that size in a heap for each
  // thread. Pictures are such blocks: 6 of 27 MB on 6 threads took 641 MiB, whatever --memory was,
  // and 178 MiB this way, in less time.
  mallopt(M_MMAP_THRESHOLD, qturn::SpareBytes::worth_keeping);
  qturn::take_closed_streams();
  const int exit_code = qturn::run_or_say_why(argc, argv);
  if (std::fflush(stdout) == 0) return exit_code;
  qturn::print_message("standard output could not be written", qturn::Tone::error);
  return exit_code == 0 ? 1 : exit_code;
}
