#include "src/plan/plan.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/fixtures/every_codec.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace jobs_test {

namespace fs = std::filesystem;
using qturn::Existing;
using qturn::Hint;
using qturn::Hints;
using qturn::Job;
using qturn::Orientation;
using qturn::Others;
using qturn::Plan;
using qturn::PlanError;
using qturn::PlanOptions;
using qturn::Sentence;

namespace {

const std::string jpeg = "\xff\xd8\xff\xe0 no more than a signature";
const std::string png = "\x89PNG\r\n\x1a\n no more than a signature";

/// A temporary folder that is the current one, so that paths and messages are short.
class Workplace : public TemporaryFolder {
 public:
  Workplace() : before_(fs::current_path()) { fs::current_path(path()); }
  ~Workplace() { fs::current_path(before_); }

 private:
  fs::path before_;
};

PlanOptions options_for(std::vector<fs::path> inputs, fs::path output) {
  PlanOptions options;
  options.inputs = std::move(inputs);
  options.output = std::move(output);
  return options;
}

/// Input to output, for every output there is.
using Pairs = std::multimap<std::string, std::string>;

Pairs pairs(const Plan& plan) {
  Pairs pairs;
  for (const Job& job : plan.jobs) {
    for (const auto& output : job.outputs) pairs.emplace(job.input.string(), output.path.string());
  }
  return pairs;
}

Pairs planned(const PlanOptions& options) { return pairs(qturn::plan(options)); }

Sentence refusal(const PlanOptions& options) {
  try {
    qturn::plan(options);
  } catch (const PlanError& error) {
    return {error.what(), qturn::hints_of(error)};
  }
  return {};
}

std::string message_of(const PlanOptions& options) { return refusal(options).text; }

PlanOptions with_companions(std::vector<fs::path> inputs, fs::path output) {
  PlanOptions options = options_for(std::move(inputs), std::move(output));
  options.labels.take = qturn::TakeLabels::found;
  options.masks.take = true;
  return options;
}

/// Input to output, for the companions of every output there is.
Pairs companions(const PlanOptions& options) {
  Pairs pairs;
  for (const Job& job : qturn::plan(options).jobs)
    for (const auto& output : job.outputs)
      for (const qturn::Companion& each : output.companions)
        pairs.emplace(each.input.string(), each.output.string());
  return pairs;
}

const std::string box = "0 0.5 0.5 0.25 0.25\n";

void set_time(const fs::path& path, time_t seconds) {
  const timespec times[] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

}  // namespace

TEST_CASE("the contents of a folder go under the output by their keys") {
  const Workplace here;
  here.add("photos/a.jpg", jpeg);
  here.add("photos/x/b.png", png);
  here.add("photos/notes.TXT", "text");
  here.add("photos/README", "text");
  const Plan plan = qturn::plan(options_for({"photos"}, "out/turned"));
  CHECK(pairs(plan) ==
        Pairs{{"photos/a.jpg", "out/turned/a.jpg"}, {"photos/x/b.png", "out/turned/x/b.png"}});
  CHECK(plan.output_folder == "out/turned");
  CHECK(plan.others == std::map<std::string, std::uint64_t>{{".txt", 1}, {"no suffix", 1}});
  CHECK_FALSE(plan.jobs[0].target);
  CHECK_FALSE(fs::exists("out"));
}

TEST_CASE("the largest file comes first, and ties go by key") {
  const Workplace here;
  here.add("photos/b.jpg", jpeg);
  here.add("photos/a.jpg", jpeg);
  here.add("photos/z.jpg", jpeg + "longer");
  std::vector<std::string> keys;
  for (const Job& job : qturn::plan(options_for({"photos"}, "out")).jobs) keys.push_back(job.key);
  CHECK(keys == std::vector<std::string>{"z.jpg", "a.jpg", "b.jpg"});
}

TEST_CASE("other files are copied if asked, with their names as they are") {
  const Workplace here;
  here.add("photos/a.jpg", jpeg);
  here.add("photos/notes.txt", "text");
  PlanOptions options = options_for({"photos"}, "out");
  options.others = Others::copy;
  options.format = &qturn::png::codec;
  options.variants = {Orientation::flip};
  const Plan plan = qturn::plan(options);
  CHECK(pairs(plan) ==
        Pairs{{"photos/a.jpg", "out/a__flip.png"}, {"photos/notes.txt", "out/notes.txt"}});
  for (const Job& job : plan.jobs) CHECK(job.copy_verbatim == (job.key == "notes.txt"));
  CHECK(plan.others.empty());
}

TEST_CASE("one file goes to one file where the output has a picture's suffix") {
  const Workplace here;
  here.add("a.jpg", jpeg);
  here.add("b.jpg", jpeg);
  const Plan plan = qturn::plan(options_for({"a.jpg"}, "new.png"));
  CHECK(pairs(plan) == Pairs{{"a.jpg", "new.png"}});
  CHECK(plan.jobs[0].target == &qturn::png::codec);
  CHECK(plan.output_folder.empty());

  CHECK(planned(options_for({"a.jpg"}, "new")) == Pairs{{"a.jpg", "new/a.jpg"}});
  CHECK(planned(options_for({"a.jpg"}, "new.png/")) == Pairs{{"a.jpg", "new.png/a.jpg"}});
  CHECK(message_of(options_for({"a.jpg", "b.jpg"}, "new.png")) ==
        "new.png: several pictures cannot go into one file; name a folder");
  CHECK(qturn::plan(options_for({"a.jpg", "b.jpg"}, "new.png/")).output_folder == "new.png/");
  fs::create_directory("is.png");
  CHECK(planned(options_for({"a.jpg"}, "is.png")) == Pairs{{"a.jpg", "is.png/a.jpg"}});

  SECTION("--format must agree with that suffix") {
    PlanOptions options = options_for({"a.jpg"}, "new.tif");
    options.format = &qturn::tiff::codec;
    CHECK(qturn::plan(options).jobs[0].target == &qturn::tiff::codec);
    options.format = &qturn::png::codec;
    CHECK(message_of(options) == "new.tif: its suffix says tiff, and the format asked for is png");
  }
  SECTION("several variants do not fit into one file") {
    PlanOptions options = options_for({"a.jpg"}, "new.png");
    options.variants = {Orientation::flip};
    CHECK(message_of(options) ==
          "new.png: several pictures cannot go into one file; name a folder");
  }
}

TEST_CASE("a format changes the suffix of names that do not promise it") {
  const Workplace here;
  for (const char* name : {"a.JPEG", "b.png", "c", "d.2024", "e.tar.tiff"}) {
    here.add(fs::path("photos") / name, jpeg);
  }
  PlanOptions options = options_for({"photos"}, "out");
  options.format = &qturn::jpeg::codec;
  const Plan plan = qturn::plan(options);
  CHECK(pairs(plan) == Pairs{{"photos/a.JPEG", "out/a.JPEG"},
                             {"photos/b.png", "out/b.jpg"},
                             {"photos/c", "out/c.jpg"},
                             {"photos/d.2024", "out/d.2024.jpg"},
                             {"photos/e.tar.tiff", "out/e.tar.jpg"}});
  for (const Job& job : plan.jobs) CHECK(job.target == &qturn::jpeg::codec);
}

TEST_CASE("variants are named after the stem and the orientation") {
  const Workplace here;
  here.add("photos/x.y/a.b.jpg", jpeg);
  PlanOptions options = options_for({"photos"}, "out");
  options.variants = {Orientation::identity, Orientation::rotate90};
  const Plan plan = qturn::plan(options);
  REQUIRE(plan.jobs.size() == 1);
  REQUIRE(plan.jobs[0].outputs.size() == 2);
  CHECK(plan.jobs[0].outputs[0].path == "out/x.y/a.b__identity.jpg");
  CHECK(plan.jobs[0].outputs[1].path == "out/x.y/a.b__rotate90.jpg");
  CHECK(plan.jobs[0].outputs[1].variant == Orientation::rotate90);
}

TEST_CASE("random variants depend on the seed and the key") {
  const Workplace here;
  here.add("photos/a.jpg", jpeg);
  PlanOptions options = options_for({"photos"}, "out");
  options.random_variants = 3;
  // As in variants_test.cpp.
  CHECK(planned(options) == Pairs{{"photos/a.jpg", "out/a__rotate180.jpg"},
                                  {"photos/a.jpg", "out/a__transpose.jpg"},
                                  {"photos/a.jpg", "out/a__rotate270.jpg"}});
  options.seed = 1;
  CHECK(planned(options) == Pairs{{"photos/a.jpg", "out/a__rotate180.jpg"},
                                  {"photos/a.jpg", "out/a__transpose.jpg"},
                                  {"photos/a.jpg", "out/a__rotate90.jpg"}});
}

TEST_CASE("a file named twice is one job") {
  const Workplace here;
  here.add("a.jpg", jpeg);
  CHECK(planned(options_for({"a.jpg", "./a.jpg"}, "out")).size() == 1);
  CHECK(planned(options_for({"a.jpg", "./a.jpg"}, "")).size() == 1);
}

TEST_CASE("two jobs with one output are refused") {
  const Workplace here;
  here.add("x/a.jpg", jpeg);
  here.add("x/a.png", png);
  here.add("y/a.jpg", jpeg);
  const std::string advice = "; run them one after the other, each with its own output";
  CHECK(message_of(options_for({"x/a.jpg", "y/a.jpg"}, "out"))
            .ends_with(" would both be written to out/a.jpg" + advice));
  PlanOptions options = options_for({"x"}, "out");
  options.format = &qturn::png::codec;
  CHECK(message_of(options) == "x/a.jpg and x/a.png would both be written to out/a.png" + advice);

  SECTION("also when they meet through a link") {
    here.add("photos/1/a.jpg", jpeg);
    here.add("photos/2/a.jpg", jpeg);
    fs::create_directories("out/1");
    fs::create_symlink("1", "out/2");
    CHECK(message_of(options_for({"photos"}, "out")) ==
          "photos/1/a.jpg and photos/2/a.jpg would both be written to out/2/a.jpg" + advice);
  }
  SECTION("or one of them is a link to the other") {
    here.add("photos/a.jpg", jpeg);
    here.add("photos/b.jpg", jpeg);
    here.add("out/a.jpg", "old");
    fs::create_symlink("a.jpg", "out/b.jpg");
    PlanOptions linked = options_for({"photos"}, "out");
    linked.existing = Existing::overwrite;
    CHECK(message_of(linked) ==
          "photos/a.jpg and photos/b.jpg would both be written to out/b.jpg" + advice);
  }
  SECTION("and none is written through a link to what does not exist") {
    here.add("photos/a.jpg", jpeg);
    fs::create_directories("out");
    fs::create_symlink("elsewhere.jpg", "out/a.jpg");
    PlanOptions linked = options_for({"photos"}, "out");
    linked.existing = Existing::overwrite;
    CHECK(message_of(linked) ==
          "out/a.jpg is a symbolic link to a file that does not exist; remove it, or choose "
          "another output");
  }
  SECTION("and so is an output that another output needs as a folder") {
    here.add("f/b.jpg/c.jpg", jpeg);
    here.add("b.jpg", jpeg);
    CHECK(message_of(options_for({"f", "b.jpg"}, "out")) ==
          (here.path() / "out/b.jpg").string() +
              ": the output would be a file, for b.jpg, and a folder as well");
  }
}

TEST_CASE("an existing output is refused unless an option says what to do") {
  const Workplace here;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    set_time(here.add(std::string("photos/") + name + ".jpg", jpeg), 1000);
  }
  here.add("out/a.jpg", "old");
  PlanOptions options = options_for({"photos"}, "out");
  CHECK(refusal(options) == Sentence("out/a.jpg exists already", {Hint::replace_or_skip}));
  for (const char* name : {"b", "c", "d"}) here.add(std::string("out/") + name + ".jpg", "old");
  CHECK(message_of(options) == "out/a.jpg, out/b.jpg, out/c.jpg and 1 more exist already");

