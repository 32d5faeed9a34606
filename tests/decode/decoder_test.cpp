// JpegDecoder against the pages that codecs decode, on the CPU, and on a GPU against the CPU.
#include <qturn/cpu.hpp>
#include <qturn/decoder.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/decode/read_files.hpp"
#include "src/turn/decoded.hpp"
#include "tests/fixtures/sources.hpp"

namespace qturn::tests::decoder_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Message;

ReadFiles sample_files() {
  std::vector<std::filesystem::path> paths;
  for (const auto& each :
       std::filesystem::recursive_directory_iterator(sources() / "testdata" / "samples"))
    if (each.is_regular_file()) paths.push_back(each.path());
  std::ranges::sort(paths);
  return ReadFiles(paths);
}

std::vector<EncodedPicture> encoded(const ReadFiles& files) {
  std::vector<EncodedPicture> pictures;
  for (const ReadFiles::File& file : files)
    pictures.push_back({.data = file.bytes.data(), .bytes = file.bytes.size()});
  return pictures;
}

struct Pixels {
  std::vector<std::vector<unsigned char>> all;
  std::vector<View> views;

  explicit Pixels(const DecoderBatch& batch) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Size size = batch[i].size;
      all.emplace_back(static_cast<std::size_t>(3 * size.width * size.height), 7);
      views.push_back({all.back().data(), size.width, size.height, 3 * size.width, 3});
    }
  }
};

std::vector<unsigned char> page_of(std::span<const std::byte> file, Orientation orientation) {
  PixelArena arena;
  const Image image = decoded_page(file, decodable_format(file, {}), {}, arena);
  const Page& page = image.pages.front();
  std::vector<unsigned char> rgb(static_cast<std::size_t>(3 * page.width * page.height));
  const View stored{rgb.data(), page.width, page.height, 3 * page.width, 3};
  to_rgb(image, stored);
  const Orientation applied = compose(image.stored, orientation);
  const Size size = turned_size(applied, {page.width, page.height});
  std::vector<unsigned char> shown(rgb.size());
  transform(stored, {shown.data(), size.width, size.height, 3 * size.width, 3}, applied);
  return shown;
}

TEST_CASE("a batch of every format is decoded in its order, each picture in its orientation") {
  const ReadFiles files = sample_files();
  REQUIRE(files.size() == 12);
  std::vector<EncodedPicture> pictures = encoded(files);
  for (std::size_t i = 0; i < pictures.size(); ++i)
    pictures[i].orientation = static_cast<Orientation>(1 + i % 8);
  const JpegDecoder decoder;
  DecoderBatch batch = decoder.open(pictures.data(), pictures.size());
  const Pixels made(batch);
  decoder.decode(batch, made.views.data());
  for (std::size_t i = 0; i < files.size(); ++i) {
    CHECK(batch[i].error.empty());
    CHECK(made.all[i] == page_of(files[i].bytes, pictures[i].orientation));
  }
}

TEST_CASE("a picture as it is stored has the size that it is stored with") {
  for (const ReadFiles files = sample_files(); const ReadFiles::File& file : files) {
    EncodedPicture picture{.data = file.bytes.data(), .bytes = file.bytes.size()};
    const JpegDecoder decoder;
    const Size upright = decoder.open(&picture, 1)[0].size;
    picture.as_stored = true;
    const Size stored = decoder.open(&picture, 1)[0].size;
    const TurnPlan plan = plan_turn(picture.data, picture.bytes, Orientation::identity);
    CHECK(stored == plan.source);
    CHECK(upright == turned_size(plan.stored, plan.source));
  }
}

TEST_CASE("a bad picture is a value, and its output is zeros") {
  const ReadFiles files = sample_files();
  std::vector<EncodedPicture> pictures = encoded(files);
  pictures[1].bytes -= pictures[1].bytes / 3;
  const JpegDecoder decoder;
  DecoderBatch batch = decoder.open(pictures.data(), pictures.size());
  const Pixels made(batch);
  decoder.decode(batch, made.views.data());
  CHECK_FALSE(batch[1].error.empty());
  CHECK(std::ranges::all_of(made.all[1], [](unsigned char sample) { return sample == 0; }));
  CHECK(made.all[0] == page_of(files[0].bytes, Orientation::identity));

  const EncodedPicture nothing{.data = "no picture", .bytes = 10};
  CHECK(decoder.open(&nothing, 1)[0].error == "not a picture in a format that qturn reads");
  Limits limits;
  limits.pixels = 5;
  const DecoderBatch refused = decoder.open(pictures.data(), 1, limits);
  CHECK(refused[0].error.ends_with("more than the limit of 5; the limit pixels=" +
                                   std::to_string(batch[0].size.width * batch[0].size.height) +
                                   " permits that"));
}

TEST_CASE("an output of another shape is refused") {
  const ReadFiles files = sample_files();
  const EncodedPicture picture{.data = files[0].bytes.data(), .bytes = files[0].bytes.size()};
  const JpegDecoder decoder;
  DecoderBatch batch = decoder.open(&picture, 1);
  const Size size = batch[0].size;
  const View view{nullptr, size.width, size.height, 4 * size.width, 4};
  const std::string shape = std::to_string(size.width) + "x" + std::to_string(size.height);
  CHECK_THROWS_MATCHES(
      decoder.decode(batch, &view), std::invalid_argument,
      Message("output 0 is " + shape + " with 4 bytes per pixel, expected " + shape + " with 3"));
}

TEST_CASE("a crop is one of the upright picture, resized and then turned") {
  const ReadFiles files = sample_files();
  const std::vector<EncodedPicture> pictures = encoded(files);
  const JpegDecoder decoder;
  const PlanarFormat format = {.src_type = SampleType::uint8, .dst_type = SampleType::float32};
  constexpr std::int64_t width = 31, height = 17, samples = 3 * width * height;
  const auto planes_in = [&](std::vector<float>& all) {
    std::vector<PlanarView> views;
    all.resize(static_cast<std::size_t>(samples) * files.size());
    for (std::size_t i = 0; i < files.size(); ++i)
      views.push_back({all.data() + static_cast<std::int64_t>(i) * samples, width, height,
                       4 * width, 4 * width * height});
    return views;
  };
  std::vector<float> made, wanted;
  const std::vector<PlanarView> to = planes_in(made), expected = planes_in(wanted);
  DecoderBatch batch = decoder.open(pictures.data(), pictures.size());
  const Pixels upright(batch);
  decoder.decode(batch, upright.views.data());
  std::vector<PictureCrop> crops;
  constexpr ResizeRule rule = {ResizeFilter::bicubic};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto right = static_cast<float>(batch[i].size.width);
    const auto bottom = static_cast<float>(batch[i].size.height);
    crops.push_back({{right / 7, 0.25F, right, bottom / 2}, static_cast<Orientation>(1 + i % 8)});
    resize_to_planar({upright.views[i], crops[i].box, expected[i], crops[i].orientation}, rule,
                     format);
  }
  decoder.decode(batch, crops.data(), rule, to.data(), format);
  CHECK(made == wanted);

  crops[2].box.right += 1;
  CHECK_THROWS_WITH(decoder.decode(batch, crops.data(), rule, to.data(), format),
                    ContainsSubstring("the crop of picture 2 is "));
  crops[2].box.right -= 1;
  crops[4].orientation = static_cast<Orientation>(9);
  CHECK_THROWS_MATCHES(decoder.decode(batch, crops.data(), rule, to.data(), format),
                       std::invalid_argument,
                       Message("picture 4: an orientation is 1 to 8, not 9"));
}

}  // namespace
}  // namespace qturn::tests::decoder_test
