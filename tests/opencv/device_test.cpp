// The OpenCV plugin on GpuMats, on a stream: every type, orientation, size and region, against
// OpenCV's own functions on the CPU. All of this works with an OpenCV without CUDA too.
#include <atomic>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <chrono>
#include <thread>

#include "tests/opencv/pictures.hpp"

namespace qturn::tests::device_test {
namespace {

namespace ours = qturn::opencv;
using cv::cuda::GpuMat;

const std::vector<cv::Size> sizes{{1, 1},    {1, 7},    {5, 1},     {2, 2},    {31, 33},
                                  {64, 128}, {129, 67}, {257, 255}, {4, 2003}, {1777, 3}};

std::string text(cv::Size size, int type, Orientation orientation) {
  return std::string(name(orientation)) + " of " + std::to_string(size.width) + "x" +
         std::to_string(size.height) + " " + cv::typeToString(type) + ": ";
}

cv::Size turned(Orientation orientation, cv::Size size) {
  return swaps_axes(orientation) ? cv::Size(size.height, size.width) : size;
}

TEST_CASE("transform() makes of every type what OpenCV makes of it on the CPU", "[gpu]") {
  Stream stream;
  const int type = GENERATE(from_range(all_types()));
  for (const cv::Size size : sizes) {
    const cv::Mat picture = random_picture(size, type);
    DevicePicture src(picture);
    for (const Orientation orientation : all_orientations) {
      DevicePicture dst(turned(orientation, size), type);
      const unsigned char* memory = dst.mat().data;
      ours::transform(src.mat(), dst.mat(), orientation, stream);
      stream.wait();
      const std::string wrong = difference(dst.download(), turned_by_opencv(picture, orientation));
      if (!wrong.empty()) FAIL(text(size, type, orientation) << wrong);
      REQUIRE(dst.mat().data == memory);
    }
  }
}

TEST_CASE("transpose(), flip() and rotate() do what OpenCV's functions of that name do", "[gpu]") {
  Stream stream;
  const int type = GENERATE(CV_8UC1, CV_8UC3, CV_16FC2, CV_32FC4, CV_8UC(12));
  const cv::Size size(131, 67);
  const cv::Mat picture = random_picture(size, type);
  DevicePicture src(picture);
  cv::Mat wanted;
  DevicePicture same(size, type);
  // Every int is a flip code: its sign counts.
  for (const int code : {0, 1, -1, 2, -7, INT_MAX, INT_MIN}) {
    ours::flip(src.mat(), same.mat(), code, stream);
    stream.wait();
    cv::flip(picture, wanted, code > 0 ? 1 : code < 0 ? -1 : 0);
    CHECK(difference(same.download(), wanted) == "");
  }
  for (const int code : {cv::ROTATE_90_CLOCKWISE, cv::ROTATE_180, cv::ROTATE_90_COUNTERCLOCKWISE}) {
    cv::rotate(picture, wanted, code);
    DevicePicture dst(wanted.size(), type);
    ours::rotate(src.mat(), dst.mat(), code, stream);
    stream.wait();
    CHECK(difference(dst.download(), wanted) == "");
  }
  cv::transpose(picture, wanted);
  DevicePicture dst(wanted.size(), type);
  ours::transpose(src.mat(), dst.mat(), stream);
  stream.wait();
  CHECK(difference(dst.download(), wanted) == "");
}

TEST_CASE("regions are turned into regions, and nothing beside them is touched", "[gpu]") {
  Stream stream;
  const int type = GENERATE(from_range(all_types()));
  const cv::Mat whole = random_picture({150, 160}, type, 2);
  const cv::Mat around = random_picture({170, 140}, type, 3);
  DevicePicture src(whole);
  for (const cv::Rect from : {cv::Rect(0, 0, 97, 33), cv::Rect(1, 2, 64, 64),
                              cv::Rect(16, 5, 100, 96), cv::Rect(53, 157, 97, 3)}) {
    for (const Orientation orientation : all_orientations) {
      const cv::Size size = turned(orientation, from.size());
      for (const cv::Point to : {cv::Point(0, 0), cv::Point(3, 1), cv::Point(32, 7)}) {
        DevicePicture dst(around);
        GpuMat region = dst.region({to, size});
        ours::transform(src.region(from), region, orientation, stream);
        stream.wait();
        cv::Mat wanted = around.clone();
        turned_by_opencv(whole(from), orientation).copyTo(wanted(cv::Rect(to, size)));
        const std::string wrong = difference(dst.download(), wanted);
        if (!wrong.empty()) FAIL(text(from.size(), type, orientation) << wrong);
      }
    }
  }
}

TEST_CASE("huge and thin pictures agree", "[gpu]") {
  Stream stream;
  const int type = GENERATE(CV_8UC1, CV_8UC3, CV_16FC4);
  // The second is one that OpenCV leaves undone, the third has more rows than it takes.
  const cv::Size size =
      GENERATE(cv::Size(5003, 4001), cv::Size(4, 1'108'992), cv::Size(1'048'577, 2));
  const cv::Mat picture = random_picture(size, type);
  DevicePicture src(picture);
  for (const Orientation orientation :
       {Orientation::transpose, Orientation::rotate90, Orientation::rotate180, Orientation::flop}) {
    DevicePicture dst(turned(orientation, size), type);
    ours::transform(src.mat(), dst.mat(), orientation, stream);
    stream.wait();
    const std::string wrong = difference(dst.download(), turned_by_opencv(picture, orientation));
    if (!wrong.empty()) FAIL(text(size, type, orientation) << wrong);
  }
}

TEST_CASE("pictures are mirrored in place whatever their size, and turned if they are square",
          "[gpu]") {
  Stream stream;
  const int type = GENERATE(from_range(all_types()));
  const cv::Mat whole = random_picture({150, 160}, type, 4);
  // Odd sizes, which cv::cuda::flip() refuses, are among them.
  for (const cv::Rect where : {cv::Rect(0, 0, 150, 160), cv::Rect(1, 3, 33, 65),
                               cv::Rect(20, 7, 97, 97), cv::Rect(5, 5, 1, 1)}) {
    for (const Orientation orientation : all_orientations) {
      if (turned(orientation, where.size()) != where.size()) continue;
      DevicePicture picture(whole);
      GpuMat region = picture.region(where);
      const GpuMat same = region;
      ours::transform(region, region, orientation, stream);
      stream.wait();
      REQUIRE(region.data == same.data);
      cv::Mat wanted = whole.clone();
      turned_by_opencv(whole(where), orientation).copyTo(wanted(where));
      std::string wrong = difference(picture.download(), wanted);
      if (!wrong.empty()) FAIL(text(where.size(), type, orientation) << wrong);
      // Two headers of the same pixels are in place too.
      ours::transform(same, region, inverse(orientation), stream);
      stream.wait();
      wrong = difference(picture.download(), whole);
      if (!wrong.empty()) FAIL(text(where.size(), type, orientation) << wrong);
    }
  }
}

TEST_CASE("a batch of different sizes and orientations is turned by one call", "[gpu]") {
  Stream stream;
  const int type = GENERATE(CV_8UC1, CV_8UC3, CV_32FC3, CV_16FC4);
  std::vector<cv::Mat> pictures;
  std::vector<std::unique_ptr<DevicePicture>> src;
  std::vector<std::unique_ptr<DevicePicture>> dst;
  std::vector<GpuMat> src_mats;
  std::vector<GpuMat> dst_mats;
  std::vector<Orientation> orientations;
  for (int i = 0; i < 600; ++i) {
    orientations.push_back(all_orientations[static_cast<std::size_t>(i % 8)]);
    if (i % 50 == 7) {
      pictures.emplace_back();
      src_mats.emplace_back();
      dst_mats.emplace_back();
      continue;
    }
    const cv::Size size(1 + i * 37 % 150, 1 + i * 53 % 97);
    pictures.push_back(random_picture(size, type, static_cast<std::uint64_t>(i)));
    src.push_back(std::make_unique<DevicePicture>(pictures.back()));
    dst.push_back(std::make_unique<DevicePicture>(turned(orientations.back(), size), type));
    src_mats.push_back(src.back()->mat());
    dst_mats.push_back(dst.back()->mat());
  }
  ours::transform_batch(src_mats, dst_mats, orientations, stream);
  stream.wait();
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    if (pictures[i].empty()) {
      CHECK(dst_mats[i].empty());
      continue;
    }
    const std::string wrong =
        difference(downloaded(dst_mats[i]), turned_by_opencv(pictures[i], orientations[i]));
    if (!wrong.empty()) FAIL("image " << i << ": " << wrong);
  }
}

// Work that does not end before it is told to, but in the end.
class Obstacle {
 public:
  explicit Obstacle(cudaStream_t stream) { must(cudaLaunchHostFunc(stream, wait, &removed_)); }
  ~Obstacle() { removed_ = true; }

