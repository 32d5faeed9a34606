// Stopping in the middle, and what a terminal is shown.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using cli::Picture;
using cli::Result;
using cli::Workplace;
using qturn::Orientation;

namespace {

constexpr int pictures = 24;

Picture numbered_picture(int number) {
  return cli::random_picture(500, 400, 3, qturn::SampleFormat::u8,
                             static_cast<std::uint64_t>(number) + 1);
}

void add_pictures(const Workplace& workplace) {
  for (int i = 0; i < pictures; ++i)
    workplace.add("in/" + std::to_string(i) + ".png", cli::png(numbered_picture(i)));
}

/// What comes of a run that gets signal `number` as soon as the first file is in its place whose
/// name ends in `end`.
Result interrupted(Workplace& workplace, int number, const std::vector<std::string>& words,
                   const std::string& end = ".png") {
  workplace.signal_at(number, end, QTURN_DISTURBED_DISK);
  const Result result = workplace.qturn(words);
  workplace.environment.clear();
  return result;
}

Picture flopped(const std::string& file) {
  return cli::turned(numbered_picture(std::stoi(file)), Orientation::flop);
}

}  // namespace

TEST_CASE(
    "SIGINT, SIGTERM and SIGHUP end the run soon, with 130, 143 and 129, and with whole files "
    "only") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(number);
    Workplace workplace;
    add_pictures(workplace);
    const Result result = interrupted(workplace, number, {"flop", "in", "-o", "out", "-j", "2"});
    CHECK(result.exit_code == 128 + number);
    CHECK_THAT(result.err, ContainsSubstring(", interrupted with ") &&
                               ContainsSubstring("\nqturn: the same command with --resume goes on "
                                                 "where this run was interrupted\n"));

    const std::set<std::string> written = workplace.files("out");
    CHECK(!written.empty());
    CHECK(written.size() < pictures);
    for (const std::string& file : written) {
      CAPTURE(file);
      CHECK(fs::path(file).extension() == ".png");  // no temporary
      CHECK(cli::pixels_of(workplace.path() / "out" / file) == flopped(file));
    }
    // What is missing is done by the next run.
    CHECK(workplace.qturn({"flop", "in", "-o", "out", "--skip-existing"}).exit_code == 0);
    CHECK(workplace.files("out").size() == pictures);
  }
}

TEST_CASE("SIGINT in place leaves each file as it was or turned, never half") {
  Workplace workplace;
  add_pictures(workplace);
  const std::string last = workplace.content("in/0.png");
  const Result result =
      interrupted(workplace, SIGINT, {"flop", "in", "--in-place", "-j", "2", "--json=log"});
  CHECK(result.exit_code == 130);

  int turned = 0;
  CHECK(workplace.files("in").size() == pictures);
  for (const std::string& file : workplace.files("in")) {
    CAPTURE(file);
    const Picture found = cli::pixels_of(workplace.path() / "in" / file);
    const bool is_turned = found == flopped(file);
    turned += is_turned;
    CHECK((is_turned || found == numbered_picture(std::stoi(file))));
  }
  CHECK(turned > 0);
  CHECK(turned < pictures);
  const std::string log = workplace.content("log");
  CHECK(std::count(log.begin(), log.end(), '\n') == turned);
}

