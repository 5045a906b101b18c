// SPDX-License-Identifier: MIT
//
// How the numbers of weights, keys and values are stored, and the values that a program names to have it: a program
// links the formats, the ring and the pages that it names, and no others.
#pragma once

#include <cstdint>

#include "heed/heed_format.h"
#include "heed/types.hpp"

namespace heed {

/// Inputs of a matrix, or channels of a key or a value, that share a scale in a type with groups.
inline constexpr std::uint32_t scale_group_size = HEED_SCALE_GROUP_SIZE;

/// Whether matrices are stored as a type whose rows are floats, and whose rows are integers.
[[nodiscard]] constexpr bool is_float_row_type(DataType type) noexcept {
  return type <= DataType::int4_groups;
}
[[nodiscard]] constexpr bool is_integer_row_type(DataType type) noexcept {
  return type == DataType::int8 || type == DataType::int8_multipliers || type == DataType::int4_multipliers;
}

/// Whether matrices are stored as a type, rows are rounded to one, and keys or values are stored as one.
[[nodiscard]] constexpr bool is_weight_type(DataType type) noexcept {
  return is_float_row_type(type) || is_integer_row_type(type);
}
[[nodiscard]] constexpr bool is_row_type(DataType type) noexcept {
  return type == DataType::float32 || type == DataType::int8 || type == DataType::int16;
}
[[nodiscard]] constexpr bool is_key_type(DataType type) noexcept {
  return type <= DataType::int8 || type == DataType::int4 || type == DataType::int8_channels ||
         type == DataType::int8_integer;
}
[[nodiscard]] constexpr bool is_value_type(DataType type) noexcept {
  return type <= DataType::int8 || type == DataType::int4 || type == DataType::int8_integer;
}

namespace detail {

/// Bytes of sixteen elements.
[[nodiscard]] constexpr std::uint32_t vector_bytes(DataType storage) noexcept {
  switch (storage) {
    case DataType::float32: return 64;
    case DataType::float16:
    case DataType::bfloat16:
    case DataType::int16: return 32;
    case DataType::int8:
    case DataType::int8_groups:
    case DataType::int8_channels:
    case DataType::int8_integer:
    case DataType::int8_multipliers: return 16;
    case DataType::int4_groups:
    case DataType::int4:
    case DataType::int4_multipliers: return 8;
  }
  return 0;
}

}  // namespace detail

/// What stores and reads numbers of one type. float32 needs none.
inline constexpr const Format& float16_weights = heed_float16_weights;
inline constexpr const Format& bfloat16_weights = heed_bfloat16_weights;
inline constexpr const Format& int8_weights = heed_int8_weights;
inline constexpr const Format& int8_group_weights = heed_int8_group_weights;
inline constexpr const Format& int4_group_weights = heed_int4_group_weights;

/// The same for weights whose products are computed in integers: their rows are rounded to int8 or int16.
inline constexpr const Format& int8_integer_weights = heed_int8_integer_weights;
inline constexpr const Format& int8_multiplier_weights = heed_int8_multiplier_weights;
inline constexpr const Format& int4_multiplier_weights = heed_int4_multiplier_weights;

/// Both for int8: of a layer or a block where some rows are rounded and others are floats.
inline constexpr const Format& int8_mixed_weights = heed_int8_mixed_weights;

inline constexpr const Format& float16_cache = heed_float16_cache;
inline constexpr const Format& bfloat16_cache = heed_bfloat16_cache;
inline constexpr const Format& int8_cache = heed_int8_cache;
inline constexpr const Format& int4_cache = heed_int4_cache;
inline constexpr const Format& int8_channel_keys = heed_int8_channel_keys;

/// Attention in integers.
inline constexpr const Format& int8_integer_cache = heed_int8_integer_cache;

/// What a cache does when every slot is in use and KvCacheConfig::ring is set: a token overwrites the oldest.
///
/// The first is all that prefill() and decode() of a layer need, without options that depend on positions: the newest
/// token sees every slot. The second is also for attention for which the order of a ring's slots matters: windows,
/// ALiBi, relative biases, query lengths, and attend() of several queries with a causal mask.
inline constexpr const KvRing& kv_ring = heed_kv_ring;
inline constexpr const KvRing& kv_ring_with_positions = heed_kv_ring_with_positions;

/// Sequences of a cache as pages that a table orders: AttentionInputs::page_table, MultiHeadConfig::max_pages.
inline constexpr const KvPages& kv_pages = heed_kv_pages;

}  // namespace heed
