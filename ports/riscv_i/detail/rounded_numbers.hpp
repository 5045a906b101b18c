// SPDX-License-Identifier: MIT
//
// A row's numbers as integers, two at a time: 19 instructions for each, where a compiler takes 27. A number is shifted
// to where the greatest one lies before it is multiplied, so that all products have their units at the same place.
#pragma once

#include <bit>
#include <cstdint>
#include <soft_floats/products.hpp>

namespace heed::detail {

/// What products with a factor have in common, and the sums of the integers.
struct RoundedNumbers {
  std::int32_t exponent;    ///< that of a number which is not shifted
  std::uint32_t end;        ///< shifts from here on leave nothing, to nearest
  std::uint32_t mantissa;   ///< the factor's
  std::uint32_t half;       ///< of a unit, and what a product and its rounding may be off
  std::uint32_t undecided;  ///< what is left of a unit of which it does not tell; at the top
  std::uint32_t places;     ///< of a unit
  std::int32_t even = 0;
  std::int32_t odd = 0;

  /// Of products below 2^(31 - unit), a unit of which has so many places.
  RoundedNumbers(float factor, int unit) noexcept
      : exponent(284 - unit - port::exponent_of(std::bit_cast<std::uint32_t>(factor))),
        end(static_cast<std::uint32_t>(34 - unit)),
        mantissa(port::mantissa_of(std::bit_cast<std::uint32_t>(factor))),
        // A product lacks less than 2, and the float that it would be is 64 off at most.
        half((1U << (unit - 1)) + 128),
        undecided(256U << (32 - unit)),
        places(static_cast<std::uint32_t>(unit)) {}
};

// a6: the sign bit; t2: places left of a unit.
#define HEED_ONE_NUMBER(from, number, other) \
  "lw t3, " from                             \
  "(a0)\n"                                   \
  "slli t4, t3, 1\n"                         \
  "srli t4, t4, 24\n"                        \
  "sub t4, a4, t4\n"                         \
  "bgeu t4, a5, " other                      \
  "f\n"                                      \
  "slli t5, t3, 8\n"                         \
  "or t5, t5, a6\n"                          \
  "srl t5, t5, t4\n"                         \
  "mulhu t5, t5, a7\n"                       \
  "add t5, t5, t0\n"                         \
  "sll t4, t5, t2\n"                         \
  "bltu t4, t1, 9f\n"                        \
  "srl " number                              \
  ", t5, t6\n"                               \
  "bgez t3, 6f\n"                            \
  "neg " number ", " number "\n6:\n"

/// Numbers from an even place up to `end`, an even number of them and more than none, become integers at `to`; returns
/// the first one that is left, at an even place, or `end`: (numbers, end, to, what they have in common).
[[gnu::naked, gnu::noinline]] inline const float* round_numbers(const float*, const float*, std::int16_t*,
                                                                RoundedNumbers*) noexcept {
  asm("addi sp, sp, -16\n"
      "sw s0, 0(sp)\n"
      "sw s1, 4(sp)\n"
      "sw s2, 8(sp)\n"
      "lw a4, 0(a3)\n"
      "lw a5, 4(a3)\n"
      "lw a7, 8(a3)\n"
      "lw t0, 12(a3)\n"
      "lw t1, 16(a3)\n"
      "lw t6, 20(a3)\n"
      "lw s0, 24(a3)\n"
      "lw s1, 28(a3)\n"
      "neg t2, t6\n"
      "lui a6, 0x80000\n"
      "1:\n"  //
      HEED_ONE_NUMBER("0", "s2", "4")
      "2:\n"  //
      HEED_ONE_NUMBER("4", "t5", "5")
      "3:\n"
      "add s0, s0, s2\n"
      "add s1, s1, t5\n"
      "sh s2, 0(a2)\n"
      "sh t5, 2(a2)\n"
      "addi a0, a0, 8\n"
      "addi a2, a2, 4\n"
      "bne a0, a1, 1b\n"
      "9:\n"
      "sw s0, 24(a3)\n"
      "sw s1, 28(a3)\n"
      "lw s0, 0(sp)\n"
      "lw s1, 4(sp)\n"
      "lw s2, 8(sp)\n"
      "addi sp, sp, 16\n"
      "ret\n"
      "4:\n"
      "bltz t4, 9b\n"
      "li s2, 0\n"
      "j 2b\n"
      "5:\n"
      "bltz t4, 9b\n"
      "li t5, 0\n"
      "j 3b\n");
}
#undef HEED_ONE_NUMBER

}  // namespace heed::detail
