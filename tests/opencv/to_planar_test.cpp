// to_planar() of the OpenCV plugin, against OpenCV's own functions on the CPU, bit for bit: the
// picture turned, split, normalised in double, which is exact here, and rounded as the plugin says.
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <limits>

#include "tests/opencv/pictures.hpp"

namespace qturn::tests::to_planar_test {
namespace {

namespace ours = qturn::opencv;
using cv::cuda::GpuMat;
using ours::BlobParams;

cudaStream_t no_stream() { return nullptr; }

cv::Size turned(Orientation orientation, cv::Size size) {
  return swaps_axes(orientation) ? cv::Size(size.height, size.width) : size;
}

// Floats are multiples of 1/16, so that OpenCV's doubles hold what is made of them.
cv::Mat samples(cv::Size size, int type, std::uint64_t seed = 1) {
  const int depth = CV_MAT_DEPTH(type);
  if (depth == CV_8U || depth == CV_16U) return random_picture(size, type, seed);
  cv::Mat picture = random_picture(size, CV_8UC(CV_MAT_CN(type)), seed);
  picture.convertTo(picture, CV_32F, 1 / 16.0, -5);
  picture.convertTo(picture, depth);
  return picture;
}

BlobParams image_net(int ddepth = CV_32F) {
  BlobParams params;
  params.mean = {0.485 * 255, 0.456 * 255, 0.406 * 255, 3};
  params.scalefactor = {1 / (0.229 * 255), 1 / (0.224 * 255), 1 / (0.225 * 255), 0.25};
  params.ddepth = ddepth;
  return params;
}

cv::Mat rounded(const cv::Mat& plane, int ddepth) {
  cv::Mat floats;
  plane.convertTo(floats, CV_32F);
  if (ddepth == CV_32F) return floats;
  cv::Mat result;
  if (ddepth == CV_16F) {
    floats.convertTo(result, CV_16F);
    return result;
  }
  // The upper half of a float, to the nearest, ties to even.
  result.create(floats.size(), CV_MAKETYPE(ddepth, 1));
  for (int y = 0; y < floats.rows; ++y) {
    for (int x = 0; x < floats.cols; ++x) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, floats.ptr<float>(y) + x, sizeof bits);
      result.ptr<std::uint16_t>(y)[x] =
          static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16) % 2) >> 16);
    }
  }
  return result;
}

cv::Mat blob_by_opencv(const cv::Mat& picture, Orientation orientation, const BlobParams& params) {
  std::vector<cv::Mat> channels;
  cv::split(turned_by_opencv(picture, orientation), channels);
  if (channels.size() == 1) channels.resize(4, channels[0]);
  if (params.swap_rb) std::swap(channels[0], channels[2]);
  std::vector<cv::Mat> planes;
  const int count = params.planes == 0 ? picture.channels() : params.planes;
  for (int c = 0; c < count; ++c) {
    cv::Mat plane;
    channels[static_cast<std::size_t>(c)].convertTo(plane, CV_32F);
    plane.convertTo(plane, CV_64F);
    const auto factor = static_cast<float>(params.scalefactor[c]);
    const auto offset = static_cast<float>(-params.mean[c] * params.scalefactor[c]);
    plane.convertTo(plane, CV_64F, factor, offset);
    planes.push_back(rounded(plane, params.ddepth));
  }
  cv::Mat blob;
  cv::vconcat(planes, blob);
  return blob;
}

cv::Size blob_size(cv::Size picture, Orientation orientation, int planes) {
  const cv::Size size = turned(orientation, picture);
  return {size.width, size.height * planes};
}

std::vector<int> blob_depths() {
  return {CV_32F, CV_16F,
#ifdef CV_16BF
          CV_16BF
#endif
  };
}

std::vector<int> picture_types() {
  std::vector<int> types;
  for (const int depth : {CV_8U, CV_16U, CV_16F, CV_32F}) {
    for (int channels = 1; channels <= 4; ++channels) types.push_back(CV_MAKETYPE(depth, channels));
  }
  return types;
}