  void remove() { removed_ = true; }

 private:
  static void wait(void* removed) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!*static_cast<std::atomic<bool>*>(removed) && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::atomic<bool> removed_{false};
};

TEST_CASE("a call on a stream does not wait for it", "[gpu]") {
  Stream stream;
  const cv::Mat picture = random_picture({640, 480}, CV_8UC3);
  DevicePicture src(picture);
  DevicePicture dst({480, 640}, CV_8UC3);
  // CUDA loads a kernel before its first launch, and may wait for the device then.
  ours::rotate(src.mat(), dst.mat(), cv::ROTATE_90_CLOCKWISE, stream);
  for (int twice = 0; twice < 2; ++twice) ours::flip(src.mat(), src.mat(), 1, stream);
  stream.wait();
  dst.upload(random_picture({480, 640}, CV_8UC3));
  Obstacle obstacle(stream);
  ours::rotate(src.mat(), dst.mat(), cv::ROTATE_90_CLOCKWISE, stream);
  ours::flip(src.mat(), src.mat(), 1, stream);
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  obstacle.remove();
  stream.wait();
  CHECK(difference(dst.download(), turned_by_opencv(picture, Orientation::rotate90)) == "");
  CHECK(difference(src.download(), turned_by_opencv(picture, Orientation::flop)) == "");
}

TEST_CASE("a graph captures a call and replays it", "[gpu]") {
  Stream stream;
  const cv::Mat picture = random_picture({333, 222}, CV_16UC1);
  DevicePicture src({333, 222}, CV_16UC1);
  DevicePicture dst({222, 333}, CV_16UC1);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replayable = nullptr;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ours::rotate(src.mat(), dst.mat(), cv::ROTATE_90_COUNTERCLOCKWISE, stream);
  must(cudaStreamEndCapture(stream, &graph));
  must(cudaGraphInstantiate(&replayable, graph, 0));
  src.upload(picture);
  must(cudaGraphLaunch(replayable, stream));
  stream.wait();
  CHECK(difference(dst.download(), turned_by_opencv(picture, Orientation::rotate270)) == "");
  must(cudaGraphExecDestroy(replayable));
  must(cudaGraphDestroy(graph));
}

}  // namespace
}  // namespace qturn::tests::device_test
