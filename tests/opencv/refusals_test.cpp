// What the OpenCV plugin refuses, with which code and which words. Most of it needs no GPU: nothing
// of a refused call reaches one.
#include <array>
#include <catch2/generators/catch_generators.hpp>
#include <utility>

#include "tests/opencv/pictures.hpp"

namespace qturn::tests::refusals_test {
namespace {

namespace ours = qturn::opencv;
using cv::cuda::GpuMat;

cudaStream_t no_stream() { return nullptr; }

bool opencv_has_cuda() {
  // Without CUDA it says 0; with CUDA and no driver, -1 or an exception.
  try {
    return cv::cuda::getCudaEnabledDeviceCount() != 0;
  } catch (const cv::Exception&) {
    return true;
  }
}

TEST_CASE("codes that rotate() does not know are refused, and the destination is left alone") {
  const int code = GENERATE(-1, 3, 90, 1'000'000);
  const cv::Mat src = random_picture({4, 3}, CV_8UC1);
  cv::Mat dst;
  CHECK(not_refused(cv::Error::StsBadArg,
                    "rotate code " + std::to_string(code) +
                        ", expected 0 (ROTATE_90_CLOCKWISE), 1 (ROTATE_180) or 2 "
                        "(ROTATE_90_COUNTERCLOCKWISE)",
                    [&] { ours::rotate(src, dst, code); }) == "");
  CHECK(dst.empty());
}

TEST_CASE("numbers that are not an orientation are refused") {
  const int number = GENERATE(0, 9, 255);
  const cv::Mat src = random_picture({4, 3}, CV_8UC1);
  cv::Mat dst;
  const auto orientation = static_cast<Orientation>(number);
  const std::string message = "orientation " + std::to_string(number) + ", expected 1 to 8";
  CHECK(not_refused(cv::Error::StsBadArg, message,
                    [&] { ours::transform(src, dst, orientation); }) == "");
  GpuMat device_dst;
  CHECK(not_refused(cv::Error::StsBadArg, message, [&] {
          ours::transform(GpuMat(), device_dst, orientation, no_stream());
        }) == "");
  std::vector<GpuMat> dsts;
  CHECK(not_refused(cv::Error::StsBadArg, message, [&] {
          ours::transform_batch({GpuMat()}, dsts, {orientation}, no_stream());
        }) == "");
}

TEST_CASE("an image in host memory is a view of its pixels, or is refused") {
  cv::Mat picture = random_picture({7, 5}, CV_16UC3);
  cv::Mat region = picture(cv::Rect(2, 1, 4, 3));
  const View view = ours::view_of(region);
  CHECK(view.data == picture.ptr(1, 2));
  CHECK(view.width == 4);
  CHECK(view.height == 3);
  CHECK(view.pitch == 7 * 6);
  CHECK(view.pixel_bytes == 6);
  const ConstView whole = ours::view_of(std::as_const(picture));
  CHECK(whole.height == 5);
  CHECK(ours::view_of(std::as_const(region)).data == view.data);
  cv::Mat none;
  CHECK(ours::view_of(none).empty());
  GpuMat nothing(0, 4, CV_8UC3, picture.data);
  CHECK(ours::view_of(nothing).empty());
  CHECK(ours::view_of(nothing).pixel_bytes == 3);

  cv::Mat cube(3, std::array{2, 3, 4}.data(), CV_8UC1);
  CHECK(not_refused(cv::Error::StsBadSize, "image has 3 dimensions, expected 2",
                    [&] { ours::view_of(cube); }) == "");
  cv::Mat wide(2, 2, CV_8UC(257));
  CHECK(not_refused(cv::Error::BadNumChannels,
                    "image is CV_8UC257, pixels of 257 bytes, expected at most 256",
                    [&] { ours::view_of(wide); }) == "");
  const GpuMat nowhere(3, 4, CV_8UC1, static_cast<void*>(nullptr));
  CHECK(not_refused(cv::Error::StsNullPtr, "image is 4x3 CV_8UC1 at address 0",
                    [&] { ours::view_of(nowhere); }) == "");
}

TEST_CASE("pixels of more than 256 bytes are refused") {
  cv::Mat src = random_picture({4, 3}, CV_64FC(33));
  cv::Mat dst;
  const std::string message = "src is CV_64FC33, pixels of 264 bytes, expected at most 256";
  CHECK(not_refused(cv::Error::BadNumChannels, message, [&] { ours::transpose(src, dst); }) == "");
  GpuMat device_src(src.size(), src.type(), src.data);
  GpuMat device_dst;
  CHECK(not_refused(cv::Error::BadNumChannels, message,
                    [&] { ours::transpose(device_src, device_dst, no_stream()); }) == "");
}

TEST_CASE("a destination whose fixed type does not match is refused") {
  const cv::Mat src = random_picture({4, 3}, CV_8UC3);
  cv::Mat_<float> dst;
  CHECK(not_refused(cv::Error::StsUnmatchedFormats, "dst is fixed as CV_32FC1, expected CV_8UC3",
                    [&] { ours::flip(src, dst, 0); }) == "");
  std::vector<unsigned char> bytes;
  CHECK(not_refused(cv::Error::StsUnmatchedFormats, "dst is fixed as CV_8UC1, expected CV_8UC3",
                    [&] { ours::flip(src, bytes, 0); }) == "");
}

TEST_CASE("a destination whose fixed size does not match is refused") {
  const cv::Mat src = random_picture({4, 3}, CV_8UC1);
  cv::Matx<unsigned char, 3, 4> dst;
  CHECK(not_refused(cv::Error::StsUnmatchedSizes,
                    "dst is fixed as 4x3 CV_8UC1, expected 3x4 CV_8UC1",
                    [&] { ours::transpose(src, dst); }) == "");
  std::vector<unsigned char> row;
  CHECK(not_refused(cv::Error::StsUnmatchedSizes,
                    "dst is a std::vector, a single row or column, expected 3x4 CV_8UC1",
                    [&] { ours::transpose(src, row); }) == "");
}

TEST_CASE("more than two dimensions are refused") {
  const int sizes[] = {2, 3, 4};
  const cv::Mat src(3, sizes, CV_8UC1);
  cv::Mat dst;
  CHECK(not_refused(cv::Error::BadOrder, "src has 3 dimensions, expected at most 2",
                    [&] { ours::rotate(src, dst, cv::ROTATE_180); }) == "");
}

TEST_CASE("vectors of images and missing ones are refused") {
  const std::vector<cv::Mat> several(2, random_picture({4, 3}, CV_8UC1));
  const cv::Mat one = several[0];
  cv::Mat dst;
  const std::string kind =
      " is neither a GpuMat nor one image in host memory; transform_batch() takes vectors of "
      "GpuMats";
  CHECK(not_refused(cv::Error::StsUnsupportedFormat, "src" + kind,
                    [&] { ours::transpose(several, dst); }) == "");
  std::vector<cv::Mat> dsts;
  CHECK(not_refused(cv::Error::StsUnsupportedFormat, "dst" + kind,
                    [&] { ours::transpose(one, dsts); }) == "");
  CHECK(not_refused(cv::Error::StsNullPtr, "dst is missing",
                    [&] { ours::transpose(one, cv::noArray()); }) == "");
  CHECK(not_refused(cv::Error::StsNullPtr, "src is missing",
                    [&] { ours::transpose(cv::noArray(), dst); }) == "");
}

TEST_CASE("a picture at address 0 is refused") {
  const GpuMat src({4, 3}, CV_8UC3, nullptr, 12);
  GpuMat dst;
  CHECK(not_refused(cv::Error::StsNullPtr, "src is 4x3 CV_8UC3 at address 0",
                    [&] { ours::transform(src, dst, Orientation::flop, no_stream()); }) == "");
  std::vector<GpuMat> dsts;
  CHECK(not_refused(cv::Error::StsNullPtr, "src[1] is 4x3 CV_8UC3 at address 0", [&] {
          ours::transform_batch({GpuMat(), src}, dsts, {Orientation::flop, Orientation::flop},
                                no_stream());
        }) == "");
}

TEST_CASE("a batch has as many orientations as images, and is not turned in place") {
  std::vector<GpuMat> images(3);
  std::vector<GpuMat> dst;
  CHECK(
      not_refused(
          cv::Error::StsUnmatchedSizes, "2 orientations, expected 3, one for each image", [&] {
            ours::transform_batch(images, dst, {Orientation::flop, Orientation::flip}, no_stream());
          }) == "");
  CHECK(not_refused(
            cv::Error::StsInplaceNotSupported,
            "dst is src: a batch cannot be turned in place, call transform() for each image", [&] {
              ours::transform_batch(images, images, std::vector<Orientation>(3, Orientation::flop),
                                    no_stream());
            }) == "");
}

TEST_CASE("an empty source releases the destination, with or without a GPU") {
  cv::Mat dst = random_picture({4, 3}, CV_8UC1);
  ours::rotate(cv::Mat(), dst, cv::ROTATE_90_CLOCKWISE);
  CHECK(dst.empty());
  dst = random_picture({4, 3}, CV_8UC1);
  ours::flip(cv::Mat(0, 7, CV_8UC3), dst, 1);
  CHECK(dst.empty());
  GpuMat device_dst;
  ours::transpose(GpuMat(), device_dst, no_stream());
  CHECK(device_dst.empty());
  std::vector<GpuMat> dsts(5);
  ours::transform_batch({GpuMat(), GpuMat()}, dsts, {Orientation::flop, Orientation::rotate90},
                        no_stream());
  CHECK(dsts.size() == 2);
  ours::transform_batch({}, dsts, {});
  CHECK(dsts.empty());
}

TEST_CASE("without a GPU each function says so") {
  if (device_count() > 0) SKIP("there is a GPU");
  cv::Mat picture = random_picture({4, 3}, CV_8UC1);
  cv::Mat dst;
  const auto code_and_words = [](auto call) {
    try {
      call();
    } catch (const cv::Exception& error) {
      return std::to_string(error.code) + error.err.substr(0, 24);
    }
    return std::string("nothing was thrown");
  };
  const std::string expected =
      std::to_string(cv::Error::GpuNotSupported) + "there is no GPU to use: ";
  CHECK(code_and_words([&] { ours::transpose(picture, dst); }) == expected);
  CHECK(code_and_words([&] { ours::flip(picture, dst, 1); }) == expected);
  CHECK(code_and_words([&] { ours::rotate(picture, dst, cv::ROTATE_180); }) == expected);
  CHECK(code_and_words([&] { ours::transform(picture, dst, Orientation::flip); }) == expected);
  const GpuMat src(picture.size(), picture.type(), picture.data);
  GpuMat device_dst;
  CHECK(code_and_words([&] { ours::transpose(src, device_dst, no_stream()); }) == expected);
  std::vector<GpuMat> dsts;
  CHECK(code_and_words([&] {
          ours::transform_batch({src}, dsts, {Orientation::flop}, no_stream());
        }) == expected);
  CHECK(dst.empty());
}

TEST_CASE("an OpenCV without CUDA takes GpuMats only with a cudaStream_t") {
  if (opencv_has_cuda()) SKIP("this OpenCV was built with CUDA");
  cv::Mat picture = random_picture({4, 3}, CV_8UC1);
  GpuMat device(picture.size(), picture.type(), picture.data);
  const std::string rest =
      " is a GpuMat, expected an image in host memory: this OpenCV was built without CUDA, call "
      "the function that takes a cudaStream_t";
  CHECK(not_refused(cv::Error::GpuNotSupported, "src" + rest,
                    [&] { ours::transpose(device, picture); }) == "");
  CHECK(not_refused(cv::Error::GpuNotSupported, "dst" + rest,
                    [&] { ours::transpose(picture, device); }) == "");
}

TEST_CASE("an OpenCV without CUDA takes only destinations of the right size and type", "[gpu]") {
  need_gpu();
  if (opencv_has_cuda()) SKIP("this OpenCV was built with CUDA");
  DevicePicture src({4, 3}, CV_8UC3);
  DevicePicture dst({4, 3}, CV_8UC3);
  GpuMat empty;
  const std::string rest =
      ", expected 3x4 CV_8UC3: this OpenCV was built without CUDA and cannot allocate it";
  CHECK(not_refused(cv::Error::GpuNotSupported, "dst is 4x3 CV_8UC3" + rest,
                    [&] { ours::transpose(src.mat(), dst.mat(), no_stream()); }) == "");
  CHECK(not_refused(cv::Error::GpuNotSupported, "dst is 0x0 CV_8UC1" + rest,
                    [&] { ours::transpose(src.mat(), empty, no_stream()); }) == "");
}

TEST_CASE("pictures that overlap are refused", "[gpu]") {
  need_gpu();
  DevicePicture memory({40, 40}, CV_8UC1);
  const GpuMat src = memory.region({0, 0, 20, 20});
  GpuMat dst = memory.region({10, 10, 20, 20});
  CHECK(not_refused(cv::Error::StsBadArg, "src 20x20 and dst 20x20 overlap in memory",
                    [&] { ours::flip(src, dst, 1, no_stream()); }) == "");
  // The same first byte is not enough to be the same picture.
  GpuMat wide({12, 4}, CV_8UC1, memory.mat().data);
  GpuMat tall({4, 12}, CV_8UC1, memory.mat().data);
  CHECK(not_refused(cv::Error::StsBadArg, "src 12x4 and dst 4x12 overlap in memory",
                    [&] { ours::transpose(wide, tall, no_stream()); }) == "");
  // Side by side is not an overlap.
  GpuMat beside = memory.region({20, 0, 20, 20});
  CHECK_NOTHROW(ours::flip(src, beside, 1, no_stream()));
  must(cudaDeviceSynchronize());
}

TEST_CASE("rows of a destination that overlap are refused", "[gpu]") {
  need_gpu();
  DevicePicture memory({40, 40}, CV_8UC1);
  const GpuMat src = memory.region({0, 0, 10, 10});
  GpuMat dst({10, 10}, CV_8UC1, memory.mat().data + 800, 10);
  dst.step = 9;
  CHECK(not_refused(cv::Error::StsBadArg, "dst has a pitch of 9, expected at least 10 either way",
                    [&] { ours::flip(src, dst, 1, no_stream()); }) == "");
}

TEST_CASE("a GpuMat of host memory is refused", "[gpu]") {
  need_gpu();
  int reaches_any_memory = 0;
  must(cudaDeviceGetAttribute(&reaches_any_memory, cudaDevAttrPageableMemoryAccess, 0));
  if (reaches_any_memory != 0) SKIP("this GPU reads the host's memory");
  cv::Mat picture = random_picture({4, 4}, CV_8UC1);
  GpuMat host(picture.size(), picture.type(), picture.data);
  DevicePicture device(picture);
  CHECK(not_refused(cv::Error::BadDataPtr,
                    "src is a GpuMat of host memory, expected memory of device 0",
                    [&] { ours::transpose(host, device.mat(), no_stream()); }) == "");
  CHECK(not_refused(cv::Error::BadDataPtr,
                    "dst is a GpuMat of host memory, expected memory of device 0",
                    [&] { ours::transpose(device.mat(), host, no_stream()); }) == "");
}

TEST_CASE("a batch of pixels of different sizes is refused", "[gpu]") {
  need_gpu();
  DevicePicture grey({4, 3}, CV_8UC1);
  DevicePicture colour({4, 3}, CV_8UC3);
  std::vector<GpuMat> dst;
  CHECK(not_refused(cv::Error::StsUnmatchedFormats,
                    "src[1] is CV_8UC3, pixels of 3 bytes, those before it have 1", [&] {
                      ours::transform_batch({grey.mat(), colour.mat()}, dst,
                                            {Orientation::flop, Orientation::flop}, no_stream());
                    }) == "");
}

TEST_CASE("a stream and memory of another device are refused", "[gpu]") {
  need_gpu();
  if (device_count() < 2) SKIP("one GPU");
  must(cudaSetDevice(1));
  Stream other;
  DevicePicture elsewhere({4, 4}, CV_8UC1);
  must(cudaSetDevice(0));
  DevicePicture src({4, 4}, CV_8UC1);
  DevicePicture dst({4, 4}, CV_8UC1);
  const auto code_and_words = [](auto call) {
    try {
      call();
    } catch (const cv::Exception& error) {
      return std::to_string(error.code) + ": " + error.err.substr(0, error.err.find(':'));
    }
    return std::string("nothing was thrown");
  };
  CHECK(code_and_words([&] { ours::transpose(src.mat(), dst.mat(), other); }) ==
        "-5: the stream is not one of device 0, the current one");
  CHECK(code_and_words([&] { ours::flip(src.mat(), src.mat(), 1, other); }) ==
        "-5: the stream is not one of device 0, the current one");
  CHECK(not_refused(cv::Error::BadDataPtr,
                    "src is memory of device 1, which device 0, the current one, cannot reach",
                    [&] { ours::transpose(elsewhere.mat(), dst.mat(), no_stream()); }) == "");
  must(cudaDeviceSynchronize());
}

}  // namespace
}  // namespace qturn::tests::refusals_test
