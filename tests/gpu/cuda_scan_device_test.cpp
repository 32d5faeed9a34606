// JPEGs turned on a GPU by the pipeline, losslessly and by planes: files, outcomes and messages are
// the CPU's.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "src/files/safe_file.hpp"
#include "src/formats/jpeg/turn.hpp"
#include "src/gpu/owners.hpp"
#include "src/gpu/scan_device.hpp"
#include "src/run/pipeline.hpp"
#include "src/sample/companion.hpp"
#include "src/sinks/file_sample_writer.hpp"
#include "tests/fixtures/device_proof.hpp"
#include "tests/fixtures/jpeg_samples.hpp"
#include "tests/fixtures/sources.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/kernels/device_kernels.hpp"
#include "tests/kernels/jpeg/scans.hpp"

namespace qturn::tests::cuda_scan_device_test {
using namespace jpeg;

namespace {

namespace fs = std::filesystem;

const std::atomic<bool> never{false};

constexpr JpegOptions trimmed{JpegMode::lossless, JpegEdges::trim};
/// Some outputs of a picture are turned losslessly, others by planes.
constexpr JpegOptions mixed{JpegMode::lossless, JpegEdges::reencode};

std::vector<int> usable_gpus() {
  const Devices devices = find_devices();
  if (devices.cuda.empty() || !devices.cuda.front().problem.empty())
    SKIP("no usable GPU: " +
         (devices.cuda.empty() ? devices.cuda_problem : devices.cuda.front().problem));
  return choose_device("cuda", Work::many_jpegs).cuda;
}

/// What became of an output, in words, and its bytes.
struct Made {
  std::string words;
  std::string codec;
  Bytes file;
};

/// Writes `files` to a folder and makes jobs that turn them by all orientations.
class Pictures {
 public:
  explicit Pictures(const std::vector<Bytes>& files) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      const fs::path path = folder_.path() / "in" / fmt::format("{:04}.jpg", i);
      write_file(path, files[i], {}, IfExists::fail);
      inputs_.push_back(path);
    }
  }

  /// By name.
  std::map<std::string, Made> turned(const std::string& where, const RunOptions& options,
                                     std::span<const Orientation> orientations) const {
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      Job job;
      job.number = i;
      job.input = inputs_[i];
      job.key = inputs_[i].filename();
      job.file_bytes = fs::file_size(inputs_[i]);
      for (const Orientation each : orientations) {
        const fs::path name = fmt::format("{}_{}", name_of(each), job.key);
        job.outputs.push_back({folder_.path() / where / name, each});
      }
      jobs.push_back(job);
    }
    std::map<std::string, Made> results;
    const FileSampleWriter writer({.if_exists = IfExists::fail, .fsync = Fsync::end});
    const FileSource files;
    ListReader reader(jobs, files);
    const RunEnd end = Engine(options, never).run(reader, writer, [&](const Outcome& outcome) {
      Made& made = results[outcome.output.filename()];
      made.words = fmt::format("status {}, route {}: {}", static_cast<int>(outcome.status),
                               static_cast<int>(outcome.route), outcome.message);
      for (const Sentence& warning : outcome.warnings) made.words += "; " + warning.text;
      made.codec = outcome.codec;
      if (fs::exists(outcome.output)) made.file = read_file(outcome.output);
    });
    CHECK(end.error.text == "");
    return results;
  }

 private:
  static std::string name_of(Orientation orientation) { return std::string(name(orientation)); }

  TemporaryFolder folder_;
  std::vector<fs::path> inputs_;
};

RunOptions options_on(const std::vector<int>& gpus, const JpegOptions& jpeg) {
  RunOptions options;
  options.threads = 4;
  options.memory_bytes = std::uint64_t{1} << 30;
  options.jpeg = jpeg;
  options.device = {.cuda = gpus, .why = {}, .only_jpegs = true};
  return options;
}

