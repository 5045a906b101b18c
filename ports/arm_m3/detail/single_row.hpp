// SPDX-License-Identifier: MIT
//
// Two products by one multiplication of 64 bits: a word of weights a, b, c, d holds a + 2^24 d, and turned by half c +
// 2^24 b. Times x(3) + 2^24 x(0) and x(1) + 2^24 x(2) that has, in bits 24 to 47, the products of inputs that belong
// together, and below and above them those of others: below they sum to less than 2^23 for 512 inputs, as the products
// that are wanted do, and what is above is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <riscv_f/detail/integer_run.hpp>

#include "heed/arena.hpp"
#include "sums_of_bytes.hpp"

namespace heed::detail {

// r2 is the mask of the first and the last byte.
#define HEED_ONE_OUTPUT(place, low, high) \
  "ldr lr, [r0, #" place                  \
  "]\n"                                   \
  "and r1, r2, lr\n"                      \
  "smlal " low ", " high                  \
  ", r1, r3\n"                            \
  "and lr, r2, lr, ror #16\n"             \
  "smlal " low ", " high ", lr, r12\n"
#define HEED_STORE(low, high, at) \
  "lsrs " low ", " low            \
  ", #24\n"                       \
  "orr " low ", " low ", " high   \
  ", lsl #8\n"                    \
  "adc " low ", " low             \
  ", #0\n"                        \
  "sbfx " low ", " low            \
  ", #0, #24\n"                   \
  "str " low ", [r0, #" at "]\n"

/// sums [4] of (weights, their end, pairs [words, 2], what the sums start from).
[[gnu::naked, gnu::noinline]] inline void four_sums_of_pairs(const std::byte*, const std::byte*, const std::uint32_t*,
                                                             std::int32_t, std::int32_t*) noexcept {
  asm("push {r4-r11, lr}\n"
      "subs r2, r2, #16\n"
      "push {r1, r2}\n"
      "lsls r4, r3, #24\n"
      "asrs r5, r3, #8\n"
      "mov r6, r4\n"
      "mov r7, r5\n"
      "mov r8, r4\n"
      "mov r9, r5\n"
      "mov r10, r4\n"
      "mov r11, r5\n"
      "mov r2, #0xFF\n"
      "orr r2, r2, #0xFF000000\n"
      "1:\n"
      "ldr lr, [sp, #4]\n"
      "ldrd r3, r12, [lr, #16]!\n"
      "str lr, [sp, #4]\n" HEED_ONE_OUTPUT("0", "r4", "r5") HEED_ONE_OUTPUT("4", "r6", "r7")
          HEED_ONE_OUTPUT("8", "r8", "r9") HEED_ONE_OUTPUT("12", "r10", "r11")
      "ldr lr, [sp, #4]\n"
      "ldrd r3, r12, [lr, #8]\n" HEED_ONE_OUTPUT("64", "r4", "r5") HEED_ONE_OUTPUT("68", "r6", "r7")
          HEED_ONE_OUTPUT("72", "r8", "r9") HEED_ONE_OUTPUT("76", "r10", "r11")
      "ldr lr, [sp]\n"
      "adds r0, #128\n"
      "cmp r0, lr\n"
      "bne 1b\n"
      "ldr r0, [sp, #44]\n" HEED_STORE("r4", "r5", "0") HEED_STORE("r6", "r7", "4") HEED_STORE("r8", "r9", "8")
          HEED_STORE("r10", "r11", "12")
      "add sp, #8\n"
      "pop {r4-r11, pc}\n");
}
#undef HEED_STORE
#undef HEED_ONE_OUTPUT

/// The numbers of a row of bytes, for the sums of many panels: in pairs, if they are few.
class SingleRow {
 public:
  SingleRow(const std::byte* run, std::uint32_t inputs) noexcept : run_(run), words_(inputs / 4) {
    if (words_ > most_words) return;
    const auto* x = reinterpret_cast<const std::int16_t*>(run + sizeof(std::int32_t));
    for (std::uint32_t i = 0; i < words_ * 2; i += 2, x += 4) {
      pairs_[i] = pair(x[3], x[0]);
      pairs_[i + 1] = pair(x[1], x[2]);
    }
  }

  /// sums [16], of which `count` are wanted.
  void sum_panel(const std::byte* weights, std::uint32_t count, std::int32_t* sums) const noexcept {
    if (words_ > most_words) {
      for (std::uint32_t output = 0; output < count; output += integer_outputs) {
        sums_of_bytes(weights + output * 4, run_, words_, sums + output);
      }
      return;
    }
    const std::int32_t start = *reinterpret_cast<const std::int32_t*>(run_);
    for (std::uint32_t output = 0; output < count; output += 4) {
      const std::byte* const first = weights + output * 4;
      four_sums_of_pairs(first, first + words_ * 64, pairs_, start, sums + output);
    }
  }

 private:
  static constexpr std::uint32_t most_words = 64;  // of the stack, half a kilobyte

  [[nodiscard]] static std::uint32_t pair(std::int32_t low, std::int32_t high) noexcept {
    return static_cast<std::uint32_t>(low) + (static_cast<std::uint32_t>(high) << 24);
  }

  const std::byte* run_;
  std::uint32_t words_;
  std::uint32_t pairs_[most_words * 2];
};

}  // namespace heed::detail
