// SPDX-License-Identifier: MIT
//
// What a KvCache holds, as the floats that the kernels read. Slots that are not in use give any numbers.
#pragma once

#include <cstdint>

#include "heed/kv_cache.hpp"

namespace heed::detail {

/// Float panels [panels, head_dim, 16] of the keys from slot `first_key` on, a multiple of 16: the cache's own memory
/// for float32, otherwise `staged`, filled.
[[nodiscard]] const float* dequantize_keys(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                                           std::uint32_t first_key, std::uint32_t panels, float* staged) noexcept;

/// Float rows [keys, value_width] of the values from slot `first_key` on, likewise.
[[nodiscard]] const float* dequantize_values(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                                             std::uint32_t first_key, std::uint32_t keys, float* staged) noexcept;

}  // namespace heed::detail
