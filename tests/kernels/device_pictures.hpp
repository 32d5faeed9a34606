// One harness for whatever turns pictures in device memory: single pictures, in place, batches,
// sets of planes, planar pictures.
//
// All pictures of a test lie in one piece of memory, first the sources, then the destinations, full
// of random bytes. Afterwards all of it is compared with what the CPU makes of it: so a byte that
// is written between the rows, into a neighbour or into a source is seen, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/fixtures/pictures.hpp"
#include "tests/kernels/device_memory.hpp"

namespace qturn::tests {

/// An Item describes one picture, wherever it lies:
///   Image                                   what the call under test takes
///   src_bytes(), dst_bytes()                of the buffer of each source and each destination
///   image(sources, destinations)            the descriptor for buffers at these addresses
///   on_cpu(image)                           does it on the CPU
///   difference(index, got, wanted)          says where the buffers of a destination differ
template <class Item>
class DevicePictures {
 public:
  using Image = typename Item::Image;

  /// `lead` bytes of the memory come before the pictures.
  explicit DevicePictures(std::vector<Item> items, std::uint64_t seed = 1, std::int64_t lead = 0)
      : items_(std::move(items)), lead_(lead), memory_(bytes()) {
    fill(seed);
  }

  /// Other pixels, and destinations without old pixels.
  void fill(std::uint64_t seed) {
    before_ = random_bytes(bytes(), seed);
    memory_.upload(before_);
    wanted_ = before_;
    const std::vector<Image> images = images_in(wanted_.data());
    for (std::size_t i = 0; i < items_.size(); ++i) items_[i].on_cpu(images[i]);
  }

  std::vector<Image> images() const { return images_in(memory_.data()); }

  /// Where the memory is not what was wanted; empty if it is.
  std::string difference() const {
    const std::vector<unsigned char> got = memory_.download(bytes());
    if (got == wanted_) return {};
    std::int64_t at = dst_begin();
    for (const Item& item : items_) {
      std::size_t index = 0;
      for (const std::int64_t count : item.dst_bytes()) {
        const auto part = [&](const std::vector<unsigned char>& all) {
          return std::vector<unsigned char>(all.begin() + at, all.begin() + at + count);
        };
        const std::string difference = item.difference(index++, part(got), part(wanted_));
        if (!difference.empty()) return difference;
        at += place_of(count);
      }
    }
    std::size_t first = 0;
    while (got[first] == wanted_[first]) ++first;
    return "byte " + std::to_string(first) + ", which is " +
           (static_cast<std::int64_t>(first) < dst_begin() ? "in a source"
                                                           : "between two pictures");
  }

  /// The same when all the memory is full of garbage, and `write(from, to, bytes)` enqueues what
  /// makes it what it should be, from a copy. `enqueue(images)` comes right after it.
  template <class Write, class Enqueue>
  std::string difference_after(Stream& stream, Write write, Enqueue enqueue) {
    DeviceMemory copy(bytes());
    copy.upload(before_);
    must(cudaMemset(memory_.data(), 0xEE, static_cast<std::size_t>(bytes())));
    must(cudaDeviceSynchronize());
    write(copy.data(), memory_.data(), bytes());
    enqueue(images());
    stream.wait();
    return difference();
  }

