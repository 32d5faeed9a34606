#include "src/nvjpeg/device.hpp"

#include <fmt/format.h>
#include <qturn/batch.hpp>

#include <algorithm>
#include <future>
#include <thread>
#include <utility>

#include "src/cuda/batches.hpp"
#include "src/nvjpeg/codec.hpp"

namespace qturn {
namespace {

// One batch is decoded while another is encoded. More at a time slow the decoder down by a tenth
// (docs/measurements/nvjpeg-h200.md).
constexpr int workers_per_device = 2;
constexpr int encoders_per_worker = 2;
// The share of a device's free memory that the batches of one worker may take.
constexpr std::uint64_t memory_share = 8;

const PlanarRequest& request_of(const DeviceWork& work) {
  return std::get<PlanarRequest>(*work.request);
}

PlanarLayout layout_of(const PlanarRequest& request) {
  return PlanarLayout(request.size, request.h, request.v);
}

PlanarLayout turned_layout(const PlanarRequest& request, Orientation orientation) {
  const bool swap = swaps_axes(orientation);
  return PlanarLayout(turned_size(orientation, request.size), swap ? request.v : request.h,
                      swap ? request.h : request.v);
}

/// The engines of a device, for all its workers. A decoder has page-locked memory for the files of
/// a batch, and only one decodes at a time.
struct DeviceDecoder {
  NvJpegHandle handle{NVJPEG_BACKEND_HARDWARE};
  CudaStream stream;
  NvJpegDecoder decoder{handle, stream.get()};
};

/// What the workers of a device share. Making the two takes half a second, so both are made at the
/// same time, while files are read.
struct DeviceCodecs {
  explicit DeviceCodecs(int of_device)
      : device(of_device),
        decoding(std::async(std::launch::async,
                            [=]() -> std::unique_ptr<DeviceDecoder> {
                              use_device(of_device);
                              try {
                                return std::make_unique<DeviceDecoder>();
                              } catch (const NvJpegError&) {
                                return nullptr;  // it has no engines
                              }
                            })),
        encoding(std::async(std::launch::async, [=] {
          use_device(of_device);
          return std::make_unique<NvJpegHandle>(NVJPEG_BACKEND_DEFAULT);
        })) {}

  int device;
  std::shared_future<std::unique_ptr<DeviceDecoder>> decoding;
  std::shared_future<std::unique_ptr<NvJpegHandle>> encoding;
};

/// The codecs of a device, made again for the next who asks if they could not be made.
class SharedCodecs {
 public:
  explicit SharedCodecs(int of_device)
      : device(of_device), codecs_(std::make_shared<DeviceCodecs>(of_device)) {}

  std::shared_ptr<DeviceCodecs> get() {
    const std::lock_guard lock(mutex_);
    if (!codecs_) codecs_ = std::make_shared<DeviceCodecs>(device);
    return codecs_;
  }
  void forget(const std::shared_ptr<DeviceCodecs>& failed) {
    const std::lock_guard lock(mutex_);
    if (codecs_ == failed) codecs_ = nullptr;
  }

  const int device;

 private:
  std::mutex mutex_;
  std::shared_ptr<DeviceCodecs> codecs_;
};

std::uint64_t batch_bytes() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "the device's memory");
  return free / memory_share;
}

/// What one worker thread has on its device. Made, used and destroyed on that thread.
class DeviceWorker {
 public:
  /// On the current device. May use `memory_bytes` of its memory.
  DeviceWorker(std::shared_ptr<DeviceCodecs> codecs, std::uint64_t memory_bytes, SpareBytes& spare)
      : codecs_(std::move(codecs)), memory_bytes_(memory_bytes), spare_(spare) {
    for (int i = 0; i < encoders_per_worker; ++i) {
      encoders_.push_back(std::make_unique<NvJpegEncoder>(*codecs_->encoding.get()));
    }
  }

