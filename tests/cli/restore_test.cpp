// A run in place with a backup is taken back.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"
#include "tests/fixtures/metadata.hpp"

namespace restore_test {

using namespace cli;

namespace {

const Words in_place = {"cw", "in", "--in-place", "--sidecars", "--backup", "kept", "-j", "2"};

void add_pictures(const Workplace& workplace) {
  for (int i = 0; i < 3; ++i)
    workplace.add("in/x/" + std::to_string(i) + ".png", png(numbered_picture(i)));
  workplace.add("in/x/0.txt", "0 0.25 0.5 0.1 0.2\n");
  workplace.add("in/x/1.txt", "");  // stays as it is
  workplace.add("in/x/1_mask.png", png(random_picture(6, 4, 1)));
  workplace.add("in/a.jpg", jpeg(smooth_picture(64, 48)));
  workplace.add("in/a.xmp", qturn::tests::xmp_packet_with("tiff:Orientation='6'"));
}

/// What is no content: of each file all that it must have back, whichever file system it lies on.
std::set<std::string> metadata_of(const Workplace& workplace, const fs::path& folder) {
  std::set<std::string> found;
  for (const std::string& name : workplace.files(folder)) {
    const fs::path path = workplace.path() / folder / name;
    struct stat status;
    REQUIRE(::stat(path.c_str(), &status) == 0);
    char rating[16] = {};
    (void)::getxattr(path.c_str(), "user.rating", rating, sizeof rating - 1);
    std::ostringstream line;
    line << name << ' ' << status.st_mode << ' ' << status.st_uid << ' ' << status.st_mtim.tv_sec
         << ' ' << status.st_mtim.tv_nsec << ' ' << status.st_nlink << ' ' << rating;
    found.insert(line.str());
  }
  return found;
}

void mark(const Workplace& workplace) {
  for (const std::string& name : workplace.files("in")) {
    const fs::path path = workplace.path() / "in" / name;
    (void)::setxattr(path.c_str(), "user.rating", "5", 1, 0);
    const timespec times[] = {{1'400'000'000, 5}, {1'400'000'000, 7}};
    REQUIRE(::chmod(path.c_str(), 0604) == 0);
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  }
}

std::vector<fs::path> runs_in(const fs::path& kept) {
  std::vector<fs::path> runs;
  for (const auto& entry : fs::directory_iterator(kept)) runs.push_back(entry.path());
  std::ranges::sort(runs);
  return runs;
}

std::string names_of_own_files(const Workplace& workplace) {
  std::string names;
  for (const auto& entry : fs::recursive_directory_iterator(workplace.path())) {
    const std::string name = entry.path().filename();
    if (name.starts_with(".qturn-") || name.find(".qturn-") != name.npos) names += name + " ";
  }
  return names;
}

/// A folder on another file system; none if there is none.
std::unique_ptr<TemporaryFolder> other_file_system(const Workplace& workplace) {
  struct stat here, there;
  if (::stat("/dev/shm", &there) != 0 || ::stat(workplace.path().c_str(), &here) != 0 ||
      here.st_dev == there.st_dev) {
    return nullptr;
  }
  return std::make_unique<TemporaryFolder>("/dev/shm");
}

}  // namespace

TEST_CASE_METHOD(Workplace,
                 "What a run in place replaced is put back, with metadata and companions") {
  const bool to_other = GENERATE(false, true);
  const auto other = to_other ? other_file_system(*this) : nullptr;
  if (to_other && !other) SKIP("there is no other file system");
  const fs::path kept = other ? other->path() / "kept" : fs::path("kept");
  add_pictures(*this);
  mark(*this);
  const auto before = tree("in");
  const auto metadata = metadata_of(*this, "in");
  Words words = in_place;
  words[5] = kept;
  const Result turned = done(words);
  REQUIRE(tree("in") != before);
  const fs::path run = run_in(kept);
  CHECK_THAT(turned.err, ContainsSubstring("'qturn restore " + (kept / run.filename()).string() +
                                           "' puts the originals back"));
  CHECK(originals_in(kept) == before);

  CHECK_THAT(done({"restore", kept}).out,
             ContainsSubstring(run.filename().string() + "  rotate90  8 files, 0.0 MB\n"));

  const Result planned = done({"restore", run, "--dry-run"});
  CHECK(planned.out_lines().size() == 4);
  CHECK_THAT(planned.out, ContainsSubstring("in/x/0.png\n"));
  CHECK(originals_in(kept) == before);

  done({"restore", run}, "4 of 4 pictures restored");
  CHECK(tree("in") == before);
  CHECK(metadata_of(*this, "in") == metadata);
  CHECK(originals_in(kept).empty());
  CHECK(names_of_own_files(*this).empty());
  CHECK_THAT(qturn({"restore", kept}).out, ContainsSubstring("8 files, restored\n"));
  done({"restore", run});
  done(in_place);
}

TEST_CASE_METHOD(Workplace,
                 "A copy that the disk has spoiled is not put back, and its backup stays") {
  const auto other = other_file_system(*this);
  if (!other) SKIP("there is no other file system");
  const fs::path kept = other->path() / "kept";
  add_pictures(*this);
  const auto before = tree("in");
  Words words = in_place;
  words[5] = kept;
  done(words);
  const std::string turned = content("in/a.jpg");
  const fs::path run = run_in(kept);
  environment = Workplace::on_disturbed_disk({{"QTURN_TEST_SPOIL", "a.jpg"}});
  failed({"restore", run}, {"in/a.jpg: the result was rejected, because it is wrong: ",
                            "was copied with another hash: "});
  CHECK(content("in/a.jpg") == turned);
  environment.clear();
  done({"restore", run});
  CHECK(tree("in") == before);
}

TEST_CASE_METHOD(Workplace,
                 "What has changed since the run is named and left, with all that belongs to it") {
  add_pictures(*this);
  const auto before = tree("in");
  done(in_place);
  const fs::path run = run_in("kept");
  const auto turned = tree("in");
  add("in/x/0.txt", "edited\n");
  fs::remove(path() / "in/x/2.png");
  add(run / "a.jpg", "damaged");
  failed({"restore", run},
         {"in/x/0.txt is not what the run wrote, so it was left as it is",
          "in/x/2.png: is not what the run wrote", "a.jpg is not the original any more",
          "1 of 4 pictures restored, 3 failed"});
  const auto after = tree("in");
  for (const char* name : {"x/1.png", "x/1.txt", "x/1_mask.png"}) {
    const auto is_it = [&](const auto& file) { return file.first == name; };
    CHECK(*std::ranges::find_if(after, is_it) == *std::ranges::find_if(before, is_it));
  }
  for (const char* name : {"x/0.png", "a.jpg", "a.xmp"}) {
    const auto is_it = [&](const auto& file) { return file.first == name; };
    CHECK(*std::ranges::find_if(after, is_it) == *std::ranges::find_if(turned, is_it));
  }
  CHECK_THAT(qturn({"restore", "kept"}).out, ContainsSubstring("8 files, 5 of them to restore"));
  CHECK(names_of_own_files(*this).empty());
}

TEST_CASE_METHOD(Workplace,
                 "A folder of backups takes many runs, which are taken back one after the other") {
  add_pictures(*this);
  const auto before = tree("in");
  for (int i = 0; i < 3; ++i) REQUIRE(qturn(in_place).exit_code == 0);
  const std::vector<fs::path> runs = runs_in(path() / "kept");
  REQUIRE(runs.size() == 3);
  const Result list = qturn({"restore", "kept"});
  CHECK(list.out_lines().size() == 3);
  CHECK_THAT(list.err, ContainsSubstring("nothing was restored"));
  const auto turned = tree("in");
  failed({"restore", runs[0]});
  CHECK(tree("in") == turned);
  for (std::size_t i = 3; i-- > 0;) {
    done({"restore", runs[i]});
  }
  CHECK(tree("in") == before);
}

TEST_CASE_METHOD(Workplace,
                 "Taken back in the wrong order, two runs leave the last copy of an original") {
  add("in/a.ppm", "P6\n2 1\n255\nabcdef");
  const std::string original = content("in/a.ppm");
  done({"flop", "in", "--in-place", "--backup", "kept"});
  done({"flop", "in", "--in-place", "--backup", "kept"});
  REQUIRE(content("in/a.ppm") == original);
  const std::vector<fs::path> runs = runs_in(path() / "kept");
  REQUIRE(runs.size() == 2);
  done({"restore", runs[0]});
  CHECK(content("in/a.ppm") == original);
  done({"restore", runs[1]});
  CHECK(content("in/a.ppm") != original);
  done({"restore", runs[0]});
  CHECK(content("in/a.ppm") == original);
}

TEST_CASE_METHOD(Workplace,
                 "A picture that could not be put back is not turned again by --resume") {
  add_pictures(*this);
  Words again = in_place;
  again.emplace_back("--resume");
  done(again);
  add("in/a.jpg", jpeg(smooth_picture(32, 24)));  // edited since
  const auto turned = tree("in");
  failed({"restore", run_in("kept")});
  CHECK(tree("in") != turned);
  failed(again, "in/a.jpg: is neither the original nor what");
  CHECK(tree("in") == turned);
}

TEST_CASE("Either record of a backup is enough, and without both nothing is said to be restored") {
  for (const auto& [spoilt, how] :
       std::vector<std::pair<std::string, std::string>>{{"qturn-run.jsonl", "empty"},
                                                        {"qturn-run.jsonl", "gone"},
                                                        {"qturn-run.jsonl", "bit"},
                                                        {"qturn-run.jsonl", "zero"},
                                                        {"qturn-run-copy.jsonl", "bit"}}) {
    CAPTURE(spoilt, how);
    Workplace workplace;
    add_pictures(workplace);
    const auto before = workplace.tree("in");
    workplace.done(in_place);
    const fs::path run = workplace.run_in("kept");
    std::string record = workplace.content(run / spoilt);
    record[record.size() / 2] =
        how == "zero" ? '\0' : static_cast<char>(record[record.size() / 2] ^ 1);
    if (how == "gone")
      fs::remove(workplace.path() / run / spoilt);
    else
      workplace.add(run / spoilt, how == "empty" ? "" : record);
    workplace.done({"restore", run}, "4 of 4 pictures restored");
    CHECK(workplace.tree("in") == before);
  }
  Workplace workplace;
  add_pictures(workplace);
  workplace.done(in_place);
  const fs::path run = workplace.run_in("kept");
  for (const bool are_gone : {false, true}) {
    for (const char* name : {"qturn-run.jsonl", "qturn-run-copy.jsonl"}) {
      if (are_gone)
        fs::remove(workplace.path() / run / name);
      else
        workplace.add(run / name, "");
    }
    workplace.refused({"restore", run}, {"no record says where these files were", "and 5 more",
                                         "nothing was restored"});
  }
}

TEST_CASE_METHOD(Workplace,
                 "A folder that was renamed since, and a backup that was moved, are found") {
  add_pictures(*this);
  const auto before = tree("in");
  (void)signalled_at(SIGKILL, "2.png", in_place);
  REQUIRE(has_open_journal("in"));
  fs::rename(path() / "kept", path() / "elsewhere");
  fs::rename(path() / "in", path() / "renamed");
  const fs::path run = run_in("elsewhere");
  refused({"restore", run}, "--to names the one that it is now");
  done({"restore", run, "--to", "renamed"});
  CHECK(tree("renamed") == before);
  CHECK(names_of_own_files(*this).empty());
}

TEST_CASE("Two pictures whose backups would have one name are refused, as is a strange record") {
  Workplace workplace;
  const std::string same = png(random_picture(6, 4));
  workplace.add("day1/IMG_1.png", same);
  workplace.add("day2/IMG_1.png", same);
  workplace.refused(
      {"cw", "day1/IMG_1.png", "day2/IMG_1.png", "--in-place", "--backup", "kept"},
      {"day1/IMG_1.png", "day2/IMG_1.png", "IMG_1.png: their backups would have one name"});
  workplace.done({"cw", "day1/IMG_1.png", "--in-place", "--backup", "kept"});
  const fs::path run = workplace.run_in("kept");
  fs::remove(workplace.path() / run / "qturn-run-copy.jsonl");
  workplace.add("mine.png", same);
  // Of version 1, which has no checksums.
  const std::string hash(32, '0');
  workplace.add(run / "qturn-run.jsonl",
                R"({"qturn_journal":1,"operation":"cw","inputs":[{"name":")" +
                    (workplace.path() / "day1").string() +
                    R"("}],"run":"abcdef","record":true,"line":1})"
                    "\n"
                    R"({"intent":"/x/a.png","temporary":"/x/.a.png.qturn-abcdefaaaa","source":")" +
                    hash + R"(","result":")" + hash +
                    R"(","backup":"../../mine.png","with":[],"line":2})"
                    "\n");
  workplace.refused({"restore", run}, "lies elsewhere");
  CHECK(workplace.exists("mine.png"));
}

