// libqturn_opencv_preload.so: in LD_PRELOAD, it replaces cv::cuda::transpose and cv::cuda::flip in
// a program that is not rebuilt.
//
// LD_PRELOAD reaches every process that the program starts, and most of them do not use OpenCV. So
// this library does not need OpenCV. It defines the two functions, which the dynamic linker finds
// before OpenCV's, and looks for OpenCV among the libraries of the process. A second library turns
// the pictures: libqturn_opencv_preload_414.so for the binary interface of OpenCV 4.14. It lies
// beside this one and is opened at the first call. If there is none for the program's OpenCV, one
// line says so, and every call goes on to OpenCV.
#include "plugins/opencv/preload/preload.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace {

// The linker's names of OpenCV's functions that are called here.
constexpr const char* transpose_symbol =
    "_ZN2cv4cuda9transposeERKNS_11_InputArrayERKNS_12_OutputArrayERNS0_6StreamE";
constexpr const char* flip_symbol =
    "_ZN2cv4cuda4flipERKNS_11_InputArrayERKNS_12_OutputArrayEiRNS0_6StreamE";
constexpr const char* version_major_symbol = "_ZN2cv15getVersionMajorEv";
constexpr const char* version_minor_symbol = "_ZN2cv15getVersionMinorEv";

void say(const std::string& sentence) { std::fprintf(stderr, "qturn: %s\n", sentence.c_str()); }

/// A library that this process has loaded already, or null. `name` is the beginning of its file
/// name.
void* loaded(const char* name) {
  struct Search {
    const char* name;
    std::string path;
  } search{name, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const char* slash = std::strrchr(library->dlpi_name, '/');
        const char* file = slash != nullptr ? slash + 1 : library->dlpi_name;
        if (std::strncmp(file, wanted.name, std::strlen(wanted.name)) != 0) return 0;
        wanted.path = library->dlpi_name;
        return 1;
      },
      &search);
  return search.path.empty() ? nullptr : dlopen(search.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
}

/// 414 for OpenCV 4.14, as its libraries are numbered; 0 where this process has no OpenCV.
int opencv_abi() {
  void* opencv = loaded("libopencv_core.so");
  if (opencv == nullptr) opencv = loaded("libopencv_world.so");
  if (opencv == nullptr) return 0;
  using Number = int();
  auto* major = reinterpret_cast<Number*>(dlsym(opencv, version_major_symbol));
  auto* minor = reinterpret_cast<Number*>(dlsym(opencv, version_minor_symbol));
  const int abi = major != nullptr && minor != nullptr ? major() * 100 + minor() : 0;
  dlclose(opencv);
  return abi;
}

std::string worker_path(int abi) {
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&say), &self);
  std::string path = self.dli_fname;
  path.resize(path.find_last_of('/') + 1);
  return path + "libqturn_opencv_preload_" + std::to_string(abi) + ".so";
}

/// Prints why, unless there is a worker for the program's OpenCV.
bool has_worker(int abi) {
  const std::string path = worker_path(abi);
  if (access(path.c_str(), R_OK) == 0) return true;
  say("this program has OpenCV " + std::to_string(abi / 100) + "." + std::to_string(abi % 100) +
      " and there is no " + path + ": cv::cuda::transpose and flip stay OpenCV's");
  return false;
}

// Most programs have loaded OpenCV before their first line runs; then a missing worker is reported
// at once. In programs that load it later, it is reported at the first call.
enum class Told { no, yes };
const Told told_at_start = [] {
  const int abi = opencv_abi();
  return abi != 0 && !has_worker(abi) ? Told::yes : Told::no;
}();

struct Workers {
  TakeTranspose* transpose = nullptr;
  TakeFlip* flip = nullptr;

  static Workers open() {
    const int abi = opencv_abi();
    if (told_at_start == Told::yes || !has_worker(abi)) return {};
    void* library = dlopen(worker_path(abi).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      say(std::string(dlerror()) + ": cv::cuda::transpose and flip stay OpenCV's");
      return {};
    }
    return {reinterpret_cast<TakeTranspose*>(dlsym(library, take_transpose_symbol)),
            reinterpret_cast<TakeFlip*>(dlsym(library, take_flip_symbol))};
  }
};

const Workers& workers() {
  static const Workers opened = Workers::open();
  return opened;
}

/// OpenCV's own function.
template <class Function>
Function* original(const char* symbol) {
  void* function = dlsym(RTLD_NEXT, symbol);
  if (function == nullptr) {
    // Plug-ins, such as Python's modules, load OpenCV where RTLD_NEXT does not look.
    for (const char* name : {"libopencv_cudaarithm.so", "libopencv_world.so"}) {
      void* const library = function == nullptr ? loaded(name) : nullptr;
      if (library != nullptr) function = dlsym(library, symbol);
    }
  }
  if (function == nullptr) {
    throw std::runtime_error(std::string("libqturn_opencv_preload.so: no library has ") + symbol);
  }
  return reinterpret_cast<Function*>(function);
}

struct Calls {
  std::atomic<long> taken{0};
  std::atomic<long> passed_on{0};

  ~Calls() {
    const char* verbose = std::getenv("QTURN_VERBOSE");
    if (verbose == nullptr || std::strcmp(verbose, "1") != 0 || opencv_abi() == 0) return;
    say("cv::cuda::transpose and flip: " + std::to_string(taken) + " calls taken, " +
        std::to_string(passed_on) + " passed on to OpenCV");
  }
} calls;

}  // namespace

namespace cv::cuda {

[[gnu::visibility("default")]] void transpose(const _InputArray& src, const _OutputArray& dst,
                                              Stream& stream) {
  TakeTranspose* take = workers().transpose;
  if (take != nullptr && take(src, dst, stream)) {
    calls.taken += 1;
    return;
  }
  calls.passed_on += 1;
  static auto* const opencv =
      original<void(const _InputArray&, const _OutputArray&, Stream&)>(transpose_symbol);
  opencv(src, dst, stream);
}

[[gnu::visibility("default")]] void flip(const _InputArray& src, const _OutputArray& dst,
                                         int flip_code, Stream& stream) {
  TakeFlip* take = workers().flip;
  if (take != nullptr && take(src, dst, flip_code, stream)) {
    calls.taken += 1;
    return;
  }
  calls.passed_on += 1;
  static auto* const opencv =
      original<void(const _InputArray&, const _OutputArray&, int, Stream&)>(flip_symbol);
  opencv(src, dst, flip_code, stream);
}

}  // namespace cv::cuda
