// SPDX-License-Identifier: MIT
#include "format/crc32.hpp"

#include <kernels/crc32.hpp>

namespace heed::detail {

std::uint32_t crc32(const std::byte* bytes, std::size_t count) noexcept {
  return ~add_to_crc32(~0U, bytes, count);
}

}  // namespace heed::detail
