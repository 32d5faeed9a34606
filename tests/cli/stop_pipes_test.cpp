// Stopping while the other end of a pipe neither writes nor reads.
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace stop_pipes_test {

using namespace cli;

namespace {

/// A pipe with a name. Both of its ends stay open.
class Pipe {
 public:
  Pipe() {
    REQUIRE(::mkfifo(path().c_str(), 0600) == 0);
    ends_ = ::open(path().c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    REQUIRE(ends_ >= 0);
  }
  ~Pipe() { ::close(ends_); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  fs::path path() const { return folder_.path() / "pipe"; }
  void write(std::string_view bytes) const {
    REQUIRE(::write(ends_, bytes.data(), bytes.size()) == std::ssize(bytes));
  }

 private:
  TemporaryFolder folder_;
  int ends_ = -1;
};

/// A run that would wait for ever if the signal did not end it.
Result interrupted(const Workplace& workplace, const Words& words) {
  const auto running = workplace.start(words);
  Workplace::wait_until([&] { return !running.is_running(); });
  return running.wait();
}

const std::string picture = png(random_picture(300, 200));

}  // namespace

TEST_CASE("A signal ends a run that waits for more of the tar on standard input") {
  for (const int number : {SIGINT, SIGTERM}) {
    CAPTURE(number);
    Workplace workplace;
    const Pipe input;
    const std::string tar = tests::tar(
        {{"a.jpg", jpeg(smooth_picture(64, 48))}, {"b.png", png(random_picture(40, 30))}});
    input.write(std::string_view(tar).substr(0, tar.find("b.png") + 700));
    workplace.input_pipe = input.path();
    workplace.signal_in_wait(number);
    const Result result = interrupted(workplace, {"cw", "-", "-o", "out.tar"});
    CHECK(result.exit_code == 128 + number);
    CHECK_THAT(result.err, ContainsSubstring("turned, but not all tars were written") &&
                               ContainsSubstring(", interrupted; "));
    CHECK(workplace.files(".").empty());
  }
}

TEST_CASE_METHOD(Workplace,
                 "A signal ends a run that waits until somebody reads its standard output") {
  add("a.png", picture);
  add("in.tar", tests::tar({{"a.png", picture}, {"b.png", picture}}));
  for (const char* input : {"a.png", "in.tar"}) {
    CAPTURE(input);
    const Pipe output;
    output_pipe = output.path();
    signal_in_wait(SIGTERM);
    CHECK(interrupted(*this, {"cw", input, "-o", "-"}).exit_code == 143);
  }
}

}  // namespace stop_pipes_test
