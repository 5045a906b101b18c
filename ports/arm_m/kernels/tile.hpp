// SPDX-License-Identifier: MIT
//
// The product's tile on single floats: sixteen sums stay in s0-s15 over the whole depth, as two rows of eight columns
// or one row of sixteen. Compilers load a row of B float by float; here one load-multiple brings eight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/multiply.hpp>
#include <port.hpp>

namespace heed::detail {

constexpr bool asks_ahead(int) noexcept {
  return false;
}

/// Where sixteen sums start and end: two times eight floats.
struct SumRows {
  const float* start[2];
  float* end[2];
};

/// How far apart the factors of A and B of one step and the next are, in bytes.
struct Steps {
  std::uint32_t count;
  std::ptrdiff_t a;
  std::ptrdiff_t b;
};

#define HEED_LOAD_SUMS "ldrd %[first], %[second], [%[rows]]\n vldmia %[first], {s0-s7}\n vldmia %[second], {s8-s15}\n"
#define HEED_STORE_SUMS \
  "ldrd %[first], %[second], [%[rows], #8]\n vstmia %[first], {s0-s7}\n vstmia %[second], {s8-s15}\n"
#define HEED_FMA8(s0, s1, s2, s3, s4, s5, s6, s7, a)                                                               \
  "vfma.f32 " s0 ", " a ", s18\n vfma.f32 " s1 ", " a ", s19\n vfma.f32 " s2 ", " a ", s20\n vfma.f32 " s3 ", " a  \
  ", s21\n vfma.f32 " s4 ", " a ", s22\n vfma.f32 " s5 ", " a ", s23\n vfma.f32 " s6 ", " a ", s24\n vfma.f32 " s7 \
  ", " a ", s25\n"
#define HEED_FMA_LOW(a) HEED_FMA8("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", a)
#define HEED_FMA_HIGH(a) HEED_FMA8("s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", a)
#define HEED_SUMS_CLOBBERED                                                                                      \
  "memory", "cc", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", \
      "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25"

/// Two rows of A whose steps lie side by side, with eight columns of B: two steps a round.
inline void add_two_rows(const float* a0, const float* a1, const float* b, const Steps& steps,
                         const SumRows& rows) noexcept {
  const float* first;
  const float* second;
  std::uint32_t pairs = steps.count / 2;
  asm volatile(
      HEED_LOAD_SUMS
      "cmp %[pairs], #0\n"
      "beq 2f\n"
      "1:\n"
      "vldmia %[a0]!, {s16-s17}\n"
      "vldmia %[b], {s18-s25}\n"
      "add %[b], %[b], %[b_step]\n"
      "vldmia %[a1]!, {s26-s27}\n" HEED_FMA_LOW("s16") HEED_FMA_HIGH("s26")
      "vldmia %[b], {s18-s25}\n"
      "add %[b], %[b], %[b_step]\n" HEED_FMA_LOW("s17") HEED_FMA_HIGH("s27")
      "subs %[pairs], #1\n"
      "bne 1b\n"
      "2:\n"
      "tst %[count], #1\n"
      "beq 3f\n"
      "vldr s16, [%[a0]]\n"
      "vldr s26, [%[a1]]\n"
      "vldmia %[b], {s18-s25}\n" HEED_FMA_LOW("s16") HEED_FMA_HIGH("s26")
      "3:\n"
      HEED_STORE_SUMS
      : [a0] "+r"(a0), [a1] "+r"(a1), [b] "+r"(b), [pairs] "+r"(pairs), [first] "=&r"(first), [second] "=&r"(second)
      : [b_step] "r"(steps.b), [count] "r"(steps.count), [rows] "r"(&rows)
      : HEED_SUMS_CLOBBERED, "s26", "s27");
}

/// Two rows of A that lie side by side, with eight columns of B.
inline void add_two_lanes(const float* a, const float* b, const Steps& steps, const SumRows& rows) noexcept {
  const float* first;
  const float* second;
  std::uint32_t pairs = steps.count / 2;
  asm volatile(
      HEED_LOAD_SUMS
      "cmp %[pairs], #0\n"
      "beq 2f\n"
      "1:\n"
      "vldmia %[a], {s16-s17}\n"
      "vldmia %[b], {s18-s25}\n"
      "add %[a], %[a], %[a_step]\n"
      "add %[b], %[b], %[b_step]\n" HEED_FMA_LOW("s16") HEED_FMA_HIGH("s17")
      "vldmia %[a], {s16-s17}\n"
      "vldmia %[b], {s18-s25}\n"
      "add %[a], %[a], %[a_step]\n"
      "add %[b], %[b], %[b_step]\n" HEED_FMA_LOW("s16") HEED_FMA_HIGH("s17")
      "subs %[pairs], #1\n"
      "bne 1b\n"
      "2:\n"
      "tst %[count], #1\n"
      "beq 3f\n"
      "vldmia %[a], {s16-s17}\n"
      "vldmia %[b], {s18-s25}\n" HEED_FMA_LOW("s16") HEED_FMA_HIGH("s17")
      "3:\n"
      HEED_STORE_SUMS
      : [a] "+r"(a), [b] "+r"(b), [pairs] "+r"(pairs), [first] "=&r"(first), [second] "=&r"(second)
      : [a_step] "r"(steps.a), [b_step] "r"(steps.b), [count] "r"(steps.count), [rows] "r"(&rows)
      : HEED_SUMS_CLOBBERED);
}

/// One row of A with sixteen columns of B.
inline void add_one_row(const float* a, const float* b, const Steps& steps, const SumRows& rows) noexcept {
  const float* first;
  const float* second;
  std::uint32_t left = steps.count;
  // A load-multiple with write-back has moved B by half a row already.
  const std::ptrdiff_t b_rest = steps.b - 32;
  asm volatile(
      HEED_LOAD_SUMS
      "cmp %[left], #0\n"
      "beq 2f\n"
      "1:\n"
      "vldr s16, [%[a]]\n"
      "vldmia %[b]!, {s18-s25}\n"
      "add %[a], %[a], %[a_step]\n" HEED_FMA_LOW("s16")
      "vldmia %[b], {s18-s25}\n"
      "add %[b], %[b], %[b_rest]\n" HEED_FMA_HIGH("s16")
      "subs %[left], #1\n"
      "bne 1b\n"
      "2:\n"
      HEED_STORE_SUMS
      : [a] "+r"(a), [b] "+r"(b), [left] "+r"(left), [first] "=&r"(first), [second] "=&r"(second)
      : [a_step] "r"(steps.a), [b_rest] "r"(b_rest), [rows] "r"(&rows)
      : HEED_SUMS_CLOBBERED);
}

#undef HEED_LOAD_SUMS
#undef HEED_STORE_SUMS
#undef HEED_FMA8
#undef HEED_FMA_LOW
#undef HEED_FMA_HIGH
#undef HEED_SUMS_CLOBBERED

/// Rows of the panel that has only `lanes` columns, one sum at a time.
inline void add_lanes(const Product& product, std::ptrdiff_t row, std::ptrdiff_t panel, int lanes) noexcept {
  const float* a = product.a + row * product.a_row;
  const float* b = product.b + panel * product.b_panel;
  for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
    const std::ptrdiff_t column = panel * product.c_panel + lane;
    float total = product.start == nullptr ? 0.0F : product.start[row * product.start_row + column];
    for (std::ptrdiff_t k = 0; k < static_cast<std::ptrdiff_t>(product.depth); ++k) {
      total = __builtin_fmaf(a[k * product.a_step], b[k * product.b_step + lane], total);
    }
    product.c[row * product.c_row + column] = total;
  }
}

