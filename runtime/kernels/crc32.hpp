// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {
inline namespace heed_own_code {

/// What is left of four bits, after which the others move down.
inline constexpr std::uint32_t crc32_steps[16] = {
    0x00000000U, 0x1DB71064U, 0x3B6E20C8U, 0x26D930ACU, 0x76DC4190U, 0x6B6B51F4U, 0x4DB26158U, 0x5005713CU,
    0xEDB88320U, 0xF00F9344U, 0xD6D6A3E8U, 0xCB61B38CU, 0x9B64C2B0U, 0x86D3D2D4U, 0xA00AE278U, 0xBDBDF21CU};

/// The CRC-32 of IEEE 802.3 over more bytes, from `sum`, which begins as ~0 and ends as the complement of the result.
/// Half a byte at a time: a table of 64 bytes.
[[nodiscard]] inline std::uint32_t add_to_crc32(std::uint32_t sum, const std::byte* bytes, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    sum ^= static_cast<std::uint32_t>(bytes[i]);
    sum = sum >> 4 ^ crc32_steps[sum & 15];
    sum = sum >> 4 ^ crc32_steps[sum & 15];
  }
  return sum;
}

}  // namespace heed_own_code
}  // namespace heed::detail
