// faults: runs qturn again and again, with a fault at another system call each time, and says which
// of the rules of rules.cpp are broken. No rule has exceptions that are listed here: where a run is
// right although it looks wrong, the rule says why.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "src/files/content_hash.hpp"
#include "tests/faults/disturbed_run.hpp"
#include "tests/faults/power_cuts.hpp"
#include "tests/faults/rules.hpp"
#include "tests/faults/two_programs.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace faults {
namespace {

namespace fs = std::filesystem;

constexpr char usage[] =
    R"(usage: faults [--two-programs] [--quick | --runs N] [--scenario NAME] [--jobs N]
       faults [--two-programs] --scenario NAME --call NAME:N --fault NAME
       faults --power-cuts [--states N] [--most N] [--seed N] [--scenario NAME] [--keep FOLDER]
              [--forget files|folders|journals] [--jobs N]

Exits 0 if no rule is broken, 1 if one is, 4 if that cannot be found out here. The second form
repeats one run and shows what it printed.

  --runs N      about so many of each scenario, spread over all calls and faults
  --quick       the same, 16
  --two-programs  instead of faults: what another program does in the folder at that moment
  --power-cuts  instead: in the states of the disk that a power cut may leave
  --states N    about so many of each scenario, spread over all that were found (16)
  --most N      this many between two flushes, complete if there are not more (200)
  --forget WHAT as if the program did not flush them, to see that this would be found
  --keep FOLDER leaves the first state with a finding there, and says in FOLDER.txt how it came
)";

struct Options {
  std::size_t runs = 0;  ///< of each scenario, about; 0: all
  bool has_power_cuts = false, has_two_programs = false;
  PowerCutOptions power_cuts;
  std::string scenario, call, fault;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
};

struct Disturbance {
  Place place;
  Fault fault;
};

std::vector<Disturbance> disturbances(const Scenario& scenario, const Run& whole,
                                      bool has_two_programs, std::size_t runs) {
  std::vector<Disturbance> all;
  const std::vector<Place> places = places_of(whole);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    for (Fault& fault :
         has_two_programs ? acts_at(whole.calls[i], scenario, whole) : faults_of(place.call))
      all.push_back({place, std::move(fault)});
  }
  if (runs == 0) return all;
  // By what they are, not by how many there are: a run makes a few calls more or less than another,
  // and the same calls are disturbed all the same.
  const std::size_t one_of = std::bit_ceil(all.size() / runs + 1);
  std::vector<Disturbance> some;
  for (Disturbance& each : all) {
    const Place& place = each.place;
    const std::string name = fmt::format("{}:{} {} {}", place.call, place.number,
                                         place.to.filename().string(), each.fault.name);
    if (qturn::xxh64(name, 0) % one_of == 0) some.push_back(std::move(each));
  }
  return some;
}

/// One of the processes that share the runs. It writes a line for each rule that is broken: the
/// rule, the call, the fault, and how to repeat it.
void run_part(const Scenario& scenario, const Run& whole, const std::vector<Disturbance>& all,
              unsigned part, unsigned parts, const fs::path& findings) {
  std::ofstream out(findings, std::ios::app);
  for (std::size_t i = part; i < all.size(); i += parts) {
    const auto& [place, fault] = all[i];
    const Run run = disturbed(scenario, place, fault);
    for (const std::string& rule : broken_rules(scenario, whole, run, fault)) {
      out << fmt::format("{0}\t{1}\t{2}\t--scenario '{3}' --call {1}:{4} --fault '{2}'\n", rule,
                         place.call, fault.name, scenario.name, place.number);
    }
  }
}

int repeat(const Scenario& scenario, const Options& options) {
  const Run whole = undisturbed(scenario);
  for (const auto& [place, fault] : disturbances(scenario, whole, options.has_two_programs, 0)) {
    if (fmt::format("{}:{}", place.call, place.number) != options.call) continue;
    if (fault.name != options.fault) continue;
    const Run run = disturbed(scenario, place, fault);
    fmt::print("status {:#x}\n", run.status);
    if (run.struck) {
      fmt::print("struck {} {} {}\n", run.struck->name, run.struck->path.string(),
                 run.struck->to.string());
    }
    fmt::print("{}", run.err);
    for (const auto& [name, file] : run.after) fmt::print("  {} {}\n", file.content.size(), name);
    if (run.next) fmt::print("then status {:#x}\n{}", run.next->status, run.next->err);
    const auto broken = broken_rules(scenario, whole, run, fault);
    for (const std::string& rule : broken) fmt::print("BROKEN: {}\n", rule);
    return broken.empty() ? 0 : 1;
  }
  fmt::print(stderr, "faults: there is no such call, or it has no such fault\n");
  return 2;
}

