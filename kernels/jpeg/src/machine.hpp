// The machine operations that the coder consists of, each once for the CPU and once for the GPU.
#pragma once

#include <bit>
#include <cstdint>

namespace qturn::jpeg {

/// 32 bits of `high` and `low`, one after the other, from bit `at` modulo 32 on.
constexpr std::uint32_t funnel(std::uint32_t high, std::uint32_t low, std::uint32_t at) {
#ifdef __CUDA_ARCH__
  return __funnelshift_l(low, high, at);
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) << at % 32 >> 32);
#endif
}

/// A word of data that is stored with its first byte highest.
constexpr std::uint32_t big_endian(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return __byte_perm(word, 0, 0x0123);
#else
  return __builtin_bswap32(word);
#endif
}

/// How many bits a number takes.
constexpr std::uint32_t bit_width(std::uint32_t value) {
#ifdef __CUDA_ARCH__
  return 32 - static_cast<std::uint32_t>(__clz(static_cast<int>(value)));
#else
  return static_cast<std::uint32_t>(std::bit_width(value));
#endif
}

/// The same for 1 to 2^24 - 1, from the exponent of a float: a multiprocessor converts to floats
/// four times as fast as it finds the highest bit.
constexpr std::uint32_t small_bit_width(std::uint32_t value) {
#ifdef __CUDA_ARCH__
  return (__float_as_uint(__uint2float_rn(value)) >> 23) - 126;
#else
  return bit_width(value);
#endif
}

/// How many zeros come before the highest bit that is set.
constexpr std::uint32_t leading_zeros(std::uint32_t value) { return 32 - bit_width(value); }

/// The number of the lowest bit that is set; `bits` is not 0.
constexpr int lowest_bit(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}

constexpr std::uint32_t bit_count(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__popcll(bits));
#else
  return static_cast<std::uint32_t>(std::popcount(bits));
#endif
}

constexpr std::uint64_t reversed(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __brevll(bits);
#else
  std::uint64_t result = 0;
  for (int i = 0; i < 64; ++i) result |= (bits >> i & 1) << (63 - i);
  return result;
#endif
}

/// The upper half of a product.
constexpr std::uint32_t high_product(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  return __umulhi(a, b);
#else
  return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
#endif
}

/// Sets bits of a word in which other threads set theirs.
constexpr void add_bits(std::uint32_t& word, std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  atomicOr(&word, bits);
#else
  word |= bits;
#endif
}

constexpr void add_bits(std::uint64_t& word, std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  atomicOr(reinterpret_cast<unsigned long long*>(&word), bits);
#else
  word |= bits;
#endif
}

/// Adds to a number that other threads also add to.
constexpr void add_one(std::uint32_t& number) {
#ifdef __CUDA_ARCH__
  atomicAdd(&number, 1u);
#else
  ++number;
#endif
}

/// Eight bytes from any address on, the first one lowest. Reads the aligned words that they lie in.
constexpr std::uint64_t load_eight(const std::uint8_t* from) {
#ifdef __CUDA_ARCH__
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  if (address % 8 == 0) return *reinterpret_cast<const std::uint64_t*>(from);
  const auto* words = reinterpret_cast<const std::uint32_t*>(address / 4 * 4);
  const auto shift = static_cast<std::uint32_t>(address % 4) * 8;
  const std::uint32_t after = shift != 0 ? words[2] : 0;
  const std::uint32_t low = __funnelshift_r(words[0], words[1], shift);
  return std::uint64_t{__funnelshift_r(words[1], after, shift)} << 32 | low;
#else
  std::uint64_t bytes = 0;
  for (int i = 0; i < 8; ++i) bytes |= std::uint64_t{from[i]} << 8 * i;
  return bytes;
#endif
}

/// The same without a byte beside them.
constexpr std::uint64_t load_only_eight(const std::uint8_t* from) {
#ifdef __CUDA_ARCH__
  if (reinterpret_cast<std::uintptr_t>(from) % 4 == 0) return load_eight(from);
  std::uint64_t bytes = 0;
  for (int i = 0; i < 8; ++i) bytes |= std::uint64_t{from[i]} << 8 * i;
  return bytes;
#else
  return load_eight(from);
#endif
}

/// The bytes in the opposite order.
constexpr std::uint64_t reversed_bytes(std::uint64_t bytes) {
#ifdef __CUDA_ARCH__
  const auto low = static_cast<std::uint32_t>(bytes),
             high = static_cast<std::uint32_t>(bytes >> 32);
  return std::uint64_t{__byte_perm(low, 0, 0x0123)} << 32 | __byte_perm(high, 0, 0x0123);
#else
  return __builtin_bswap64(bytes);
#endif
}

/// Writes four numbers, the first one lowest. `to` is at a multiple of 8 bytes.
constexpr void store_four(std::int16_t* to, std::uint64_t numbers) {
#ifdef __CUDA_ARCH__
  *reinterpret_cast<std::uint64_t*>(to) = numbers;
#else
  for (int i = 0; i < 4; ++i) to[i] = static_cast<std::int16_t>(numbers >> 16 * i);
#endif
}

/// Writes eight numbers, the first one lowest in `low`. `to` is at a multiple of 16 bytes.
constexpr void store_eight(std::int16_t* to, std::uint64_t low, std::uint64_t high) {
#ifdef __CUDA_ARCH__
  *reinterpret_cast<ulonglong2*>(to) = {low, high};
#else
  store_four(to, low);
  store_four(to + 4, high);
#endif
}

/// Writes two numbers. `to` is at a multiple of 16 bytes.
constexpr void store_two(std::uint64_t* to, std::uint64_t first, std::uint64_t second) {
#ifdef __CUDA_ARCH__
  *reinterpret_cast<ulonglong2*>(to) = {first, second};
#else
  to[0] = first;
  to[1] = second;
#endif
}

}  // namespace qturn::jpeg