  SECTION("overwrite takes all") {
    options.existing = Existing::overwrite;
    const Plan plan = qturn::plan(options);
    CHECK(plan.jobs.size() == 5);
    CHECK(plan.jobs.skipped_count() == 0);
  }
  SECTION("skip leaves out what exists") {
    options.existing = Existing::skip;
    const Plan plan = qturn::plan(options);
    CHECK(pairs(plan) == Pairs{{"photos/e.jpg", "out/e.jpg"}});
    CHECK(plan.jobs.skipped_count() == 4);
  }
  SECTION("update takes what is older than its input") {
    set_time("out/a.jpg", 999);
    set_time("out/b.jpg", 1000);
    set_time("out/c.jpg", 1001);
    options.existing = Existing::update;
    const Plan plan = qturn::plan(options);
    CHECK(pairs(plan) == Pairs{{"photos/a.jpg", "out/a.jpg"}, {"photos/e.jpg", "out/e.jpg"}});
    CHECK(plan.jobs.skipped_count() == 3);
  }
  SECTION("of several variants only the missing ones are made") {
    here.add("out/a__flip.jpg", "old");
    options = options_for({"photos/a.jpg"}, "out");
    options.variants = {Orientation::flip, Orientation::flop};
    options.existing = Existing::skip;
    const Plan plan = qturn::plan(options);
    CHECK(pairs(plan) == Pairs{{"photos/a.jpg", "out/a__flop.jpg"}});
    plan.jobs.for_each_skipped(
        [](const qturn::Skipped& skipped) { CHECK(skipped.output == "out/a__flip.jpg"); });
  }
  SECTION("nothing left to do is not an error") {
    here.add("out/e.jpg", "old");
    options.existing = Existing::skip;
    CHECK(qturn::plan(options).jobs.empty());
  }
}