struct Kind {
  std::string rule, call, fault;
  auto operator<=>(const Kind&) const = default;
};
struct Count {
  std::size_t count = 0;
  std::string example;
};

int print_findings(const fs::path& file) {
  std::map<Kind, Count> findings;
  std::ifstream in(file);
  Kind kind;
  for (std::string example; std::getline(in, kind.rule, '\t') &&
                            std::getline(in, kind.call, '\t') &&
                            std::getline(in, kind.fault, '\t') && std::getline(in, example);) {
    Count& count = findings[kind];
    ++count.count;
    count.example = example;
  }
  for (const auto& [each, count] : findings) {
    fmt::print("{:5}  {}: {} of {}\n       {}\n", count.count, each.rule, each.fault, each.call,
               count.example);
  }
  return findings.empty() ? 0 : 1;
}

int run_all(const Options& options) {
  const TemporaryFolder folder;
  const fs::path findings = folder.path() / "findings";
  std::size_t runs = 0;
  for (const Scenario& scenario : scenarios()) {
    if (!options.scenario.empty() && scenario.name != options.scenario) continue;
    if (!options.call.empty()) return repeat(scenario, options);
    const Run whole = undisturbed(scenario);
    if (WEXITSTATUS(whole.status) == cannot_be_followed) {
      fmt::print("skipped: this system lets no program follow another\n");
      return 4;
    }
    if (whole.status != 0) {
      fmt::print("{}: fails undisturbed: {}", scenario.name, whole.err);
      return 1;
    }
    const std::vector<Disturbance> all =
        disturbances(scenario, whole, options.has_two_programs, options.runs);
    for (unsigned part = 0; part < options.jobs; ++part) {
      if (::fork() != 0) continue;
      run_part(scenario, whole, all, part, options.jobs, findings);
      ::_exit(0);
    }
    for (int status; ::wait(&status) > 0;) {
      if (status != 0) throw std::runtime_error("a part of the runs failed");
    }
    fmt::print("{}: {} calls, {} runs of {}\n", scenario.name, whole.calls.size(), all.size(),
               disturbances(scenario, whole, options.has_two_programs, 0).size());
    std::fflush(stdout);
    runs += all.size();
  }
  const int status = print_findings(findings);
  fmt::print("{} runs, {}\n", runs, status == 0 ? "no findings" : "with findings");
  return status;
}

int run_program(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") {
      options.runs = 16;
    } else if (word == "--two-programs") {
      options.has_two_programs = true;
    } else if (word == "--power-cuts") {
      options.has_power_cuts = true;
    } else if (i + 1 == argc) {
      fmt::print(stderr, usage);
      return 2;
    } else if (word == "--scenario") {
      options.scenario = argv[++i];
    } else if (word == "--fault") {
      options.fault = argv[++i];
    } else if (word == "--call") {
      options.call = argv[++i];
    } else if (word == "--keep") {
      options.power_cuts.keep = argv[++i];
    } else if (word == "--forget") {
      options.power_cuts.forget = argv[++i];
    } else if (word == "--runs") {
      options.runs = std::strtoul(argv[++i], nullptr, 10);
    } else if (word == "--states") {
      options.power_cuts.states = std::strtoul(argv[++i], nullptr, 10);
    } else if (word == "--most") {
      options.power_cuts.most = std::strtoul(argv[++i], nullptr, 10);
    } else if (word == "--seed") {
      options.power_cuts.seed = std::strtoul(argv[++i], nullptr, 10);
    } else if (word == "--jobs") {
      options.jobs = static_cast<unsigned>(std::strtoul(argv[++i], nullptr, 10));
    }
  }
  if (!options.has_power_cuts) return run_all(options);
  options.power_cuts.scenario = options.scenario;
  options.power_cuts.jobs = options.jobs;
  return run_power_cuts(options.power_cuts);
}

}  // namespace
}  // namespace faults

#ifdef __SANITIZE_THREAD__
/// Threads of libraries are there already when the runs are forked.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }  // NOLINT: its name
#endif

int main(int argc, char** argv) {
  // Without them, no record of a run lies outside of the folder of a scenario.
  ::unsetenv("HOME");
  ::unsetenv("XDG_STATE_HOME");
  try {
    return faults::run_program(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "faults: {}\n", error.what());
    return 2;
  }
}
