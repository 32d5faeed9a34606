#include "src/formats/container/video_matrix.hpp"

#include <catch2/catch_test_macros.hpp>

#include "src/picture/bytes.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/motion_video.hpp"

namespace container_video_matrix_test {

namespace {

using namespace qturn;
using namespace qturn::tests;
using std::string_literals::operator""s;

// In the order of video_turns.
constexpr Orientation quarters[] = {Orientation::identity, Orientation::rotate90,
                                    Orientation::rotate180, Orientation::rotate270};

struct TurnedVideo {
  std::string bytes;
  bool any = false;
  std::vector<std::string> warnings;
};

TurnedVideo turned(const std::string& before, Orientation view) {
  TurnedVideo result;
  Bytes bytes = owned(before);
  result.any = turn_videos(bytes, view, result.warnings);
  result.bytes = text_of(bytes);
  return result;
}

void check_stays(const std::string& before, Orientation view, const std::string& because) {
  const TurnedVideo result = turned(before, view);
  CHECK(result.any);
  CHECK(result.bytes == before);
  CHECK(result.warnings ==
        std::vector<std::string>{"the video after the picture is not turned: " + because});
}

}  // namespace

TEST_CASE("Every quarter turn of a video composes with the one in its header, and nothing else") {
  for (const int version : {0, 1}) {
    for (std::size_t was = 0; was < 4; ++was) {
      for (std::size_t by = 0; by < 4; ++by) {
        CAPTURE(version, was, by);
        const auto video = [&](std::size_t turns) {
          return MotionVideo{.matrix = video_turns[turns], .version = version}.file();
        };
        const TurnedVideo result = turned(video(was), quarters[by]);
        CHECK(result.any);
        CHECK(result.bytes == video((was + by) % 4));
        CHECK(result.warnings.empty());
      }
    }
  }
}

TEST_CASE("A matrix that does not move the frames back goes on not to do so") {
  for (std::size_t was = 1; was < 4; ++was) {
    for (std::size_t by = 0; by < 4; ++by) {
      CAPTURE(was, by);
      const auto video = [](std::size_t turns) {
        return MotionVideo{.matrix = without_move(video_turns[turns])}.file();
      };
      CHECK(turned(video(was), quarters[by]).bytes == video((was + by) % 4));
    }
  }
}

TEST_CASE("A video is found wherever it begins, and whatever follows") {
  const auto after = [](std::size_t turns) {
    const std::string video = MotionVideo{.matrix = video_turns[turns]}.file();
    // What only looks like the beginning, a video within Samsung's data, and one that ends the
    // file.
    return "ftypftyp\0\0\0\x0C"s + "ftyp1234" + samsung_trailer(video) + video;
  };
  CHECK(turned(after(0), Orientation::rotate90).bytes == after(1));
  CHECK_FALSE(turned("no video, only ftyp", Orientation::rotate90).any);
  CHECK_FALSE(turned("", Orientation::rotate90).any);
}

TEST_CASE("A video that cannot be turned stays, with the reason") {
  const std::string video = MotionVideo().file();
  for (const Orientation mirror :
       {Orientation::flop, Orientation::flip, Orientation::transpose, Orientation::transverse}) {
    check_stays(video, mirror, "players do not mirror videos");
  }
  const std::string odd = "its matrix is not a turn by quarters";
  VideoMatrix half = video_turns[0], moved = video_turns[1], mirror = video_turns[0];
  half[0] /= 2;
  moved[6] += video_one;
  mirror[0] = -video_one;
  for (const VideoMatrix& matrix : {half, moved, mirror}) {
    check_stays(MotionVideo{.matrix = matrix}.file(), Orientation::rotate90, odd);
    check_stays(MotionVideo{.of_movie = matrix}.file(), Orientation::rotate90, odd);
  }
  std::string damaged = video;
  damaged[damaged.find("tkhd") - 1] = 20;
  check_stays(damaged, Orientation::rotate90, "its header is damaged");
  std::string without = video;
  without.replace(without.rfind("hdlr"), 4, "free");
  check_stays(without, Orientation::rotate90, "its header is damaged");
}

TEST_CASE("Where the view stays, so does a video, and nothing is said") {
  const std::string odd = MotionVideo{.of_movie = video_turns[1]}.file();
  const TurnedVideo result = turned(odd, Orientation::identity);
  CHECK(result.any);
  CHECK(result.bytes == odd);
  CHECK(result.warnings.empty());
}

TEST_CASE("A cut of a video anywhere is read without harm") {
  const std::string video = MotionVideo().file();
  for (std::size_t bytes = 0; bytes < video.size(); ++bytes) {
    const std::string cut = video.substr(0, bytes);
    CAPTURE(bytes);
    CHECK_FALSE(turned(cut, Orientation::rotate90).any);
  }
}

}  // namespace container_video_matrix_test
