#include "src/files/tar/jpegs.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "src/files/safe_file.hpp"
#include "src/files/tar/input.hpp"
#include "src/files/tar/reader.hpp"
#include "src/formats/table.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// Labels and other small files may come before the first picture.
constexpr std::size_t looked_at_bytes = 4 << 20;

bool begins_with_jpegs(const fs::path& file) try {
  const std::atomic<bool> never{false};
  TarInput input(file, never);
  std::size_t left = looked_at_bytes;
  TarReader reader([&](std::span<std::byte> memory) {
    const std::size_t got = input.read_some(memory.first(std::min(left, memory.size())));
    left -= got;
    return got;
  });
  const Codec* const jpeg = codec_of_name("jpeg");
  while (const auto member = reader.next())
    if (codec_of_suffix(lower_suffix(member->name)) == jpeg) return true;
  return false;
} catch (const TarError&) {  // also where it is cut because enough was looked at
  return false;
} catch (const FileError&) {  // whoever reads it says so
  return false;
}

}  // namespace

std::uint64_t jpeg_bytes_at_most(const fs::path& tar) {
  std::error_code none;
  if (fs::is_fifo(tar, none)) return std::numeric_limits<std::uint64_t>::max();
  return begins_with_jpegs(tar) ? fs::file_size(tar) : 0;
}

}  // namespace qturn