 private:
  // Every buffer begins at a multiple of 64, plus its own offset.
  static std::int64_t place_of(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

  std::int64_t dst_begin() const {
    std::int64_t sum = lead_;
    for (const Item& item : items_) {
      for (const std::int64_t count : item.src_bytes()) sum += place_of(count);
    }
    return sum;
  }
  std::int64_t bytes() const {
    std::int64_t sum = dst_begin();
    for (const Item& item : items_) {
      for (const std::int64_t count : item.dst_bytes()) sum += place_of(count);
    }
    return sum + 1;
  }

  std::vector<Image> images_in(void* memory) const {
    auto* src = static_cast<unsigned char*>(memory) + lead_;
    auto* dst = static_cast<unsigned char*>(memory) + dst_begin();
    const auto take = [](unsigned char*& at, const std::vector<std::int64_t>& buffers) {
      std::vector<void*> taken;
      for (const std::int64_t count : buffers) {
        taken.push_back(at);
        at += place_of(count);
      }
      return taken;
    };
    std::vector<Image> all;
    for (const Item& item : items_) {
      const std::vector<void*> sources = take(src, item.src_bytes());
      all.push_back(item.image(sources, take(dst, item.dst_bytes())));
    }
    return all;
  }

  std::vector<Item> items_;
  std::int64_t lead_;
  DeviceMemory memory_;
  std::vector<unsigned char> before_;
  std::vector<unsigned char> wanted_;
};

/// Calls `enqueue(images)`, which puts on the stream all that is to be done with the items, and
/// fails where the result is not the CPU's.
template <class Item, class Enqueue>
void require_equal_to_cpu(std::vector<Item> items, Stream& stream, Enqueue enqueue) {
  const DevicePictures<Item> pictures(std::move(items));
  enqueue(pictures.images());
  stream.wait();
  const std::string difference = pictures.difference();
  if (!difference.empty()) FAIL(difference);
}

/// Captured work on pictures is done again at every replay, with what they are then.
template <class Item>
void check_replays(DevicePictures<Item>& pictures, Captured& work) {
  for (const std::uint64_t seed : {43u, 44u}) {
    pictures.fill(seed);
    work.replay();
    CHECK(pictures.difference() == "");
  }
}

/// The same of `enqueue(images)`, whose descriptors are gone after the call.
template <class Item, class Enqueue>
void check_replays(const std::vector<Item>& items, Stream& stream, Enqueue enqueue) {
  DevicePictures<Item> pictures(items);
  std::vector<typename Item::Image> images = pictures.images();
  Captured work(stream, [&] {
    enqueue(images);
    images.clear();
  });
  check_replays(pictures, work);
}

/// Descriptors in device memory, and the workspace they need.
template <class Image>
class DeviceDescriptors {
 public:
  DeviceDescriptors(std::size_t count, std::size_t workspace_bytes)
      : count_(count),
        images_(static_cast<std::int64_t>(count * sizeof(Image))),
        workspace_(static_cast<std::int64_t>(workspace_bytes)) {}

  void set(const std::vector<Image>& images) {
    must(cudaMemcpy(images_.data(), images.data(), images.size() * sizeof(Image),
                    cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
  }
  const Image* images() const { return static_cast<const Image*>(images_.data()); }
  std::size_t count() const { return count_; }
  void* workspace() const { return workspace_.data(); }

 private:
  std::size_t count_;
  DeviceMemory images_;
  DeviceMemory workspace_;
};

/// Padding that makes rows a multiple of 16 bytes.
inline std::int64_t to_16(std::int64_t row_bytes) { return (16 - row_bytes % 16) % 16; }

/// Pictures of one row or one column, and how they lie in memory, at random. A column's pitch goes
/// from row to row, forwards or backwards; a row's has no meaning.
class ThinPictures {
 public:
  Size size() {
    const std::int64_t length = 1 + below(300);
    return below(2) == 0 ? Size{length, 1} : Size{1, length};
  }
  Orientation orientation() { return all_orientations[static_cast<std::size_t>(below(8))]; }

  /// Rows and columns begin at multiples of one of `units`.
  Layout layout(std::initializer_list<std::int64_t> units) {
    const std::int64_t unit = units.begin()[below(static_cast<std::int64_t>(units.size()))];
    const std::int64_t lone_pitch = 1 + below(4000);
    return {unit * below(5), unit * below(5), below(2) == 0,
            below(2) == 0 ? lone_pitch : -lone_pitch};
  }

 private:
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }

  std::mt19937_64 random_{7};
};

/// Those with code of their own, and some between and beyond them.
inline constexpr int pixel_sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  10, 12,  15,
                                      16, 17, 24, 31, 32, 33, 48, 64, 96, 255, 256};

}  // namespace qturn::tests