TEST_CASE("to_planar() makes what OpenCV makes on the CPU", "[gpu]") {
  Stream stream;
  const int type = GENERATE(from_range(picture_types()));
  const int ddepth = GENERATE(from_range(blob_depths()));
  BlobParams params = image_net(ddepth);
  params.swap_rb = CV_MAT_CN(type) == 3;
  for (const cv::Size size :
       {cv::Size(1, 1), cv::Size(7, 5), cv::Size(64, 33), cv::Size(224, 130), cv::Size(1001, 3)}) {
    const cv::Mat picture = samples(size, type);
    DevicePicture src(picture);
    for (const Orientation orientation : all_orientations) {
      DevicePicture dst(blob_size(size, orientation, CV_MAT_CN(type)), CV_MAKETYPE(ddepth, 1));
      const unsigned char* memory = dst.mat().data;
      ours::to_planar(src.mat(), dst.mat(), orientation, params, stream);
      stream.wait();
      const std::string wrong =
          difference(dst.download(), blob_by_opencv(picture, orientation, params));
      if (!wrong.empty()) FAIL(cv::typeToString(type) << " " << name(orientation) << ": " << wrong);
      REQUIRE(dst.mat().data == memory);
    }
  }
}

TEST_CASE("a blob holds (sample - mean) * scalefactor, channels in the order asked for", "[gpu]") {
  Stream stream;
  // Numbers that are exact in whatever order they are computed.
  BlobParams params;
  params.mean = {104, 117, 123};
  params.scalefactor = {0.5, 0.25, 2};
  params.swap_rb = true;
  const cv::Mat picture = samples({97, 55}, CV_8UC3);
  DevicePicture src(picture);
  DevicePicture dst({97, 165}, CV_32FC1);
  ours::to_planar(src.mat(), dst.mat(), Orientation::identity, params, stream);
  stream.wait();
  std::vector<cv::Mat> bgr;
  cv::split(picture, bgr);
  cv::Mat wanted;
  const std::vector<cv::Mat> rgb{bgr[2], bgr[1], bgr[0]};
  cv::vconcat(rgb, wanted);
  wanted.convertTo(wanted, CV_32F);
  for (int c = 0; c < 3; ++c) {
    cv::Mat plane = wanted.rowRange(55 * c, 55 * (c + 1));
    cv::subtract(plane, params.mean[c], plane);
    cv::multiply(plane, params.scalefactor[c], plane);
  }
  CHECK(difference(dst.download(), wanted) == "");
}

TEST_CASE("alpha is left out and grey repeated where planes are counted", "[gpu]") {
  Stream stream;
  struct Kind {
    int type;
    int planes;
    bool swap_rb;
  };
  const auto [type, planes, swap_rb] =
      GENERATE(Kind{CV_8UC4, 3, true}, Kind{CV_8UC4, 3, false}, Kind{CV_8UC1, 3, true},
               Kind{CV_16UC3, 1, false}, Kind{CV_8UC4, 4, true}, Kind{CV_32FC1, 4, false});
  BlobParams params = image_net();
  params.planes = planes;
  params.swap_rb = swap_rb;
  const cv::Mat picture = samples({97, 55}, type);
  DevicePicture src(picture);
  DevicePicture dst(blob_size(picture.size(), Orientation::transverse, planes), CV_32FC1);
  ours::to_planar(src.mat(), dst.mat(), Orientation::transverse, params, stream);
  stream.wait();
  CHECK(difference(dst.download(), blob_by_opencv(picture, Orientation::transverse, params)) == "");
}

TEST_CASE("regions become blobs in regions, and nothing beside them is touched", "[gpu]") {
  Stream stream;
  const cv::Mat whole = samples({150, 160}, CV_8UC3, 2);
  const cv::Mat around = random_picture({170, 400}, CV_16FC1, 3);
  const BlobParams params = image_net(CV_16F);
  DevicePicture src(whole);
  for (const cv::Rect from : {cv::Rect(1, 2, 64, 64), cv::Rect(53, 7, 97, 33)}) {
    for (const Orientation orientation : all_orientations) {
      const cv::Rect to({3, 1}, blob_size(from.size(), orientation, 3));
      DevicePicture dst(around);
      GpuMat region = dst.region(to);
      ours::to_planar(src.region(from), region, orientation, params, stream);
      stream.wait();
      cv::Mat wanted = around.clone();
      blob_by_opencv(whole(from), orientation, params).copyTo(wanted(to));
      const std::string wrong = difference(dst.download(), wanted);
      if (!wrong.empty()) FAIL(name(orientation) << ": " << wrong);
    }
  }
}

// Pictures that have one size when they are turned.
struct Batch {
  Batch(std::size_t count, cv::Size size, int type, const BlobParams& params) {
    std::vector<cv::Mat> blobs;
    for (std::size_t i = 0; i < count; ++i) {
      orientations.push_back(all_orientations[i % 8]);
      const cv::Mat picture = samples(turned(orientations.back(), size), type, i);
      blobs.push_back(blob_by_opencv(picture, orientations.back(), params));
      memory.push_back(std::make_unique<DevicePicture>(picture));
      src.push_back(memory.back()->mat());
    }
    cv::vconcat(blobs, wanted);
  }
  std::vector<std::unique_ptr<DevicePicture>> memory;
  std::vector<GpuMat> src;
  std::vector<Orientation> orientations;
  cv::Mat wanted;
};