TEST_CASE("what exists under an output's name must be a regular file") {
  const Workplace here;
  here.add("a.jpg", jpeg);
  fs::create_directories("out/a.jpg");
  PlanOptions options = options_for({"a.jpg"}, "out");
  options.existing = Existing::overwrite;
  CHECK(message_of(options) == "out/a.jpg: is not a regular file; choose another output");
}

TEST_CASE("an output that is an input is refused, whatever it is called") {
  const Workplace here;
  here.add("a.jpg", jpeg);
  here.add("photos/b.jpg", jpeg);
  fs::create_symlink("a.jpg", "link.jpg");
  fs::create_hard_link("a.jpg", "hard.jpg");
  fs::create_directory_symlink("photos", "photos_link");
  const auto message = [](const fs::path& input, const fs::path& output) {
    PlanOptions options = options_for({input}, output);
    options.existing = Existing::overwrite;
    return message_of(options);
  };
  const std::string reason = ": is an input as well";
  CHECK(message("a.jpg", ".") == "./a.jpg" + reason);
  CHECK(message("a.jpg", "a.jpg") == "a.jpg" + reason);
  CHECK(message("a.jpg", "link.jpg") == "link.jpg" + reason);
  CHECK(message("link.jpg", "a.jpg") == "a.jpg" + reason);
  CHECK(message("a.jpg", "hard.jpg") == "hard.jpg" + reason);
  CHECK(message("photos/b.jpg", "photos_link") == "photos_link/b.jpg" + reason);
  CHECK(message("photos", "photos_link") == "photos is both input and output");
  CHECK(message("photos", "photos/../photos/") == "photos is both input and output");
  CHECK(refusal(options_for({"photos"}, "photos")).hints == Hints{Hint::work_in_place});
  CHECK(message("photos", "photos/turned") ==
        "the output photos/turned lies inside the input photos, where the next run would read it; "
        "choose an output elsewhere");
  CHECK(message("photos", "photos_link/turned") ==
        "the output photos_link/turned lies inside the input photos, where the next run would read "
        "it; choose an output elsewhere");
}

