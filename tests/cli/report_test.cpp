// What the program says while it runs and at the end: the summary, the lines of -v, of --dry-run
// and of --json.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace report_test {

using namespace cli;

namespace {

const Picture small = smooth_picture(48, 32), cut = smooth_picture(33, 17);

/// The names of files and what is in them, one of each format that the program writes.
const std::map<std::string, std::string>& every_format() {
  static const std::map<std::string, std::string> files = [] {
    Workplace workplace;
    workplace.add("a.png", png(small));
    std::map<std::string, std::string> made;
    for (const qturn::Codec* codec : qturn::codecs()) {
      const std::string name =
          "plain-" + std::string(codec->name) + std::string(codec->suffixes.front());
      if (qturn::codec_of_name(codec->name) != codec) continue;
      (void)workplace.qturn({"flop", "a.png", "-o", name, "--format", std::string(codec->name)});
      if (workplace.exists(name)) made[name] = workplace.content(name);
    }
    return made;
  }();
  return files;
}

/// A picture of each format, some that are tagged, one that is damaged, and another file.
void add_pictures(const Workplace& workplace, const std::string& folder = "in/") {
  CHECK(every_format().size() > 9);
  for (const auto& [name, content] : every_format()) workplace.add(folder + name, content);
  workplace.add(folder + "oriented.jpg", tagged_jpeg(small, 6));
  workplace.add(folder + "tagged.png", tagged_png(small, 8));
  workplace.add(folder + "cut.jpg", tagged_jpeg(cut, 3));
  workplace.add(folder + "cut-plain.jpg", jpeg(cut));
  workplace.add(folder + "damaged.png", png(small).substr(0, 3000));
  workplace.add(folder + "note.txt", "note");
}

struct Summary {
  std::uint64_t done = 0, total = 0;
  std::map<std::string, std::uint64_t> ways, rest;  // how what is done is done; all others

  static std::uint64_t sum(const std::map<std::string, std::uint64_t>& parts) {
    std::uint64_t all = 0;
    for (const auto& [what, count] : parts) all += count;
    return all;
  }
};

std::map<std::string, std::uint64_t> parts_of(const std::string& text) {
  std::map<std::string, std::uint64_t> parts;
  const std::regex part("(?:, |^)(?:interrupted with )?([0-9]+) ([^,]+)");
  for (std::sregex_iterator at(text.begin(), text.end(), part), end; at != end; ++at)
    parts[(*at)[2]] += std::stoull((*at)[1]);
  return parts;
}

Summary summary_of(const std::string& said) {
  const std::regex line(
      "qturn: ([0-9]+) of ([0-9]+) (?:pictures?|variants?(?: of [0-9]+ pictures?)?) written(?: "
      "\\((.*)\\))?([^;\n]*); [^\n]* s[,\n]");
  std::smatch found;
  INFO(said);
  REQUIRE(std::regex_search(said, found, line));
  return {std::stoull(found[1]), std::stoull(found[2]), parts_of(found[3]), parts_of(found[4])};
}

/// The words for a line of --json.
std::string way_of(const nlohmann::json& line) {
  const std::string route = line["route"];
  if (line["status"] == "salvaged") return "salvaged from damaged files";
  if (route == "copied") return "copied byte for byte";
  if (route == "tagged") return "by the orientation tag alone";
  if (route == "lossless") return "losslessly";
  if (route == "trimmed") return "with edges trimmed";
  return line["lossy"] == true ? "re-encoded with loss" : "re-encoded without loss";
}

/// "a.png" and how it is turned, of a line of --dry-run or of -v.
std::set<std::pair<std::string, std::string>> ways_of(const std::string& said) {
  std::set<std::pair<std::string, std::string>> ways;
  const std::regex line("(\\S+) -> (\\S+) \\([a-z0-9]+, ([a-z -]+)(, [0-9]+ x [0-9]+)?\\)\n");
  for (std::sregex_iterator at(said.begin(), said.end(), line), end; at != end; ++at)
    ways.emplace((*at)[2], (*at)[3]);
  return ways;
}

/// The summary accounts for every picture, in the words of the lines of --json.
Summary check_summary(const Result& result) {
  const Summary summary = summary_of(result.raw_err);
  INFO(result.err);
  CHECK(Summary::sum(summary.ways) == summary.done);
  CHECK(summary.done + Summary::sum(summary.rest) == summary.total);
  std::map<std::string, std::uint64_t> ways;
  for (const std::string& text : result.out_lines()) {
    const auto line = nlohmann::json::parse(text);
    if (line["input"] == "in/note.txt") continue;  // no picture
    if (line["status"] == "done" || line["status"] == "salvaged") ++ways[way_of(line)];
  }
  CHECK(ways == summary.ways);
  return summary;
}

}  // namespace