TEST_CASE("A run that still looks for its pictures is ended by the first signal") {
  Workplace workplace;
  add_pictures(workplace);
  // Nobody writes into the list, so the program waits for it.
  REQUIRE(::mkfifo((workplace.path() / "list").c_str(), 0600) == 0);
  const auto running = workplace.start({"flop", "--files-from", "list", "--in-place"});
  int writer = -1;  // which can be opened as soon as the program reads
  workplace.wait_until([&] {
    writer = ::open((workplace.path() / "list").c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    return writer >= 0;
  });
  running.signal(SIGINT);
  CHECK(running.wait().exit_code == 130);
  ::close(writer);
}

TEST_CASE("A second signal ends the run at once") {
#ifdef __SANITIZE_THREAD__
  // oneTBB waits by a system call of its own. Both signals would count as one, after the wait.
  SKIP("the thread sanitizer keeps signals back while a thread waits");
#endif
  Workplace workplace;
  add_pictures(workplace);
  // The lines go into a pipe that is full and that nobody reads, so the run cannot end.
  const std::string log = workplace.path() / "log";
  REQUIRE(::mkfifo(log.c_str(), 0600) == 0);
  const int reader = ::open(log.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  REQUIRE(reader >= 0);
  while (::write(reader, "\n", 1) == 1) {
  }
  const auto before = workplace.tree("in");
  const auto running = workplace.start({"flop", "in", "--in-place", "-j", "2", "--json=log"});
  auto seen = before;
  workplace.wait_until([&] {
    ::usleep(1'000'000);
    const auto now = workplace.tree("in");
    const bool stands_still = now != before && now == std::exchange(seen, now);
    return stands_still;
  });
  running.signal(SIGINT);
  ::usleep(300'000);
  CHECK(running.is_running());
  running.signal(SIGINT);
  CHECK(running.wait().exit_code == 130);
  ::close(reader);
  for (const std::string& file : workplace.files("in")) {
    if (file.starts_with(".")) continue;  // a temporary
    const Picture found = cli::pixels_of(workplace.path() / "in" / file);
    CHECK((found == flopped(file) || found == numbered_picture(std::stoi(file))));
  }
}

TEST_CASE("An interrupted augmentation has a manifest of what was written") {
  Workplace workplace;
  add_pictures(workplace);
  CHECK(interrupted(workplace, SIGTERM, {"augment", "in", "-o", "out", "-j", "2"}).exit_code ==
        143);
  const std::string manifest = workplace.content("out/manifest.jsonl");
  CHECK(std::count(manifest.begin(), manifest.end(), '\n') ==
        static_cast<std::ptrdiff_t>(workplace.files("out").size()));  // both have one line more
}

TEST_CASE("An augmentation that is ended before its first result can be repeated as it is") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(cli::random_picture(3000, 2000)));
  const std::vector<std::string> words = {"augment", "in", "-o", "out", "--variants", "flop"};
  CHECK(interrupted(workplace, SIGINT, words, ".qturn-lock").exit_code == 130);
  CHECK_FALSE(workplace.exists("out"));

  const std::string picture = workplace.content("in/a.png");
  workplace.add("in/a.png", picture.substr(0, 1000));
  CHECK(workplace.qturn(words).exit_code == 1);
  CHECK_FALSE(workplace.exists("out"));
  workplace.add("in/a.png", picture);
  CHECK(workplace.qturn(words).exit_code == 0);

  // And nothing takes the place of a manifest that is there.
  const auto whole = workplace.tree("out");
  workplace.add("in/a.png", picture.substr(0, 1000));
  std::vector<std::string> again = words;
  again.emplace_back("--overwrite");
  CHECK(workplace.qturn(again).exit_code == 1);
  CHECK(workplace.tree("out") == whole);
}

TEST_CASE("An interrupted augmentation keeps what the manifest listed, for it is there still") {
  Workplace workplace;
  add_pictures(workplace);
  const std::vector<std::string> words = {"augment", "in", "-o", "out", "--variants", "flop"};
  CHECK(workplace.qturn(words).exit_code == 0);
  const std::string whole = workplace.content("out/manifest.jsonl");
  CHECK(std::count(whole.begin(), whole.end(), '\n') == pictures + 1);

  const auto interrupt = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"augment", "in", "-o", "out", "--overwrite", "-j", "2", "--json=log"});
    CHECK(interrupted(workplace, SIGINT, more).exit_code == 130);
    CHECK(fs::remove(workplace.path() / "log"));
    return workplace.content("out/manifest.jsonl");
  };
  CHECK(interrupt({"--variants", "flop"}) == whole);
  // Also if somebody has put its lines out of order.
  const std::string header = whole.substr(0, whole.find('\n') + 1);
  std::string mixed;
  std::istringstream lines(whole.substr(header.size()));
  for (std::string line; std::getline(lines, line);) mixed.insert(0, line + "\n");
  mixed.insert(0, header);
  workplace.add("out/manifest.jsonl", mixed + whole);
  CHECK(interrupt({"--variants", "flop"}) == whole);
  // And adds what it wrote, by its key.
  const std::string more = interrupt({"--variants", "flip"});
  CHECK(std::count(more.begin(), more.end(), '\n') ==
        static_cast<std::ptrdiff_t>(workplace.files("out").size()));
  CHECK(more.size() > whole.size());
}