TEST_CASE("an input inside the output is refused only where the output would reach it") {
  const Workplace here;
  here.add("photos/a.jpg", jpeg);
  CHECK(planned(options_for({"photos"}, ".")) == Pairs{{"photos/a.jpg", "./a.jpg"}});
  here.add("photos/photos/b.jpg", jpeg);
  CHECK(message_of(options_for({"photos"}, ".")) ==
        "the output ./photos lies inside the input photos, where the next run would read it; "
        "choose an output elsewhere");
}

TEST_CASE("an output where no file can be made is refused") {
  const Workplace here;
  here.add("photos/x/a.jpg", jpeg);
  here.add("file", "text");
  here.add("out/x", "text");
  const std::string folder = here.path().string();
  const std::string reason = ": is a file, and the output needs a folder there";
  CHECK(message_of(options_for({"photos"}, "file")) == folder + "/file" + reason);
  CHECK(message_of(options_for({"photos"}, "file/deeper")) == folder + "/file" + reason);
  CHECK(message_of(options_for({"photos"}, "out")) == folder + "/out/x" + reason);
  CHECK(message_of(options_for({"photos"}, "-")) ==
        "several pictures cannot go to standard output; name a folder");

  fs::create_directory("locked");
  REQUIRE(::chmod("locked", 0555) == 0);
  REQUIRE(::chmod(".", 0755) == 0);
  const bool was_root = ::geteuid() == 0 && ::seteuid(65534) == 0;
  const std::string message = message_of(options_for({"photos"}, "locked/a/b"));
  if (was_root) REQUIRE(::seteuid(0) == 0);
  CHECK(message ==
        folder + "/locked: cannot be written to: Permission denied; choose another output");
}

