#include <qturn/to_planar.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "tests/device_memory.hpp"
#include "tests/planar_pictures.hpp"

namespace qturn::tests {
namespace {

using Catch::Matchers::Message;

void need_gpu() {
  if (device_count() == 0) SKIP("no GPU");
}

struct DstLayout {
  std::int64_t padding = 0;
  std::int64_t offset = 0;
  bool upside_down = false;
  std::int64_t plane_padding = 0;
};

struct Item {
  Plan src;
  PlanarPlan dst;
  Orientation orientation;
};

struct Kind {
  SampleType src_type;
  int channels;
  SampleType dst_type;

  int pixel_bytes() const { return channels * sample_bytes(src_type); }
  std::string text() const {
    return name(src_type) + " x " + std::to_string(channels) + " to " + name(dst_type);
  }

  // Every number of planes and map of channels occurs with some kind.
  PlanarFormat format() const {
    PlanarFormat format;
    format.src_type = src_type;
    format.dst_type = dst_type;
    format.planes = 1 + (channels + 1 + static_cast<int>(dst_type)) % 4;
    const int first = static_cast<int>(src_type) + static_cast<int>(dst_type);
    for (int c = 0; c < 4; ++c) {
      const bool backwards = first % 2 == 1;
      format.channel[static_cast<std::size_t>(c)] =
          ((backwards ? 4 * channels - c : c) + first) % channels;
    }
    // Integers come to lie around 0; half of the random floats are no numbers for a half.
    format.scale = src_type == SampleType::uint8    ? 1 / 255.0
                   : src_type == SampleType::uint16 ? 1 / 65535.0
                                                    : 1.5;
    format.mean = {0.485, 0.456, 0.406, 0.5};
    format.deviation = {0.229, 0.224, 0.225, -0.25};
    return format;
  }
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (SampleType src :
       {SampleType::uint8, SampleType::uint16, SampleType::float16, SampleType::float32}) {
    for (int channels : {1, 2, 3, 4}) {
      for (SampleType dst : {SampleType::float16, SampleType::bfloat16, SampleType::float32}) {
        all.push_back({src, channels, dst});
      }
    }
  }
  return all;
}

// All sources in one piece of memory, all destinations in another, so that a byte that belongs to a
// neighbour, or to nobody, is seen when it is written.
class Batch {
 public:
  Batch(std::vector<Item> items, const PlanarFormat& format)
      : items_(std::move(items)),
        format_(format),
        src_(bytes([](const Item& item) { return item.src.buffer_bytes(); })),
        dst_(bytes([](const Item& item) { return item.dst.buffer_bytes(); })),
        poison_(random_bytes(bytes([](const Item& item) { return item.dst.buffer_bytes(); }), 82)) {
    fill(81);
  }

  // Other pixels, and a destination that holds none of the old ones.
  void fill(std::uint64_t seed) {
    const std::vector<unsigned char> pixels =
        random_bytes(bytes([](const Item& item) { return item.src.buffer_bytes(); }), seed);
    src_.upload(pixels);
    dst_.upload(poison_);
    wanted_ = poison_;
    for (const PlanarImage& image :
         images_in(const_cast<unsigned char*>(pixels.data()), wanted_.data())) {
      to_planar(image.src, image.dst, image.orientation, format_);
    }
  }

  std::vector<PlanarImage> images() const { return images_in(src_.data(), dst_.data()); }

  // Where the memory is not what was wanted, said by the picture it is in.
  std::string difference() const {
    const auto got = dst_.download(static_cast<std::int64_t>(wanted_.size()));
    if (got == wanted_) return {};
    std::size_t at = 0;
    for (const Item& item : items_) {
      const std::string difference = first_difference(item.dst, at, got, wanted_);
      if (!difference.empty()) {
        const Plan plane{item.dst.width, item.dst.height, item.dst.bytes, item.dst.layout};
        return describe(item.src, plane, item.orientation) + ", planes padded by " +
               std::to_string(item.dst.plane_padding) + ": " + difference;
      }
      at += static_cast<std::size_t>(place_bytes(item.dst.buffer_bytes()));
    }
    return "a byte between two pictures";
  }

