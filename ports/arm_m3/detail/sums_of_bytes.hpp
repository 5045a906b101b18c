// SPDX-License-Identifier: MIT
//
// Two instructions for a product, and one for a number of the row, of which eight outputs make use.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

// One input of eight outputs: bytes with a bias (ldrb) or signed (ldrsb).
#define HEED_ONE_PRODUCT(load, place, sum) \
  load " %[w], [%[weights], #" place       \
       "]\n"                               \
       "mla %[" sum "], %[w], %[number], %[" sum "]\n"
#define HEED_ONE_INPUT(load, p0, p1, p2, p3, p4, p5, p6, p7)                                              \
  "ldrsh %[number], [%[x]], #2\n" load " %[w], [%[weights], #" p0                                         \
  "\n"                                                                                                    \
  "mla %[s0], %[w], %[number], %[s0]\n" HEED_ONE_PRODUCT(load, p1, "s1") HEED_ONE_PRODUCT(load, p2, "s2") \
      HEED_ONE_PRODUCT(load, p3, "s3") HEED_ONE_PRODUCT(load, p4, "s4") HEED_ONE_PRODUCT(load, p5, "s5")  \
          HEED_ONE_PRODUCT(load, p6, "s6") HEED_ONE_PRODUCT(load, p7, "s7")

/// sums [8] of a run of `words` words of each output.
[[gnu::noinline]] inline void sums_of_bytes(const std::byte* weights, const std::byte* run, std::uint32_t words,
                                            std::int32_t* to) noexcept {
  const std::byte* x = run + sizeof(std::int32_t);
  const std::byte* const end = x + words * 8;
  const std::int32_t start = *reinterpret_cast<const std::int32_t*>(run);
  std::int32_t s0 = start;
  std::int32_t s1 = start;
  std::int32_t s2 = start;
  std::int32_t s3 = start;
  std::int32_t s4 = start;
  std::int32_t s5 = start;
  std::int32_t s6 = start;
  std::int32_t s7 = start;
  // The first load of eight inputs moves on to them.
  weights -= 128;
  do {
    std::int32_t w;
    std::int32_t number;
    asm volatile(
        HEED_ONE_INPUT("ldrb", "128]!", "4", "8", "12", "16", "20", "24", "28")
            HEED_ONE_INPUT("ldrsb", "1]", "5", "9", "13", "17", "21", "25", "29")
                HEED_ONE_INPUT("ldrb", "2]", "6", "10", "14", "18", "22", "26", "30")
                    HEED_ONE_INPUT("ldrsb", "3]", "7", "11", "15", "19", "23", "27", "31")
                        HEED_ONE_INPUT("ldrb", "64]", "68", "72", "76", "80", "84", "88", "92")
                            HEED_ONE_INPUT("ldrsb", "65]", "69", "73", "77", "81", "85", "89", "93")
                                HEED_ONE_INPUT("ldrb", "66]", "70", "74", "78", "82", "86", "90", "94")
                                    HEED_ONE_INPUT("ldrsb", "67]", "71", "75", "79", "83", "87", "91", "95")
        : [weights] "+r"(weights), [x] "+r"(x), [w] "=&r"(w), [number] "=&r"(number), [s0] "+r"(s0), [s1] "+r"(s1),
          [s2] "+r"(s2), [s3] "+r"(s3), [s4] "+r"(s4), [s5] "+r"(s5), [s6] "+r"(s6), [s7] "+r"(s7)
        :
        : "memory", "cc");
  } while (x != end);
  to[0] = s0;
  to[1] = s1;
  to[2] = s2;
  to[3] = s3;
  to[4] = s4;
  to[5] = s5;
  to[6] = s6;
  to[7] = s7;
}
#undef HEED_ONE_INPUT
#undef HEED_ONE_PRODUCT

}  // namespace heed::detail
