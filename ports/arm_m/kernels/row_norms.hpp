// SPDX-License-Identifier: MIT
//
// Norms of rows of whole vectors, in code for speed: sixteen sums in registers, and then eight outputs at a time. The
// vector's operations write every intermediate result to memory.
#pragma once

#include <cstdint>
#include <port.hpp>
#include <single_operations.hpp>

namespace heed::detail {

inline constexpr bool has_row_norms = port::unrolled != 1;

// clang-format off
// An operation on eight registers from s0 on, from s16 on or from s24 on: with eight others, or with one.
#define HEED_EIGHT(OF) OF("0", "16", "24") OF("1", "17", "25") OF("2", "18", "26") OF("3", "19", "27") \
  OF("4", "20", "28") OF("5", "21", "29") OF("6", "22", "30") OF("7", "23", "31")
#define HEED_ADD_LOW(x, low, high) "vadd.f32 s" low ", s" low ", s" x "\n"
#define HEED_ADD_HIGH(x, low, high) "vadd.f32 s" high ", s" high ", s" x "\n"
#define HEED_CENTRE(x, low, high) "vsub.f32 s" x ", s" x ", %[mean]\n"
#define HEED_SQUARE_LOW(x, low, high) "vfma.f32 s" low ", s" x ", s" x "\n"
#define HEED_SQUARE_HIGH(x, low, high) "vfma.f32 s" high ", s" x ", s" x "\n"
#define HEED_SCALE(x, low, high) "vmul.f32 s" x ", s" x ", %[factor]\n"
#define HEED_WEIGH(x, low, high) "vmul.f32 s" low ", s" low ", s" x "\n"
#define HEED_WEIGH_AND_ADD(x, low, high) "vfma.f32 s" high ", s" x ", s" low "\n"
#define HEED_NORM_CLOBBERED                                                                         \
  "memory", "cc", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s16", "s17", "s18", "s19", "s20", \
  "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31"
#define HEED_SUM_ROW(LOW, HIGH)                       \
  asm volatile(                                       \
      "vldmia %[to], {s16-s31}\n"                     \
      "1:\n"                                          \
      "vldmia %[x]!, {s0-s7}\n" LOW                   \
      "vldmia %[x]!, {s0-s7}\n" HIGH                  \
      "subs %[vectors], #1\n"                         \
      "bne 1b\n"                                      \
      "vstmia %[to], {s16-s31}\n"                     \
      : [x] "+r"(x), [vectors] "+r"(vectors)          \
      : [to] "r"(total.lane), [mean] "t"(mean)        \
      : HEED_NORM_CLOBBERED)

enum class NormSum : std::uint8_t { numbers, squares, squares_about_mean };

/// The sum of `vectors` times sixteen numbers, at least sixteen, or of their squares.
template <NormSum kind>
[[nodiscard]] float norm_sum(const float* x, std::uint32_t vectors, float mean) noexcept {
  port::f32x16 total = port::set(0.0F);
  if constexpr (kind == NormSum::numbers) {
    HEED_SUM_ROW(HEED_EIGHT(HEED_ADD_LOW), HEED_EIGHT(HEED_ADD_HIGH));
  } else if constexpr (kind == NormSum::squares) {
    HEED_SUM_ROW(HEED_EIGHT(HEED_SQUARE_LOW), HEED_EIGHT(HEED_SQUARE_HIGH));
  } else {
    HEED_SUM_ROW(HEED_EIGHT(HEED_CENTRE) HEED_EIGHT(HEED_SQUARE_LOW),
                 HEED_EIGHT(HEED_CENTRE) HEED_EIGHT(HEED_SQUARE_HIGH));
  }
  return port::sum(total);
}

[[nodiscard]] inline float inverse_root(float sum, std::uint32_t dim, float epsilon) noexcept {
  return 1.0F / port::square_root(sum / static_cast<float>(dim) + epsilon);
}

#define HEED_NORM_ROW(CENTRE, FINISH)                                                               \
  asm volatile(                                                                                     \
      "1:\n"                                                                                        \
      "vldmia %[x]!, {s0-s7}\n"                                                                     \
      "vldmia %[weight]!, {s16-s23}\n"                                                              \
      CENTRE HEED_EIGHT(HEED_SCALE) FINISH                                                          \
      "subs %[eights], #1\n"                                                                        \
      "bne 1b\n"                                                                                    \
      : [x] "+r"(x), [weight] "+r"(weight), [bias] "+r"(bias), [to] "+r"(to), [eights] "+r"(eights) \
      : [mean] "t"(mean), [factor] "t"(factor)                                                      \
      : HEED_NORM_CLOBBERED)
#define HEED_STORE_WEIGHED HEED_EIGHT(HEED_WEIGH) "vstmia %[to]!, {s16-s23}\n"

/// output = (input - mean) / sqrt(mean of the squares of that + epsilon) * weight + bias, each [dim]; bias may be null.
/// Whether it has been done.
[[nodiscard, gnu::always_inline]] inline bool layer_norm_by_port(const float* input, std::uint32_t dim,
                                                                 const float* weight, const float* bias,
                                                                 float epsilon, float* to) noexcept {
  if (dim % port::lanes != 0) return false;
  const float* x = input;
  const float mean = norm_sum<NormSum::numbers>(x, dim / port::lanes, 0.0F) / static_cast<float>(dim);
  const float factor = inverse_root(norm_sum<NormSum::squares_about_mean>(x, dim / port::lanes, mean), dim, epsilon);
  std::uint32_t eights = dim / 8;
  if (bias != nullptr) {
    HEED_NORM_ROW(HEED_EIGHT(HEED_CENTRE),
                  "vldmia %[bias]!, {s24-s31}\n" HEED_EIGHT(HEED_WEIGH_AND_ADD) "vstmia %[to]!, {s24-s31}\n");
  } else {
    HEED_NORM_ROW(HEED_EIGHT(HEED_CENTRE), HEED_STORE_WEIGHED);
  }
  return true;
}

/// Likewise output = input / sqrt(mean of its squares + epsilon) * weight.
[[nodiscard, gnu::always_inline]] inline bool rms_norm_by_port(const float* input, std::uint32_t dim,
                                                               const float* weight, float epsilon,
                                                               float* to) noexcept {
  if (dim % port::lanes != 0) return false;
  const float* x = input;
  const float mean = 0.0F;
  const float factor = inverse_root(norm_sum<NormSum::squares>(x, dim / port::lanes, mean), dim, epsilon);
  const float* bias = nullptr;
  std::uint32_t eights = dim / 8;
  HEED_NORM_ROW("", HEED_STORE_WEIGHED);
  return true;
}
// clang-format on
#undef HEED_EIGHT
#undef HEED_ADD_LOW
#undef HEED_ADD_HIGH
#undef HEED_CENTRE
#undef HEED_SQUARE_LOW
#undef HEED_SQUARE_HIGH
#undef HEED_SCALE
#undef HEED_WEIGH
#undef HEED_WEIGH_AND_ADD
#undef HEED_NORM_CLOBBERED
#undef HEED_SUM_ROW
#undef HEED_NORM_ROW
#undef HEED_STORE_WEIGHED

}  // namespace heed::detail