 private:
  // Every picture begins at a multiple of 64, but for its own offset.
  static std::int64_t place_bytes(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

  template <class BytesOf>
  std::int64_t bytes(BytesOf of) const {
    std::int64_t sum = 1;
    for (const Item& item : items_) sum += place_bytes(of(item));
    return sum;
  }

  std::vector<PlanarImage> images_in(void* src, void* dst) const {
    std::vector<PlanarImage> all;
    auto* from = static_cast<unsigned char*>(src);
    auto* to = static_cast<unsigned char*>(dst);
    for (const Item& item : items_) {
      all.push_back({item.src.view_in(from), item.dst.view_in(to), item.orientation});
      from += place_bytes(item.src.buffer_bytes());
      to += place_bytes(item.dst.buffer_bytes());
    }
    return all;
  }

  std::vector<Item> items_;
  PlanarFormat format_;
  DeviceMemory src_;
  DeviceMemory dst_;
  std::vector<unsigned char> poison_;
  std::vector<unsigned char> wanted_;
};

// Descriptors in device memory, and the workspace they need.
class OnDevice {
 public:
  explicit OnDevice(std::size_t count)
      : images_(static_cast<std::int64_t>(count * sizeof(PlanarImage))),
        workspace_(static_cast<std::int64_t>(planar_workspace_bytes(count))),
        count_(count) {}

  void set(const std::vector<PlanarImage>& images) {
    std::vector<unsigned char> bytes(images.size() * sizeof(PlanarImage));
    std::memcpy(bytes.data(), images.data(), bytes.size());
    images_.upload(bytes);
  }
  void run(const Kind& kind, cudaStream_t stream) const {
    to_planar_batch(static_cast<const PlanarImage*>(images_.data()), count_, kind.channels,
                    kind.format(), workspace_.data(), stream);
  }

