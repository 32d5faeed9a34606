#include "src/gpu/scan_decoder.hpp"

#include <qturn/batch.hpp>
#include <qturn/cuda.hpp>
#include <qturn/jpeg_decode_cuda.hpp>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/gpu/device.hpp"
#include "src/gpu/owners.hpp"
#include "src/tasks/suspend.hpp"

namespace qturn {
namespace {

// So many parts are on their way at a time: while one is decoded, others are copied and planned.
constexpr std::size_t places = 8;
constexpr int decoded_pixel_bytes = 3;

/// Makes a device current for this thread while it lives, and then the one before again.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check(cudaGetDevice(&before_), "the device");
    if (before_ != device) check(cudaSetDevice(device), "the device");
    device_ = device;
  }
  ~OnDevice() {
    if (before_ != device_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0, device_ = 0;
};

/// A point in the work of a stream.
class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "an event"); }
  cudaEvent_t get() const { return event_; }
  /// Lets `stream` wait for what was recorded last, if anything was.
  void hold_back(cudaStream_t stream) { check(cudaStreamWaitEvent(stream, event_), "an event"); }

 private:
  cudaEvent_t event_ = nullptr;
};

// A thread that slept would wake up some 50 us late, a tenth of the time of a single picture. For
// more pictures that hardly counts, and threads that ask delay threads that enqueue.
void wait_for(cudaStream_t stream, CudaEvent& event, std::size_t pictures) {
  constexpr std::size_t few_pictures = 4;
  const auto patience = std::chrono::milliseconds(pictures <= few_pictures ? 1 : 0);
  const auto since = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - since < patience) {
    const cudaError_t state = cudaStreamQuery(stream);
    if (state != cudaErrorNotReady) return check(state, "decoding on the device");
    std::this_thread::yield();
  }
  event.wait_for(stream, "decoding on the device");
}

/// Device memory in the order of a stream; grows to the largest size that was requested.
class StreamMemory {
 public:
  StreamMemory(const DecoderOptions& options, cudaStream_t stream)
      : options_(options), stream_(stream) {}
  ~StreamMemory() { give_back(); }
  StreamMemory(const StreamMemory&) = delete;
  StreamMemory& operator=(const StreamMemory&) = delete;

  /// Its content is lost if it has to grow. Throws OutOfDeviceMemory.
  std::byte* reserve(std::size_t bytes) {
    if (bytes > bytes_) {
      give_back();
      if (options_.allocate) {
        memory_ = options_.allocate(bytes, stream_);
        if (!memory_) check(cudaErrorMemoryAllocation, "device memory");
      } else {
        check(cudaMallocAsync(&memory_, bytes, stream_), "device memory");
      }
      bytes_ = bytes;
    }
    return static_cast<std::byte*>(memory_);
  }

  void give_back() {
    if (!memory_) return;
    if (options_.release) {
      options_.release(memory_, stream_);
    } else {
      cudaFreeAsync(memory_, stream_);
    }
    memory_ = nullptr;
    bytes_ = 0;
  }

 private:
  const DecoderOptions& options_;
  cudaStream_t stream_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// What one part has while it is on its way.
struct Place {
  explicit Place(const DecoderOptions& options)
      : pixels(options, stream.get()), workspace(options, stream.get()) {}

  CudaStream stream;
  CudaEvent judged;
  Event free;  ///< when nobody's stream reads the pixels any more
  StreamMemory pixels, workspace;
  HostSide<JpegResult> host;
};

class ScanDecoderOnDevice final : public ScanDecoder {
 public:
  explicit ScanDecoderOnDevice(const DecoderOptions& options)
      : options_(options), page_locked_(options.page_locked_bytes) {
    const OnDevice scope(options_.device);
    keep_freed_memory();
    for (std::size_t i = 0; i < places; ++i) {
      places_.push_back(std::make_unique<Place>(options_));
      free_.push_back(places_.back().get());
    }
  }

  ~ScanDecoderOnDevice() override {
    int before = 0;
    cudaGetDevice(&before);
    cudaSetDevice(options_.device);
    for (const auto& place : places_) {
      cudaStreamWaitEvent(place->stream.get(), place->free.get());
      cudaStreamSynchronize(place->stream.get());
    }
    places_.clear();
    cudaSetDevice(before);
  }

  std::uint64_t part_bytes() const override { return options_.device_bytes / places; }

  void decode(std::span<ScanPicture> part, cudaStream_t stream) override {
    const OnDevice scope(options_.device);
    Taken place(*this);
    try {
      decode_in(*place, part, stream);
    } catch (const OutOfDeviceMemory&) {
      // Others have the memory. The CPU decodes these.
      for (ScanPicture& picture : part) picture.is_given_up = true;
    }
  }

