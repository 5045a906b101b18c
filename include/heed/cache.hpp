// SPDX-License-Identifier: MIT
//
// Keys and values of the tokens so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/attention.hpp"
#include "heed/format.hpp"
#include "heed/heed_cache.h"
#include "heed/types.hpp"

namespace heed {

struct Rotary;

namespace detail {
struct KeyReader;
struct CacheAccess;
}  // namespace detail

// Storing rounds as defined here, to the bit; reading is exact, so attention over a cache has the bits of attention
// over the dequantized floats. float16 and bfloat16 are rounded to nearest even: up to 2^-25 (3e-8) a float16 becomes
// 0, and beyond its range a number infinite. With m the greatest magnitude that shares a scale:
//   int8: scale = the least float32 whose low 8 bits are 0 with 127 * scale >= m;  q in -127..127
//   int4: scale = the least bfloat16 with 7 * scale >= m;                          q in -7..7
// and q = x / scale (the IEEE-754 quotient) rounded to nearest even. If m is 0, so are scale and q. The bits that a
// scale lacks are those that the exact product q * scale needs. NaN or infinity makes the scale NaN and every q 0: what
// shares that scale is dequantized to NaN, and nothing else changes. Where m is within 2^-15 (int8) or 2^-7 (int4) of
// the greatest float, q * scale may come out as infinity.

/// Most tokens that a sequence counts; reachable only in ring mode.
inline constexpr std::uint32_t max_tokens = HEED_MAX_TOKENS;

namespace detail {

/// Bytes of the scales of one token in one head.
[[nodiscard]] constexpr std::uint32_t token_scale_bytes(DataType storage, std::uint32_t dim) noexcept {
  if (storage == DataType::int8 || storage == DataType::int8_integer) return sizeof(float);
  return storage == DataType::int4 ? (dim + scale_group_size - 1) / scale_group_size * sizeof(std::uint16_t) : 0;
}

}  // namespace detail

/// Writes the plan of a configuration, or a status that says why there is none and leaves `plan` as it was:
/// zero_dimension, too_large, or bad_option: no such type of keys or values, or sink tokens without a ring or as many
/// as its slots.
template <class Say = detail::Unexplained>
[[nodiscard]] constexpr Status make_plan(KvCacheConfig config, KvCachePlan& plan, Say say = {}) noexcept {
  if (config.max_sequences == 0) config.max_sequences = 1;
  if (config.kv_heads == 0) config.kv_heads = 1;
  if (config.value_dim == 0) config.value_dim = config.head_dim;
  if (config.max_keys == 0) return say(Status::zero_dimension, "max_keys", 0, 1, max_rows);
  const Status status = detail::check_heads(config.kv_heads, config.kv_heads, config.head_dim, config.value_dim, say);
  say.rename("heads", "kv_heads");
  if (status != Status::ok) return status;
  if (config.max_sequences > max_rows)
    return say(Status::too_large, "max_sequences", config.max_sequences, 1, max_rows);
  if (config.max_keys > max_rows) return say(Status::too_large, "max_keys", config.max_keys, 1, max_rows);
  if (!is_key_type(config.key_type)) {
    return say(Status::bad_option, "key_type", config.key_type, 0, 11, "is not a type of keys");
  }
  if (!is_value_type(config.value_type)) {
    return say(Status::bad_option, "value_type", config.value_type, 0, 11, "is not a type of values");
  }
  const bool integers = config.key_type == DataType::int8_integer;
  if (integers != (config.value_type == DataType::int8_integer)) {
    return say(Status::bad_option, "value_type", config.value_type, 0, 0, "must be int8_integer where key_type is");
  }
  config.ring = config.ring != 0 ? 1 : 0;
  if (config.sink_tokens != 0 && config.ring == 0) {
    return say(Status::bad_option, "sink_tokens", config.sink_tokens, 0, 0, "is for rings alone");
  }
  if (config.sink_tokens != 0 && config.sink_tokens >= config.max_keys) {
    return say(Status::bad_option, "sink_tokens", config.sink_tokens, 0, config.max_keys - 1);
  }

  KvCachePlan made{.config = config};
  made.key_panels = static_cast<std::uint32_t>(round_up(config.max_keys, panel_width) / panel_width);
  made.value_width = static_cast<std::uint32_t>(round_up(config.value_dim, panel_width));
  const auto channels = static_cast<std::uint32_t>(integers ? round_up(config.head_dim, 8) : config.head_dim);
  made.key_panel_bytes = channels * detail::vector_bytes(config.key_type);
  made.value_row_bytes = made.value_width / panel_width * detail::vector_bytes(config.value_type);
  made.key_scale_bytes = panel_width * detail::token_scale_bytes(config.key_type, config.head_dim);
  made.value_scale_bytes = detail::token_scale_bytes(config.value_type, config.value_dim);

  const std::uint64_t streams = std::uint64_t{config.max_sequences} * config.kv_heads;
  const std::uint64_t panels = made.key_panels;
  const std::uint64_t rows = integers ? round_up(config.max_keys, panel_width) : config.max_keys;
  Layout layout;
  made.states = layout.add(RegionName::sequence_lengths, config.max_sequences, 1, sizeof(std::uint32_t));
  made.keys = layout.add(RegionName::cached_keys, streams, panels * made.key_panel_bytes, 1);
  made.values = layout.add(RegionName::cached_values, streams, rows * made.value_row_bytes, 1);
  made.key_scales = config.key_type == DataType::int8_channels
                        ? layout.add(RegionName::key_scales, config.kv_heads, config.head_dim, sizeof(float))
                        : layout.add(RegionName::key_scales, streams, panels * made.key_scale_bytes, 1);
  made.value_scales = layout.add(RegionName::value_scales, streams, rows * made.value_scale_bytes, 1);
  if (!layout.fits()) return detail::sizes_too_large(say);
  made.bytes = layout.bytes();
  plan = made;
  return Status::ok;
}

/// The plan of a configuration known at compile time. A bad configuration does not compile.
[[nodiscard]] consteval KvCachePlan plan(const KvCacheConfig& config) {
  KvCachePlan made{};
  detail::require(make_plan(config, made));
  return made;
}

/// Keys and values of the tokens so far, in the caller's memory and in the layout the kernels read. The object itself
/// is pointers, to its plan, which outlives it, to the memory, where all state lies, and to how it stores: copy it
/// freely.
///
/// Token t lies in slot t. In a ring it lies in slot t < sink_tokens ? t : sink_tokens + (t - sink_tokens) % (max_keys
/// - sink_tokens): appending moves nothing.
class KvCache {
 public:
  /// Binds the memory (at least plan.bytes on a 64-byte boundary) and empties every sequence. Scales per channel are
  /// not set then. not_initialised: the plan is empty; null_pointer, arena_too_small, arena_misaligned: the memory;
  /// missing_format: `storage` does not name a type of the plan, or its ring.
  [[nodiscard]] Status init(const KvCachePlan& plan, std::span<std::byte> memory,
                            const KvStorage& storage = {}) noexcept;