TEST_CASE("many pictures become one blob, each turned its own way", "[gpu]") {
  Stream stream;
  const std::size_t count = GENERATE(1, 9, 500);
  BlobParams params = image_net(CV_16F);
  params.swap_rb = true;
  const Batch batch(count, {33, 20}, CV_8UC3, params);
  DevicePicture dst(batch.wanted.size(), CV_16FC1);
  ours::to_planar_batch(batch.src, dst.mat(), batch.orientations, params, stream);
  stream.wait();
  CHECK(difference(dst.download(), batch.wanted) == "");
}

// Which would fail if anything were allocated or waited for.
TEST_CASE("a graph captures the making of a blob and replays it", "[gpu]") {
  Stream stream;
  const BlobParams params = image_net();
  const cv::Mat picture = samples({333, 222}, CV_8UC3);
  DevicePicture src({333, 222}, CV_8UC3);
  DevicePicture one({222, 999}, CV_32FC1);
  DevicePicture two({222, 1998}, CV_32FC1);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replayable = nullptr;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ours::to_planar(src.mat(), one.mat(), Orientation::rotate90, params, stream);
  ours::to_planar_batch({src.mat(), src.mat()}, two.mat(),
                        {Orientation::rotate90, Orientation::rotate270}, params, stream);
  must(cudaStreamEndCapture(stream, &graph));
  must(cudaGraphInstantiate(&replayable, graph, 0));
  src.upload(picture);
  must(cudaGraphLaunch(replayable, stream));
  stream.wait();
  const cv::Mat right = blob_by_opencv(picture, Orientation::rotate90, params);
  cv::Mat both;
  cv::vconcat(right, blob_by_opencv(picture, Orientation::rotate270, params), both);
  CHECK(difference(one.download(), right) == "");
  CHECK(difference(two.download(), both) == "");
  must(cudaGraphExecDestroy(replayable));
  must(cudaGraphDestroy(graph));
}

TEST_CASE("a blob that is created is a tensor without gaps, and done on return without a stream",
          "[gpu]") {
  need_opencv_with_cuda();
  const BlobParams params = image_net();
  const cv::Mat picture = samples({97, 55}, CV_8UC3);
  const GpuMat src(picture);
  GpuMat blob;
  ours::to_planar(src, blob, Orientation::rotate90, params);
  CHECK(cudaStreamQuery(nullptr) == cudaSuccess);
  CHECK(blob.isContinuous());
  CHECK(blob.step == 55 * sizeof(float));
  CHECK(difference(downloaded(blob), blob_by_opencv(picture, Orientation::rotate90, params)) == "");
  const unsigned char* memory = blob.data;
  cv::cuda::Stream stream;
  ours::to_planar(src, blob, Orientation::rotate270, params, stream);
  stream.waitForCompletion();
  CHECK(blob.data == memory);
  CHECK(difference(downloaded(blob), blob_by_opencv(picture, Orientation::rotate270, params)) ==
        "");
  const Batch batch(5, {55, 97}, CV_8UC3, params);
  ours::to_planar_batch(batch.src, blob, batch.orientations, params, cv::cuda::Stream::Null());
  CHECK(blob.isContinuous());
  CHECK(difference(downloaded(blob), batch.wanted) == "");
  // The source's own header may become the blob.
  GpuMat same(picture);
  ours::to_planar(same, same, Orientation::flop, params, stream);
  stream.waitForCompletion();
  CHECK(difference(downloaded(same), blob_by_opencv(picture, Orientation::flop, params)) == "");
}

TEST_CASE("a picture that was to become its own blob survives a refusal", "[gpu]") {
  need_opencv_with_cuda();
  const cv::Mat picture = samples({97, 55}, CV_8UC3);
  GpuMat image(picture);
  BlobParams params = image_net();
  params.mean[1] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(ours::to_planar(image, image, Orientation::flop, params), cv::Exception);
  CHECK(difference(downloaded(image), picture) == "");
}

TEST_CASE("no pictures make no blob") {
  GpuMat blob;
  ours::to_planar(GpuMat(), blob, Orientation::flop, {});
  CHECK(blob.empty());
  ours::to_planar_batch({}, blob, {}, {});
  CHECK(blob.empty());
}

