#include "src/store/content_hash.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

#include "src/store/file_descriptor.hpp"
#include "src/store/safe_file.hpp"

namespace qturn {

ContentHash hash_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

std::uint64_t xxh64(std::string_view bytes, std::uint64_t seed) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

std::optional<ContentHash> hash_of_file(const std::filesystem::path& file) {
  const auto fail = [&] {
    throw FileError("cannot read " + file.string(), file, system_code(errno));
  };
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!opened && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!opened) fail();
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  std::vector<std::byte> part(1 << 20);
  for (;;) {
    const ssize_t got = ::read(opened.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail();
    if (got == 0) break;
    XXH3_128bits_update(state.get(), part.data(), static_cast<std::size_t>(got));
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return ContentHash{hash.high64, hash.low64};
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
