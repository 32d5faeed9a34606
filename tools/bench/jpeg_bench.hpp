// JPEGs from folder to folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace qturn::bench {

struct JpegChoice {
  std::filesystem::path photographs;
  std::filesystem::path work;
  int files = 2000;
  std::string device = "auto";
  std::vector<std::string> routes = {"gpu",      "gpu-parts",    "copy",   "steps",     "echo",
                                     "lossless", "lossless-cpu", "planar", "planar-cpu"};
  std::vector<std::string> operations = {"rotate90"};
};

/// Prints the rates at which the GPU turns and decodes batches that are in its memory; that at
/// which the files are copied; the time that a core takes for each step that it does for a GPU; and
/// the rate at which each route turns copies of the photographs, read from and written to `work`,
/// in % of the copy: "echo" sends them to the GPU and back and turns nothing. Throws
/// std::invalid_argument, std::runtime_error.
void measure_jpeg(const JpegChoice& choice);

}  // namespace qturn::bench