/// Returns how many outputs the GPU turned by planes.
std::size_t check_same_on_gpu(const std::vector<Bytes>& files, const JpegOptions& jpeg,
                              std::span<const Orientation> orientations = all_orientations) {
  const std::vector<int> gpus = usable_gpus();
  const Pictures pictures(files);
  const auto on_cpu = pictures.turned("cpu", options_on({}, jpeg), orientations);
  const auto on_gpu = pictures.turned("gpu", options_on(gpus, jpeg), orientations);
  REQUIRE(on_gpu.size() == files.size() * orientations.size());
  std::size_t by_planes_on_gpu = 0;
  for (const auto& [output, wanted] : on_cpu) {
    const Made& made = on_gpu.at(output);
    INFO(output);
    CHECK(made.words == wanted.words);
    CHECK((made.file == wanted.file));
    by_planes_on_gpu += made.codec == "qturn";
  }
  return by_planes_on_gpu;
}

std::vector<Bytes> sample_jpegs() {
  std::vector<Bytes> files;
  for (const auto& entry : fs::recursive_directory_iterator(sources() / "testdata/samples")) {
    if (entry.path().extension() == ".jpg") files.push_back(read_file(entry.path()));
  }
  return files;
}

constexpr std::array sizes{Size{64, 48}, Size{7, 5}, Size{333, 222}};

std::vector<Bytes> of_every_kind() {
  std::vector<Bytes> files;
  std::vector<JpegPicture> kinds = one_scan_kinds();
  kinds.push_back({.progressive = true});
  kinds.push_back({.h = 2, .v = 2, .one_scan_each = true});
  for (JpegPicture kind : kinds) {
    for (const Size size : sizes) {
      kind.width = static_cast<int>(size.width);
      kind.height = static_cast<int>(size.height);
      files.push_back(make_jpeg(kind));
    }
  }
  return files;
}