TEST_CASE("The parts of a summary add up, over operations, formats and options") {
  const Words operations[] = {{"upright"}, {"rotate90"},
                              {"flip"},    {"transpose"},
                              {"augment"}, {"augment", "--random", "3", "--group", "path"}};
  const Words options[] = {{},
                           {"--jpeg-edges", "trim"},
                           {"--jpeg-edges", "tag"},
                           {"--jpeg-edges", "skip"},
                           {"--jpeg-edges", "fail"},
                           {"--jpeg", "planar"},
                           {"--format", "png"},
                           {"--format", "jpeg"},
                           {"--salvage"},
                           {"--strict"}};
  std::set<std::string> seen;
  for (const Words& operation : operations) {
    for (const Words& option : options) {
      if (operation[0] == "augment" && option == Words{"--salvage"}) continue;  // it has none
      CAPTURE(operation, option);
      Workplace workplace;
      add_pictures(workplace);
      const Summary summary = check_summary(
          workplace.failed(with(with(operation, {"in", "-o", "out", "--json"}), option)));
      CHECK(summary.total > 12);
      for (const auto& [way, count] : summary.ways) seen.insert(way);
    }
  }
  CHECK(seen.size() == 7);  // each of them was there
}

TEST_CASE_METHOD(
    Workplace,
    "The parts of a summary add up in place, for a second run, with other files, of tars") {
  add_pictures(*this);
  add("here/a.jpg", tagged_jpeg(small, 6));
  add("here/b.jpg", tagged_jpeg(cut, 3));
  add("here/c.png", png(small));
  add("in.tar", tests::tar({{"a.jpg", jpeg(small)}, {"b.png", png(small)}}));
  const Summary in_place = check_summary(done({"upright", "here", "--in-place", "--json"}));
  CHECK(in_place.rest ==
        std::map<std::string, std::uint64_t>{
            {"already upright", 1}, {"left alone because a turn would not be lossless", 1}});
  (void)check_summary(failed({"flop", "in", "-o", "out", "--json", "--others", "copy"}));
  std::filesystem::remove(path() / "out/tagged.png");
  const Summary again =
      check_summary(failed({"flop", "in", "-o", "out", "--json", "--skip-existing"}));
  CHECK(again.done == 1);
  failed({"flop", "in", "-o", "out", "-v", "--skip-existing"},
         "in/tagged.png: left alone: out/tagged.png exists\n");
  CHECK(again.rest.at("failed") == 1);
  const Summary named =
      check_summary(failed({"flop", "in/oriented.jpg", "in/note.txt", "-o", "named", "--json"}));
  CHECK(named.total == 2);
  CHECK(check_summary(done({"flop", "in.tar", "-o", "out.tar", "--json"})).total == 2);
  CHECK(check_summary(done({"augment", "in.tar", "-o", "more.tar", "--json"})).total == 16);
  const Summary variants = check_summary(
      failed({"augment", "in/oriented.jpg", "in/note.txt", "-o", "variants", "--json"}));
  CHECK(variants.total == 8);
}

