// Samples on their way from an interleaved picture to planes: how each is converted.
#pragma once

#include "kernels/src/cuda/device_memory.cuh"
#include "kernels/src/cuda/planar/sample_conversion.cuh"
#include "kernels/src/planar_format.hpp"

namespace qturn::device {

/// The conversion of samples, the same for all pictures of a launch.
struct PlanarSamples {
  PlanarArithmetic arithmetic;
  bool to_bfloat16;  // where destinations have 2 bytes
  // The planes made of a channel: the first one, and after each plane the next; -1 ends them.
  int first_plane[4];
  int next_plane[4];

  explicit PlanarSamples(const PlanarFormat& format)
      : arithmetic(arithmetic_of(format)), to_bfloat16(format.dst_type == SampleType::bfloat16) {
    for (int channel = 0; channel < 4; ++channel) {
      int* last = &first_plane[channel];
      for (int plane = 0; plane < arithmetic.planes; ++plane) {
        if (arithmetic.channel[plane] != channel) continue;
        *last = plane;
        last = &next_plane[plane];
      }
      *last = -1;
    }
  }
};

/// From `src_type` to samples of `dst_sample` bytes.
template <SampleType src_type, int dst_sample>
struct PlanarConversion {
  static constexpr int src_sample = sample_bytes(src_type);

  static __device__ __forceinline__ float sample_at(const Byte* from) {
    if constexpr (src_type == SampleType::float32) {
      return __uint_as_float(load<4>(from));
    } else if constexpr (src_type == SampleType::float16) {
      return half_to_float(load<2>(from));
    } else {
      return static_cast<float>(static_cast<unsigned>(load<src_sample>(from)));
    }
  }

  // Sample `channel` of the pixel that begins `at` bytes into the words, both constants: a byte, or
  // two, become a float by one instruction that puts them into the mantissa of 2^23, and one
  // subtraction.
  template <int channel, int count>
  static __device__ __forceinline__ float known_sample(const std::uint32_t (&words)[count],
                                                       int at) {
    at += channel * src_sample;
    const std::uint32_t word = words[at / 4];
    std::uint32_t two_to_23 = 0x4B000000;
    asm("" : "+r"(two_to_23));  // in a register, or else all the selectors are
    if constexpr (src_type == SampleType::uint8) {
      return __uint_as_float(__byte_perm(word, two_to_23, 0x7550 + at % 4)) - 8388608.0f;
    } else if constexpr (src_type == SampleType::uint16) {
      return __uint_as_float(__byte_perm(word, two_to_23, at % 4 == 0 ? 0x7410 : 0x7432)) -
             8388608.0f;
    } else if constexpr (src_type == SampleType::float16) {
      return half_to_float(at % 4 == 0 ? word : word >> 16);
    } else {
      return __uint_as_float(word);
    }
  }

  // 16 bytes of plane c, from sample(i), the i-th of the run's pixels.
  template <class Sample>
  static __device__ __forceinline__ Granule convert(const PlanarSamples& samples, int c,
                                                    Sample sample) {
    const float factor = samples.arithmetic.factor[c];
    const float offset = samples.arithmetic.offset[c];
    Granule out;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (dst_sample == 4) {
        out.word[i] = __float_as_uint(fmaf(sample(i), factor, offset));
      } else if constexpr (dst_sample == 1) {
        const auto of = [&](int at) { return fmaf(sample(4 * i + at), factor, offset); };
        out.word[i] = to_bytes(of(0), of(1), to_bytes(of(2), of(3), 0));
      } else {
        const float low = fmaf(sample(2 * i), factor, offset);
        const float high = fmaf(sample(2 * i + 1), factor, offset);
        out.word[i] = samples.to_bfloat16 ? to_bfloat16s(low, high) : to_halves(low, high);
      }
    }
    return out;
  }
};

}  // namespace qturn::device