  /// Binds memory that already holds a cache of this plan, a restored snapshot for example, and writes nothing.
  /// As init(), and bad_state: a sequence has more tokens than it can count (max_keys, in a ring max_tokens), scales
  /// per channel are such as set_key_scales() never writes, or of DataType::int8_integer the scale of a value is
  /// negative (-0 is) or infinite. Other scales may be any floats. The memory is not checked again later.
  [[nodiscard]] Status bind(const KvCachePlan& plan, std::span<std::byte> memory,
                            const KvStorage& storage = {}) noexcept;

  /// The plan outlives the object.
  template <class... Memories>
  Status init(const KvCachePlan&& plan, Memories&&... memories) = delete;
  template <class... Memories>
  Status bind(const KvCachePlan&& plan, Memories&&... memories) = delete;

  /// Sets the scales of DataType::int8_channels: [kv_heads, head_dim], each rounded up to a float whose low 8 bits are
  /// 0. Keys of the channel are stored as q = x / scale, rounded to nearest even and clamped to -127..127; 0 for a
  /// scale of 0.
  ///
  /// not_initialised, null_pointer. plan_mismatch: the plan has no scales per channel. not_empty: a sequence holds
  /// tokens. bad_length: not that many scales. bad_scale: a scale is below 0, or 127 times it, rounded up, is not
  /// finite.
  [[nodiscard]] Status set_key_scales(std::span<const float> scales) noexcept;

  /// Appends `tokens` keys and values to one sequence. Of both tensors, batch entry 0 is read:
  /// key [1, kv_heads, tokens, head_dim], value [1, kv_heads, tokens, value_dim].
  ///
  /// append_rotated() of heed/positions.hpp rotates the keys first. Statuses: not_initialised, bad_sequence,
  /// null_pointer, bad_stride; cache_full: no room for all of them, and not a ring. too_large: more than max_tokens in
  /// a ring. With scales per channel, bad_scale: they are not set; not_finite: a key is NaN or infinite, which int8
  /// cannot represent.
  [[nodiscard]] Status append(std::uint32_t sequence, std::uint32_t tokens, const ConstTensor& key,
                              const ConstTensor& value) noexcept;

  /// Removes the tokens from number `length` on; 0..tokens(sequence). A ring that has overwritten tokens goes back to
  /// sink_tokens or less, where none is missing. not_initialised, bad_sequence; bad_length: more, or overwritten since.
  [[nodiscard]] Status truncate(std::uint32_t sequence, std::uint32_t length) noexcept;

  /// Removes all tokens of one sequence. not_initialised, bad_sequence.
  [[nodiscard]] Status reset(std::uint32_t sequence) noexcept { return truncate(sequence, 0); }

  /// Slots in use, from slot 0 on; 0 for a sequence that does not exist.
  [[nodiscard]] std::uint32_t length(std::uint32_t sequence) const noexcept;

  /// Tokens appended so far, including those that a ring has overwritten; 0 for a sequence that does not exist.
  [[nodiscard]] std::uint32_t tokens(std::uint32_t sequence) const noexcept;

  /// The number of the token in a slot below length(sequence); the arguments are not checked.
  [[nodiscard]] std::uint32_t position(std::uint32_t sequence, std::uint32_t slot) const noexcept;

  [[nodiscard]] bool initialised() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] const KvCachePlan& plan() const noexcept { return *plan_; }

  /// The memory, which the plan's regions divide.
  [[nodiscard]] const std::byte* memory() const noexcept { return memory_; }

 private:
  friend class MultiHeadAttention;
  friend struct detail::CacheAccess;

  /// bind() to memory that was bound before, so that nothing is checked.
  void place(const KvCachePlan& plan, std::byte* memory, const KvStorage& storage) noexcept;
  /// Empties every sequence, and forgets scales per channel.
  void clear() noexcept;

  const KvCachePlan* plan_ = nullptr;
  std::byte* memory_ = nullptr;
  const detail::KeyReader* reader_ = nullptr;  ///< what attention does with it
  const Format* key_format_ = nullptr;         ///< null: float32
  const Format* value_format_ = nullptr;       ///< null: float32
  const KvRing* ring_ = nullptr;               ///< null: none
  const KvPages* pages_ = nullptr;             ///< null: none
};

}  // namespace heed
