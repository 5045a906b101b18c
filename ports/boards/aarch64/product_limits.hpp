// SPDX-License-Identifier: MIT
//
// What products of packed int8 weights cannot go below on AArch64: the instructions that whole tiles of sixteen rows
// and four outputs (without dot products, of four rows and eight outputs), all weights once, all numbers that are
// rounded and all outputs take, in loops so long that their ends are less than a twentieth. No sum begins or is moved,
// no address moves, and weights cost nothing where they meet more rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::bench {

// clang-format off
#define HEED_FOUR_TIMES(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#define HEED_LOAD_FOUR "ld1 {v0.4s-v3.4s}, [%[from]]\n"
#define HEED_RUN(count, ...)                                                      \
  times = (count);                                                                \
  asm volatile("1:\n" __VA_ARGS__ "subs %[times], %[times], #1\n" "b.ne 1b\n"     \
               : [times] "+r"(times) : [from] "r"(from)                           \
               : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7")

/// Rounds, multiplies and makes outputs as often as `rows` by `inputs` numbers and `outputs` ask for; what comes of it is
/// nothing. True: there is such a count. `from` has 64 bytes.
[[nodiscard]] inline bool take_least(std::uint32_t rows, std::uint32_t inputs, std::uint32_t outputs,
                                     std::byte* from) noexcept {
  std::uint64_t times = 0;
  const std::uint64_t products = std::uint64_t{rows} * inputs * outputs;
#if defined(__ARM_FEATURE_MATMUL_INT8)
  // 64 bytes of two rows by eight registers of weights.
#define HEED_TILE HEED_LOAD_FOUR HEED_FOUR_TIMES("smmla v4.4s, v0.16b, v1.16b\n" "smmla v5.4s, v0.16b, v1.16b\n")
  HEED_RUN(products / (8 * 256), HEED_FOUR_TIMES(HEED_TILE HEED_TILE));
#elif defined(__ARM_FEATURE_DOTPROD)
  // 64 bytes of rows by eight registers of weights, each with two rows.
#define HEED_TILE HEED_LOAD_FOUR HEED_FOUR_TIMES(HEED_FOUR_TIMES("sdot v4.4s, v0.16b, v1.4b[0]\n"))
  HEED_RUN(products / (8 * 256), HEED_FOUR_TIMES(HEED_TILE HEED_TILE));
#else
  // Sixteen bytes of a row by eight registers of weights: two products become one number, two of those a lane of a sum.
#define HEED_FOUR_PRODUCTS "smull v4.8h, v0.8b, v1.8b\n" "smlal2 v4.8h, v0.16b, v1.16b\n" "sadalp v5.4s, v4.8h\n"
#define HEED_TILE "ld4r {v0.4s-v3.4s}, [%[from]]\n" HEED_FOUR_TIMES(HEED_FOUR_PRODUCTS HEED_FOUR_PRODUCTS)
  HEED_RUN(products / (4 * 128), HEED_FOUR_TIMES(HEED_TILE));
#endif
  // 64 weights, of which those of even inputs have 128 added.
  HEED_RUN(std::uint64_t{inputs} * outputs / (64 * 4),
           HEED_FOUR_TIMES(HEED_LOAD_FOUR HEED_FOUR_TIMES("eor v4.16b, v0.16b, v1.16b\n")));
  // Sixteen numbers: the greatest of them, then bytes.
  HEED_RUN(std::uint64_t{rows} * inputs / (16 * 4),
           HEED_FOUR_TIMES(HEED_LOAD_FOUR HEED_FOUR_TIMES("bic v0.4s, #0x80, lsl #24\n" "umax v4.4s, v4.4s, v0.4s\n")
                           HEED_LOAD_FOUR HEED_FOUR_TIMES("fmul v0.4s, v0.4s, v4.4s\n" "fadd v0.4s, v0.4s, v5.4s\n")
                           "tbl v4.16b, {v0.16b-v3.16b}, v5.16b\n")
           "st1 {v4.16b-v7.16b}, [%[from]]\n");
  // Four outputs of a row.
  HEED_RUN(std::uint64_t{rows} * outputs / (4 * 4),
           HEED_FOUR_TIMES("scvtf v0.4s, v1.4s\n" "fmul v4.4s, v2.4s, v3.s[0]\n" "fmul v0.4s, v0.4s, v4.4s\n"
                           "st1 {v0.4s}, [%[from]]\n"));
  return true;
}

// clang-format on
#undef HEED_FOUR_TIMES
#undef HEED_LOAD_FOUR
#undef HEED_RUN
#undef HEED_FOUR_PRODUCTS
#undef HEED_TILE

}  // namespace heed::bench
