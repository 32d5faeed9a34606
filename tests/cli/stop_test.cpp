// Stopping in the middle.
#include <fcntl.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace stop_test {

using namespace cli;
using qturn::Orientation;

namespace {

constexpr int pictures = 24;

void add_pictures(const Workplace& workplace) {
  for (int i = 0; i < pictures; ++i)
    workplace.add("in/" + std::to_string(i) + ".png", png(numbered_picture(i, 500, 400)));
}

Picture flopped(const std::string& file) {
  return cli::turned(numbered_picture(std::stoi(file), 500, 400), Orientation::flop);
}

}  // namespace

TEST_CASE(
    "SIGINT, SIGTERM and SIGHUP end the run soon, with 130, 143 and 129, and with whole files "
    "only") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(number);
    Workplace workplace;
    add_pictures(workplace);
    const Result result =
        workplace.signalled_at(number, ".png", {"flop", "in", "-o", "out", "-j", "2"});
    CHECK(result.exit_code == 128 + number);
    CHECK_THAT(
        result.err,
        ContainsSubstring(", interrupted with ") &&
            ContainsSubstring(
                "; the same command with --resume goes on where this run was interrupted\n"));

    const Names written = workplace.files("out");
    CHECK(!written.empty());
    CHECK(written.size() < pictures);
    for (const std::string& file : written) {
      CAPTURE(file);
      CHECK(fs::path(file).extension() == ".png");  // no temporary
      CHECK(pixels_of(workplace.path() / "out" / file) == flopped(file));
    }
    // What is missing is done by the next run.
    workplace.done({"flop", "in", "-o", "out", "--skip-existing"});
    CHECK(workplace.files("out").size() == pictures);
  }
}

TEST_CASE_METHOD(Workplace, "SIGINT in place leaves each file as it was or turned, never half") {
  add_pictures(*this);
  const std::string last = content("in/0.png");
  const Result result =
      signalled_at(SIGINT, ".png", {"flop", "in", "--in-place", "-j", "2", "--json=log"});
  CHECK(result.exit_code == 130);

  int turned = 0;
  CHECK(files("in").size() == pictures);
  for (const std::string& file : files("in")) {
    CAPTURE(file);
    const Picture found = pixels_of(path() / "in" / file);
    const bool is_turned = found == flopped(file);
    turned += is_turned;
    CHECK((is_turned || found == numbered_picture(std::stoi(file), 500, 400)));
  }
  CHECK(turned > 0);
  CHECK(turned < pictures);
  const std::string log = content("log");
  CHECK(std::count(log.begin(), log.end(), '\n') == turned);
}

