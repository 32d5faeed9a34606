#include <qturn/batch.hpp>

#include <chrono>
#include <optional>
#include <random>

#include "tools/bench/arena.hpp"

namespace qturn::bench {
namespace {

struct Mixture {
  std::string text;
  std::vector<Size> sizes;
  bool is_uniform = false;
};

std::vector<Mixture> mixtures() {
  std::mt19937 random(1);  // its numbers are the same everywhere
  const auto side = [&] { return static_cast<std::int64_t>(16 + random() % 2033); };
  Mixture random_sizes{"64 of 16 to 2048", {}};
  for (int i = 0; i < 64; ++i) {
    const std::int64_t width = side();
    random_sizes.sizes.push_back({width, side()});
  }
  return {{"256 of 224x224", std::vector<Size>(256, Size{224, 224}), true}, random_sizes};
}

// The pictures of a mixture, one after the other, with rows of whole multiples of `pitch_multiple`
// bytes.
class Pictures {
 public:
  Pictures(const Mixture& mixture, int pixel_bytes, std::int64_t pitch_multiple,
           std::optional<Orientation> orientation) {
    std::size_t i = 0;
    for (const Size size : mixture.sizes) {
      const Orientation o = orientation ? *orientation : all_orientations[i++ % 8];
      const Size turned = turned_size(o, size);
      const auto pitch = [&](std::int64_t width) {
        return (width * pixel_bytes + pitch_multiple - 1) / pitch_multiple * pitch_multiple;
      };
      places_.push_back({size, turned, pitch(size.width), pitch(turned.width), stride_, o});
      const std::int64_t bytes =
          std::max(pitch(size.width) * size.height, pitch(turned.width) * turned.height);
      stride_ += (bytes + 255) / 256 * 256;
      pixels_ += size.width * size.height;
    }
    pixel_bytes_ = pixel_bytes;
  }

  std::int64_t bytes() const { return pixels_ * pixel_bytes_; }
  std::int64_t stride() const { return stride_ + 256; }

  std::vector<BatchImage> images(const Arena& arena, std::int64_t slot) const {
    std::vector<BatchImage> all;
    for (const Place& p : places_) {
      const std::int64_t at = slot * stride() + p.at;
      all.push_back({{arena.src.at(at), p.size.width, p.size.height, p.src_pitch, pixel_bytes_},
                     {arena.dst.at(at), p.turned.width, p.turned.height, p.dst_pitch, pixel_bytes_},
                     p.orientation});
    }
    return all;
  }