TEST_CASE("no pictures at all is refused, with what there was instead") {
  const Workplace here;
  fs::create_directory("empty");
  here.add("texts/a.txt", "text");
  here.add("texts/b.txt", "text");
  here.add("texts/c.cr2", "raw");
  here.add("photos/a.jpg", jpeg);
  CHECK(message_of(options_for({"empty"}, "out")) == "no pictures in empty");
  CHECK(refusal(options_for({"empty", "texts"}, "out")) ==
        Sentence("no pictures in empty, texts; found only 1 .cr2, 2 .txt", {Hint::turn_raw_tag}));
  PlanOptions options = options_for({"photos"}, "out");
  options.include = {"*.png"};
  CHECK(message_of(options) == "no pictures in photos; left out by patterns: 1");
  options = options_for({"texts"}, "out");
  options.others = Others::copy;
  CHECK(message_of(options).starts_with("no pictures in texts"));
  CHECK(message_of(options_for({}, "out")) == "no input files");
  CHECK(message_of(options_for({"none"}, "out")) == "none: No such file or directory");
}

TEST_CASE("in place, a file is its own output and a link's target is the link's") {
  const Workplace here;
  here.add("photos/a.jpg", jpeg);
  here.add("photos/notes.txt", "text");
  fs::create_symlink("photos/a.jpg", "link.jpg");
  PlanOptions options = options_for({"photos"}, "");
  options.others = Others::copy;
  const Plan plan = qturn::plan(options);
  CHECK(pairs(plan) == Pairs{{"photos/a.jpg", "photos/a.jpg"}});
  CHECK(plan.others == std::map<std::string, std::uint64_t>{{".txt", 1}});
  CHECK(plan.output_folder.empty());
  CHECK(planned(options_for({"link.jpg"}, "")) ==
        Pairs{{"link.jpg", (here.path() / "photos/a.jpg").string()}});
  CHECK(planned(options_for({"link.jpg", "photos", "photos/a.jpg"}, "")).size() == 1);
}

TEST_CASE("in place, hard links are refused unless they may be broken") {
  const Workplace here;
  here.add("photos/a.jpg", jpeg);
  here.add("photos/b.jpg", jpeg);
  fs::create_hard_link("photos/a.jpg", "other.jpg");
  PlanOptions options = options_for({"photos"}, "");
  CHECK(refusal(options) ==
        Sentence("photos/a.jpg has other names (hard links), which would stay as they are",
                 {Hint::break_links}));
  options.break_links = true;
  CHECK(planned(options).size() == 2);

  SECTION("then each name that was given becomes a file of its own, once") {
    options.inputs = {"photos/a.jpg", "other.jpg", "photos"};
    CHECK(planned(options).size() == 3);
  }
  SECTION("with an output they are left alone") {
    CHECK(planned(options_for({"photos"}, "out")).size() == 2);
  }
}

TEST_CASE("in place, options that need another name are refused") {
  const Workplace here;
  here.add("a.jpg", jpeg);
  PlanOptions options = options_for({"a.jpg"}, "");
  options.format = &qturn::png::codec;
  CHECK(
      refusal(options) ==
      Sentence("another format gives a file another suffix, so it cannot be changed in place; name "
               "an output",
               {Hint::into_output}));
  options.format = nullptr;
  options.random_variants = 1;
  CHECK(message_of(options) == "several pictures cannot take the place of one; name an output");
}

TEST_CASE("names of any bytes keep them in the output") {
  const Workplace here;
  const std::string name = "#@%d [1]\n\xff.b c.jpg";
  here.add("photos/" + name, jpeg);
  CHECK(planned(options_for({"photos"}, "out")) == Pairs{{"photos/" + name, "out/" + name}});
}