TEST_CASE("The manifest of a resumed augmentation says what each result was made of") {
  Workplace workplace;
  for (const std::string name : {"in/a", "in/b"}) {
    workplace.add(name + ".png", cli::png(numbered_picture(1)));
    workplace.add(name + ".caption", "before");
  }
  std::vector<std::string> words = {"augment", "in", "-o", "out", "--variants", "flop", "-j", "1"};
  CHECK(interrupted(workplace, SIGINT, words).exit_code == 130);
  REQUIRE(workplace.exists("out/a__flop.caption"));
  REQUIRE_FALSE(workplace.exists("out/b__flop.caption"));
  workplace.add("in/a.caption", "after");
  words.emplace_back("--resume");
  CHECK(workplace.qturn(words).exit_code == 0);
  CHECK(workplace.content("out/a__flop.caption") == "before");
  // A copy has the hash of what it was made of.
  std::istringstream lines(workplace.content("out/manifest.jsonl"));
  int copies = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto entry = nlohmann::json::parse(line);
    if (!entry.contains("sidecars")) continue;
    ++copies;
    CHECK(entry["sidecars"][0]["source"] == entry["sidecars"][0]["result"]);
  }
  CHECK(copies == 2);
}

TEST_CASE("A terminal is shown a line of progress that is drawn again, and a summary") {
  Workplace workplace;
  add_pictures(workplace);
  int terminal = -1;
  // However fast the machine is, the run lasts for longer than the line takes to appear.
  workplace.signal_at(SIGSTOP, ".png", QTURN_DISTURBED_DISK);
  const winsize narrow = {.ws_row = 24, .ws_col = 24, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &narrow);
  if (pid < 0) SKIP("this system lends no terminals");
  const std::string path = cli::program();
  if (pid == 0) {
    if (::chdir(workplace.path().c_str()) != 0) ::_exit(126);
    for (const auto& [name, value] : workplace.environment)
      ::setenv(name.c_str(), value.c_str(), 1);
    ::setenv("TERM", "xterm", 1);
    ::execl(path.c_str(), path.c_str(), "flop", "in", "-o", "out", "-j", "1", nullptr);
    ::_exit(127);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, WUNTRACED) == pid);
  REQUIRE(WIFSTOPPED(status));
  ::usleep(300'000);
  ::kill(pid, SIGCONT);
  std::string shown;
  char buffer[4096];
  for (ssize_t got; (got = ::read(terminal, buffer, sizeof buffer)) > 0;)
    shown.append(buffer, static_cast<std::size_t>(got));
  ::close(terminal);
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
  const std::size_t drawn = shown.find(" of 24 pictures");
  REQUIRE(drawn != std::string::npos);
  const std::size_t first = shown.rfind('\r', drawn);
  CHECK(shown.find("\033[K", drawn) - first <= 24);  // the line fits, whatever it leaves out
  CHECK_THAT(shown, ContainsSubstring("\r\033[K"));
  CHECK_THAT(shown, ContainsSubstring("24 of 24 pictures written"));
}