std::vector<Bytes> damaged(std::size_t count) {
  std::mt19937 random(11);
  const std::vector<JpegPicture> kinds = one_scan_kinds();
  std::vector<Bytes> files;
  for (std::size_t i = 0; i < count; ++i) {
    JpegPicture kind = kinds[i % kinds.size()];
    kind.width = 96, kind.height = 64;
    Bytes file = make_jpeg(kind);
    const std::size_t at = random() % file.size();
    const auto from = file.begin() + static_cast<std::ptrdiff_t>(at);
    switch (i % 5) {
      case 0:
        file.resize(at);
        break;
      case 1:
        file[at] = static_cast<std::byte>(random());
        break;
      case 2:
        file.insert(from, 1 + random() % 20, static_cast<std::byte>(random()));
        break;
      case 3:
        file.erase(from, std::min(file.end(), from + 1 + static_cast<int>(random() % 20)));
        break;
      default:  // what follows the end
        file.insert(file.end(), random() % 20, static_cast<std::byte>(random()));
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

TEST_CASE("the GPU's files are the CPU's: pictures of the test data", "[gpu]") {
  const std::size_t of_trimmed = check_same_on_gpu(sample_jpegs(), trimmed);
  const std::size_t of_mixed = check_same_on_gpu(sample_jpegs(), mixed);
  const std::size_t of_planar = check_same_on_gpu(sample_jpegs(), by_planes);
  // The samples turn without loss, so only the last way encodes them again.
  CHECK(of_trimmed == 0);
  CHECK(of_mixed == 0);
  CHECK(of_planar > 0);
}

TEST_CASE("the GPU's files are the CPU's: every kind, every orientation", "[gpu]") {
  const std::vector<Bytes> files = of_every_kind();
  const std::size_t of_trimmed = check_same_on_gpu(files, trimmed);
  const std::size_t of_mixed = check_same_on_gpu(files, mixed);
  const std::size_t of_planar = check_same_on_gpu(files, by_planes);
  CHECK(of_trimmed == 0);
  CHECK(of_mixed > 0);
  // All turns but the identity, of all pictures with one scan.
  const std::size_t taken = one_scan_kinds().size() * sizes.size();
  CHECK(of_planar == taken * (all_orientations.size() - 1));
}

TEST_CASE("the GPU's files and messages are the CPU's: damaged files", "[gpu]") {
  const std::vector<Bytes> files = damaged(2000);
  check_same_on_gpu(files, trimmed, std::array{Orientation::rotate90});
  check_same_on_gpu(files, by_planes, std::array{Orientation::rotate90});
  check_same_on_gpu(files, mixed, std::array{Orientation::transpose, Orientation::rotate90});
}

TEST_CASE("what a GPU cannot turn by planes has the CPU's file or message", "[gpu]") {
  std::mt19937 random(4);
  std::vector<Bytes> files;
  for (const int step : {0, 1, 255, 8191, 8192, 65535}) {
    GreyBlocks picture{5, 5, {}, random_blocks(25, 20, random), {}};
    picture.steps.fill(static_cast<std::uint16_t>(step));
    files.push_back(make_grey(picture));
    // Larger coefficients than samples give.
    picture.blocks = random_blocks(25, 1023, random);
    files.push_back(make_grey(picture));
  }
  const std::size_t of_planar = check_same_on_gpu(files, by_planes);
  CHECK(of_planar > 0);
  check_same_on_gpu(files, mixed);
}

TEST_CASE("markers within the data, and pictures after it, end as on the CPU", "[gpu]") {
  std::vector<Bytes> files;
  const Bytes plain = make_jpeg({.width = 96, .height = 64, .h = 2, .v = 2});
  const Bytes other = make_jpeg({.width = 32, .height = 32, .restart_interval = 1});
  const Bytes progressive = make_jpeg({.progressive = true});
  for (const Bytes& after : {plain, other, progressive}) {
    files.push_back(plain);
    files.back().insert(files.back().end(), after.begin(), after.end());
    // Without the end of the first one, the segments of the second one are its own.
    files.push_back(plain);
    files.back().resize(plain.size() - 2);
    files.back().insert(files.back().end(), after.begin(), after.end());
  }
  const auto put_before_end = [&](std::initializer_list<int> bytes) {
    Bytes file = plain;
    for (const int byte : bytes) file.insert(file.end() - 2, static_cast<std::byte>(byte));
    files.push_back(file);
  };
  put_before_end({0xFF, 0xFE, 0, 2});
  put_before_end({0xFF, 0xD0});
  put_before_end({0xFF, 0xD9});
  put_before_end({0xFF, 0xFF});
  put_before_end({0xFF, 0xD8});
  for (const JpegOptions& options : {trimmed, by_planes, mixed}) check_same_on_gpu(files, options);
}

TEST_CASE("the GPU takes what the header allows, and turns it itself", "[gpu]") {
  const std::vector<int> gpus = usable_gpus();
  SpareBytes spare(1 << 20, 16);
  const auto device = make_scan_device(gpus, {.page_locked_bytes = 64 << 20}, spare, never);
  const Orientation orientations[] = {Orientation::rotate90, Orientation::flop};
  for (const JpegOptions& options : {trimmed, mixed, by_planes}) {
    for (const JpegPicture& kind : one_scan_kinds()) {
      const Bytes file = make_jpeg(kind);
      const JpegTurn jpeg(file, options);
      const auto request = jpeg.request(orientations);
      REQUIRE(request);
      auto made = device->turn(*request);
      REQUIRE(made);
      REQUIRE(made->pictures.size() == 2);
      CHECK(made->data_bytes == request->data.size());
      const std::vector<Orientation> turned = orientations_of(*request);
      for (std::size_t i = 0; i < turned.size(); ++i)
        CHECK((Bytes(std::move(made->pictures[i])) == turn(file, turned[i], options)));
    }
  }
}

TEST_CASE("what the GPU has turned in place is turned back there, and a fault is found", "[gpu]") {
  SpareBytes spare(1 << 20, 16);
  const auto device =
      make_scan_device(usable_gpus(), {.page_locked_bytes = 64 << 20}, spare, never);
  check_proof_of(*device);
}

TEST_CASE("what a request takes on a device is counted, so that batches keep within bounds") {
  const Bytes file = make_jpeg({.width = 1000, .height = 1000, .h = 2, .v = 2});
  constexpr std::uint64_t blocks = 126 * 126 + 2 * 63 * 63;
  const auto asked = [&](const JpegOptions& options, std::span<const Orientation> orientations) {
    return JpegTurn(file, options).request(orientations).value();
  };
  const Orientation quarter[] = {Orientation::rotate90};
  CHECK(device_bytes(asked(trimmed, quarter)) > 139 * blocks);
  const std::uint64_t by_planes_once = device_bytes(asked(by_planes, quarter));
  CHECK(by_planes_once > 205 * blocks);
  const Orientation both[] = {Orientation::rotate90, Orientation::flop};
  CHECK(device_bytes(asked(by_planes, both)) > 2 * 205 * blocks);

  const Bytes too_long((std::size_t{1} << 28) + 1);
  JpegRequest request = asked(trimmed, quarter);
  request.data = too_long;
  CHECK_THROWS_AS(device_bytes(request), std::invalid_argument);
}

TEST_CASE("what is too long for a device is not taken, and spoils no batch", "[gpu]") {
  const std::vector<int> gpus = usable_gpus();
  SpareBytes spare(1 << 20, 16);
  const auto device =
      make_scan_device({gpus.front()}, {.page_locked_bytes = std::uint64_t{1} << 30}, spare, never);
  const Bytes file = make_jpeg({.width = 91, .height = 61}), too_long((std::size_t{1} << 28) + 1);
  const JpegTurn jpeg(file, trimmed);
  const auto fits = jpeg.request(std::array{Orientation::rotate90});
  REQUIRE(fits);
  JpegRequest does_not = *fits;
  does_not.data = too_long;
  CHECK_FALSE(device->turn(does_not));
  CHECK(device->turn(*fits));
}

TEST_CASE("pictures turned losslessly and by planes go in one batch", "[gpu]") {
  const std::vector<int> gpus = usable_gpus();
  SpareBytes spare(1 << 20, 64);
  const auto device =
      make_scan_device({gpus.front()}, {.page_locked_bytes = 64 << 20}, spare, never);
  const Bytes file = make_jpeg({.width = 91, .height = 61, .h = 2, .v = 2});
  const JpegOptions options[] = {trimmed, mixed, by_planes};
  std::vector<Bytes> wanted, made(60);
  for (const JpegOptions& each : options) wanted.push_back(turn(file, Orientation::rotate90, each));
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < made.size(); ++i) {
      threads.emplace_back([&, i] {
        const JpegTurn jpeg(file, options[i % 3]);
        const auto request = jpeg.request(std::array{Orientation::rotate90});
        if (!request) return;
        if (auto files = device->turn(*request)) made[i] = std::move(files->pictures.front());
      });
    }
  }
  for (std::size_t i = 0; i < made.size(); ++i) CHECK((made[i] == wanted[i % 3]));
}

TEST_CASE("what finds no page-locked memory is turned all the same", "[gpu]") {
  const std::vector<int> gpus = usable_gpus();
  const Bytes file = make_jpeg({.width = 1024, .height = 1024, .h = 2, .v = 2});
  JpegTurn jpeg(file, trimmed);
  const auto request = jpeg.request(std::array{Orientation::rotate90});
  REQUIRE(request);
  SpareBytes spare(1 << 20, 16);
  auto made = make_scan_device(gpus, {.page_locked_bytes = 4096}, spare, never)->turn(*request);
  REQUIRE(made);
  CHECK((Bytes(std::move(made->pictures.front())) == turn(file, Orientation::rotate90, trimmed)));
}

TEST_CASE("pieces of page-locked memory belong to one thread, and all of them come back", "[gpu]") {
  const std::vector<int> gpus = usable_gpus();
  constexpr std::size_t all = std::size_t{64} << 20;
  PageLockedPool pool(all);
  std::atomic<bool> is_mixed_up = false;
  std::atomic<int> taken = 0;
  {
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&, thread] {
        cudaSetDevice(gpus.front());
        std::mt19937 random(thread);
        for (int round = 0; round < 50; ++round) {
          const std::size_t bytes = 1 + random() % (std::size_t{20} << 20);
          FileBytes piece = pool.take(bytes);
          if (piece.capacity() == 0) continue;  // the others have it
          ++taken;
          if (!pool.has(piece.data())) is_mixed_up = true;
          const std::span own(piece.data(), bytes);
          const auto mark = static_cast<std::byte>(thread);
          std::ranges::fill(own, mark);
          if (!std::ranges::all_of(own, [&](std::byte each) { return each == mark; }))
            is_mixed_up = true;
        }
      });
    }
  }
  CHECK_FALSE(is_mixed_up);
  CHECK(taken >= 50);
  cudaSetDevice(gpus.front());
  CHECK(pool.take(all).capacity() == all);
  CHECK(pool.take(all + 1).capacity() == 0);
  std::byte other{};
  CHECK_FALSE(pool.has(&other));
}

