// libqturn_opencv_preload.so in processes with OpenCV, without it, and with one that it has no
// worker for.
#include <sys/wait.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/fixtures/temporary_folder.hpp"
#include "tests/kernels/device_memory.hpp"

namespace qturn::tests::preload_test {
namespace {

namespace fs = std::filesystem;

// Where they were built, or together in the folder that QTURN_PRELOAD_FOLDER names.
fs::path built(const fs::path& file) {
  const char* folder = std::getenv("QTURN_PRELOAD_FOLDER");
  return folder == nullptr ? file : folder / file.filename();
}

const fs::path preload = built(QTURN_PRELOAD);
const fs::path program = built(QTURN_PRELOAD_PROGRAM);

/// What it prints to both of its outputs.
std::string run(const fs::path& library, const std::string& command) {
  const std::string line =
      "env QTURN_VERBOSE=1 LD_PRELOAD='" + library.string() + "' " + command + " 2>&1";
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  CHECK(WEXITSTATUS(pclose(pipe)) == 0);
  return text;
}

TEST_CASE("processes without OpenCV do not notice the preloaded library") {
  CHECK(run(preload, "sh -c 'echo hello'") == "hello\n");
}

TEST_CASE(
    "without a worker for the program's OpenCV one message says so, and OpenCV does all calls") {
  TemporaryFolder folder;
  const fs::path alone = folder.path() / preload.filename();
  fs::copy_file(preload, alone);
  const std::string said = run(alone, "'" + program.string() + "'");
  CHECK(said.find("qturn: this program has OpenCV " QTURN_OPENCV_VERSION " and there is no " +
                  folder.path().string() + "/libqturn_opencv_preload_") == 0);
  CHECK(said.find(".so: cv::cuda::transpose and flip stay OpenCV's\n") != std::string::npos);
  CHECK(said.find("this program") == said.rfind("this program"));
  CHECK(said.find("OpenCV's transpose\n") != std::string::npos);
  CHECK(said.find("OpenCV's flip\n") != std::string::npos);
  CHECK(said.find("qturn: cv::cuda::transpose and flip: 0 calls taken, 2 passed on to OpenCV\n") !=
        std::string::npos);
}

TEST_CASE("calls are taken, except for those that OpenCV promises to refuse", "[gpu]") {
  if (device_count() == 0) SKIP("no GPU");
  const std::string said = run(preload, "'" + program.string() + "' gpu");
  CHECK(said ==
        "same\nsame\nOpenCV's flip\n"
        "qturn: cv::cuda::transpose and flip: 2 calls taken, 1 passed on to OpenCV\n");
}

TEST_CASE("an error of the GPU after a flip was enqueued does not make OpenCV flip again",
          "[gpu]") {
  if (device_count() == 0) SKIP("no GPU");
  CHECK(run(preload, "'" + program.string() + "' fault") ==
        "the GPU's error\n"
        "qturn: cv::cuda::transpose and flip: 1 calls taken, 0 passed on to OpenCV\n");
}

}  // namespace
}  // namespace qturn::tests::preload_test