TEST_CASE_METHOD(
    Workplace,
    "The parts of a summary add up for a run that is interrupted, and for the one after it") {
  add_pictures(*this);
  add("in/first.png", png(smooth_picture(200, 150)));  // the largest one
  signal_at(SIGTERM, ".png");
  const Result stopped = qturn({"flop", "in", "-o", "out", "--json", "-j", "1", "--fsync", "each"});
  CHECK(stopped.exit_code == 143);
  CHECK(check_summary(stopped).rest.at("to do") > 0);
  environment.clear();
  const Summary resumed = check_summary(failed({"flop", "in", "-o", "out", "--json", "--resume"}));
  CHECK(resumed.rest.at("done before the interruption") > 0);
}

TEST_CASE_METHOD(Workplace,
                 "A dry run, -v and the outcome say in the same words how each file is turned") {
  add_pictures(*this);
  for (const Words& options : {Words{}, Words{"--jpeg-edges", "trim"}, Words{"--jpeg-edges", "tag"},
                               Words{"--jpeg", "planar"}}) {
    CAPTURE(options);
    const auto run = [&](const char* operation, const Words& more) {
      std::filesystem::remove_all(path() / "out");
      return failed(with(with({operation, "in", "-o", "out"}, options), more));
    };
    for (const char* operation : {"upright", "rotate90", "augment"}) {
      auto planned = ways_of(run(operation, {"--dry-run"}).out);
      std::erase_if(planned, [](const auto& way) { return way.first.starts_with("out/damaged"); });
      CHECK(planned.size() > 12);
      CHECK(planned == ways_of(run(operation, {"-v"}).err));
    }
  }
}

