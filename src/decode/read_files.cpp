#include "src/decode/read_files.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <cstddef>
#include <exception>

#include "src/files/safe_file.hpp"

namespace qturn {

std::vector<ReadFile> read_files(std::span<const std::filesystem::path> paths) {
  std::vector<ReadFile> files(paths.size());
  tbb::parallel_for(std::size_t{0}, paths.size(), [&](std::size_t i) {
    try {
      files[i].bytes = read_file(paths[i]);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      files[i].error = error.what();
    }
  });
  return files;
}

}  // namespace qturn
