// What the program says about itself, and every way to ask it for something that cannot be.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace options_test {

using namespace cli;
using Catch::Matchers::EndsWith;

namespace {

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

const std::string hint = "; see 'qturn --help'\n";
const std::string more = "; see 'qturn rotate90 --help'\n";

/// A picture that every command line below would write, were it not wrong.
Workplace& with_picture(Workplace& workplace) {
  workplace.add("in/a.png", png(random_picture(5, 3)));
  return workplace;
}

}  // namespace

TEST_CASE("Option --version names the program and the codecs it uses") {
  const Result result = Workplace().qturn({"--version"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, StartsWith("qturn "));
  CHECK_THAT(result.out, ContainsSubstring("libjpeg-turbo "));
  CHECK_THAT(result.out, ContainsSubstring("libwebp "));
  CHECK_THAT(result.out, ContainsSubstring("OpenImageIO "));
  CHECK(result.err.empty());
}

TEST_CASE(
    "Option --help begins with what people type and fits a terminal, for each operation too") {
  const Result result = Workplace().qturn({"--help"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, StartsWith("Usage: qturn OPERATION INPUT... -o OUTPUT"));
  CHECK(widest_line(result.out) <= 80);
  for (const char* name :
       {"rotate90", "cw", "rotate180", "rotate270", "ccw", "transpose", "transverse", "flip",
        "flop", "upright", "augment", "check", "devices"}) {
    CAPTURE(name);
    CHECK_THAT(result.out, ContainsSubstring(name));
    const Result own = Workplace().qturn({name, "--help"});
    CHECK(own.exit_code == 0);
    CHECK(own.err.empty());
    CHECK_THAT(own.out, StartsWith("Usage: qturn "));
    CHECK(widest_line(own.out) <= 80);
    if (std::string(name) != "devices") CHECK_THAT(own.out, ContainsSubstring("--files-from"));
  }
}

TEST_CASE_METHOD(Workplace,
                 "Option -h shows about a dozen options, and help is as wide as the terminal") {
  for (const char* name : {"upright", "rotate90", "augment", "check"}) {
    CAPTURE(name);
    const Result brief = qturn({name, "-h"}), whole = qturn({name, "--help"});
    CHECK(brief.exit_code == 0);
    CHECK_THAT(brief.out, ContainsSubstring(std::string("qturn ") + name + " --help"));
    const auto options = [](const std::string& text) {
      std::istringstream lines(text);
      std::size_t count = 0;
      for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find_first_not_of(' ');
        count += at != std::string::npos && at <= 6 && line.substr(at).starts_with('-') ? 1 : 0;
      }
      return count;
    };
    CHECK(options(brief.out) <= 14);
    CHECK(options(brief.out) < options(whole.out));
  }
  std::string help = qturn({"upright", "--help"}).out;
  help = help.substr(help.find("\nOutput:\n"));
  CHECK(help.find("--output") < help.find("--in-place"));
  CHECK(help.find("--in-place") < help.find("--overwrite"));
  CHECK(help.find("--overwrite") < help.find("--tar-size"));
  for (const char* columns : {"60", "120"}) {
    environment["COLUMNS"] = columns;
    const std::size_t widest = widest_line(qturn({"upright", "--help"}).out);
    CHECK(widest <= std::stoul(columns));
    CHECK(widest + 12 > std::stoul(columns));
  }
}

TEST_CASE_METHOD(Workplace, "Wrong command lines exit with 2, say why, and write nothing") {
  with_picture(*this);
  using Words = std::vector<std::string>;
  const std::pair<Words, std::string> cases[] = {
      {{}, "qturn: begin with an operation, as in 'qturn upright photos -o turned'" + hint},
      {{"spin", "in", "-o", "out"},
       "'spin' is not an operation; begin with one, as in 'qturn upright photos -o turned'" + hint},
      {{"--sharpen", "in", "-o", "out"}, "'--sharpen' is not an option" + hint},
      {{"rotate09", "in", "-o", "out"},
       "'rotate09' is not an operation (did you mean rotate90?)" + hint},
      {{"uprigth", "in"}, " (did you mean upright?)" + hint},
      {{"--verison"}, " (did you mean --version?)" + hint},
      {{"rot90", "in"}, "'rot90' is not an operation (did you mean rotate90?)" + hint},
      {{"mirror", "in"}, " (did you mean flop?)" + hint},
      {{"-o", "out", "rotate90", "in"},
       "qturn: begin with an operation, as in 'qturn upright photos -o turned'" + hint},
      {{"rotate90", "in", "-o", "out", "-z"}, "'-z' is not an option" + more},
      {{"devices", "in"}, "'in' is one argument too many; see 'qturn devices --help'\n"},
      {{"merge"},
       "name the folder that all shards wrote to: qturn merge OUTPUT; see 'qturn merge --help'\n"},
      {{"rotate90", "in", "--out", "o"},
       "'--out' is not an option (did you mean --output?)" + more},
      {{"in", "upright"}, "'in' is not an operation; begin with one"},
      {{"rotate90", "in/a.png", "out.png"}, "no output; did you mean -o out.png?\n"},
      {{"rotate90", "in", "in/a.png", "-o", "two.jpg"},
       "two.jpg: several pictures cannot go into one file; name a folder\n"},
      {{"flip", "in/a.png", "-o", "a.pdf"},
       "a.pdf: .pdf files are not written; name a folder, a tar, or a picture such as a.png\n"},
      {{"flip", "in", "-o", "x.psd"}, "x.psd: .psd files are not written; name a folder"},
      {{"flip", "in", "-o", "turned.zip"},
       "turned.zip: .zip files are not written; name a folder, a tar, or a picture such as "
       "a.png\n"},
      {{"rotate90", std::string(300, 'a'), "-o", "out"}, "a: File name too long\n"},
      {{"rotate90", "in", "-o", "out", "--sharpen"}, "'--sharpen' is not an option" + more},
      {{"rotate90", "in", "-o", "out", "--overwrit"},
       "'--overwrit' is not an option (did you mean --overwrite?)" + more},
      {{"rotate90", "in", "-o", "out", "--fromat=png"},
       "'--fromat' is not an option (did you mean --format?)"},
      {{"rotate90", "in", "-o", "out", "--quality", "80"}, "--quality needs --format" + more},
      {{"rotate90", "in", "-o", "out", "--format", "jpeg", "--quality", "0"},
       "--quality: '0' is not a whole number from 1 to 100" + more},
      {{"rotate90", "in", "-o", "out", "--quality", "1", "--quality", "2", "--format", "jpeg"},
       "--quality is given twice" + more},
      {{"rotate90", "in", "-o", "out", "--format", "png", "--quality", "80"},
       "--quality is for --format jpeg and webp; png is written without loss\n"},
      {{"rotate90", "in", "-o"}, "--output needs a value: --output OUTPUT" + more},
      {{"rotate90", "in", "-o", "out", "--fsync"},
       "--fsync needs a value: --fsync each|end|never" + more},
      {{"rotate90", "in", "--in-place=x"}, "--in-place takes no value" + more},
      {{"rotate90", "in"}, "no output; name one with -o, or replace the files with --in-place\n"},
      {{"augment", "in"}, "no output; name a folder with -o\n"},
      {{"augment", "in", "--in-place"}, "--in-place"},
      {{"rotate90", "in", "-o", "out", "--in-place"},
       "--output and --in-place exclude each other; leave one out" + more},
      {{"rotate90", "in", "--in-place", "--overwrite"},
       "--in-place and --overwrite exclude each other"},
      {{"rotate90", "in", "--in-place", "--skip-existing"}, "exclude each other"},
      {{"rotate90", "in", "--in-place", "--update"}, "exclude each other"},
      {{"rotate90", "in", "--in-place", "--base", "in"}, "exclude each other"},
      {{"check", "in", "--others", "copy"}, "--others"},
      {{"rotate90", "in", "-o", "out", "--break-links"}, "--break-links needs --in-place" + more},
      {{"rotate90", "in", "-o", "out", "--overwrite", "--skip-existing"}, "exclude each other"},
      {{"rotate90", "in", "-o", "out", "--overwrite", "--update"}, "exclude each other"},
      {{"rotate90", "in", "-o", "out", "--skip-existing", "--update"}, "exclude each other"},
      {{"rotate90", "in", "-o", "out", "--quiet", "--verbose"}, "exclude each other"},
      {{"rotate90", "in", "-o", "out", "-0"}, "-0 needs --files-from\n"},
      {{"rotate90", "in", "-o", "out", "--exclude", ""}, "an empty pattern matches nothing"},
      {{"augment", "in", "-o", "out", "--include", ""}, "an empty pattern matches nothing"},
      {{"rotate90", "in", "-o", "out", "-j", "0"},
       "--threads: '0' is not a whole number from 1 to 1024" + more},
      {{"rotate90", "in", "-o", "out", "-j", "many"}, "--threads: 'many' is not a whole"},
      {{"rotate90", "in", "-o", "out", "--memory", "lots"},
       "--memory: 'lots' is not a size; write one as 512MiB, 4G or a number of bytes" + more},
      {{"rotate90", "in", "-o", "out", "--memory", "10"},
       "--memory: '10' is too little; give 16MiB or more" + more},
      {{"rotate90", "in", "-o", "out", "--memory", "99999999T"}, "more than any machine has"},
      {{"rotate90", "in", "-o", "out", "--others", "burn"},
       "--others: 'burn' is not one of stop, leave, count, copy" + more},
      {{"rotate90", "in", "-o", "out", "--jpeg-edges", "crop"},
       "--jpeg-edges: 'crop' is not one of reencode, trim, tag, skip, fail" + more},
      {{"rotate90", "in", "-o", "out", "--fsync", "nevr"}, " (did you mean never?)" + more},
      {{"rotate90", "in", "-o", "out", "--png", "1"}, "'1' is not one of small, fast" + more},
      {{"rotate90", "in", "-o", "out", "--jpeg", "slow"}, "--jpeg: 'slow' is not one of lossless"},
      {{"rotate90", "in", "-o", "out", "--limit", "pixel=3"}, " (did you mean pixels?)" + more},
      {{"augment", "in", "-o", "out", "--seed", "x"},
       "--seed: 'x' is not a whole number; see 'qturn augment --help'\n"},
      {{"rotate90", "in", "-o", "out", "--format", "xcf"},
       "'xcf' is not one of jpeg, png, tiff, openexr, webp, gif, bmp, pnm, tga, hdr, jpeg2000, "
       "dpx, sgi"},
      {{"rotate90", "in", "-o", "out", "--device", "abacus"},
       "'abacus' is not a device; choose auto, cpu, cuda or cuda:0,1\n"},
      {{"rotate90", "in", "-o", "out", "--device", "cuda:x"}, "'x' is not a device number\n"},
      {{"rotate90", "in", "-o", "out", "--device", "cuda:0,0"}, "device 0 is named twice\n"},
      {{"rotate90", "in", "-o", "out", "--variants", "all"}, "--variants"},
      {{"augment", "in", "-o", "out", "--variants", "upside-down"},
       "'upside-down' is not an orientation"},
      {{"augment", "in", "-o", "out", "--variants", "flip,vflip"}, "'vflip' is named twice"},
      {{"augment", "in", "-o", "out", "--variants", "all", "--random", "2"}, "exclude each other"},
      {{"augment", "in", "-o", "out", "--random", "9"},
       "--random: '9' is not a whole number from 1 to 8; see 'qturn augment --help'\n"},
      {{"augment", "in", "-o", "out", "--seed", "1"},
       "--seed needs --random; see 'qturn augment --help'\n"},
      {{"augment", "in", "-o", "out", "--labels", "coco"}, "'coco' is not auto, none"},
      {{"augment", "in", "-o", "out", "--labels", "yolo"}, "no YOLO label belongs to a picture"},
      {{"augment", "in", "-o", "out", "--keypoints", "17"}, "'17' is neither none nor KxV"},
      {{"augment", "in", "-o", "out", "--keypoints", "17x4"}, "'17x4' is neither none nor KxV"},
      {{"augment", "in", "-o", "out", "--labels-drawn-on", "paper"},
       "--labels-drawn-on: 'paper' is not one of stored, upright; see 'qturn augment --help'\n"},
      {{"rotate90", "-o", "out"}, "no input files\n"},
  };
  for (const auto& [words, message] : cases) {
    CAPTURE(words);
    const Result result = refused(words);
    CHECK_THAT(result.err, StartsWith("qturn: "));
    CHECK_THAT(result.err, ContainsSubstring(message));
    CHECK(result.out.empty());
    CHECK(files(".") == Names{"in/a.png"});
  }
}

TEST_CASE_METHOD(Workplace, "Short names and 'help' say and do what the long ones do") {
  with_picture(*this);
  const auto out = [&](const Words& words) { return done(words).out; };
  CHECK(out({"-V"}) == out({"--version"}));
  CHECK(out({"help"}) == out({"--help"}));
  CHECK(out({"help", "upright"}) == out({"upright", "--help"}));
  CHECK(out({"cw", "in", "-o", "out", "-n"}) == out({"cw", "in", "-o", "out", "--dry-run"}));
  CHECK_FALSE(exists("out"));
}

TEST_CASE_METHOD(Workplace, "devices --json says the same to a program") {
  const auto devices = nlohmann::json::parse(done({"devices", "--json"}).out);
  CHECK(devices["threads"] >= 1);
  CHECK(devices["cuda"].is_array());
  CHECK(devices["auto"]["other"] == "cpu");
  const bool any =
      std::ranges::any_of(devices["cuda"], [](const auto& each) { return each["usable"] == true; });
  CHECK(devices["auto"]["many_jpegs"] == (any ? "cuda" : "cpu"));
  CHECK_THAT(done({"devices", "--json=file"}).out, ContainsSubstring("--device auto uses"));
  CHECK(nlohmann::json::parse(content("file")) == devices);
}

TEST_CASE("devices lists the devices, says what was built, and what auto takes") {
  const Result result = Workplace().qturn({"devices"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, StartsWith("cpu "));
  CHECK_THAT(result.out, ContainsSubstring("cuda"));
  CHECK_THAT(result.out, ContainsSubstring("--device auto uses "));
}

TEST_CASE_METHOD(Workplace,
                 "Option --device cuda without a GPU says what is missing and writes nothing") {
  with_picture(*this);
  // Usable, whether it has engines for JPEG or not: those only decide what auto takes.
  if (qturn({"devices"}).out.find(": usable") != std::string::npos) SKIP("there is a GPU");
  CHECK_THAT(refused({"rotate90", "in", "-o", "out", "--device", "cuda"}).err,
             StartsWith("qturn: no CUDA device is usable: "));
  CHECK_THAT(refused({"rotate90", "in", "-o", "out", "--device", "cuda:0"}).err,
             StartsWith("qturn: CUDA device 0 is not usable: "));
  CHECK(files(".") == Names{"in/a.png"});
}

TEST_CASE_METHOD(Workplace,
                 "Option --device cpu, auto and all the ways to write a size of memory are taken") {
  with_picture(*this);
  for (const char* size : {"64MiB", "64MB", "1G", "67108864"}) {
    CAPTURE(size);
    done({"flop", "in", "-o", std::string("out-") + size, "--device", "cpu", "--memory", size});
  }
  done({"flop", "in", "-o", "out", "--device", "auto"});
}

TEST_CASE_METHOD(
    Workplace,
    "Without options there is a summary; --quiet leaves it out, --verbose adds a line per file") {
  with_picture(*this);
  add("in/bad.png", "no picture");

  const Result plain = failed({"cw", "in", "-o", "out"});
  CHECK(plain.out.empty());
  CHECK_THAT(plain.err, ContainsSubstring("qturn: in/bad.png: "));
  CHECK_THAT(plain.err,
             ContainsSubstring(
                 "\nqturn: 1 of 2 pictures written (1 re-encoded without loss), 1 failed; ") &&
                 EndsWith(" s\n") && !ContainsSubstring("MP"));
  const Result missing = qturn({"cw", "in/bad.png", "-o", "none"});
  CHECK_THAT(missing.err, ContainsSubstring("\nqturn: 0 of 1 picture written, 1 failed; "));

  CHECK(failed({"cw", "in", "-o", "quiet", "-q"}).err ==
        "qturn: in/bad.png: not a picture in a format that qturn reads, whatever its name says\n");

  const Result verbose = qturn({"cw", "in", "-o", "verbose", "-v", "--device", "cpu"});
  CHECK_THAT(verbose.err, StartsWith("qturn: on cpu, "));
  CHECK_THAT(
      verbose.err,
      ContainsSubstring("in/a.png -> verbose/a.png (rotate90, re-encoded without loss, 3 x 5)\n") &&
          ContainsSubstring(" MP/s, ") && ContainsSubstring(" pictures/s, on cpu, "));
}

TEST_CASE_METHOD(Workplace, "Device auto is chosen by what is done to JPEGs, and says why") {
  with_picture(*this);
  const std::string why = "a GPU is faster only for many JPEGs";
  CHECK_THAT(qturn({"cw", "in", "-o", "a", "-v"}).err, ContainsSubstring(why));

  // As many bytes as a GPU is worth for one thread; what follows the picture is kept.
  std::string large = jpeg(random_picture(64, 64));
  large.resize((std::size_t{16} << 20) + 1);
  add("many/a.jpg", large);
  for (const char* mode : {"lossless", "planar"}) {
    CHECK_THAT(done({"cw", "many", "-o", mode, "-v", "-j", "1", "--jpeg", mode}).err,
               !ContainsSubstring(why));
  }
}

TEST_CASE_METHOD(Workplace, "Options that nobody would miss are gone") {
  add("in/a.jpg", jpeg(random_picture(64, 64)));
  const std::vector<std::vector<std::string>> gone = {{"--replay", "manifest.jsonl"},
                                                      {"--label-orientation"},
                                                      {"--shard", "0/2", "--shard-by", "sample"},
                                                      {"--journal", "log"},
                                                      {"--jpeg", "fastest"}};
  for (const Words& options : gone) {
    Words words = {"augment", "in", "-o", "out"};
    words.insert(words.end(), options.begin(), options.end());
    refused(words);
  }
  CHECK_FALSE(exists("out"));
}

TEST_CASE_METHOD(
    Workplace, "Option --format takes a name in any case, and --quality decides how much is lost") {
  add("in/a.png", png(random_picture(64, 64)));
  for (const std::string format : {"JPEG", "WebP"}) {
    std::size_t smaller = 0;
    for (const char* quality : {"10", "50", "90"}) {
      const std::string out = format + quality;
      CHECK_THAT(
          done({"cw", "in/a.png", "-o", out, "--format", format, "--quality", quality, "--json"})
              .out,
          ContainsSubstring("\"lossy\":true"));
      const std::size_t bytes = content(out + "/" + *files(out).begin()).size();
      CHECK(bytes > smaller);
      smaller = bytes;
    }
  }
  const Result lossless = qturn({"cw", "in/a.png", "-o", "exact", "--format", "webp", "--json"});
  CHECK_THAT(lossless.out, ContainsSubstring("\"lossy\":false"));
  CHECK_THAT(lossless.err, !ContainsSubstring("with loss"));
  const auto said = [&](const char* out, Words words) {
    words.insert(words.begin(), {"cw", "in/a.png", "-o", out, "--format"});
    return qturn(words).err;
  };
  CHECK_THAT(said("w", {"webp", "--quality", "80"}),
             ContainsSubstring("1 picture was written with loss, as --quality says; without "
                               "--quality, webp is lossless\n"));
  CHECK_THAT(said("j", {"jpeg"}),
             ContainsSubstring("1 picture was written with loss, as --format jpeg says\n"));
}

}  // namespace options_test
