// qturn_opencv_bench: the plugin against OpenCV's own functions, through the same GpuMats, in one
// run, as the tables of plugins/opencv/README.md.
//
// Bytes read and written per second of GPU time, between CUDA events; median of several batches of
// calls that use more pictures in turn than the L2 cache holds. "copy" is transform(..., identity),
// a copy by a kernel: nothing that moves a picture is faster. A quarter turn takes two calls of
// OpenCV's, a transpose and a flip. Host time is measured with a picture so small that the GPU
// always waits for the host.
#include <qturn/opencv.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <opencv2/core/cuda.hpp>
#include <opencv2/cudaarithm.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using cv::cuda::GpuMat;
using cv::cuda::Stream;

void must(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

struct Event {
  Event() { must(cudaEventCreate(&event)); }
  ~Event() { cudaEventDestroy(event); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t event = nullptr;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A source, room for an intermediate picture, and a destination, each turned or not.
struct Pictures {
  Pictures(cv::Size size, int type)
      : src(size, type),
        straight(size, type),
        turned(size.width, size.height, type),
        between(size.width, size.height, type) {}
  GpuMat src;
  GpuMat straight;
  GpuMat turned;
  GpuMat between;
};

// Each has the same random bytes.
std::vector<Pictures> random_pictures(int count, cv::Size size, int type) {
  cv::Mat bytes(size.height, size.width * static_cast<int>(CV_ELEM_SIZE(type)), CV_8UC1);
  cv::randu(bytes, 0, 256);
  const GpuMat random(cv::Mat(size, type, bytes.data, bytes.step));
  std::vector<Pictures> pictures;
  pictures.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    pictures.emplace_back(size, type);
    random.copyTo(pictures.back().src);
  }
  return pictures;
}

using Call = std::function<void(Pictures&, Stream&)>;

struct Operation {
  const char* name;
  Call opencv;
  Call ours;
};

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{
      {"transpose", [](Pictures& p, Stream& s) { cv::cuda::transpose(p.src, p.turned, s); },
       [](Pictures& p, Stream& s) { qturn::opencv::transpose(p.src, p.turned, s); }},
      {"flip 1", [](Pictures& p, Stream& s) { cv::cuda::flip(p.src, p.straight, 1, s); },
       [](Pictures& p, Stream& s) { qturn::opencv::flip(p.src, p.straight, 1, s); }},
      {"flip 0", [](Pictures& p, Stream& s) { cv::cuda::flip(p.src, p.straight, 0, s); },
       [](Pictures& p, Stream& s) { qturn::opencv::flip(p.src, p.straight, 0, s); }},
      {"flip -1", [](Pictures& p, Stream& s) { cv::cuda::flip(p.src, p.straight, -1, s); },
       [](Pictures& p, Stream& s) { qturn::opencv::flip(p.src, p.straight, -1, s); }},
      {"rotate 90",
       [](Pictures& p, Stream& s) {
         cv::cuda::transpose(p.src, p.between, s);
         cv::cuda::flip(p.between, p.turned, 1, s);
       },
       [](Pictures& p, Stream& s) {
         qturn::opencv::rotate(p.src, p.turned, cv::ROTATE_90_CLOCKWISE, s);
       }},
  };
  return all;
}

// Nothing if the call is refused.
std::optional<double> gb_per_s(const Call& call, std::vector<Pictures>& pictures, Stream& stream) {
  auto* const handle = static_cast<cudaStream_t>(stream.cudaPtr());
  const double bytes = 2.0 * pictures[0].src.rows * pictures[0].src.cols *
                       static_cast<double>(pictures[0].src.elemSize());
  try {
    for (int i = 0; i < 3; ++i) call(pictures[0], stream);
  } catch (const cv::Exception&) {
    return {};
  }
  must(cudaStreamSynchronize(handle));
  // About 2 ms at 3 TB/s, so that the launches of a batch are a small part of it.
  const int calls = std::clamp(static_cast<int>(6e9 / bytes), 4, 200);
  Event start;
  Event end;
  std::vector<double> results;
  std::size_t next = 0;
  for (int batch = 0; batch < 11; ++batch) {
    must(cudaEventRecord(start.event, handle));
    for (int i = 0; i < calls; ++i) {
      call(pictures[next], stream);
      next = (next + 1) % pictures.size();
    }
    must(cudaEventRecord(end.event, handle));
    must(cudaEventSynchronize(end.event));
    float milliseconds = 0;
    must(cudaEventElapsedTime(&milliseconds, start.event, end.event));
    results.push_back(bytes * calls / milliseconds / 1e6);
  }
  return median(results);
}

std::optional<double> host_microseconds(const Call& call, Pictures& pictures, Stream& stream) {
  using Clock = std::chrono::steady_clock;
  auto* const handle = static_cast<cudaStream_t>(stream.cudaPtr());
  try {
    for (int i = 0; i < 20; ++i) call(pictures, stream);
  } catch (const cv::Exception&) {
    return {};
  }
  std::vector<double> results;
  for (int batch = 0; batch < 101; ++batch) {
    must(cudaStreamSynchronize(handle));
    constexpr int calls = 50;
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < calls; ++i) call(pictures, stream);
    results.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count() /
                      calls);
  }
  must(cudaStreamSynchronize(handle));
  return median(results);
}

std::string cell(std::optional<double> value, int digits) {
  if (!value) return "refuses";
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, *value);
  return text;
}

struct Score {
  int rows = 0;
  int faster = 0;

  void add(std::optional<double> opencv, bool ours_is_faster) {
    if (!opencv) return;
    rows += 1;
    faster += ours_is_faster ? 1 : 0;
  }
};

