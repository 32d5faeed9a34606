// What the fuzzers run. One program has all targets, because linking each by itself takes longer
// than running it; its name says which one runs: jpeg_fuzz.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "src/picture/bytes.hpp"

namespace qturn::fuzz {

using Input = std::span<const std::byte>;

struct Target {
  std::string_view name;  ///< also of the folder with its seeds
  void (*run)(Input input);
  std::size_t file_at = 0;  ///< bytes of the input before the file
};

/// Null if there is none.
const Target* find_target(std::string_view name);

/// Ends the program where `holds` is false, which is what fuzzers look for.
inline void require(bool holds, const char* what = "a promise is broken") {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// What is larger takes too long.
inline constexpr std::uint64_t largest_picture = 1 << 22;

void fuzz_coco(Input input);
void fuzz_command_line(Input input);
void fuzz_gif(Input input);
void fuzz_heif(Input input);
void fuzz_journal(Input input);
void fuzz_jpeg(Input input);
void fuzz_jxl(Input input);
void fuzz_labels(Input input);
void fuzz_metadata(Input input);
void fuzz_pictures(Input input);
void fuzz_png(Input input);
void fuzz_raw(Input input);
void fuzz_tar(Input input);
void fuzz_tiff(Input input);

}  // namespace qturn::fuzz
