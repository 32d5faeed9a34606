#include "src/files/content_hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#ifdef __x86_64__
#include <xxh_x86dispatch.h>  // takes the fastest instructions that the processor has
#endif

#include <charconv>
#include <new>
#include <system_error>

#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"

namespace qturn {

ContentHash hash_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

std::uint64_t xxh64(std::string_view bytes, std::uint64_t seed) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

Hasher::Hasher() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_128bits_reset(state_.get());
}

void Hasher::add(std::span<const std::byte> part) {
  XXH3_128bits_update(state_.get(), part.data(), part.size());
}

ContentHash Hasher::hash() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  return {hash.high64, hash.low64};
}

void Hasher::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

std::optional<ContentHash> hash_of_file(const std::filesystem::path& file) try {
  Hasher hasher;
  read_in_parts(file, [&](std::span<const std::byte> part) {
    hasher.add(part);
    return true;
  });
  return hasher.hash();
} catch (const FileError& error) {
  if (error.code() == std::errc::no_such_file_or_directory ||
      error.code() == std::errc::not_a_directory) {
    return std::nullopt;
  }
  throw;
}

std::string digits_of(const ContentHash& hash) {
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

std::optional<ContentHash> hash_of_digits(std::string_view digits) {
  const auto half = [&](std::size_t from) {
    std::uint64_t number = 0;
    const char* end = digits.data() + from + 16;
    const auto [stop, error] = std::from_chars(digits.data() + from, end, number, 16);
    return stop == end && error == std::errc() ? std::optional(number) : std::nullopt;
  };
  if (digits.size() != 32) return std::nullopt;
  const auto high = half(0), low = half(16);
  if (!high || !low) return std::nullopt;
  return ContentHash{*high, *low};
}

}  // namespace qturn

namespace qturn {

std::uint64_t PathSet::hash_of(std::string_view path) { return xxh64(path, 0); }

void PathSet::sort() { std::ranges::sort(hashes_); }

bool PathSet::contains(std::string_view path) const {
  return std::ranges::binary_search(hashes_, hash_of(path));
}

PathSet PathSet::repeated() const {
  PathSet found;
  for (std::size_t i = 1; i < hashes_.size(); ++i)
    if (hashes_[i] == hashes_[i - 1]) found.hashes_.push_back(hashes_[i]);
  return found;
}

}  // namespace qturn