  void upload(ConstView rgb, Orientation applied, const DecodedPlace& to,
              cudaStream_t stream) override {
    const OnDevice scope(options_.device);
    Taken place(*this);
    auto* const own = place->stream.get();
    place->free.hold_back(own);
    const Size size{rgb.width, rgb.height};
    DevicePieces pieces;
    const std::size_t rgb_at = pieces.take(rgb_bytes(size));
    const std::size_t upright_at = pieces.take(upright_bytes(size, applied, to));
    std::byte* const memory = place->pixels.reserve(pieces.bytes());
    const View on_device = rgb_view(memory + rgb_at, size);
    std::byte* const workspace =
        place->workspace.reserve(resize_bytes(std::array{resized(size, applied, to)}, to));
    check(cudaMemcpy2DAsync(on_device.data, static_cast<std::size_t>(on_device.pitch), rgb.data,
                            static_cast<std::size_t>(rgb.pitch),
                            static_cast<std::size_t>(rgb.row_bytes()),
                            static_cast<std::size_t>(rgb.height), cudaMemcpyHostToDevice, own),
          "pixels to the device");
    place->judged.wait_for(own, "pixels to the device");
    finish(std::array{Finished{on_device, applied, &to, memory + upright_at}}, workspace, stream);
    place->free.record(stream);
  }

  void clear(const DecodedPlace& to, cudaStream_t stream) override {
    const OnDevice scope(options_.device);
    const auto clear_rows = [&](void* data, std::int64_t pitch, std::int64_t bytes,
                                std::int64_t rows) {
      if (bytes == 0 || rows == 0) return;
      check(cudaMemset2DAsync(data, static_cast<std::size_t>(pitch), 0,
                              static_cast<std::size_t>(bytes), static_cast<std::size_t>(rows),
                              stream),
            "zeros on the device");
    };
    if (!to.format) {
      clear_rows(to.pixels.data, to.pixels.pitch, to.pixels.row_bytes(), to.pixels.height);
      return;
    }
    for (int plane = 0; plane < to.format->planes; ++plane) {
      clear_rows(static_cast<std::byte*>(to.planes.data) + plane * to.planes.plane_pitch,
                 to.planes.pitch, to.planes.width * sample_bytes(to.format->dst_type),
                 to.planes.height);
    }
  }

 private:
  /// Takes a free place until the scope is left.
  class Taken {
   public:
    explicit Taken(ScanDecoderOnDevice& all) : all_(all) {
      std::unique_lock lock(all_.mutex_);
      all_.given_back_.wait_until(lock, for_ever, [&] { return !all_.free_.empty(); });
      place_ = all_.free_.front();
      all_.free_.pop_front();
    }
    ~Taken() {
      {
        const std::lock_guard lock(all_.mutex_);
        all_.free_.push_back(place_);
      }
      all_.given_back_.notify_one();
    }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    Place* operator->() const { return place_; }
    Place& operator*() const { return *place_; }

   private:
    ScanDecoderOnDevice& all_;
    Place* place_;
  };

  /// Pixels on the device, and what becomes of them.
  struct Finished {
    View pixels;
    Orientation applied;
    const DecodedPlace* to;
    std::byte* upright;  ///< memory for upright_bytes()
  };