  void run(std::span<DeviceWork* const> batch, const std::function<void()>& decoded_all,
           const std::function<void(std::size_t)>& done) {
    std::vector<Picture> pictures;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (codecs_->decoding.get()->decoder.supports(request_of(*batch[i]).header)) {
        pictures.push_back({i, batch[i], layout_of(request_of(*batch[i]))});
      } else {
        done(i);
      }
    }
    std::size_t left = pictures.size();
    const auto run_some = [&](std::span<Picture> some) {
      reserve(some);  // nothing is done before all memory is there
      const std::vector<Picture*> decoded = decode(some);
      left -= some.size();
      if (left == 0) decoded_all();
      encode(turn(decoded), done);
    };
    const auto give_back = [&] {
      decoded_ = DeviceBuffer();
      turned_ = DeviceBuffer();
    };
    // What is too large even alone goes the CPU's way.
    for (const Picture* picture :
         in_halves_without_memory<OutOfDeviceMemory>(std::span(pictures), run_some, give_back)) {
      done(picture->index);
    }
  }

 private:
  struct Picture {
    std::size_t index;
    DeviceWork* work;
    PlanarLayout layout;
    std::byte* planes = nullptr;
    std::atomic<std::size_t>* left = nullptr;
  };
  struct Encoding {
    Picture* picture;
    std::size_t output;
    PlanarLayout layout;
    const std::byte* planes;
  };

  // The whole device waits when memory grows, and the first batches are small. So memory for a full
  // batch of such pictures is allocated at once.
  std::uint64_t with_room(std::uint64_t bytes, std::size_t pictures) const {
    const std::uint64_t full = bytes / std::max<std::size_t>(pictures, 1) * BatchLimits{}.count;
    return std::max(bytes, std::min(full, memory_bytes_ / 2));
  }

  // For what decode() and turn() need.
  void reserve(std::span<const Picture> pictures) {
    std::uint64_t decoded = 0, turned = 0;
    for (const Picture& picture : pictures) {
      decoded += picture.layout.bytes;
      for (const PlanarRequest::Output& output : request_of(*picture.work).outputs) {
        turned += turned_layout(request_of(*picture.work), output.orientation).bytes;
      }
    }
    decoded_.reserve(with_room(decoded, pictures.size()));
    turned_.reserve(with_room(turned, pictures.size()));
  }

  std::vector<Picture*> decode(std::span<Picture> pictures) {
    std::byte* memory = decoded_.data();
    for (Picture& picture : pictures) {
      picture.planes = memory;
      memory += picture.layout.bytes;
    }
    const auto decode_some = [&](std::span<const std::size_t> some) {
      std::vector<std::span<const std::byte>> files;
      std::vector<PlanarLayout> layouts;
      std::vector<std::byte*> planes;
      for (const std::size_t i : some) {
        files.push_back(request_of(*pictures[i].work).file);
        layouts.push_back(pictures[i].layout);
        planes.push_back(pictures[i].planes);
      }
      if (!some.empty()) codecs_->decoding.get()->decoder.decode(files, layouts, planes);
    };
    std::vector<Picture*> decoded;
    for (const std::size_t i :
         decode_those_that_can_be<NvJpegError>(pictures.size(), decode_some)) {
      decoded.push_back(&pictures[i]);
    }
    return decoded;
  }

  std::vector<Encoding> turn(const std::vector<Picture*>& decoded) {
    std::vector<Encoding> encodings;
    for (Picture* picture : decoded) {
      const PlanarRequest& request = request_of(*picture->work);
      for (std::size_t o = 0; o < request.outputs.size(); ++o) {
        encodings.push_back(
            {picture, o, turned_layout(request, request.outputs[o].orientation), nullptr});
      }
    }
    std::byte* memory = turned_.data();
    std::vector<PlanesImage> images;
    for (Encoding& encoding : encodings) {
      PlanesImage& image = images.emplace_back();
      image.planes = 3;
      image.orientation = request_of(*encoding.picture->work).outputs[encoding.output].orientation;
      for (std::size_t p = 0; p < 3; ++p) {
        const PlanarLayout::Plane& from = encoding.picture->layout.planes[p];
        const PlanarLayout::Plane& to = encoding.layout.planes[p];
        image.src[p] = {encoding.picture->planes + from.offset, from.width, from.height, from.pitch,
                        1};
        image.dst[p] = {memory + to.offset, to.width, to.height, to.pitch, 1};
      }
      encoding.planes = memory;
      memory += encoding.layout.bytes;
    }
    transform_planes(images.data(), images.size(), stream_.get());
    check(cudaStreamSynchronize(stream_.get()), "turning on the device");
    return encodings;
  }

  void encode(const std::vector<Encoding>& encodings,
              const std::function<void(std::size_t)>& done) {
    // The outputs that are not encoded yet. Those of one picture are next to each other.
    std::vector<std::atomic<std::size_t>> left(encodings.size());
    for (std::size_t i = 0; i < encodings.size(); ++i) {
      Picture& picture = *encodings[i].picture;
      if (encodings[i].output > 0) continue;
      picture.left = &left[i];
      left[i] = request_of(*picture.work).outputs.size();
      picture.work->results.emplace(request_of(*picture.work).outputs.size());
    }
    std::mutex failing;
    std::atomic<std::size_t> next = 0;
    const auto encode_some = [&](NvJpegEncoder& encoder) {
      cudaSetDevice(codecs_->device);
      for (std::size_t i = next++; i < encodings.size(); i = next++) {
        const Encoding& encoding = encodings[i];
        DeviceWork& work = *encoding.picture->work;
        const PlanarRequest& request = request_of(work);
        try {
          const auto made =
              encoder.encode(encoding.planes, encoding.layout,
                             request.outputs[encoding.output].tables, request.optimised);
          Bytes file = request.finish(encoding.output, made, spare_);
          const std::lock_guard lock(failing);
          if (work.results) (*work.results)[encoding.output] = std::move(file);
        } catch (const NvJpegError&) {
          const std::lock_guard lock(failing);
          work.results.reset();
        } catch (const OutOfDeviceMemory&) {
          const std::lock_guard lock(failing);
          work.results.reset();
        } catch (...) {
          const std::lock_guard lock(failing);
          work.error = std::current_exception();
        }
        if (--*encoding.picture->left == 0) done(encoding.picture->index);
      }
    };
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(encoders_.size(), encodings.size()); ++i) {
      threads.emplace_back(encode_some, std::ref(*encoders_[i]));
    }
    encode_some(*encoders_[0]);
  }

  std::shared_ptr<DeviceCodecs> codecs_;
  std::uint64_t memory_bytes_;
  SpareBytes& spare_;
  CudaStream stream_;
  std::vector<std::unique_ptr<NvJpegEncoder>> encoders_;
  DeviceBuffer decoded_, turned_;
};

