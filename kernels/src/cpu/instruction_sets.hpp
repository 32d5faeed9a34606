// The instruction sets that Highway compiles code for; to be included before it.
//
// AVX-512 after its first generation, SSE4 and SVE2 have nothing that is used here, and SVE needs
// no version of its own for a size. Because these extensions are disabled, a processor needs no
// more than append_vector_paths() asks for; without Highway's debug checks, its library is not
// needed.
#pragma once

#define HWY_IS_DEBUG_BUILD 0
#define HWY_DISABLED_TARGETS ((HWY_AVX3 - 1) | HWY_SSE4 | HWY_SVE2_128 | HWY_SVE_256 | HWY_SVE2)
#define HWY_DISABLE_BMI2_FMA
#define HWY_DISABLE_F16C
#define HWY_DISABLE_PCLMUL_AES
