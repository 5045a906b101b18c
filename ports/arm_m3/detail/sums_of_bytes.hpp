// SPDX-License-Identifier: MIT
//
// Two instructions for a product, and one for a number of the row, of which eight outputs make use, or the last four.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

// clang-format off
// One input of four outputs or eight: bytes with a bias (ldrb) or signed (ldrsb).
#define HEED_LOAD_NUMBER "ldrsh %[number], [%[x]], #2\n"
#define HEED_ONE_PRODUCT(load, place, sum)      \
  load " %[w], [%[weights], #" place "\n"       \
  "mla %[" sum "], %[w], %[number], %[" sum "]\n"
#define HEED_FOUR_PRODUCTS(load, p0, p1, p2, p3)                                  \
  HEED_ONE_PRODUCT(load, p0, "s0") HEED_ONE_PRODUCT(load, p1 "]", "s1")           \
  HEED_ONE_PRODUCT(load, p2 "]", "s2") HEED_ONE_PRODUCT(load, p3 "]", "s3")
#define HEED_MORE_PRODUCTS(load, p4, p5, p6, p7)                                  \
  HEED_ONE_PRODUCT(load, p4 "]", "s4") HEED_ONE_PRODUCT(load, p5 "]", "s5")       \
  HEED_ONE_PRODUCT(load, p6 "]", "s6") HEED_ONE_PRODUCT(load, p7 "]", "s7")
#define HEED_FOUR(load, ...) HEED_LOAD_NUMBER HEED_FOUR_PRODUCTS(load, __VA_ARGS__)
#define HEED_EIGHT(load, p0, p1, p2, p3, ...) \
  HEED_FOUR(load, p0, p1, p2, p3) HEED_MORE_PRODUCTS(load, __VA_ARGS__)
// The first load of eight inputs moves on to them.
#define HEED_EIGHT_INPUTS                                        \
  HEED_EIGHT("ldrb", "128]!", "4", "8", "12", "16", "20", "24", "28")  \
  HEED_EIGHT("ldrsb", "1]", "5", "9", "13", "17", "21", "25", "29")    \
  HEED_EIGHT("ldrb", "2]", "6", "10", "14", "18", "22", "26", "30")    \
  HEED_EIGHT("ldrsb", "3]", "7", "11", "15", "19", "23", "27", "31")   \
  HEED_EIGHT("ldrb", "64]", "68", "72", "76", "80", "84", "88", "92")  \
  HEED_EIGHT("ldrsb", "65]", "69", "73", "77", "81", "85", "89", "93") \
  HEED_EIGHT("ldrb", "66]", "70", "74", "78", "82", "86", "90", "94")  \
  HEED_EIGHT("ldrsb", "67]", "71", "75", "79", "83", "87", "91", "95")
#ifdef __OPTIMIZE_SIZE__
#define HEED_ALL_INPUTS "1:\n" HEED_EIGHT_INPUTS
#else
// Sixteen inputs a round; the first one begins in the middle where they are an odd number of eights.
#define HEED_ALL_INPUTS "tst %[w], #2\n" "bne 2f\n" "1:\n" HEED_EIGHT_INPUTS "2:\n" HEED_EIGHT_INPUTS
#endif

/// sums [8] of a run of `words` words of each output, an even number.
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
  std::uint32_t w = words;
  std::int32_t number;
  weights -= 128;
  asm volatile(HEED_ALL_INPUTS
               "cmp %[x], %[end]\n"
               "bne 1b\n"
               : [weights] "+&r"(weights), [x] "+&r"(x), [w] "+&r"(w), [number] "=&r"(number), [s0] "+&r"(s0),
                 [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3), [s4] "+&r"(s4), [s5] "+&r"(s5), [s6] "+&r"(s6),
                 [s7] "+&r"(s7)
               : [end] "r"(end)
               : "memory", "cc");
  to[0] = s0;
  to[1] = s1;
  to[2] = s2;
  to[3] = s3;
  to[4] = s4;
  to[5] = s5;
  to[6] = s6;
  to[7] = s7;
}

/// The first four of these sums.
[[gnu::noinline]] inline void four_sums_of_bytes(const std::byte* weights, const std::byte* run, std::uint32_t words,
                                                 std::int32_t* to) noexcept {
  const std::byte* x = run + sizeof(std::int32_t);
  const std::byte* const end = x + words * 8;
  const std::int32_t start = *reinterpret_cast<const std::int32_t*>(run);
  std::int32_t s0 = start;
  std::int32_t s1 = start;
  std::int32_t s2 = start;
  std::int32_t s3 = start;
  std::uint32_t w;
  std::int32_t number;
  weights -= 128;
  asm volatile("1:\n"
               HEED_FOUR("ldrb", "128]!", "4", "8", "12") HEED_FOUR("ldrsb", "1]", "5", "9", "13")
               HEED_FOUR("ldrb", "2]", "6", "10", "14") HEED_FOUR("ldrsb", "3]", "7", "11", "15")
               HEED_FOUR("ldrb", "64]", "68", "72", "76") HEED_FOUR("ldrsb", "65]", "69", "73", "77")
               HEED_FOUR("ldrb", "66]", "70", "74", "78") HEED_FOUR("ldrsb", "67]", "71", "75", "79")
               "cmp %[x], %[end]\n"
               "bne 1b\n"
               : [weights] "+&r"(weights), [x] "+&r"(x), [w] "=&r"(w), [number] "=&r"(number), [s0] "+&r"(s0),
                 [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3)
               : [end] "r"(end)
               : "memory", "cc");
  to[0] = s0;
  to[1] = s1;
  to[2] = s2;
  to[3] = s3;
}
// clang-format on
#undef HEED_LOAD_NUMBER
#undef HEED_ONE_PRODUCT
#undef HEED_FOUR_PRODUCTS
#undef HEED_MORE_PRODUCTS
#undef HEED_FOUR
#undef HEED_EIGHT
#undef HEED_EIGHT_INPUTS
#undef HEED_ALL_INPUTS

}  // namespace heed::detail
