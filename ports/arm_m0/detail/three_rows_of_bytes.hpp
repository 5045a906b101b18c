// SPDX-License-Identifier: MIT
//
// Four outputs of three rows of bytes: six instructions for the three products of a weight, whose numbers are prepared
// once for all outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <soft_floats/detail/three_rows.hpp>

namespace heed::detail {

/// Numbers of three rows, at most three_row_inputs of each, for a product with every weight.
struct PreparedRows {
  ThreeSums start;  ///< what takes the bias of the weights of even inputs off
  ThreeSums numbers[three_row_inputs];
};

/// to = `inputs` numbers, an even count, of rows `distance` bytes apart.
[[gnu::noinline]] inline void prepare_three_rows(const std::byte* numbers, std::size_t distance, std::uint32_t inputs,
                                                 PreparedRows& to) noexcept {
  const auto* x = reinterpret_cast<const std::int16_t*>(numbers);
  const auto* y = reinterpret_cast<const std::int16_t*>(numbers + distance);
  const auto* z = reinterpret_cast<const std::int16_t*>(numbers + 2 * distance);
  ThreeSums even{0, 0};
  ThreeSums* pair = to.numbers;
  for (const ThreeSums* const end = pair + inputs; pair != end; pair += 2, x += 2, y += 2, z += 2) {
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const auto second = static_cast<std::uint32_t>(static_cast<std::int32_t>(y[i]));
      pair[i].first = static_cast<std::uint32_t>(static_cast<std::int32_t>(x[i])) + (second << 21);
      pair[i].second = static_cast<std::uint32_t>(static_cast<std::int32_t>(z[i])) + (second << 10);
    }
    even.first += pair->first;
    even.second += pair->second;
  }
  to.start = {even.first * -128U, even.second * -128U};
}

// A weight times the numbers r4 and r5.
#define HEED_WEIGHT(load, first, second) \
  load "movs r2, r1\n"                   \
       "muls r1, r4\n"                   \
       "add " first                      \
       ", r1\n"                          \
       "muls r2, r5\n"                   \
       "add " second ", r2\n"
#define HEED_BIASED(at, first, second) HEED_WEIGHT("ldrb r1, [r0, #" at "]\n", first, second)
#define HEED_SIGNED(at, first, second) HEED_WEIGHT("movs r1, #" at "\nldrsb r1, [r0, r1]\n", first, second)
#define HEED_INPUT(weight, of_first, of_second, of_third, of_fourth)                                                 \
  "ldmia r3!, {r4, r5}\n" weight(of_first, "r8", "r9") weight(of_second, "r10", "r11") weight(of_third, "r12", "lr") \
      weight(of_fourth, "r6", "r7")

/// sums [4]: (weights, rows, the end of their numbers, sums).
[[gnu::naked, gnu::noinline]] inline void four_sums_of_three_rows(const std::byte*, const PreparedRows*,
                                                                  const ThreeSums*, ThreeSums*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      "mov r4, r8\n"
      "mov r5, r9\n"
      "mov r6, r10\n"
      "mov r7, r11\n"
      "push {r2-r7}\n"
      "movs r3, r1\n"
      "ldmia r3!, {r6, r7}\n"
      "mov r8, r6\n"
      "mov r9, r7\n"
      "mov r10, r6\n"
      "mov r11, r7\n"
      "mov r12, r6\n"
      "mov lr, r7\n"
      "1:\n" HEED_INPUT(HEED_BIASED, "0", "4", "8", "12") HEED_INPUT(HEED_SIGNED, "1", "5", "9", "13")
          HEED_INPUT(HEED_BIASED, "2", "6", "10", "14") HEED_INPUT(HEED_SIGNED, "3", "7", "11", "15")
      "adds r0, #64\n"
      "ldr r1, [sp]\n"
      "cmp r3, r1\n"
      "bne 1b\n"
      "ldr r0, [sp, #4]\n"
      "mov r1, r8\n"
      "mov r2, r9\n"
      "mov r3, r10\n"
      "mov r4, r11\n"
      "stmia r0!, {r1-r4}\n"
      "mov r1, r12\n"
      "mov r2, lr\n"
      "stmia r0!, {r1, r2, r6, r7}\n"
      "pop {r2-r7}\n"
      "mov r8, r4\n"
      "mov r9, r5\n"
      "mov r10, r6\n"
      "mov r11, r7\n"
      "pop {r4-r7, pc}\n");
}
#undef HEED_INPUT
#undef HEED_SIGNED
#undef HEED_BIASED
#undef HEED_WEIGHT

/// Three rows of numbers, `distance` bytes apart, and those that are prepared.
struct RowTriple {
  const std::byte* numbers;
  std::size_t distance;
  std::uint32_t inputs;
  std::uint32_t at_once;   ///< how many are prepared at once, a multiple of 8, at most three_row_inputs
  std::uint32_t prepared;  ///< the first input of those, or `inputs`: none is
  PreparedRows* rows;      ///< room for so many
};

/// sums [3, 16] of three rows and a panel, the rows' `apart` from each other.
template <class Sum>
inline void sum_three_rows(RowTriple& triple, const std::byte* weights, Sum* sums,
                           std::ptrdiff_t apart = panel_width) noexcept {
  for (std::uint32_t k = 0; k < triple.inputs; k += triple.at_once) {
    const std::uint32_t left = triple.inputs - k;
    const std::uint32_t count = left < triple.at_once ? left : triple.at_once;
    if (k != triple.prepared) {
      prepare_three_rows(triple.numbers + k * sizeof(std::int16_t), triple.distance, count, *triple.rows);
      triple.prepared = k;
    }
    for (std::uint32_t output = 0; output < panel_width; output += 4) {
      ThreeSums parts[4];
      four_sums_of_three_rows(weights + k * panel_width + output * 4, triple.rows, triple.rows->numbers + count, parts);
      for (std::uint32_t n = 0; n < 4; ++n) take_three_sums(parts[n], k != 0, sums + output + n, apart);
    }
  }
}

}  // namespace heed::detail
