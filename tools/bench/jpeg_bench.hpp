// JPEGs from folder to folder.
#ifndef QTURN_TOOLS_BENCH_JPEG_BENCH_HPP
#define QTURN_TOOLS_BENCH_JPEG_BENCH_HPP

#include <filesystem>
#include <string>
#include <vector>

namespace qturn::bench {

struct JpegChoice {
  std::filesystem::path photographs;
  std::filesystem::path work;
  int files = 2000;
  std::string device = "auto";
  std::vector<std::string> routes = {"decode",  "steps",      "planar",
                                     "fastest", "planar-cpu", "lossless"};
};

/// Prints the rate at which the GPU's engines decode the photographs and do nothing else, the time
/// that a core takes to read, check (intact.hpp) and write one, and the rate at which each route
/// turns copies of them by a quarter, read from and written to `work`, in % of the first rate.
/// Throws std::invalid_argument, std::runtime_error.
void measure_jpeg(const JpegChoice& choice);

}  // namespace qturn::bench

#endif  // QTURN_TOOLS_BENCH_JPEG_BENCH_HPP