void print_header(const char* last_column) {
  std::printf("| type |");
  for (const Operation& operation : operations()) std::printf(" %s |", operation.name);
  std::printf("%s\n|---|", last_column);
  for (std::size_t i = 0; i < operations().size(); ++i) std::printf("---|");
  std::printf("%s\n", *last_column != '\0' ? "---|" : "");
}

void print_speeds(cv::Size size, const std::vector<int>& types, Stream& stream, Score& score) {
  std::printf("\n%d x %d, GB/s read and written, OpenCV / qturn:\n\n", size.width, size.height);
  print_header(" copy |");
  for (const int type : types) {
    // The sources alone are three times the 50 MB of an H100's or H200's L2 cache.
    const double bytes = static_cast<double>(size.width) * size.height * CV_ELEM_SIZE(type);
    const int count = std::clamp(static_cast<int>(160e6 / bytes) + 1, 2, 80);
    std::vector<Pictures> pictures = random_pictures(count, size, type);
    std::printf("| %s |", cv::typeToString(type).c_str() + 3);
    for (const Operation& operation : operations()) {
      const std::optional<double> opencv = gb_per_s(operation.opencv, pictures, stream);
      const std::optional<double> ours = gb_per_s(operation.ours, pictures, stream);
      score.add(opencv, ours && opencv && *ours > *opencv);
      std::printf(" %s / %s |", cell(opencv, 0).c_str(), cell(ours, 0).c_str());
    }
    const Call copy = [](Pictures& p, Stream& s) {
      qturn::opencv::transform(p.src, p.straight, qturn::Orientation::identity, s);
    };
    std::printf(" %s |\n", cell(gb_per_s(copy, pictures, stream), 0).c_str());
    std::fflush(stdout);
  }
}

void print_host_times(const std::vector<int>& types, Stream& stream, Score& score) {
  std::printf("\nHost time of a call, microseconds, 64 x 48, OpenCV / qturn:\n\n");
  print_header("");
  for (const int type : types) {
    Pictures pictures = std::move(random_pictures(1, {64, 48}, type).front());
    std::printf("| %s |", cv::typeToString(type).c_str() + 3);
    for (const Operation& operation : operations()) {
      const std::optional<double> opencv = host_microseconds(operation.opencv, pictures, stream);
      const std::optional<double> ours = host_microseconds(operation.ours, pictures, stream);
      score.add(opencv, ours && opencv && *ours <= *opencv);
      std::printf(" %s / %s |", cell(opencv, 2).c_str(), cell(ours, 2).c_str());
    }
    std::printf("\n");
  }
}

void print_batch(Stream& stream) {
  constexpr int count = 64;
  std::vector<GpuMat> src;
  std::vector<GpuMat> dst;
  for (int i = 0; i < count; ++i) {
    src.emplace_back(224, 224, CV_8UC3);
    dst.emplace_back(224, 224, CV_8UC3);
  }
  const std::vector<qturn::Orientation> orientations(count, qturn::Orientation::rotate90);
  auto* const handle = static_cast<cudaStream_t>(stream.cudaPtr());
  const auto time = [&](const std::function<void()>& all) {
    Event start;
    Event end;
    std::vector<double> results;
    for (int i = 0; i < 51; ++i) {
      must(cudaEventRecord(start.event, handle));
      all();
      must(cudaEventRecord(end.event, handle));
      must(cudaEventSynchronize(end.event));
      float milliseconds = 0;
      must(cudaEventElapsedTime(&milliseconds, start.event, end.event));
      results.push_back(milliseconds * 1e3);
    }
    return median(results);
  };
  const double batch =
      time([&] { qturn::opencv::transform_batch(src, dst, orientations, stream); });
  const double one_by_one = time([&] {
    for (int i = 0; i < count; ++i) {
      qturn::opencv::rotate(src[static_cast<std::size_t>(i)], dst[static_cast<std::size_t>(i)],
                            cv::ROTATE_90_CLOCKWISE, stream);
    }
  });
  std::printf(
      "\n%d pictures of 224 x 224 8UC3 by 90 degrees: %.1f us one by one, %.1f us as a "
      "batch\n",
      count, one_by_one, batch);
}

int run() {
  cudaDeviceProp gpu{};
  must(cudaGetDeviceProperties(&gpu, 0));
  int driver = 0;
  must(cudaDriverGetVersion(&driver));
  const std::time_t now = std::time(nullptr);
  char date[16];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::printf("%s, driver for CUDA %d.%d, OpenCV %s, %s\n", gpu.name, driver / 1000,
              driver % 1000 / 10, cv::getVersionString().c_str(), date);

  std::vector<int> types;
  for (const int depth : {CV_8U, CV_8S, CV_16U, CV_16S, CV_16F, CV_32S, CV_32F, CV_64F}) {
    for (int channels = 1; channels <= 4; ++channels) types.push_back(CV_MAKETYPE(depth, channels));
  }
  Stream stream;
  Score speed;
  print_speeds({4096, 4096}, types, stream, speed);
  print_speeds({1920, 1080}, types, stream, speed);
  Score host;
  print_host_times({CV_8UC1, CV_8UC3, CV_8UC4, CV_32FC1, CV_32FC3, CV_64FC1}, stream, host);
  print_batch(stream);
  std::printf(
      "\nqturn is faster in %d of the %d cells that OpenCV takes, and takes no more host "
      "time in %d of %d.\n",
      speed.faster, speed.rows, host.faster, host.rows);
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "qturn_opencv_bench: %s\n", error.what());
    return 1;
  }
}
