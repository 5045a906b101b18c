// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

/// The greatest of `greatest` and of the floats up to `end`, `stride` floats apart, as signed bits.
[[nodiscard, gnu::always_inline]] inline std::int32_t maximum_of_rest(const float* first, const float* end,
                                                                      std::ptrdiff_t stride,
                                                                      std::int32_t greatest) noexcept {
  if (first == end) return greatest;
  std::int32_t bits;
  // A branch that is seldom taken, for what compilers do in one instruction more.
  asm("1:\n"
      "ldr %[bits], [%[first]]\n"
      "add %[first], %[step]\n"
      "cmp %[bits], %[greatest]\n"
      "bgt 3f\n"
      "2:\n"
      "cmp %[first], %[end]\n"
      "bne 1b\n"
      "b 4f\n"
      "3:\n"
      "mov %[greatest], %[bits]\n"
      "b 2b\n"
      "4:\n"
      : [first] "+&r"(first), [greatest] "+&r"(greatest), [bits] "=&r"(bits)
      : [step] "r"(stride * std::ptrdiff_t{sizeof(float)}), [end] "r"(end),
        "m"(*reinterpret_cast<const float(*)[]>(first))
      : "cc");
  return greatest;
}

}  // namespace heed::detail
