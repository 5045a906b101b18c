// SPDX-License-Identifier: MIT
//
// Two rows of bytes at once: a weight times a + 2^24 b, the numbers of both rows, is both products, and a sum of 64
// bits both sums, as long as a's is below 2^23: two instructions for two products, and three for two numbers, of which
// four outputs make use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <soft_floats/detail/all_row_pairs.hpp>

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = 4;

#define HEED_ONE_PRODUCT(load, place, low, high) \
  load " r12, [r0, #" place                      \
       "]\n"                                     \
       "smlal " low ", " high ", r12, r3\n"
#define HEED_ONE_INPUT(load, p0, p1, p2, p3)                                                                 \
  "ldrsh r3, [r1], #2\n"                                                                                     \
  "ldrsh r12, [r2], #2\n"                                                                                    \
  "add r3, r3, r12, lsl #24\n" HEED_ONE_PRODUCT(load, p0, "r4", "r5") HEED_ONE_PRODUCT(load, p1, "r6", "r7") \
      HEED_ONE_PRODUCT(load, p2, "r8", "r9") HEED_ONE_PRODUCT(load, p3, "r10", "r11")
// The carry of the shift is the sign of the first row's sum.
#define HEED_STORE(low, high, at, b_at) \
  "sbfx r3, " low                       \
  ", #0, #24\n"                         \
  "str r3, [r0, #" at                   \
  "]\n"                                 \
  "lsrs " low ", " low                  \
  ", #24\n"                             \
  "orr " low ", " low ", " high         \
  ", lsl #8\n"                          \
  "adc " low ", " low                   \
  ", #0\n"                              \
  "str " low ", [r0, #" b_at "]\n"

/// sums [4] of one row, and 16 sums further on of the other: (weights, the numbers of both runs, the end of the first
/// one's), the first four registers, and sums.
[[gnu::naked, gnu::noinline]] inline void four_sums_of_row_pair(const std::byte*, const std::byte*, const std::byte*,
                                                                const std::byte*, std::int32_t*) noexcept {
  asm("push {r4-r11, lr}\n"
      "mov lr, r3\n"
      "ldr r3, [r1, #-4]\n"
      "ldr r12, [r2, #-4]\n"
      "adds r4, r3, r12, lsl #24\n"
      "asr r5, r3, #31\n"
      "adc r5, r5, r12, asr #8\n"
      "mov r6, r4\n"
      "mov r7, r5\n"
      "mov r8, r4\n"
      "mov r9, r5\n"
      "mov r10, r4\n"
      "mov r11, r5\n"
      "1:\n" HEED_ONE_INPUT("ldrb", "0", "4", "8", "12") HEED_ONE_INPUT("ldrsb", "1", "5", "9", "13")
          HEED_ONE_INPUT("ldrb", "2", "6", "10", "14") HEED_ONE_INPUT("ldrsb", "3", "7", "11", "15")
              HEED_ONE_INPUT("ldrb", "64", "68", "72", "76") HEED_ONE_INPUT("ldrsb", "65", "69", "73", "77")
                  HEED_ONE_INPUT("ldrb", "66", "70", "74", "78") HEED_ONE_INPUT("ldrsb", "67", "71", "75", "79")
      "adds r0, #128\n"
      "cmp r1, lr\n"
      "bne 1b\n"
      "ldr r0, [sp, #36]\n" HEED_STORE("r4", "r5", "0", "64") HEED_STORE("r6", "r7", "4", "68")
          HEED_STORE("r8", "r9", "8", "72") HEED_STORE("r10", "r11", "12", "76")
      "pop {r4-r11, pc}\n");
}
#undef HEED_STORE
#undef HEED_ONE_INPUT
#undef HEED_ONE_PRODUCT

/// How many rows' sums with weights of int8 have been made, from the first one on.
template <DataType rows>
[[nodiscard]] std::uint32_t rows_at_once(const IntegerProduct& product) noexcept {
  constexpr std::uint32_t most_inputs = 512;  // 512 * 127 * 127 < 2^23
  if (rows != DataType::int8 || product.inputs > most_inputs) return 0;
  return for_each_row_pair<4>(product, [](const std::byte* panel, const std::byte* run, std::size_t distance,
                                          std::uint32_t words, std::int32_t* to) noexcept {
    const std::byte* const x = run + sizeof(std::int32_t);
    four_sums_of_row_pair(panel, x, x + distance, x + words * 8, to);
  });
}

}  // namespace heed::detail
