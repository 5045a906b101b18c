// SPDX-License-Identifier: MIT
//
// How the numbers of weights, keys and values are stored, and the values that a program names to have it: a program
// links the formats, the ring and the pages that it names, and no others.
#pragma once

#include <cstdint>

#include "heed/detail/language.hpp"

namespace heed {

/// Inputs of a matrix, or channels of a key or a value, that share a scale in a type with groups.
inline constexpr std::uint32_t scale_group_size = 32;

/// How numbers are stored. q is an integer; a product q * scale is rounded to float32 once, where that is necessary.
enum class DataType : std::uint32_t {
  float32,        ///< as given
  float16,        ///< IEEE binary16, to nearest even; beyond its range infinity
  bfloat16,       ///< the upper half of a float, to nearest even
  int8,           ///< q * scale; a float32 scale for each output of a matrix, or for each token and kv head of a cache
  int8_groups,    ///< weights: q * scale, q in -128..127; a float16 scale for each output and group of 32 consecutive
                  ///< inputs, the last of which may be shorter; what GGUF calls Q8_0
  int4_groups,    ///< weights: the same with q in -8..7; what GGUF calls Q4_0
  int4,           ///< caches: q * scale, q in -7..7; a bfloat16 scale for each token, kv head and group of 32
                  ///< consecutive channels, the last of which may be shorter
  int8_channels,  ///< keys of a cache: q * scale, q in -127..127; a float32 scale for each kv head and channel, from
                  ///< KvCache::set_key_scales()
};

/// Whether matrices are stored as a type, and keys or values.
[[nodiscard]] constexpr bool is_weight_type(DataType type) noexcept {
  return type <= DataType::int4_groups;
}
[[nodiscard]] constexpr bool is_key_type(DataType type) noexcept {
  return type <= DataType::int8 || type == DataType::int4 || type == DataType::int8_channels;
}
[[nodiscard]] constexpr bool is_value_type(DataType type) noexcept {
  return type <= DataType::int8 || type == DataType::int4;
}

namespace detail {

/// Bytes of sixteen elements.
[[nodiscard]] constexpr std::uint32_t vector_bytes(DataType storage) noexcept {
  switch (storage) {
    case DataType::float32: return 64;
    case DataType::float16:
    case DataType::bfloat16: return 32;
    case DataType::int8:
    case DataType::int8_groups:
    case DataType::int8_channels: return 16;
    case DataType::int4_groups:
    case DataType::int4: return 8;
  }
  return 0;
}

}  // namespace detail

/// What stores and reads numbers of one type. float32 needs none. The objects have one name in both languages' linkers.
struct Format;

extern "C" {
extern const Format heed_float16_weights;
extern const Format heed_bfloat16_weights;
extern const Format heed_int8_weights;
extern const Format heed_int8_group_weights;
extern const Format heed_int4_group_weights;

extern const Format heed_float16_cache;
extern const Format heed_bfloat16_cache;
extern const Format heed_int8_cache;
extern const Format heed_int4_cache;
extern const Format heed_int8_channel_keys;
}

inline constexpr const Format& float16_weights = heed_float16_weights;
inline constexpr const Format& bfloat16_weights = heed_bfloat16_weights;
inline constexpr const Format& int8_weights = heed_int8_weights;
inline constexpr const Format& int8_group_weights = heed_int8_group_weights;
inline constexpr const Format& int4_group_weights = heed_int4_group_weights;

inline constexpr const Format& float16_cache = heed_float16_cache;
inline constexpr const Format& bfloat16_cache = heed_bfloat16_cache;
inline constexpr const Format& int8_cache = heed_int8_cache;
inline constexpr const Format& int4_cache = heed_int4_cache;
inline constexpr const Format& int8_channel_keys = heed_int8_channel_keys;

/// What a cache does when every slot is in use and KvCacheConfig::ring is set: a token overwrites the oldest.
struct KvRing;

/// All that prefill() and decode() of a layer need, without options that depend on positions: the newest token sees
/// every slot.
extern "C" const KvRing heed_kv_ring;
inline constexpr const KvRing& kv_ring = heed_kv_ring;

/// Also attention for which the order of a ring's slots matters: windows, ALiBi, relative biases, query lengths, and
/// attend() of several queries with a causal mask.
extern "C" const KvRing heed_kv_ring_with_positions;
inline constexpr const KvRing& kv_ring_with_positions = heed_kv_ring_with_positions;

/// Sequences of a cache as pages that a table orders: AttentionInputs::page_table, MultiHeadConfig::max_pages.
struct KvPages;
extern "C" const KvPages heed_kv_pages;
inline constexpr const KvPages& kv_pages = heed_kv_pages;

/// How a cache stores, beyond float32 in the slots of a sequence. What a plan needs and a program has not named is
/// refused (missing_format).
struct KvStorage {
  const Format* formats[3] = {};   ///< of keys, of values and of cross-attention, in any order; each once
  const KvRing* ring = nullptr;    ///< null: none
  const KvPages* pages = nullptr;  ///< null: none
};

}  // namespace heed