TEST_CASE("pictures and blobs of types that the kernels do not know are refused") {
  cv::Mat memory = random_picture({4, 3}, CV_8UC(40));
  GpuMat blob;
  const auto picture = [&](int type) { return GpuMat({4, 3}, type, memory.data); };
  const auto refused = [&](int code, const std::string& message, int type, BlobParams params) {
    return not_refused(code, message, [&] {
      ours::to_planar(picture(type), blob, Orientation::flop, params, {});
    });
  };
  const std::string expected = ", expected CV_8U, CV_16U, CV_16F or CV_32F with 1 to 4 channels";
  CHECK(refused(cv::Error::BadDepth, "src is CV_16SC3" + expected, CV_16SC3, {}) == "");
  CHECK(refused(cv::Error::BadDepth, "src is CV_64FC1" + expected, CV_64FC1, {}) == "");
  CHECK(refused(cv::Error::BadNumChannels, "src is CV_8UC5" + expected, CV_8UC(5), {}) == "");
  BlobParams params;
  params.ddepth = CV_8U;
  CHECK(refused(cv::Error::BadDepth,
                "ddepth is CV_8UC1, expected CV_32F, CV_16F or, in OpenCV 5, CV_16BF", CV_8UC3,
                params) == "");
  params.ddepth = CV_32F;
  params.planes = 4;
  CHECK(refused(cv::Error::BadNumChannels, "4 planes of CV_8UC3, expected 1 to 3", CV_8UC3,
                params) == "");
  params.planes = -1;
  CHECK(refused(cv::Error::BadNumChannels, "-1 planes of CV_8UC1, expected 1 to 4", CV_8UC1,
                params) == "");
  params.planes = 2;
  params.swap_rb = true;
  const std::string exchange = ", expected 3 or 4 of as many channels, to exchange 0 and 2";
  CHECK(refused(cv::Error::BadNumChannels, "2 planes of CV_8UC3" + exchange, CV_8UC3, params) ==
        "");
  params.planes = 0;
  CHECK(refused(cv::Error::BadNumChannels, "2 planes of CV_8UC2" + exchange, CV_8UC2, params) ==
        "");
  CHECK(not_refused(cv::Error::StsBadArg, "orientation 9, expected 1 to 8", [&] {
          ours::to_planar(picture(CV_8UC3), blob, static_cast<Orientation>(9), {}, no_stream());
        }) == "");
}

TEST_CASE("a batch of blobs is refused where pictures are missing or turned of other sizes") {
  cv::Mat memory = random_picture({4, 3}, CV_8UC4);
  const GpuMat wide({4, 3}, CV_8UC3, memory.data);
  const GpuMat tall({3, 4}, CV_8UC3, memory.data);
  const GpuMat grey({4, 3}, CV_8UC1, memory.data);
  GpuMat blob;
  const auto refused = [&](int code, const std::string& message, const std::vector<GpuMat>& src,
                           const std::vector<Orientation>& orientations) {
    return not_refused(code, message,
                       [&] { ours::to_planar_batch(src, blob, orientations, {}, no_stream()); });
  };
  CHECK(refused(cv::Error::StsUnmatchedSizes, "1 orientations, expected 2, one for each image",
                {wide, wide}, {Orientation::flop}) == "");
  CHECK(refused(cv::Error::StsUnmatchedSizes,
                "src[1] is 4x3 CV_8UC3, expected 3x4 CV_8UC3, which turned has the size of src[0]",
                {wide, wide}, {Orientation::flop, Orientation::rotate90}) == "");
  CHECK(refused(cv::Error::StsUnmatchedSizes,
                "src[1] is 4x3 CV_8UC1, expected 4x3 CV_8UC3, which turned has the size of src[0]",
                {wide, grey, tall},
                {Orientation::flop, Orientation::flip, Orientation::flop}) == "");
  CHECK(refused(cv::Error::StsBadSize, "src[1] is empty, and a blob has no gaps", {wide, GpuMat()},
                {Orientation::flop, Orientation::flop}) == "");
  CHECK(refused(cv::Error::StsOutOfRange,
                "200000 pictures of 3 planes of 4000 rows are more rows than a GpuMat has",
                std::vector<GpuMat>(200'000, GpuMat({1, 4000}, CV_8UC3, memory.data)),
                std::vector<Orientation>(200'000, Orientation::flop)) == "");
}

}  // namespace
}  // namespace qturn::tests::to_planar_test