TEST_CASE("what finds no memory on the GPU is not taken, and then again it is", "[gpu]") {
  const std::vector<int> gpus = usable_gpus();
  const Bytes small = make_jpeg({.width = 16, .height = 16});
  const Bytes large = make_jpeg({.width = 4096, .height = 2048, .h = 2, .v = 2});
  JpegTurn first(small, trimmed);
  JpegTurn second(large, trimmed);
  const auto fits = first.request(std::array{Orientation::rotate90});
  const auto does_not = second.request(std::array{Orientation::rotate90});
  REQUIRE(fits);
  REQUIRE(does_not);
  SpareBytes spare(1 << 20, 16);
  const auto device =
      make_scan_device({gpus.front()}, {.page_locked_bytes = 64 << 20}, spare, never);
  REQUIRE(device->turn(*fits));  // its workers have started

  cudaSetDevice(gpus.front());
  std::vector<void*> hogs;
  for (std::size_t bytes = std::size_t{1} << 36; bytes >= 1 << 20; bytes /= 2) {
    for (void* hog = nullptr; cudaMalloc(&hog, bytes) == cudaSuccess;) hogs.push_back(hog);
  }
  cudaGetLastError();
  const bool was_taken = device->turn(*does_not).has_value();
  for (void* hog : hogs) cudaFree(hog);
  CHECK_FALSE(was_taken);
  CHECK(device->turn(*does_not));
}

// The last case: CUDA cannot be used in this process any more.
TEST_CASE("pictures of a device that is lost go another way, and the device says why",
          "[gpu][lost]") {
  const std::vector<int> gpus = usable_gpus();
  const Bytes jpeg = make_jpeg({.width = 16, .height = 16});
  JpegTurn turn(jpeg, trimmed);
  const auto request = turn.request(std::array{Orientation::rotate90});
  REQUIRE(request);
  SpareBytes spare(1 << 20, 16);
  const auto device = make_scan_device(gpus, {.page_locked_bytes = 64 << 20}, spare, never);
  REQUIRE(device->turn(*request));
  for (const int gpu : gpus) {
    cudaSetDevice(gpu);
    lose_device();
  }
  CHECK_FALSE(device->turn(*request));
  CHECK_THAT(device->take_problem(), Catch::Matchers::StartsWith("cuda:"));
}

}  // namespace qturn::tests::cuda_scan_device_test
