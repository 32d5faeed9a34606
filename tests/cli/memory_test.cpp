// --memory holds for every file, through the program: the largest resident size is the budget
// plus the program itself, whatever the files say. Smaller than scripts/measure-memory, in
// the same proportions.
#include <catch2/generators/catch_generators.hpp>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace memory_test {

using namespace cli;
using qturn::SampleFormat;

namespace {

using namespace std::string_literals;

std::string text_of(const qturn::Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What the program takes besides: its libraries, buffers, stacks.
constexpr long own_mib = 150;

void check_resident(const Result& result, [[maybe_unused]] long memory_mib) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they keep what was freed
  CHECK(result.max_resident_kib >> 10 <= memory_mib + own_mib);
#else
  CHECK(result.max_resident_kib > 0);
#endif
}

Words turning(const std::string& memory) {
  return {"cw", "in", "-o", "out", "-j", "6", "--memory", memory, "--device", "cpu", "--overwrite"};
}

// 48 MB of pixels.
Picture large_picture(int channels = 3, SampleFormat type = SampleFormat::u8) {
  const int pixel_bytes = channels * qturn::sample_bytes(type);
  return random_picture(4000, 12'000 / pixel_bytes, channels, type);
}

}  // namespace

TEST_CASE_METHOD(Workplace, "Large pictures of every format are turned within --memory") {
  const auto& [codec, channels, type] =
      GENERATE(std::tuple{&qturn::tiff::codec, 3, SampleFormat::u8},
               std::tuple{&qturn::png::codec, 3, SampleFormat::u8},
               std::tuple{&qturn::jpeg::codec, 3, SampleFormat::u8},
               std::tuple{&qturn::openexr::codec, 3, SampleFormat::f32},
               std::tuple{&qturn::pnm::codec, 3, SampleFormat::u8},
               std::tuple{&qturn::tga::codec, 3, SampleFormat::u8},
               std::tuple{&qturn::bmp::codec, 3, SampleFormat::u8});
  CAPTURE(codec->name);
  const std::string file = encoded(large_picture(channels, type), *codec);
  for (int i = 0; i < 3; ++i) {
    add("in/"s + std::to_string(i) + std::string(codec->suffixes[0]), file);
  }
  const Result result = done(turning("256MiB"));
  CHECK(files("out").size() == 3);
  check_resident(result, 256);
}

TEST_CASE("Pictures that --memory holds one of are turned one at a time") {
  Workplace workplace;
  constexpr int count = 6;
  // 27 MB of pixels each, of one value: cheap to decode and to encode.
  const Picture white{3000, 3000, 3, SampleFormat::u8, std::vector<unsigned char>(27'000'000, 255)};
  const std::string file = encoded(white, qturn::png::codec);
  for (int i = 0; i < count; ++i) workplace.add("in/"s + std::to_string(i) + ".png", file);
  const Result small = workplace.done(turning("128MiB"));
  check_resident(small, 128);
  const auto tree = workplace.tree("out");
  CHECK(tree.size() == count);
  workplace.done(turning("4G"));
  CHECK(workplace.tree("out") == tree);
}

TEST_CASE_METHOD(
    Workplace,
    "A picture that needs more than --memory is refused with what to type, and that permits it") {
  // 3.5 MB would be 30000 x 30000; this one needs a seventh of the memory.
  add("in/wide.jpg",
      text_of(qturn::tests::make_jpeg(
          {.width = 11'000, .height = 11'000, .space = JCS_GRAYSCALE, .quality = 1})));
  add("in/small.jpg", jpeg(smooth_picture(16, 16)));
  const Result result = failed(turning("128MiB"), {"wide.jpg: 11000 x 11000 pixels need ",
                                                   " of memory, more than 128MiB; --memory "});
  CHECK(files("out") == std::set<std::string>{"small.jpg"});
  check_resident(result, 128);

  const std::size_t option = result.err.find("; --memory ") + 11;
  const std::string permits = result.err.substr(option, result.err.find(' ', option) - option);
  CAPTURE(permits);
  const Result turned = done(turning(permits));
  check_resident(turned, std::stol(permits));
}

TEST_CASE_METHOD(Workplace, "A long label is turned within --memory") {
  add("in/a.png", png(random_picture(64, 64)));
  std::string label;
  while (label.size() < (38 << 20)) label += "0 0.25 0.5 0.125 0.0625\n";
  add("in/a.txt", label);
  const Result result = done({"flop", "in", "-o", "out", "--memory", "256MiB"});
  CHECK(content("out/a.txt").starts_with("0 0.75 0.5 0.125 0.0625\n"));
  check_resident(result, 256);
}

TEST_CASE_METHOD(Workplace, "Option --memory holds for standard input and standard output") {
  standard_input = "BM" + std::string(140 << 20, 'x');
  const Result result = refused({"flip", "-", "-o", "-", "--memory", "128MiB"},
                                "standard input has more than 128 MiB; a larger --memory");
  check_resident(result, 128);

  standard_input = encoded(large_picture(), qturn::bmp::codec);
  const Result turned = done({"flip", "-", "-o", "-", "--memory", "160MiB"});
  CHECK(turned.out.size() == standard_input.size());
  check_resident(turned, 160);
}

TEST_CASE_METHOD(Workplace,
                 "The results of a tar's samples count, whatever the size of its files") {
  // 9 MB of pixels each, of one value: 72 MB of results.
  const Picture white{3000, 1000, 3, SampleFormat::u8, std::vector<unsigned char>(9'000'000, 255)};
  const std::string file = encoded(white, qturn::png::codec);
  tests::Members members;
  for (int i = 0; i < 4; ++i) members.emplace_back(std::to_string(i) + ".png", file);
  add("in.tar", tests::tar(members));
  const auto augmented = [&](const std::string& memory) {
    return qturn({"augment", "in.tar", "-o", "out.tar", "--variants", "all", "--format", "pnm",
                  "--overwrite", "--fsync", "never", "-j", "4", "--device", "cpu", "--memory",
                  memory});
  };
  const Result made = augmented("128MiB");
  CHECK(made.exit_code == 0);
  CHECK_THAT(made.err, ContainsSubstring("32 of 32 variants written"));
  check_resident(made, 128);
  const Result result = augmented("64MiB");
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err,
             ContainsSubstring("in.tar/0.png: its sample needs more than 64 MiB of memory") &&
                 ContainsSubstring("0 of 32 variants written, 32 failed"));
  check_resident(result, 64);
}