TEST_CASE_METHOD(Workplace,
                 "A run that still looks for its pictures is ended by the first signal") {
  add_pictures(*this);
  // Nobody writes into the list, so the program waits for it.
  REQUIRE(::mkfifo((path() / "list").c_str(), 0600) == 0);
  const auto running = start({"flop", "--files-from", "list", "--in-place"});
  int writer = -1;  // which can be opened as soon as the program reads
  wait_until([&] {
    writer = ::open((path() / "list").c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    return writer >= 0;
  });
  running.signal(SIGINT);
  CHECK(running.wait().exit_code == 130);
  ::close(writer);
}

TEST_CASE_METHOD(Workplace, "A second signal ends the run at once") {
#ifdef __SANITIZE_THREAD__
  // oneTBB waits by a system call of its own. Both signals would count as one, after the wait.
  SKIP("the thread sanitizer keeps signals back while a thread waits");
#endif
  add_pictures(*this);
  // The lines go into a pipe that is full and that nobody reads, so the run cannot end.
  const std::string log = path() / "log";
  REQUIRE(::mkfifo(log.c_str(), 0600) == 0);
  const int reader = ::open(log.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  REQUIRE(reader >= 0);
  while (::write(reader, "\n", 1) == 1) {
  }
  const auto before = tree("in");
  const auto running = start({"flop", "in", "--in-place", "-j", "2", "--json=log"});
  auto seen = before;
  wait_until([&] {
    ::usleep(1'000'000);
    const auto now = tree("in");
    const bool stands_still = now != before && now == std::exchange(seen, now);
    return stands_still;
  });
  running.signal(SIGINT);
  ::usleep(300'000);
  CHECK(running.is_running());
  running.signal(SIGINT);
  CHECK(running.wait().exit_code == 130);
  ::close(reader);
  for (const std::string& file : files("in")) {
    if (file.starts_with(".")) continue;  // a temporary
    const Picture found = pixels_of(path() / "in" / file);
    CHECK((found == flopped(file) || found == numbered_picture(std::stoi(file), 500, 400)));
  }
}

TEST_CASE_METHOD(Workplace, "An interrupted augmentation has a manifest of what was written") {
  add_pictures(*this);
  CHECK(signalled_at(SIGTERM, ".png", {"augment", "in", "-o", "out", "-j", "2"}).exit_code == 143);
  const std::string manifest = content("out/manifest.jsonl");
  CHECK(std::count(manifest.begin(), manifest.end(), '\n') ==
        static_cast<std::ptrdiff_t>(files("out").size()));  // both have one line more
}

TEST_CASE_METHOD(Workplace,
                 "An augmentation that is ended before its first result can be repeated as it is") {
  add("in/a.png", png(random_picture(3000, 2000)));
  const Words words = {"augment", "in", "-o", "out", "--variants", "flop"};
  CHECK(signalled_at(SIGINT, ".qturn-lock", words).exit_code == 130);
  CHECK_FALSE(exists("out"));

  const std::string picture = content("in/a.png");
  add("in/a.png", picture.substr(0, 1000));
  failed(words);
  CHECK_FALSE(exists("out"));
  add("in/a.png", picture);
  done(words);

  // And nothing takes the place of a manifest that is there.
  const auto whole = tree("out");
  add("in/a.png", picture.substr(0, 1000));
  std::vector<std::string> again = words;
  again.emplace_back("--overwrite");
  failed(again);
  CHECK(tree("out") == whole);
}

TEST_CASE_METHOD(
    Workplace,
    "An interrupted augmentation keeps what the manifest listed, for it is there still") {
  add_pictures(*this);
  const Words words = {"augment", "in", "-o", "out", "--variants", "flop"};
  done(words);
  const std::string whole = content("out/manifest.jsonl");
  CHECK(std::count(whole.begin(), whole.end(), '\n') == pictures + 1);

  const auto interrupt = [&](Words more) {
    more.insert(more.begin(),
                {"augment", "in", "-o", "out", "--overwrite", "-j", "2", "--json=log"});
    CHECK(signalled_at(SIGINT, ".png", more).exit_code == 130);
    CHECK(fs::remove(path() / "log"));
    return content("out/manifest.jsonl");
  };
  CHECK(interrupt({"--variants", "flop"}) == whole);
  // Also if somebody has put its lines out of order.
  const std::string header = whole.substr(0, whole.find('\n') + 1);
  std::string mixed;
  std::istringstream lines(whole.substr(header.size()));
  for (std::string line; std::getline(lines, line);) mixed.insert(0, line + "\n");
  mixed.insert(0, header);
  add("out/manifest.jsonl", mixed + whole);
  CHECK(interrupt({"--variants", "flop"}) == whole);
  // And adds what it wrote, by its key.
  const std::string more = interrupt({"--variants", "flip"});
  CHECK(std::count(more.begin(), more.end(), '\n') ==
        static_cast<std::ptrdiff_t>(files("out").size()));
  CHECK(more.size() > whole.size());
}

TEST_CASE_METHOD(Workplace,
                 "The manifest of a resumed augmentation says what each result was made of") {
  for (const std::string name : {"in/a", "in/b"}) {
    add(name + ".png", png(numbered_picture(1, 500, 400)));
    add(name + ".caption", "before");
  }
  Words words = {"augment", "in", "-o", "out", "--variants", "flop", "-j", "1"};
  CHECK(signalled_at(SIGINT, ".png", words).exit_code == 130);
  REQUIRE(exists("out/a__flop.caption"));
  REQUIRE_FALSE(exists("out/b__flop.caption"));
  add("in/a.caption", "after");
  words.emplace_back("--resume");
  done(words);
  CHECK(content("out/a__flop.caption") == "before");
  // A copy has the hash of what it was made of.
  std::istringstream lines(content("out/manifest.jsonl"));
  int copies = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto entry = nlohmann::json::parse(line);
    if (!entry.contains("sidecars")) continue;
    ++copies;
    CHECK(entry["sidecars"][0]["source"] == entry["sidecars"][0]["result"]);
  }
  CHECK(copies == 2);
}

}  // namespace stop_test
