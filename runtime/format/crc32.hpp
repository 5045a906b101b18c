// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

/// The CRC-32 of IEEE 802.3, as zlib's crc32() computes it.
[[nodiscard]] std::uint32_t crc32(const std::byte* bytes, std::size_t count) noexcept;

}  // namespace heed::detail