TEST_CASE_METHOD(Workplace,
                 "Of a reason that many files share, ten are named, and counted are all") {
  for (int i = 0; i < 30; ++i) {
    const std::string number = std::to_string(100 + i);
    add("in/" + number + ".png", png(small).substr(0, 100 + static_cast<std::size_t>(i)));
  }
  add("in/other.jpg", jpeg(small).substr(0, 200));
  const Words words = {"flop", "in", "-o", "out"};
  const auto times = [](const std::string& text, const std::string& part) {
    int count = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const Result some = failed(words);
  CHECK(times(some.err, "truncated") == 12);
  CHECK_THAT(some.err, ContainsSubstring("20 more, such as in/1"));
  CHECK_THAT(some.err, ContainsSubstring("in/other.jpg: "));
  const Result all = failed(with(words, {"-v"}));
  CHECK(times(all.err, "truncated") == 31);
  CHECK_THAT(all.err, !ContainsSubstring("more, such as"));
}

TEST_CASE("A terminal is shown a bar that is drawn again and always fits, and a summary") {
  for (const unsigned short columns : {24, 100}) {
    CAPTURE(columns);
    Workplace workplace;
    for (int i = 0; i < 24; ++i)
      workplace.add("in/" + std::to_string(i) + ".png", png(random_picture(500, 400)));
    // However fast the machine is, the run lasts for longer than the bar takes to appear.
    workplace.signal_at(SIGSTOP, ".png");
    const Result result = workplace.on_terminal({"flop", "in", "-o", "out", "-j", "1"}, columns);
    CHECK(result.exit_code == 0);
    const std::string& shown = result.out;
    const std::size_t drawn = shown.find(" of 24 pictures");
    REQUIRE(drawn != std::string::npos);
    const std::size_t first = shown.rfind('\r', drawn);
    const std::string line = shown.substr(first + 1, shown.find("\033[K", drawn) - first - 1);
    CAPTURE(line);
    CHECK(line.size() < columns);
    CHECK(line.starts_with("[") == (columns == 100));
    CHECK_THAT(line, ContainsSubstring(" %"));
    CHECK_THAT(shown, ContainsSubstring("\r\033[K"));
    CHECK_THAT(shown, ContainsSubstring("24 of 24 pictures written"));
  }
}

TEST_CASE_METHOD(Workplace,
                 "Errors, warnings and hints have lines of their own, in colour on a terminal") {
  add("in/cut.jpg", jpeg(cut));
  add("in/damaged.png", png(small).substr(0, 100));
  add("in/much.jpg", jpeg(small) + std::string(1 << 20, 'x'));
  const auto has_line = [](const Result& result, const std::string& line) {
    return ("\n" + result.raw_err).find("\n" + line) != std::string::npos;
  };
  const Words words = {"rotate180", "in", "-o", "out"};
  const Result turned = failed(words);
  CHECK(has_line(turned, "qturn: error: in/damaged.png: truncated"));
  CHECK(has_line(turned,
                 "qturn: warning: 1 JPEG could not be turned losslessly and was re-encoded\n"
                 "qturn: hint: --jpeg-edges trim or tag avoids that, -v names it\n"));
  CHECK(has_line(turned, "qturn: 2 of 3 pictures written ("));
  CHECK(has_line(failed({"rotate180", "in/cut.jpg", "-o", "strict", "--strict"}),
                 "qturn: error: in/cut.jpg: cannot be turned without loss, because an edge cuts "
                 "through a block (--strict)\n"
                 "qturn: hint: --jpeg-edges trim or tag avoids that\n"));
  CHECK(refused(words).raw_err ==
        "qturn: error: out/cut.jpg, out/much.jpg exist already\n"
        "qturn: hint: use --resume to go on with the run that was interrupted, --overwrite, "
        "--skip-existing or --update, or another output\n");
  CHECK(qturn({"spin", "in"}).raw_err ==
        "qturn: error: 'spin' is not an operation; begin with one, as in 'qturn upright photos -o "
        "turned'\n"
        "qturn: hint: see 'qturn --help'\n");
  CHECK_THAT(turned.raw_err, !ContainsSubstring("\033"));
  const auto shown = [&] {
    return on_terminal({"rotate180", "in", "-o", "other", "--overwrite"}, 80).out;
  };
  CHECK_THAT(shown(), ContainsSubstring("qturn: \033[1;31merror:\033[0m in/damaged.png: ") &&
                          ContainsSubstring("qturn: \033[1;33mwarning:\033[0m 1 JPEG ") &&
                          ContainsSubstring("qturn: \033[1;36mhint:\033[0m --jpeg-edges "));
  environment["NO_COLOR"] = "1";
  CHECK_THAT(shown(),
             ContainsSubstring("qturn: error: in/damaged.png: ") && !ContainsSubstring("\033[1"));
}

TEST_CASE_METHOD(Workplace, "A log is shown a line of progress only if --progress asks for it") {
  for (int i = 0; i < 24; ++i) add("in/" + std::to_string(i) + ".png", png(small));
  for (const char* option : {"--progress=1", "--progress", "--fsync=end"}) {
    CAPTURE(option);
    std::filesystem::remove_all(path() / "out");
    signal_at(SIGSTOP, ".png");
    const Running running = start({"flop", "in", "-o", "out", "-j", "1", "-q", option});
    REQUIRE(running.wait_until_stopped());
    ::usleep(1'200'000);
    running.signal(SIGCONT);
    const Result result = running.wait();
    CHECK(result.exit_code == 0);
    if (option == std::string("--progress=1"))
      CHECK_THAT(result.err, StartsWith("qturn: ") && ContainsSubstring(" of 24 pictures, "));
    else
      CHECK(result.err.empty());
  }
}

TEST_CASE_METHOD(Workplace, "SIGUSR1 prints a line of progress and ends nothing") {
  for (int i = 0; i < 3; ++i) add("in/" + std::to_string(i) + ".png", png(small));
  signal_at(SIGSTOP, ".png");
  const Running running = start({"flop", "in", "-o", "out", "-j", "1", "-q"});
  REQUIRE(running.wait_until_stopped());
  running.signal(SIGUSR1);
  running.signal(SIGCONT);
  const Result result = running.wait();
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, ContainsSubstring(" of 3 pictures, "));
  CHECK(std::ranges::count(result.err, '\n') == 1);
  CHECK(files("out").size() == 3);
}

}  // namespace report_test
