#include "src/decode/read_files.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "src/files/safe_file.hpp"

namespace qturn {
namespace {

/// Memory of batches that are decoded. Never destroyed: a batch may be alive when statics are.
SpareBytes& spare_memory() {
  constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;
  constexpr std::size_t most_pieces = 8;
  static auto& spare = *new SpareBytes(most_bytes, most_pieces);
  return spare;
}

}  // namespace

ReadFiles::ReadFiles(std::span<const std::filesystem::path> paths) : files_(paths.size()) {
  std::vector<std::size_t> at(paths.size() + 1);
  tbb::parallel_for(std::size_t{0}, paths.size(), [&](std::size_t i) {
    std::error_code unknown;  // is found again when the file is read
    const std::uintmax_t bytes = std::filesystem::file_size(paths[i], unknown);
    at[i + 1] = unknown ? 0 : static_cast<std::size_t>(bytes);
  });
  for (std::size_t i = 0; i < paths.size(); ++i) at[i + 1] += at[i];
  memory_ = spare_memory().take(at.back());
  memory_.resize(at.back());
  tbb::parallel_for(std::size_t{0}, paths.size(), [&](std::size_t i) {
    try {
      FileBytes::Memory part(memory_.data() + at[i], [](std::byte*) {});
      files_[i].bytes = read_file(paths[i], FileBytes(std::move(part), at[i + 1] - at[i]));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      files_[i].error = error.what();
    }
  });
}

ReadFiles::~ReadFiles() { spare_memory().give(std::move(memory_)); }

}  // namespace qturn
