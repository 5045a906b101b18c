// SPDX-License-Identifier: MIT
//
// How attention reads the keys and values of a cache.
#pragma once

#include <cstdint>

#include "attention/key_source.hpp"
#include "product/gemm.hpp"

namespace heed::detail {

/// The reader of every cache.
extern const KeyReader cache_reader;

/// Keys and values of a cache in any format, in one sequence or in pages. What is not stored as floats is dequantized
/// in registers for one row or two, and otherwise a few keys at a time, so that the floats never leave the first-level
/// cache.
extern const StoredKeys stored_keys;

/// Keys and values of int8_integer, likewise; products are computed in integers.
extern const StoredKeys integer_keys;

namespace integers {

/// multiply_keys() of integer_keys: rounds the rows of the product, in `staged`, and makes the scores of keys.
[[nodiscard]] std::uint32_t multiply_keys(const KeySource& source, std::uint32_t first, std::uint32_t wanted,
                                          float* staged, Gemm& product) noexcept;

}  // namespace integers

}  // namespace heed::detail
