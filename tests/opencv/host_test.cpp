// The OpenCV plugin on images in host memory, through the GPU and back; with any OpenCV.
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "tests/opencv/pictures.hpp"

namespace qturn::tests::host_test {
namespace {

namespace ours = qturn::opencv;

TEST_CASE("host images of every type are turned as OpenCV turns them", "[gpu]") {
  need_gpu();
  const int type = GENERATE(from_range(all_types()));
  for (const cv::Size size :
       {cv::Size(1, 1), cv::Size(7, 1), cv::Size(33, 31), cv::Size(257, 130)}) {
    const cv::Mat picture = random_picture(size, type);
    for (const Orientation orientation : all_orientations) {
      cv::Mat dst;
      ours::transform(picture, dst, orientation);
      const std::string wrong = difference(dst, turned_by_opencv(picture, orientation));
      if (!wrong.empty()) FAIL(name(orientation) << ": " << wrong);
    }
  }
}

TEST_CASE("host images are transposed, flipped and rotated by OpenCV's codes", "[gpu]") {
  need_gpu();
  const cv::Mat picture = random_picture({97, 55}, CV_8UC3);
  cv::Mat got;
  cv::Mat wanted;
  ours::transpose(picture, got);
  cv::transpose(picture, wanted);
  CHECK(difference(got, wanted) == "");
  for (const int code : {0, 1, -1}) {
    ours::flip(picture, got, code);
    cv::flip(picture, wanted, code);
    CHECK(difference(got, wanted) == "");
  }
  for (const int code : {cv::ROTATE_90_CLOCKWISE, cv::ROTATE_180, cv::ROTATE_90_COUNTERCLOCKWISE}) {
    ours::rotate(picture, got, code);
    cv::rotate(picture, wanted, code);
    CHECK(difference(got, wanted) == "");
  }
}

TEST_CASE("a host destination of the right size and type is reused, another is created", "[gpu]") {
  need_gpu();
  const cv::Mat picture = random_picture({97, 55}, CV_8UC3);
  cv::Mat dst(97, 55, CV_8UC3);
  const unsigned char* memory = dst.data;
  ours::transpose(picture, dst);
  CHECK(dst.data == memory);
  CHECK(difference(dst, turned_by_opencv(picture, Orientation::transpose)) == "");
  ours::flip(picture, dst, 0);
  CHECK(difference(dst, turned_by_opencv(picture, Orientation::flip)) == "");
  cv::Mat_<cv::Vec3b> typed;
  ours::flip(picture, typed, 0);
  CHECK(difference(typed, turned_by_opencv(picture, Orientation::flip)) == "");
}

TEST_CASE("host images may be their own destination, square or not", "[gpu]") {
  need_gpu();
  for (const cv::Size size : {cv::Size(64, 64), cv::Size(97, 55)}) {
    const cv::Mat picture = random_picture(size, CV_16UC3);
    for (const Orientation orientation : all_orientations) {
      cv::Mat image = picture.clone();
      ours::transform(image, image, orientation);
      CHECK(difference(image, turned_by_opencv(picture, orientation)) == "");
    }
  }
}

TEST_CASE("regions of host images are turned into regions", "[gpu]") {
  need_gpu();
  const cv::Mat whole = random_picture({150, 160}, CV_8UC3, 5);
  const cv::Mat around = random_picture({150, 160}, CV_8UC3, 6);
  const cv::Rect from(13, 5, 97, 33);
  const cv::Rect to(2, 60, 33, 97);
  cv::Mat dst = around.clone();
  cv::Mat region = dst(to);
  ours::rotate(whole(from), region, cv::ROTATE_90_CLOCKWISE);
  cv::Mat wanted = around.clone();
  turned_by_opencv(whole(from), Orientation::rotate90).copyTo(wanted(to));
  CHECK(difference(dst, wanted) == "");
}

TEST_CASE("vectors, small matrices and expressions are images too", "[gpu]") {
  need_gpu();
  const std::vector<int> numbers{1, 2, 3, 4, 5};
  std::vector<int> backwards;
  ours::rotate(numbers, backwards, cv::ROTATE_180);
  CHECK(backwards == std::vector<int>{5, 4, 3, 2, 1});
  ours::transpose(numbers, backwards);
  CHECK(backwards == numbers);
  const cv::Matx<float, 2, 3> small(1, 2, 3, 4, 5, 6);
  cv::Matx<float, 3, 2> turned;
  ours::transpose(small, turned);
  CHECK(turned == small.t());
  cv::Mat flipped;
  ours::flip(cv::Mat::eye(2, 2, CV_8UC1) * 3, flipped, 1);
  CHECK(difference(flipped, cv::Mat(cv::Matx<unsigned char, 2, 2>(0, 3, 3, 0))) == "");
}

}  // namespace
}  // namespace qturn::tests::host_test