TEST_CASE("Killed at any call, a run with a backup can be taken back, and that can be repeated") {
  Workplace whole;
  add_pictures(whole);
  const auto before = whole.tree("in");
  int kills_of_run = 0, kills_of_restore = 0;
  // tests/faults kills at each call; this looks at more of what is there afterwards.
  for (int call = 1; call < 400; call += call < 60 ? 2 : 13) {
    CAPTURE(call);
    Workplace workplace;
    add_pictures(workplace);
    workplace.killed_at(call, in_place);
    if (workplace.exists("kept") && !fs::is_empty(workplace.path() / "kept") &&
        workplace.exists(workplace.run_in("kept") / "qturn-run.jsonl")) {
      ++kills_of_run;
      const Result restored = workplace.qturn({"restore", workplace.run_in("kept")});
      INFO(restored.err);
      // Without its first line the record says nothing.
      if (!workplace.content(workplace.run_in("kept") / "qturn-run.jsonl").ends_with('\n'))
        continue;
      CHECK(restored.exit_code == 0);
      CHECK(workplace.originals_in("kept").empty());
      CHECK(workplace.tree("in") == before);
      CHECK(names_of_own_files(workplace).empty());
    }
    REQUIRE(workplace.tree("in") == before);

    Workplace other;
    add_pictures(other);
    other.done(in_place);
    const Words back = {"restore", other.run_in("kept")};
    other.killed_at(call, back);
    if (other.tree("in") != before) {
      ++kills_of_restore;
      const bool is_begun = other.content("in/.qturn-journal").find("\n[") != std::string::npos;
      const Result other_run = other.qturn(in_place);
      CHECK(other_run.exit_code == (is_begun ? 2 : 0));
      if (other_run.exit_code == 0) continue;
    }
    other.done(back);
    CHECK(other.tree("in") == before);
    CHECK(other.originals_in("kept").empty());
    CHECK(names_of_own_files(other).empty());
  }
  CHECK(kills_of_run > 10);
  CHECK(kills_of_restore > 10);
}

