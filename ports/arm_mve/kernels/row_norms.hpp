// SPDX-License-Identifier: MIT
//
// Norms of rows: four sums of four lanes in registers, and then four outputs at a time. Compilers write the vector's
// sums to memory after every sixteen numbers.
#pragma once

#include <arm_mve.h>

#include <cstdint>
#include <port.hpp>
#include <single_operations.hpp>

namespace heed::detail {

inline constexpr bool has_row_norms = true;

// clang-format off
// Four sums of four lanes, of the row and then of what is left of it, and the contract's sum of the sixteen.
#define HEED_SUM_ROW(ADD)                                                                              \
  asm volatile(                                                                                        \
      "vmov.i32 q1, #0\n"                                                                             \
      "vmov.i32 q2, #0\n"                                                                             \
      "vmov.i32 q3, #0\n"                                                                             \
      "vmov.i32 q4, #0\n"                                                                             \
      "wls lr, %[vectors], 2f\n"                                                                       \
      "1:\n" ADD("q1") ADD("q2") ADD("q3") ADD("q4")                                                   \
      "le lr, 1b\n"                                                                                   \
      "2:\n"                                                                                          \
      "cbz %[rest], 3f\n"                                                                             \
      "mov %[x], %[rest]\n"                                                                           \
      "mov %[rest], #0\n"                                                                             \
      "mov lr, #1\n"                                                                                  \
      "b 1b\n"                                                                                        \
      "3:\n"                                                                                          \
      "vadd.f32 q1, q1, q3\n"                                                                         \
      "vadd.f32 q2, q2, q4\n"                                                                         \
      "vadd.f32 q1, q1, q2\n"                                                                         \
      "vadd.f32 s4, s4, s6\n"                                                                         \
      "vadd.f32 s5, s5, s7\n"                                                                         \
      "vadd.f32 s4, s4, s5\n"                                                                         \
      "vmov %[sum], s4\n"                                                                             \
      : [x] "+r"(x), [rest] "+l"(rest), [sum] "=r"(sum)                                                \
      : [vectors] "r"(dim / port::lanes), [mean] "r"(mean)                                             \
      : "memory", "lr", "q0", "q1", "q2", "q3", "q4")
#define HEED_ADD_NUMBERS(to) "vldrw.u32 q0, [%[x]], #16\n" "vadd.f32 " to ", " to ", q0\n"
#define HEED_ADD_SQUARES(to) "vldrw.u32 q0, [%[x]], #16\n" "vfma.f32 " to ", q0, q0\n"
#define HEED_ADD_SQUARES_ABOUT_MEAN(to) \
  "vldrw.u32 q0, [%[x]], #16\n" "vsub.f32 q0, q0, %[mean]\n" "vfma.f32 " to ", q0, q0\n"

enum class NormSum : std::uint8_t { numbers, squares, squares_about_mean };

/// The sum of `dim` numbers, or of their squares; of numbers the mean is 0. What the last vector lacks is as the mean,
/// which adds nothing.
template <NormSum kind>
[[nodiscard, gnu::always_inline]] inline float norm_sum(const float* x, std::uint32_t dim, float mean) noexcept {
  float last[port::lanes];
  const float* rest = nullptr;
  const std::uint32_t left = dim % port::lanes;
  if (left != 0) {
    port::store(last, port::set(mean));
#pragma GCC unroll 1
    for (std::uint32_t i = 0; i < left; ++i) last[i] = x[dim - left + i];
    rest = last;
  }
  float sum;
  if constexpr (kind == NormSum::numbers) {
    HEED_SUM_ROW(HEED_ADD_NUMBERS);
  } else if constexpr (kind == NormSum::squares) {
    HEED_SUM_ROW(HEED_ADD_SQUARES);
  } else {
    HEED_SUM_ROW(HEED_ADD_SQUARES_ABOUT_MEAN);
  }
  return sum;
}

[[nodiscard]] inline float inverse_root(float sum, std::uint32_t dim, float epsilon) noexcept {
  return 1.0F / port::square_root(sum / static_cast<float>(dim) + epsilon);
}

#define HEED_NORM_ROW(CENTRE, FINISH, result)                                                          \
  asm volatile(                                                                                        \
      "dlstp.32 lr, %[count]\n"                                                                        \
      "1:\n"                                                                                           \
      "vldrw.u32 q0, [%[x]], #16\n"                                                                    \
      "vldrw.u32 q1, [%[weight]], #16\n"                                                               \
      CENTRE "vmul.f32 q0, q0, %[factor]\n" FINISH                                                     \
      "vstrw.32 " result ", [%[to]], #16\n"                                                            \
      "letp lr, 1b\n"                                                                                  \
      : [x] "+r"(x), [weight] "+r"(weight), [bias] "+r"(bias), [to] "+r"(to)                           \
      : [count] "r"(dim), [mean] "r"(mean), [factor] "r"(factor)                                   \
      : "memory", "lr", "q0", "q1", "q2")

/// output = (input - mean) / sqrt(mean of the squares of that + epsilon) * weight + bias, each [dim]; bias may be null,
/// and the output the input. Whether it has been done.
[[nodiscard, gnu::always_inline]] inline bool layer_norm_by_port(const float* x, std::uint32_t dim, const float* weight,
                                                                 const float* bias, float epsilon, float* to) noexcept {
  const float mean = norm_sum<NormSum::numbers>(x, dim, 0.0F) / static_cast<float>(dim);
  const float factor = inverse_root(norm_sum<NormSum::squares_about_mean>(x, dim, mean), dim, epsilon);
  if (bias != nullptr) {
    HEED_NORM_ROW("vsub.f32 q0, q0, %[mean]\n", "vldrw.u32 q2, [%[bias]], #16\n" "vfma.f32 q2, q0, q1\n", "q2");
  } else {
    HEED_NORM_ROW("vsub.f32 q0, q0, %[mean]\n", "vmul.f32 q0, q0, q1\n", "q0");
  }
  return true;
}

/// Likewise output = input / sqrt(mean of its squares + epsilon) * weight.
[[nodiscard, gnu::always_inline]] inline bool rms_norm_by_port(const float* x, std::uint32_t dim, const float* weight,
                                                               float epsilon, float* to) noexcept {
  const float mean = 0.0F;
  const float factor = inverse_root(norm_sum<NormSum::squares>(x, dim, mean), dim, epsilon);
  const float* bias = nullptr;
  HEED_NORM_ROW("", "vmul.f32 q0, q0, q1\n", "q0");
  return true;
}

// clang-format on
#undef HEED_SUM_ROW
#undef HEED_ADD_NUMBERS
#undef HEED_ADD_SQUARES
#undef HEED_ADD_SQUARES_ABOUT_MEAN
#undef HEED_NORM_ROW

}  // namespace heed::detail
