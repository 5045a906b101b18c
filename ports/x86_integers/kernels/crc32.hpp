// SPDX-License-Identifier: MIT
//
// Sixteen bytes at a time, each looked up in a table of its own: the time of half a byte is that of four bytes. Tables
// of 16 KiB are nothing here, where model files have hundreds of megabytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {
inline namespace heed_own_code {

inline constexpr std::size_t crc32_step_bytes = 16;

/// of[b][v]: what is left of the byte v when b more bytes have followed it.
struct Crc32Tables {
  std::uint32_t of[crc32_step_bytes][256];
};

inline constexpr Crc32Tables crc32_tables = [] {
  Crc32Tables tables{};
  for (std::uint32_t value = 0; value < 256; ++value) {
    std::uint32_t left = value;
    for (int bit = 0; bit < 8; ++bit) left = left >> 1 ^ (0xEDB88320U & (0U - (left & 1)));
    tables.of[0][value] = left;
  }
  for (std::size_t behind = 1; behind < crc32_step_bytes; ++behind) {
    for (std::uint32_t value = 0; value < 256; ++value) {
      const std::uint32_t left = tables.of[behind - 1][value];
      tables.of[behind][value] = left >> 8 ^ tables.of[0][left & 255];
    }
  }
  return tables;
}();

/// What is left of four bytes, the last of which `behind` bytes follow.
[[nodiscard]] inline std::uint32_t crc32_of_word(std::uint32_t word, std::size_t behind) noexcept {
  return crc32_tables.of[behind + 3][word & 255] ^ crc32_tables.of[behind + 2][word >> 8 & 255] ^
         crc32_tables.of[behind + 1][word >> 16 & 255] ^ crc32_tables.of[behind][word >> 24];
}

[[nodiscard]] inline std::uint32_t add_to_crc32(std::uint32_t sum, const std::byte* bytes, std::size_t count) noexcept {
  for (; count >= crc32_step_bytes; count -= crc32_step_bytes, bytes += crc32_step_bytes) {
    std::uint32_t words[crc32_step_bytes / sizeof(std::uint32_t)];
    __builtin_memcpy(words, bytes, sizeof words);
    sum = crc32_of_word(words[0] ^ sum, 12) ^ crc32_of_word(words[1], 8) ^ crc32_of_word(words[2], 4) ^
          crc32_of_word(words[3], 0);
  }
  for (std::size_t i = 0; i < count; ++i) {
    sum = sum >> 8 ^ crc32_tables.of[0][(sum ^ static_cast<std::uint32_t>(bytes[i])) & 255];
  }
  return sum;
}

}  // namespace heed_own_code
}  // namespace heed::detail