TEST_CASE_METHOD(Workplace, "The names of a tar's members count") {
  tests::Members members = {{"a.png", png(random_picture(20, 10))}};
  for (int i = 0; i < 60; ++i)
    members.emplace_back("a." + std::to_string(i) + std::string(100'000, 'x'), "");
  add("in.tar", tests::tar(members, {ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_NONE}));
  failed({"upright", "in.tar", "-o", "out.tar", "--memory", "16MiB"},
         "its sample needs 16 MiB of memory");
}

TEST_CASE_METHOD(Workplace,
                 "A TGA of run lengths that decodes to much more than --memory is refused") {
  constexpr int side = 8000;
  std::string file("\0\0\x0a\0\0\0\0\0\0\0\0\0"s);
  for (int i = 0; i < 2; ++i)
    file += static_cast<char>(side & 255), file += static_cast<char>(side >> 8);
  file += "\x20\0"s;
  for (int i = 0; i < side * side / 128; ++i) file += "\xff\1\2\3\4";
  add("in/a.tga", file);
  const Result result = failed(turning("64MiB"), "a.tga: 8000 x 8000 pixels need ");
  check_resident(result, 64);
}

TEST_CASE_METHOD(Workplace, "A sidecar of millions of attributes takes little memory") {
  add("in/a.png", png(random_picture(20, 10)));
  std::string packet = "<x ";
  for (int i = 0; i < 6'000'000; ++i) packet += "a=\"\" ";
  add("in/a.xmp", packet + "/>");
  const Result result = qturn(turning("64MiB"));
  CHECK_THAT(result.err, ContainsSubstring("more than 500000 elements and attributes"));
  check_resident(result, 64);
}

}  // namespace memory_test