TEST_CASE("a mask goes where its picture goes, and is not a picture of its own") {
  const Workplace here;
  here.add("set/images/x/a.jpg", jpeg);
  here.add("set/images/x/a_MASK_1.png", png);  // beside it
  here.add("set/Masks/x/A.png", png);          // in a folder of masks
  here.add("set/images/x_masks/a.png", png);   // in a folder that is named after the picture's
  here.add("set/images/x/a_masked.png", png);  // not the name of a mask
  here.add("set/labels/x/a.txt", box);
  const Plan plan = qturn::plan(with_companions({"set"}, "out"));
  CHECK(pairs(plan) == Pairs{{"set/images/x/a.jpg", "out/images/x/a.jpg"},
                             {"set/images/x/a_masked.png", "out/images/x/a_masked.png"}});
  CHECK(plan.others.empty());
  CHECK(plan.leftovers.first.empty());
  CHECK(companions(with_companions({"set"}, "out")) ==
        Pairs{{"set/labels/x/a.txt", "out/labels/x/a.txt"},
              {"set/images/x/a_MASK_1.png", "out/images/x/a_MASK_1.png"},
              {"set/images/x_masks/a.png", "out/images/x_masks/a.png"},
              {"set/Masks/x/A.png", "out/Masks/x/a.png"}});
  // Beside the input, they go below the output.
  CHECK(companions(with_companions({"set/images/x"}, "out")) ==
        Pairs{{"set/labels/x/a.txt", "out/a.txt"},
              {"set/images/x/a_MASK_1.png", "out/a_MASK_1.png"},
              {"set/images/x_masks/a.png", "out/x_masks/a.png"},
              {"set/Masks/x/A.png", "out/Masks/a.png"}});
}

TEST_CASE("a companion counts as an output and as an input") {
  const Workplace here;
  here.add("set/images/a.jpg", jpeg);
  here.add("set/masks/a.png", png);
  PlanOptions options = with_companions({"set/images"}, "out");
  SECTION("it may not go where a result goes") {
    here.add("set/images/masks/a.png", png);
    CHECK(message_of(options) ==
          "set/images/masks/a.png and set/masks/a.png would both be written to out/masks/a.png; "
          "run them one after the other, each with its own output");
  }
  SECTION("it may not replace itself") {
    options.output = "set";
    options.existing = Existing::overwrite;
    CHECK(message_of(options) == "set/masks/a.png: is an input as well");
  }
  SECTION("no result may replace one") {
    fs::create_directory("out");
    fs::create_hard_link("set/masks/a.png", "out/a.jpg");
    options.existing = Existing::overwrite;
    CHECK(message_of(options) == "out/a.jpg: is an input as well");
  }
  SECTION("it exists already") {
    here.add("out/masks/a.png", "old");
    CHECK(message_of(options) == "out/masks/a.png exists already");
    options.existing = Existing::skip;
    CHECK(message_of(options) == "out/masks/a.png exists, but not all that belongs to it");
  }
  SECTION("it is older than its input") {
    here.add("out/a.jpg", "new");
    set_time(here.add("out/masks/a.png", "old"), 1000);
    options.existing = Existing::update;
    CHECK(qturn::plan(options).jobs.size() == 1);
    set_time("set/masks/a.png", 999);
    CHECK(qturn::plan(options).jobs.empty());
  }
}

TEST_CASE("a mask that would not stay exact is refused") {
  const Workplace here;
  here.add("set/a.png", png);
  here.add("set/a_mask.jpg", jpeg);
  CHECK(refusal(with_companions({"set"}, "out")) ==
        Sentence("set/a_mask.jpg, a mask of set/a.png, is a JPEG, which changes the values of "
                 "pixels; store it as a PNG",
                 {Hint::turn_without_masks}));
  CHECK(planned(options_for({"set"}, "out")).size() == 2);
}

TEST_CASE("a mask without its picture is in the way of random variants") {
  const Workplace here;
  here.add("set/images/a.jpg", jpeg);
  here.add("set/images/b_mask.png", png);
  here.add("set/masks/c.png", png);
  PlanOptions options = with_companions({"set"}, "out");
  CHECK(qturn::plan(options).leftovers.first.empty());
  options.random_variants = 2;
  const auto leftovers = qturn::plan(options).leftovers;
  CHECK(leftovers.paths == std::set<std::string>{(here.path() / "set/images/b_mask.png").string(),
                                                 (here.path() / "set/masks/c.png").string()});
}

