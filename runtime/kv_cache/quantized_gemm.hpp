// SPDX-License-Identifier: MIT
//
// The products of a key block with the numbers of a KvCache, decoded in registers.
#pragma once

#include <cstdint>

#include "gemm/multiply.hpp"
#include "heed/kv_cache.hpp"

namespace heed::detail {

/// Whether a product of so many rows decodes as it goes; otherwise dequantize_keys() and dequantize_values() write
/// floats first.
[[nodiscard]] bool decodes_in_registers(DataType storage, std::uint32_t rows) noexcept;

/// Scores of the panels from slot `first_key` on, a multiple of 16. product.b and its strides are set here.
void multiply_quantized_keys(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                             std::uint32_t first_key, Gemm product) noexcept;

/// The weighted sum of the values from slot `first_key` on, likewise; rows of C have room for value_width columns.
void multiply_quantized_values(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                               std::uint32_t first_key, Gemm product) noexcept;

}  // namespace heed::detail