TEST_CASE_METHOD(Workplace, "While another run in the folder is not complete, none is taken back") {
  add_pictures(*this);
  done(in_place);
  const fs::path run = run_in("kept");
  add("in/b.png", png(random_picture(6, 4)).substr(0, 60));
  failed({"flip", "in", "--in-place"});
  refused({"restore", run}, "'flip");
}

TEST_CASE_METHOD(
    Workplace,
    "Originals that can only be copied, and do not fit, are told before the run begins") {
  const auto other = other_file_system(*this);
  if (!other) SKIP("there is no other file system");
  const fs::path picture = add("in/a.png", png(random_picture(6, 4)));
  fs::resize_file(picture, std::uintmax_t{1} << 42);  // with a hole
  const Result result = qturn({"cw", "in", "--in-place", "--backup", other->path() / "kept"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, ContainsSubstring("4398046 MB in"));
  CHECK(fs::is_empty(other->path()));
  CHECK(names_of_own_files(*this).empty());
}

TEST_CASE_METHOD(Workplace, "What is not a run, or has none, is said") {
  fs::create_directory(path() / "empty");
  for (const char* folder : {"empty", "none"}) {
    refused({"restore", folder}, "holds no originals of a run");
  }
  CHECK_THAT(qturn({"restore"}).err, ContainsSubstring("qturn restore BACKUP"));
  add_pictures(*this);
  done(in_place);
  fs::rename(path() / "in", path() / "moved");
  refused({"restore", run_in("kept")}, "the folders that were turned do not exist");
}

// docs/files.md has this as a table.
TEST_CASE(
    "A turn and its inverse give the same bytes, or the same pixels, as the page on files says") {
  using qturn::tests::make_jpeg;
  const auto text = [](const qturn::Bytes& bytes) {
    return std::string(qturn::tests::text_of(bytes));
  };
  const auto sample = [](const char* name) { return content_of(testdata() / "samples" / name); };
  const Picture picture = random_picture(16, 8);
  const auto written = [&](const qturn::Codec& format) { return encoded(picture, format); };
  const std::map<std::string, std::string> same = {
      {"plain.jpg", text(make_jpeg({}))},
      {"restarts.jpg", text(make_jpeg({.restart_interval = 2}))},
      {"sampled.jpg", text(make_jpeg({.h = 2, .v = 2}))},
      {"grey.jpg", text(make_jpeg({.space = JCS_GRAYSCALE}))},
      {"a.bmp", written(qturn::bmp::codec)},
      {"a.ppm", written(qturn::pnm::codec)},
      {"a.tga", written(qturn::tga::codec)},
      // Written by qturn.
      {"a.png", written(qturn::png::codec)},
      {"a.tif", written(qturn::tiff::codec)},
      {"a.webp", written(qturn::webp::codec)},
  };
  const std::map<std::string, std::string> other = {
      {"optimised.jpg", text(make_jpeg({.optimised = true}))},
      {"progressive.jpg", text(make_jpeg({.progressive = true}))},
      {"tagged.jpg", tagged_jpeg(smooth_picture(64, 48), 6)},
      {"edges.jpg", jpeg(smooth_picture(61, 45))},
      {"cat.png", sample("graphics/cat.png")},
      {"textures.tif", sample("scans/textures.tif")},
  };
  for (const auto& [there, back] : {std::pair("rotate90", "rotate270"),
                                    {"rotate270", "rotate90"},
                                    {"rotate180", "rotate180"},
                                    {"flip", "flip"},
                                    {"flop", "flop"}}) {
    Workplace workplace;
    for (const auto* files : {&same, &other})
      for (const auto& [name, content] : *files) workplace.add("in/" + name, content);
    for (const char* turn : {there, back})
      REQUIRE(workplace.qturn({turn, "in", "--in-place"}).exit_code == 0);
    for (const auto& [name, content] : same) {
      CAPTURE(there, name);
      CHECK(workplace.content("in/" + name) == content);
    }
    for (const auto& [name, content] : other) {
      CAPTURE(there, name);
      CHECK(workplace.content("in/" + name) != content);
      if (name.ends_with(".jpg")) continue;
      workplace.add("before/" + name, content);
      workplace.done({"upright", "before", "-o", "shown", "--overwrite"});
      CHECK(decoded(workplace.path() / "in" / name).pages ==
            decoded(workplace.path() / "shown" / name).pages);
    }
    // What was turned once comes back byte for byte, but for a JPEG that is turned by its tag.
    fs::remove(workplace.path() / "in/edges.jpg");
    const auto before = workplace.tree("in");
    for (const char* turn : {there, back})
      REQUIRE(workplace.qturn({turn, "in", "--in-place"}).exit_code == 0);
    CHECK(workplace.tree("in") == before);
  }
}

}  // namespace restore_test