 private:
  struct Place {
    Size size;
    Size turned;
    std::int64_t src_pitch;
    std::int64_t dst_pitch;
    std::int64_t at;
    Orientation orientation;
  };
  std::vector<Place> places_;
  std::int64_t stride_ = 0;
  std::int64_t pixels_ = 0;
  int pixel_bytes_ = 0;
};

// Images of one shape and orientation that follow one another at equal distances.
UniformBatch uniform(const std::vector<BatchImage>& images) {
  const auto distance = [](const void* from, const void* to) {
    return static_cast<const unsigned char*>(to) - static_cast<const unsigned char*>(from);
  };
  UniformBatch batch;
  batch.src = images[0].src;
  batch.dst = images[0].dst;
  batch.src_stride = distance(images[0].src.data, images[1].src.data);
  batch.dst_stride = distance(images[0].dst.data, images[1].dst.data);
  batch.count = images.size();
  batch.orientation = images[0].orientation;
  return batch;
}

}  // namespace

void measure_batches(int device, const EntryChoice& choice, const EntryListener& listener) {
  const int batches = choice.batches;
  must(cudaSetDevice(device));
  Arena arena;
  const std::optional<Orientation> orientations[] = {Orientation::rotate90, Orientation::flop, {}};
  for (const Mixture& mixture : mixtures()) {
    for (std::int64_t pitch_multiple : {std::int64_t{1}, std::int64_t{16}}) {
      for (int pixel_bytes : {1, 3, 4}) {
        if (pitch_multiple > 1 && (mixture.sizes.size() == 256 || pixel_bytes == 4)) continue;
        for (const auto& orientation : orientations) {
          const Pictures pictures(mixture, pixel_bytes, pitch_multiple, orientation);
          const std::int64_t launches = launches_of_a_batch(pictures.stride());
          const std::string what =
              mixture.text + (pitch_multiple == 1 ? ", tight, " : ", rows of 16 bytes, ") +
              (orientation ? std::string(name(*orientation)) : std::string("all orientations"));
          const std::string what_on_device = what + ", from the device";
          const std::string what_uniform = what + ", uniform";
          const bool wanted = choice.wants(what, pixel_bytes);
          const bool wanted_on_device = !orientation && choice.wants(what_on_device, pixel_bytes);
          const bool wanted_uniform =
              orientation && mixture.is_uniform && choice.wants(what_uniform, pixel_bytes);
          if (!wanted && !wanted_on_device && !wanted_uniform) continue;
          EntryResult result;
          result.pixel_bytes = pixel_bytes;
          arena.measure_bound(result, pictures.bytes(), pictures.stride(), batches);

          std::vector<std::vector<BatchImage>> images;
          for (std::int64_t slot = 0; slot < launches; ++slot) {
            images.push_back(pictures.images(arena, slot));
          }
          if (wanted) {
            result.what = what;
            arena.measure(
                result,
                [&](std::int64_t slot, cudaStream_t stream) {
                  const auto& batch = images[static_cast<std::size_t>(slot)];
                  transform_batch(batch.data(), batch.size(), stream);
                },
                2 * pictures.bytes(), pictures.stride(), batches);
            listener(result);
          }
          if (wanted_uniform) {
            result.what = what_uniform;
            arena.measure(
                result,
                [&](std::int64_t slot, cudaStream_t stream) {
                  transform_batch(uniform(images[static_cast<std::size_t>(slot)]), stream);
                },
                2 * pictures.bytes(), pictures.stride(), batches);
            listener(result);
          }
          if (!wanted_on_device) continue;

          // The same from descriptors on the device.
          const std::size_t count = mixture.sizes.size();
          const auto descriptor_bytes = static_cast<std::int64_t>(count * sizeof(BatchImage));
          const GpuMemory descriptors(descriptor_bytes * launches);
          const GpuMemory workspace(static_cast<std::int64_t>(batch_workspace_bytes(count)));
          const auto on_device = [&](std::int64_t slot) {
            return descriptors.at(slot * descriptor_bytes);
          };
          for (std::int64_t slot = 0; slot < launches; ++slot) {
            must(cudaMemcpy(on_device(slot), images[static_cast<std::size_t>(slot)].data(),
                            static_cast<std::size_t>(descriptor_bytes), cudaMemcpyHostToDevice));
          }
          must(cudaDeviceSynchronize());
          result.what = what_on_device;
          arena.measure(
              result,
              [&](std::int64_t slot, cudaStream_t stream) {
                transform_batch(reinterpret_cast<const BatchImage*>(on_device(slot)), count,
                                pixel_bytes, workspace.at(0), stream);
              },
              2 * pictures.bytes(), pictures.stride(), batches);
          listener(result);
        }
      }
    }
  }
}

double batch_call_microseconds(int device) {
  must(cudaSetDevice(device));
  Arena arena;
  const Pictures pictures({"", std::vector<Size>(256, Size{16, 16})}, 3, 1, Orientation::rotate90);
  const std::vector<BatchImage> images = pictures.images(arena, 0);
  std::vector<double> microseconds;
  for (int round = 0; round < 20; ++round) {
    // Few enough for the launch queue, so that no call waits for the GPU.
    constexpr int calls = 50;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) {
      transform_batch(images.data(), images.size(), arena.timer.stream());
    }
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - begin;
    microseconds.push_back(spent.count() / calls);
    must(cudaStreamSynchronize(arena.timer.stream()));
  }
  std::sort(microseconds.begin(), microseconds.end());
  return microseconds[microseconds.size() / 2];
}

}  // namespace qturn::bench