Batches::Worker make_worker(SharedCodecs& shared, SpareBytes& spare) {
  const std::shared_ptr<DeviceCodecs> codecs = shared.get();
  try {
    if (!codecs->decoding.get()) return {};
    check(cudaSetDevice(codecs->device), "the device");
    const std::uint64_t bytes = batch_bytes();
    const auto worker = std::make_shared<DeviceWorker>(codecs, bytes, spare);
    return {[worker](auto batch, const auto& decoded, const auto& done) {
              worker->run(batch, decoded, done);
            },
            bytes};
  } catch (...) {
    shared.forget(codecs);
    throw;
  }
}

}  // namespace

NvJpegStatus nvjpeg_status(int device) {
  NvJpegStatus status;
  const NvJpegLibrary& nv = nvjpeg_library();
  status.version = nv.version;
  status.problem = nv.problem;
  if (!status.problem.empty()) return status;
  try {
    check(cudaSetDevice(device), "the device");
    status.engines = NvJpegHandle(NVJPEG_BACKEND_HARDWARE).engines();
    if (status.engines == 0) status.problem = "the device has no hardware that decodes JPEG";
  } catch (const std::exception& error) {
    status.problem = fmt::format("the device decodes no JPEG in hardware ({})", error.what());
  }
  return status;
}

std::unique_ptr<JpegDevice> make_nvjpeg_device(const std::vector<int>& devices, SpareBytes& spare,
                                               const std::atomic<bool>& stop) {
  if (devices.empty() || !nvjpeg_library().problem.empty()) return nullptr;
  std::vector<std::shared_ptr<SharedCodecs>> all;
  for (const int device : devices) all.push_back(std::make_shared<SharedCodecs>(device));
  std::vector<Batches::MakeWorker> workers;
  for (int i = 0; i < workers_per_device; ++i) {
    for (const auto& shared : all) {
      workers.push_back({shared->device, [shared, &spare] { return make_worker(*shared, spare); }});
    }
  }
  const auto device_bytes = [](const JpegRequest& asked) {
    const auto& request = std::get<PlanarRequest>(asked);
    std::uint64_t bytes = layout_of(request).bytes;
    for (const auto& output : request.outputs) {
      bytes += turned_layout(request, output.orientation).bytes;
    }
    return bytes;
  };
  // If the next batch of each device is full, more can wait.
  BatchLimits limits;
  limits.busy = limits.count * devices.size();
  return std::make_unique<Batches>(limits, device_bytes, std::move(workers), stop);
}

}  // namespace qturn