 private:
  DeviceMemory images_;
  DeviceMemory workspace_;
  std::size_t count_;
};

Item item(const Kind& kind, Size size, Orientation orientation, Layout src, DstLayout dst) {
  const Size turned = turned_size(orientation, size);
  return {{size.width, size.height, kind.pixel_bytes(), src},
          {turned.width,
           turned.height,
           kind.format().planes,
           sample_bytes(kind.dst_type),
           {dst.padding, dst.offset, dst.upside_down},
           dst.plane_padding},
          orientation};
}

// Padding that makes `bytes` a multiple of 16.
std::int64_t to_16(std::int64_t bytes) { return (16 - bytes % 16) % 16; }

// Every orientation of a picture, as it lies in memory in several ways.
void add_all(std::vector<Item>& items, const Kind& kind, Size size) {
  const std::int64_t from = sample_bytes(kind.src_type);
  const std::int64_t to = sample_bytes(kind.dst_type);
  for (Orientation orientation : all_orientations) {
    const auto add = [&](Layout src, DstLayout dst) {
      items.push_back(item(kind, size, orientation, src, dst));
    };
    const std::int64_t to_full_row = to_16(turned_size(orientation, size).width * to);
    add({}, {});
    add({from, 3 * from}, {to_full_row, 16, false, 0});
    add({to_16(size.width * kind.pixel_bytes()), 16, true}, {to_full_row + 16, 32, true, 48});
    add({3 * from, from, true}, {3 * to, to, true, to});
  }
}

void require_equal_to_cpu(const std::vector<Item>& items, const Kind& kind, Stream& stream) {
  {
    const Batch batch(items, kind.format());
    const std::vector<PlanarImage> images = batch.images();
    to_planar_batch(images.data(), images.size(), kind.format(), stream);
    stream.wait();
    const std::string difference = batch.difference();
    if (!difference.empty()) FAIL(kind.text() << ": " << difference);
  }
  const Batch batch(items, kind.format());
  OnDevice descriptors(items.size());
  descriptors.set(batch.images());
  descriptors.run(kind, stream);
  stream.wait();
  const std::string difference = batch.difference();
  if (!difference.empty()) FAIL(kind.text() << ", from device memory: " << difference);
}

TEST_CASE("planes of all kinds, orientations, sizes and layouts are what the CPU makes", "[gpu]") {
  need_gpu();
  const Kind kind = GENERATE(from_range(kinds()));
  Stream stream;
  std::vector<Item> items;
  for (const Size size : {Size{1, 1}, Size{3, 7}, Size{8, 4}, Size{17, 9}, Size{16, 33},
                          Size{63, 65}, Size{129, 31}, Size{128, 64}, Size{65, 130}}) {
    add_all(items, kind, size);
  }
  require_equal_to_cpu(items, kind, stream);
}

TEST_CASE("long, thin and large pictures are made planar", "[gpu]") {
  need_gpu();
  const Kind kind = GENERATE(Kind{SampleType::uint8, 3, SampleType::float16},
                             Kind{SampleType::uint8, 1, SampleType::float32},
                             Kind{SampleType::float32, 4, SampleType::bfloat16});
  Stream stream;
  std::vector<Item> items;
  add_all(items, kind, {5001, 3});
  add_all(items, kind, {2, 3001});
  add_all(items, kind, {1, 40});
  items.push_back(item(kind, {1031, 777}, Orientation::rotate270, {}, {}));
  items.push_back(item(kind, {1031, 777}, Orientation::rotate180, {}, {}));
  require_equal_to_cpu(items, kind, stream);
}

TEST_CASE("single pictures are made planar as the CPU does", "[gpu]") {
  need_gpu();
  const Kind kind{SampleType::uint8, 3, SampleType::float16};
  const Orientation orientation = GENERATE(from_range(all_orientations));
  Stream stream;
  for (const Size size : {Size{224, 224}, Size{225, 100}}) {
    const Batch batch({item(kind, size, orientation, {}, {})}, kind.format());
    const PlanarImage image = batch.images().front();
    to_planar(image.src, image.dst, image.orientation, kind.format(), stream);
    stream.wait();
    CHECK(batch.difference() == "");
  }
}

TEST_CASE("every kernel for planes stays within its memory", "[gpu][sanitizer]") {
  need_gpu();
  const Kind kind = GENERATE(from_range(kinds()));
  Stream stream;
  std::vector<Item> items;
  add_all(items, kind, {131, 70});
  add_all(items, kind, {16, 96});
  require_equal_to_cpu(items, kind, stream);
}

TEST_CASE("more images than a launch holds, and empty ones, are all made planar", "[gpu]") {
  need_gpu();
  const Kind kind{SampleType::uint8, 3, SampleType::float32};
  Stream stream;
  std::vector<Item> items;
  for (std::size_t i = 0; i < 2 * planar_images_in_a_launch + 3; ++i) {
    const auto width = static_cast<std::int64_t>(i % 7);
    items.push_back(item(kind, {width, 5}, all_orientations[i % 8], {}, {}));
  }
  require_equal_to_cpu(items, kind, stream);
}

// Captures what `enqueue` does, calls `prepare(i)` and replays it, twice.
template <class Enqueue, class Prepare>
void replay(Stream& stream, Enqueue enqueue, Prepare prepare) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replayable = nullptr;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  enqueue();
  must(cudaStreamEndCapture(stream, &graph));
  must(cudaGraphInstantiate(&replayable, graph, 0));
  for (int i = 0; i < 2; ++i) {
    const Batch& batch = prepare(i);
    must(cudaGraphLaunch(replayable, stream));
    stream.wait();
    CHECK(batch.difference() == "");
  }
  must(cudaGraphExecDestroy(replayable));
  must(cudaGraphDestroy(graph));
}

TEST_CASE("captured work is done again at every replay, with the pixels of then", "[gpu]") {
  need_gpu();
  const Kind kind{SampleType::uint8, 3, SampleType::bfloat16};
  Stream stream;
  SECTION("a batch") {
    std::vector<Item> items;
    add_all(items, kind, {40, 30});
    Batch batch(items, kind.format());
    std::vector<PlanarImage> images = batch.images();
    replay(
        stream,
        [&] {
          to_planar_batch(images.data(), images.size(), kind.format(), stream);
          images.clear();
        },
        [&](int i) -> const Batch& {
          batch.fill(91 + static_cast<std::uint64_t>(i));
          return batch;
        });
  }
  SECTION("a single picture") {
    Batch batch({item(kind, {40, 30}, Orientation::rotate90, {}, {})}, kind.format());
    const PlanarImage image = batch.images().front();
    replay(
        stream, [&] { to_planar(image.src, image.dst, image.orientation, kind.format(), stream); },
        [&](int i) -> const Batch& {
          batch.fill(91 + static_cast<std::uint64_t>(i));
          return batch;
        });
  }
}

TEST_CASE("a captured batch with descriptors on the device is replayed with others", "[gpu]") {
  need_gpu();
  const Kind kind = GENERATE(Kind{SampleType::uint8, 3, SampleType::float16},
                             Kind{SampleType::float16, 4, SampleType::float32});
  Stream stream;
  constexpr std::size_t count = 40;
  OnDevice descriptors(count);
  std::deque<Batch> batches;
  replay(
      stream, [&] { descriptors.run(kind, stream); },
      [&](int turn) -> const Batch& {
        std::vector<Item> items;
        for (std::size_t i = 0; i < count; ++i) {
          const auto side =
              static_cast<std::int64_t>(20 + 11 * i * static_cast<std::size_t>(turn) % 150);
          items.push_back(item(kind, {side, 70},
                               all_orientations[(i + static_cast<std::size_t>(turn)) % 8], {}, {}));
        }
        batches.emplace_back(items, kind.format());
        descriptors.set(batches.back().images());
        return batches.back();
      });
}

TEST_CASE("descriptors on the device that fit nothing are left out", "[gpu]") {
  need_gpu();
  const Kind kind{SampleType::uint16, 3, SampleType::float32};
  Stream stream;
  const Batch batch({item(kind, {30, 20}, Orientation::flop, {}, {}),
                     item(kind, {30, 20}, Orientation::rotate90, {}, {})},
                    kind.format());
  std::vector<PlanarImage> images = batch.images();
  images.resize(9, images[1]);
  images[2].src.width = 29;
  images[3].orientation = Orientation::flip;
  images[4].src.pixel_bytes = 8;
  images[5].src.height = images[5].dst.width = -1;
  images[6].src.pitch += 1;
  images[7].dst.data = static_cast<unsigned char*>(images[7].dst.data) + 2;
  images[8].dst.plane_pitch += 2;
  OnDevice descriptors(images.size());
  descriptors.set(images);
  descriptors.run(kind, stream);
  stream.wait();
  CHECK(batch.difference() == "");
}

unsigned char memory[1024];

PlanarImage small_image() {
  return {{memory, 4, 3, 12, 3}, {memory + 64, 4, 3, 16, 48}, Orientation::flop};
}

TEST_CASE("an empty batch enqueues nothing, with or without a GPU") {
  CHECK_NOTHROW(to_planar_batch(nullptr, 0, {}, nullptr));
  CHECK_NOTHROW(to_planar_batch(nullptr, 0, 3, {}, nullptr, nullptr));
  const PlanarImage empty{{nullptr, 0, 5, 0, 3}, {nullptr, 5, 0, 0, 0}, Orientation::rotate90};
  CHECK_NOTHROW(to_planar_batch(&empty, 1, {}, nullptr));
  CHECK_NOTHROW(to_planar(empty.src, empty.dst, empty.orientation, {}, nullptr));
}

TEST_CASE("what the CPU refuses is refused, of a batch by the image's index") {
  PlanarImage images[2] = {small_image(), small_image()};
  images[1].orientation = Orientation::rotate90;
  CHECK_THROWS_MATCHES(to_planar_batch(images, 2, {}, nullptr), std::invalid_argument,
                       Message("image 1: dst is 4x3, expected 3x4"));
  CHECK_THROWS_MATCHES(to_planar(images[1].src, images[1].dst, images[1].orientation, {}, nullptr),
                       std::invalid_argument, Message("dst is 4x3, expected 3x4"));
  PlanarFormat format;
  format.planes = 7;
  CHECK_THROWS_MATCHES(to_planar_batch(images, 2, format, nullptr), std::invalid_argument,
                       Message("dst has 7 planes, expected 1 to 4"));
  images[1].src.pixel_bytes = 1;
  CHECK_THROWS_MATCHES(to_planar_batch(images, 2, {}, nullptr), std::invalid_argument,
                       Message("image 1 has pixels of 1 bytes, image 0 of 3"));
  CHECK_THROWS_MATCHES(to_planar_batch(nullptr, 1, {}, nullptr), std::invalid_argument,
                       Message("images at address 0"));
}

TEST_CASE("what can be checked of descriptors on the device is checked") {
  const PlanarImage image = small_image();
  alignas(16) unsigned char workspace[96];
  const auto refused = [&](const PlanarImage* images, std::size_t count, int channels, void* work,
                           const char* message) {
    CHECK_THROWS_MATCHES(to_planar_batch(images, count, channels, {}, work, nullptr),
                         std::invalid_argument, Message(message));
  };
  refused(&image, 1, 0, workspace, "src has 0 channels, expected 1 to 4");
  refused(&image, 1, 5, workspace, "src has 5 channels, expected 1 to 4");
  refused(&image, 1, 2, workspace, "plane 2 is made of channel 2, expected 0 to 1");
  refused(&image, std::size_t{1} << 31, 3, workspace,
          "2147483648 images, expected fewer than 2^31");
  refused(nullptr, 1, 3, workspace, "images at address 0 or at no multiple of 8");
  refused(&image, 1, 3, nullptr, "workspace at address 0 or at no multiple of 16");
  refused(&image, 1, 3, workspace + 8, "workspace at address 0 or at no multiple of 16");
}

TEST_CASE("without a GPU planes say so by CudaError") {
  if (device_count() > 0) SKIP("there is a GPU");
  const PlanarImage image = small_image();
  alignas(16) unsigned char workspace[96];
  CHECK_THROWS_AS(to_planar(image.src, image.dst, image.orientation, {}, nullptr), CudaError);
  CHECK_THROWS_AS(to_planar_batch(&image, 1, {}, nullptr), CudaError);
  CHECK_THROWS_AS(to_planar_batch(&image, 1, 3, {}, workspace, nullptr), CudaError);
}

}  // namespace
}  // namespace qturn::tests
