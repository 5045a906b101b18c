// SPDX-License-Identifier: MIT
#include "common/crc32.hpp"

namespace heed::detail {

std::uint32_t crc32(const std::byte* bytes, std::size_t count) noexcept {
  // Half a byte at a time: a table of 64 bytes.
  static constexpr std::uint32_t steps[16] = {
      0x00000000U, 0x1DB71064U, 0x3B6E20C8U, 0x26D930ACU, 0x76DC4190U, 0x6B6B51F4U, 0x4DB26158U, 0x5005713CU,
      0xEDB88320U, 0xF00F9344U, 0xD6D6A3E8U, 0xCB61B38CU, 0x9B64C2B0U, 0x86D3D2D4U, 0xA00AE278U, 0xBDBDF21CU};
  std::uint32_t sum = ~0U;
  for (std::size_t i = 0; i < count; ++i) {
    sum ^= static_cast<std::uint32_t>(bytes[i]);
    sum = sum >> 4 ^ steps[sum & 15];
    sum = sum >> 4 ^ steps[sum & 15];
  }
  return ~sum;
}

}  // namespace heed::detail