TEST_CASE("a file that belongs to two pictures is refused where both would turn it") {
  const Workplace here;
  here.add("set/a.jpg", jpeg);
  here.add("set/a.png", png);
  SECTION("as a label") {
    here.add("set/a.txt", box);
    CHECK(message_of(with_companions({"set"}, "out")) ==
          "set/a.txt belongs to set/a.jpg and to set/a.png, and would be written to out/a.txt for "
          "both; turn them one after the other, each with its own output");
    CHECK(message_of(with_companions({"set"}, "")) ==
          "set/a.txt belongs to set/a.jpg and to set/a.png, and would be turned twice; turn them "
          "one after the other, each into its own output");
  }
  SECTION("as a caption of variants") {
    here.add("set/a.caption", "a dog");
    PlanOptions options = with_companions({"set"}, "out");
    options.variants = {Orientation::flip};
    options.exclude = {"*.txt"};
    CHECK(message_of(options) ==
          "set/a.caption belongs to set/a.jpg and to set/a.png; turn them "
          "one after the other, each with its own output");
  }
}

TEST_CASE("a caption of variants is copied by its content, whatever its suffix") {
  const Workplace here;
  here.add("set/a.jpg", jpeg);
  here.add("set/a.caption", "a dog");
  PlanOptions options = with_companions({"set"}, "out");
  options.variants = {Orientation::flip};
  const Pairs copied = {{"set/a.caption", "out/a__flip.caption"}};
  CHECK(companions(options) == copied);
  // Where the walk has not looked into them, a picture is told from a caption all the same.
  here.add("set/a.orig", png);
  options.include = {"*.jpg"};
  CHECK(companions(options) == copied);
  options.inputs = {"set/a.jpg"};
  CHECK(companions(options) == copied);
}

TEST_CASE("in place, no companion is turned for others") {
  const Workplace here;
  here.add("set/images/a.jpg", jpeg);
  here.add("elsewhere/a.png", png);
  PlanOptions options = with_companions({"set"}, "");
  SECTION("where a link leads") {
    fs::create_directory_symlink("../elsewhere", "set/masks");
    CHECK(refusal(options) == Sentence("set/masks/a.png would be turned where the link set/masks "
                                       "leads, for whoever else uses that, too; turn "
                                       "set/images/a.jpg into a folder",
                                       {Hint::into_output, Hint::follow_links}));
    options.masks.folder = "set/masks";  // the user has named it
    options.inputs = {"set/images"};
    CHECK(planned(options).size() == 1);
  }
  SECTION("that has other names") {
    fs::create_directory("set/masks");
    fs::create_hard_link("elsewhere/a.png", "set/masks/a.png");
    CHECK(refusal(options) ==
          Sentence("set/masks/a.png has other names (hard links), which would stay as they are",
                   {Hint::break_links}));
    options.break_links = true;
    CHECK(planned(options).size() == 1);
  }
}

TEST_CASE("labels of many pictures are made once, in place from below the input") {
  const Workplace here;
  here.add("set/a.jpg", jpeg);
  here.add("set/all.json",
           R"({"images":[{"id":1,"file_name":"a.jpg","width":9,"height":9}],)"
           R"("annotations":[{"id":1,"image_id":1,"category_id":1,"bbox":[1,2,3,4]}],)"
           R"("categories":[{"id":1,"name":"dog"}]})");
  const auto made_once = [](const PlanOptions& options) {
    const Plan plan = qturn::plan(options);
    CHECK(plan.others.empty());
    Pairs pairs;
    plan.jobs.for_each_made_once([&](const fs::path& input, const fs::path& output) {
      pairs.emplace(input.string(), output.string());
    });
    return pairs;
  };
  CHECK(made_once(with_companions({"set"}, "out")) == Pairs{{"set/all.json", "out/all.json"}});
  CHECK(made_once(with_companions({"set"}, "")) == Pairs{{"set/all.json", "set/all.json"}});
  fs::create_directory("set/x");
  fs::rename("set/a.jpg", "set/x/a.jpg");
  CHECK(message_of(with_companions({"set/x"}, ""))
            .starts_with("set/all.json lies outside of the input and is not turned in place"));
}

}  // namespace jobs_test