  // Memory that goes back to the pool of the device stays there for the next part: to ask the
  // system takes a millisecond.
  void keep_freed_memory() const {
    if (options_.allocate) return;
    cudaMemPool_t pool = nullptr;
    check(cudaDeviceGetDefaultMemPool(&pool, options_.device), "the device's memory");
    std::uint64_t kept = 0;
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept),
          "the device's memory");
    if (kept >= options_.device_bytes) return;
    kept = options_.device_bytes;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept),
          "the device's memory");
  }

  static View rgb_view(std::byte* data, Size size) {
    return {data, size.width, size.height, size.width * decoded_pixel_bytes, decoded_pixel_bytes};
  }

  static std::size_t rgb_bytes(Size size) {
    return static_cast<std::size_t>(size.width * size.height) * decoded_pixel_bytes;
  }

  // Rows and columns are not resized in the same way, so a picture is first made upright.
  static std::size_t upright_bytes(Size size, Orientation applied, const DecodedPlace& to) {
    return to.crop && applied != Orientation::identity ? rgb_bytes(size) : 0;
  }

  // The last step of a crop of a picture of this size; its address comes later.
  static ResizedImage resized(Size stored, Orientation applied, const DecodedPlace& to) {
    if (!to.crop) return {};
    return {rgb_view(nullptr, turned_size(applied, stored)), to.crop->box, to.planes,
            to.crop->orientation};
  }

  // All crops of a call have the same rule.
  static std::size_t resize_bytes(std::span<const ResizedImage> images, const DecodedPlace& first) {
    return first.crop ? resize_workspace_bytes(images.data(), images.size(), first.rule) : 0;
  }

  // Whether the decoder may write to the place itself, because `stream` is idle.
  static bool is_direct(const ScanPicture& picture, bool is_stream_idle) {
    return is_stream_idle && !picture.to.format && picture.applied == Orientation::identity;
  }

  void decode_in(Place& place, std::span<ScanPicture> part, cudaStream_t stream) {
    auto* const own = place.stream.get();
    const bool is_idle = cudaStreamQuery(stream) == cudaSuccess;
    std::vector<JpegScanDecode> decodes;
    std::vector<std::size_t> pixels_at, upright_at;
    std::vector<ResizedImage> crops;
    DevicePieces pieces;
    decodes.reserve(part.size());
    const std::size_t data_bytes = bytes_of_data(part);
    const std::size_t data_at = pieces.take(data_bytes);
    for (const ScanPicture& picture : part) {
      const Size size = picture.header->scan.size;
      decodes.push_back(picture.header->to_decode());
      decodes.back().bytes = picture.file.size() - picture.header->data_at;
      pixels_at.push_back(is_direct(picture, is_idle) ? 0 : pieces.take(rgb_bytes(size)));
      upright_at.push_back(pieces.take(upright_bytes(size, picture.applied, picture.to)));
      if (picture.to.crop) crops.push_back(resized(size, picture.applied, picture.to));
    }
    place.free.hold_back(own);
    std::byte* const memory = place.pixels.reserve(pieces.bytes());
    std::size_t at = data_at;
    for (std::size_t i = 0; i < part.size(); ++i) {
      decodes[i].data = memory + at;
      at += DevicePieces::aligned(decodes[i].bytes);
      decodes[i].pixels = is_direct(part[i], is_idle)
                              ? part[i].to.pixels
                              : rgb_view(memory + pixels_at[i], part[i].header->scan.size);
    }
    const FileBytes staged = copy_data(part, memory + data_at, data_bytes, own);
    const StreamEnd end{own};  // also where something is thrown: the files are being read
    const auto [plan, planned] = plan_of(decodes, part);
    const JpegWorkspace needed = plan.workspace();
    place.host.reserve(needed, decodes.size());
    // The decoder is done with it when its results are there.
    std::byte* const workspace = place.workspace.reserve(
        std::max(needed.device_bytes, resize_bytes(crops, part.front().to)));
    plan.decode(workspace, place.host.tables.data(), place.host.results(), own);
    wait_for(own, place.judged, part.size());
    std::vector<Finished> finished;
    for (std::size_t i = 0; i < planned.size(); ++i) {
      ScanPicture& picture = part[planned[i]];
      picture.is_given_up = place.host.results()[i].faults.any();
      if (!picture.is_given_up && !is_direct(picture, is_idle))
        finished.push_back(
            {decodes[i].pixels, picture.applied, &picture.to, memory + upright_at[planned[i]]});
    }
    finish(finished, workspace, stream);
    if (!finished.empty()) place.free.record(stream);
  }

  static std::size_t bytes_of_data(std::span<const ScanPicture> part) {
    std::size_t bytes = 0;
    for (const ScanPicture& picture : part)
      bytes += DevicePieces::aligned(picture.file.size() - picture.header->data_at);
    return bytes;
  }

  // Copies the data of all pictures at once, from page-locked memory if there is any. Returns this
  // memory, which is in use until the stream has made the copy.
  FileBytes copy_data(std::span<const ScanPicture> part, std::byte* to, std::size_t bytes,
                      cudaStream_t stream) {
    FileBytes staged = page_locked_.take(bytes);
    std::vector<StagedPiece> pieces;
    std::size_t at = 0;
    for (const ScanPicture& picture : part) {
      const auto data = picture.file.subspan(picture.header->data_at);
      if (staged.capacity() > 0) {
        for (std::size_t begin = 0; begin < data.size(); begin += StagedPiece::most_bytes) {
          pieces.push_back(
              {data.subspan(begin).first(std::min(data.size() - begin, StagedPiece::most_bytes)),
               staged.data() + at + begin});
        }
      } else {
        check(cudaMemcpyAsync(to + at, data.data(), data.size(), cudaMemcpyHostToDevice, stream),
              "JPEGs to the device");
      }
      at += DevicePieces::aligned(data.size());
    }
    if (staged.capacity() > 0) {
      stage(pieces, pieces.size() > part.size());
      check(cudaMemcpyAsync(to, staged.data(), bytes, cudaMemcpyHostToDevice, stream),
            "JPEGs to the device");
    }
    return staged;
  }

  struct StagedPiece {
    static constexpr std::size_t most_bytes = std::size_t{256} << 10;
    std::span<const std::byte> from;
    std::byte* to;
  };

  // One core copies a picture of 12 megapixels in a third of the time in which it is decoded. Small
  // ones would only keep more cores busy.
  static void stage(const std::vector<StagedPiece>& pieces, bool by_several_threads) {
    const auto copy = [&](std::size_t i) {
      std::memcpy(pieces[i].to, pieces[i].from.data(), pieces[i].from.size());
    };
    if (!by_several_threads) {
      for (std::size_t i = 0; i < pieces.size(); ++i) copy(i);
      return;
    }
    // Another part, taken up meanwhile, could wait for the place that this one has.
    tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, pieces.size(), copy); });
  }

  // The plan, and the pictures in it. A picture that makes no sense is left out of `decodes`: the
  // CPU refuses it.
  static std::pair<JpegDecodePlan, std::vector<std::size_t>> plan_of(
      std::vector<JpegScanDecode>& decodes, std::span<ScanPicture> part) {
    std::vector<std::size_t> kept(part.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    try {
      return {JpegDecodePlan(decodes.data(), decodes.size()), std::move(kept)};
    } catch (const std::invalid_argument&) {
      kept.clear();
    }
    std::vector<JpegScanDecode> others;
    for (std::size_t i = 0; i < part.size(); ++i) {
      try {
        const JpegDecodePlan alone(&decodes[i], 1);
        others.push_back(decodes[i]);
        kept.push_back(i);
      } catch (const std::invalid_argument&) {
        part[i].is_given_up = true;
      }
    }
    decodes = std::move(others);
    return {JpegDecodePlan(decodes.data(), decodes.size()), std::move(kept)};
  }

  // All pictures of a call have the same format and rule, or none.
  static void finish(std::span<const Finished> finished, std::byte* workspace,
                     cudaStream_t stream) {
    if (finished.empty()) return;
    const DecodedPlace& first = *finished.front().to;
    if (first.crop) return finish_crops(finished, workspace, stream);
    if (first.format) {
      std::vector<PlanarImage> images;
      for (const Finished& each : finished)
        images.push_back({each.pixels, each.to->planes, each.applied});
      return to_planar_batch(images.data(), images.size(), *first.format, stream);
    }
    std::vector<BatchImage> images;
    for (const Finished& each : finished)
      images.push_back({each.pixels, each.to->pixels, each.applied});
    transform_batch(images.data(), images.size(), stream);
  }

  static void finish_crops(std::span<const Finished> finished, std::byte* workspace,
                           cudaStream_t stream) {
    std::vector<BatchImage> turns;
    std::vector<ResizedImage> images;
    for (const Finished& each : finished) {
      const Size size{each.pixels.width, each.pixels.height};
      View upright = each.pixels;
      if (upright_bytes(size, each.applied, *each.to) > 0) {
        upright = rgb_view(each.upright, turned_size(each.applied, size));
        turns.push_back({each.pixels, upright, each.applied});
      }
      images.push_back(resized(size, each.applied, *each.to));
      images.back().src = upright;
    }
    transform_batch(turns.data(), turns.size(), stream);
    const DecodedPlace& first = *finished.front().to;
    resize_to_planar_batch(images.data(), images.size(), first.rule, *first.format, workspace,
                           stream);
  }

  const DecoderOptions options_;
  PageLockedPool page_locked_;
  std::vector<std::unique_ptr<Place>> places_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::deque<Place*> free_;  ///< first given back, first taken: its pixels are read by now
};

}  // namespace

std::unique_ptr<ScanDecoder> make_scan_decoder(const DecoderOptions& options) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    cudaGetLastError();
    throw DeviceError(std::string("no CUDA device can be used: ") + cudaGetErrorString(error));
  }
  if (options.device >= count) {
    throw DeviceError("there is no CUDA device " + std::to_string(options.device) + ", only " +
                      std::to_string(count));
  }
  return std::make_unique<ScanDecoderOnDevice>(options);
}

}  // namespace qturn