inline void join_maxima(const float* sums, float* maxima) noexcept {
  for (int lane = 0; lane < port::lanes; ++lane) {
    maxima[lane] = maxima[lane] > sums[lane] ? maxima[lane] : sums[lane];
  }
}

/// Rows x sixteen sums. With Partial, the panel has only `lanes` columns.
template <int Rows, int Panels, bool Partial, bool LongRows>
inline void tile(const Product& product, std::ptrdiff_t first_row, std::ptrdiff_t panel, int lanes) noexcept {
  static_assert(Rows <= 2 && Panels == 1 && !LongRows);
  const bool together = product.a_step == 1 || product.a_row == 1;
  if (Partial || (Rows == 2 && !together)) {
    const int columns = Partial ? lanes : port::lanes;
    for (int r = 0; r < Rows; ++r) add_lanes(product, first_row + r, panel, columns);
  } else {
    static constexpr float zeros[port::lanes] = {};
    const float* a = product.a + first_row * product.a_row;
    const float* b = product.b + panel * product.b_panel;
    float* c = product.c + first_row * product.c_row + panel * product.c_panel;
    const float* start =
        product.start == nullptr ? zeros : product.start + first_row * product.start_row + panel * product.c_panel;
    const std::ptrdiff_t start_row = product.start == nullptr ? 0 : product.start_row;
    const Steps steps{product.depth, product.a_step * std::ptrdiff_t{sizeof(float)},
                      product.b_step * std::ptrdiff_t{sizeof(float)}};
    if constexpr (Rows == 1) {
      add_one_row(a, b, steps, {{start, start + 8}, {c, c + 8}});
    } else {
      for (std::ptrdiff_t half = 0; half < 16; half += 8) {
        const SumRows rows{{start + half, start + start_row + half}, {c + half, c + product.c_row + half}};
        if (product.a_step == 1) {
          add_two_rows(a, a + product.a_row, b + half, steps, rows);
        } else {
          add_two_lanes(a, b + half, steps, rows);
        }
      }
    }
  }
  if (Partial || product.column_maxima == nullptr) return;
  for (int r = 0; r < Rows; ++r) {
    join_maxima(product.c + (first_row + r) * product.c_row + panel * product.c_panel, product.column_maxima);
  }
}

}  // namespace heed::detail
