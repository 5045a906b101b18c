// SPDX-License-Identifier: MIT
//
// Scores of rounded queries and many keys; those of eight channels would take longer to begin with than to add up.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>
#include <kernels/integer_matrix.hpp>
#include <kernels/integer_row.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Two rows, and where their scores go.
struct ScoredRows {
  const std::byte* row[2];
  float* y[2];
};

// clang-format off
// A vector has the words of two keys, and meets a row in its first half and in its second.
#define HEED_FOUR_KEYS(low, high)                \
  "vmladav.s8 %[a], q6, " low "\n"              \
  "vmladav.s8 %[b], q6, " high "\n"             \
  "vmladav.s8 %[c], q7, " low "\n"              \
  "vmladav.s8 %[d], q7, " high "\n"
#define HEED_TO_SCORES(scale, scales, y)          \
  "vldrw.u32 q7, [%[scales]]" scales "\n"       \
  "vcvt.f32.s32 q6, q6\n"                       \
  "vmul.f32 q7, q7, " scale "\n"                \
  "vmul.f32 q6, q6, q7\n"                       \
  "vstrw.32 q6, [" y "], #16\n"

/// y = float(sum) * (scale * scale of the row), of two rows of eight numbers and `panels` of keys, at least one.
[[gnu::always_inline]] inline void score_two_rows(const ScoredRows& rows, const std::byte* keys, const float* scales,
                                                  std::uint32_t panels) noexcept {
  constexpr std::uint32_t places[4] = {0, 64, 4, 68};
  const uint16x8_t mask = vdupq_n_u16(0x0080);
  uint32x4_t at = vaddq_n_u32(vldrwq_u32(places), reinterpret_cast<std::uintptr_t>(keys) - 16);
  const std::byte* x0 = rows.row[0] + row_numbers_at;
  const std::byte* x1 = rows.row[1] + row_numbers_at;
  // The scores of both rows may be the same place, which one's sums cannot wait in.
  std::int32_t sums[4];
  float* y0 = rows.y[0];
  float* y1 = rows.y[1];
  std::int32_t a, b, c, d;
  asm volatile(
      "vmov.i32 q0, #0\n"
      "vmov.i32 q1, #0\n"
      "vmov.i32 q2, #0\n"
      "vmov.i32 q3, #0\n"
      "ldrd %[a], %[b], [%[scale0]]\n"
      "vmov d0, %[a], %[b]\n"
      "vmov d3, %[a], %[b]\n"
      "ldrd %[a], %[b], [%[scale1]]\n"
      "vmov d4, %[a], %[b]\n"
      "vmov d7, %[a], %[b]\n"
      "ldr %[scale0], [%[scale0], #-%c[numbers_at]]\n"
      "ldr %[scale1], [%[scale1], #-%c[numbers_at]]\n"
      "1:\n"
      "mov %[a], #4\n"
      "dls lr, %[a]\n"
      "2:\n"
      "vldrw.u32 q6, [%q[at], #16]!\n"
      "vldrw.u32 q7, [%q[at], #8]\n"
      "veor q6, q6, %q[mask]\n"
      "veor q7, q7, %q[mask]\n"
      HEED_FOUR_KEYS("q0", "q1")
      "strd %[a], %[b], [%[sums]]\n"
      "strd %[c], %[d], [%[sums], #8]\n"
      HEED_FOUR_KEYS("q2", "q3")
      "vmov q6[2], q6[0], %[a], %[c]\n"
      "vmov q6[3], q6[1], %[b], %[d]\n"
      HEED_TO_SCORES("%[scale1]", "", "%[y1]")
      "vldrw.u32 q6, [%[sums]]\n"
      HEED_TO_SCORES("%[scale0]", ", #16", "%[y0]")
      "le lr, 2b\n"
      // The words of the four next inputs, which the loop has met already, lie between the panels.
      "mov %[a], #64\n"
      "vadd.i32 %q[at], %q[at], %[a]\n"
      "subs %[panels], %[panels], #1\n"
      "bne 1b\n"
      : [a] "=&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [at] "+w"(at), [scales] "+r"(scales),
        [y0] "+r"(y0), [y1] "+r"(y1), [scale0] "+r"(x0), [scale1] "+r"(x1), [panels] "+r"(panels)
      : [sums] "r"(sums), [mask] "w"(mask), [numbers_at] "i"(row_numbers_at)
      : "memory", "cc", "lr", "q0", "q1", "q2", "q3", "q6", "q7");
}

// clang-format on
#undef HEED_FOUR_KEYS
#undef HEED_TO_SCORES

/// y = float(sum) * (scale * scale of the row) for whole panels of keys, of eight channels two rows at a time, or the
/// last one twice; false for more channels than sums may have.
[[nodiscard, gnu::noinline]] inline bool score_keys(const MatrixProduct& product) noexcept {
  if (product.inputs > block_inputs) return false;
  if (product.inputs != 8) {
    // What leaves every number as it is, -0 as well.
    static constexpr float nothing[panel_width] = {-0.0F, -0.0F, -0.0F, -0.0F, -0.0F, -0.0F, -0.0F, -0.0F,
                                                   -0.0F, -0.0F, -0.0F, -0.0F, -0.0F, -0.0F, -0.0F, -0.0F};
    multiply_rows(product, nothing, 0);
    return true;
  }
  for (std::uint32_t row = 0; row < product.count; row += 2) {
    const std::byte* const first = product.rows + row * product.row_bytes;
    const bool has_second = row + 1 < product.count;
    float* const y = product.y + static_cast<std::ptrdiff_t>(row) * product.y_row;
    const ScoredRows rows{{first, has_second ? first + product.row_bytes : first},
                          {y, has_second ? y + product.y_row : y}};
    score_two_rows(rows, product.weights, product.scales, product.outputs / panel_width);
  }
  return true;
}

}  // namespace heed::detail
