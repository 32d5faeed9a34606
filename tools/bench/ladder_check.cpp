#include "tools/bench/ladder_check.hpp"

#include <qturn/cpu.hpp>

#include <bit>
#include <cstring>
#include <random>

namespace qturn::bench {
namespace {

constexpr std::int64_t margin =
    64;                          // floats before and after everything, to see what is written there
constexpr std::int64_t gap = 5;  // floats between matrices, so that they begin at odd places
constexpr int untouched = 0xBF;  // each byte of the result's memory before

std::int64_t bytes_of(const std::vector<float>& floats) {
  return static_cast<std::int64_t>(floats.size() * sizeof(float));
}

}  // namespace

LadderCheck::LadderCheck(std::int64_t width, std::int64_t height, std::int64_t count,
                         std::int64_t offset)
    : width_(width),
      height_(height),
      count_(count),
      first_(margin + offset),
      spacing_(width * height + gap),
      in_(static_cast<std::size_t>(first_ + count * spacing_ + margin)),
      // Ends with the last matrix, so that compute-sanitizer sees reads beyond it.
      device_in_(4 * (first_ + count * spacing_ - gap)),
      device_out_(bytes_of(in_)) {
  // Numbers in [1, 2): cuBLAS computes with them, and other bits might not survive that.
  std::minstd_rand random(1);
  for (float& number : in_) {
    number = std::bit_cast<float>(0x3F800000u | static_cast<std::uint32_t>(random() & 0x7FFFFFu));
  }
  must(cudaMemcpy(device_in_.at(0), in_.data(), in_.size() * 4 - (gap + margin) * 4,
                  cudaMemcpyHostToDevice));
}

const std::vector<float>& LadderCheck::wanted_of(const Rung& rung) {
  for (const Wanted& known : wanted_) {
    if (known.makes == rung.makes && known.many == rung.many) return known.memory;
  }
  std::vector<float> memory = in_;
  if (rung.makes != Makes::transpose_in_place) {
    std::memset(memory.data(), untouched, memory.size() * sizeof(float));
  }
  const Orientation orientation =
      rung.makes == Makes::copy ? Orientation::identity : Orientation::transpose;
  const Size turned = turned_size(orientation, {width_, height_});
  for (std::int64_t i = 0; i < (rung.many ? count_ : 1); ++i) {
    const std::int64_t at = first_ + i * spacing_;
    transform({in_.data() + at, width_, height_, 4 * width_, 4},
              {memory.data() + at, turned.width, turned.height, 4 * turned.width, 4}, orientation);
  }
  wanted_.push_back({rung.makes, rung.many, std::move(memory)});
  return wanted_.back().memory;
}

std::string LadderCheck::error_of(const Rung& rung) {
  const std::size_t bytes = in_.size() * sizeof(float);
  if (rung.makes == Makes::transpose_in_place) {
    must(cudaMemcpy(device_out_.at(0), in_.data(), bytes, cudaMemcpyHostToDevice));
  } else {
    must(cudaMemset(device_out_.at(0), untouched, bytes));
  }
  must(cudaDeviceSynchronize());  // an upload may still be in progress
  rung.enqueue(
      {reinterpret_cast<const float*>(device_in_.at(0)) + first_,
       reinterpret_cast<float*>(device_out_.at(0)) + first_, width_, height_, count_, spacing_},
      stream_);
  must(cudaDeviceSynchronize());
  std::vector<float> got(in_.size());
  must(cudaMemcpy(got.data(), device_out_.at(0), bytes, cudaMemcpyDeviceToHost));
  return first_difference(got, wanted_of(rung), rung);
}

std::string LadderCheck::first_difference(const std::vector<float>& got,
                                          const std::vector<float>& wanted,
                                          const Rung& rung) const {
  if (std::memcmp(got.data(), wanted.data(), got.size() * sizeof(float)) == 0) return {};
  std::size_t i = 0;
  const auto bits = [](float number) { return std::bit_cast<std::uint32_t>(number); };
  while (bits(got[i]) == bits(wanted[i])) ++i;
  const std::int64_t at = static_cast<std::int64_t>(i) - first_;
  const std::int64_t row = rung.makes == Makes::copy ? width_ : height_;
  const std::int64_t within = at - at / spacing_ * spacing_;
  const std::string where = at < 0 || within >= width_ * height_
                                ? "outside the result"
                                : "matrix " + std::to_string(at / spacing_) +
                                      " x=" + std::to_string(within % row) +
                                      " y=" + std::to_string(within / row);
  return rung.name + ", " + std::to_string(width_) + "x" + std::to_string(height_) + ": " + where +
         " got " + std::to_string(got[i]) + ", wanted " + std::to_string(wanted[i]);
}

}  // namespace qturn::bench
