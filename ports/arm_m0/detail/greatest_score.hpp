// SPDX-License-Identifier: MIT
//
// The greatest of a query's scores, four of them from one load in code for speed.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>
#include <single_floats/detail/greatest.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

#define HEED_TAKE_SIGNED(x, label) \
  "cmp " x                         \
  ", r2\n"                         \
  "ble " label                     \
  "f\n"                            \
  "movs r2, " x "\n" label ":\n"
#define HEED_TAKE_NEGATIVE(x, label) \
  "cmp " x                           \
  ", r2\n"                           \
  "bcs " label                       \
  "f\n"                              \
  "movs r2, " x                      \
  "\n"                               \
  "bpl 6f\n" label ":\n"
// Back to the four before, or to the last four, which overlap others, or out.
#define HEED_NEXT_FOUR(again) \
  "cmp r0, r1\n"              \
  "bls " again                \
  "b\n"                       \
  "subs r3, r0, r1\n"         \
  "cmp r3, #16\n"             \
  "beq 8f\n"                  \
  "movs r0, r1\n"             \
  "b " again "b\n"
/// The bits of the greatest float: (floats, the last four of at least as many, bits of the lowest). Negative ones are
/// compared as unsigned numbers until there is one that is not, and from its four on all as signed ones.
[[gnu::naked, gnu::noinline]] inline std::uint32_t greatest_of_fours(const float*, const float*,
                                                                     std::uint32_t) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      "1: ldmia r0!, {r4-r7}\n" HEED_TAKE_NEGATIVE("r4", "2") HEED_TAKE_NEGATIVE("r5", "3")
          HEED_TAKE_NEGATIVE("r6", "4") HEED_TAKE_NEGATIVE("r7", "5") HEED_NEXT_FOUR("1")
      "6: subs r0, #16\n"
      "7: ldmia r0!, {r4-r7}\n" HEED_TAKE_SIGNED("r4", "2") HEED_TAKE_SIGNED("r5", "3") HEED_TAKE_SIGNED("r6", "4")
          HEED_TAKE_SIGNED("r7", "5") HEED_NEXT_FOUR("7")
      "8: movs r0, r2\n"
      "pop {r4-r7, pc}\n");
}
#undef HEED_NEXT_FOUR
#undef HEED_TAKE_NEGATIVE
#undef HEED_TAKE_SIGNED

/// The greatest of the scores [keys] in `seen`, which is not empty.
[[nodiscard]] inline float greatest_score(float* scores, KeyRange seen) noexcept {
  const std::uint32_t count = seen.end - seen.begin;
  if (port::for_size || count < 4) return greatest_of(scores + seen.begin, 1, count);
  return std::bit_cast<float>(
      greatest_of_fours(scores + seen.begin, scores + seen.end - 4, std::bit_cast<std::uint32_t>(lowest)));
}

}  // namespace heed_own_code
}  // namespace heed::detail
