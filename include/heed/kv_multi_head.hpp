// SPDX-License-Identifier: MIT
//
// The multi-head layer over a KvCache: keys and values in fewer bytes, in a ring that lets a stream run forever, or in
// blocks that batch entries share. A name and objects of its own, so that a program with plain floats links none of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/kv_cache.hpp"
#include "heed/multi_head.hpp"
#include "heed/multi_head_plan.hpp"
#include "heed/status.hpp"

namespace heed {

/// MultiHeadConfig, and the further members of KvCacheConfig.
struct KvMultiHeadConfig {
  std::uint32_t model_dim = 0;       ///< width of the input that queries come from, 1..65536
  std::uint32_t heads = 1;           ///< query heads
  std::uint32_t kv_heads = 0;        ///< key and value heads; heads is a multiple of it; 0 means heads
  std::uint32_t head_dim = 0;        ///< length of a query and of a key; 0 means model_dim / heads, without a remainder
  std::uint32_t value_dim = 0;       ///< length of a value; 0 means head_dim
  std::uint32_t kv_input_dim = 0;    ///< width of the input that keys and values come from; 0 means model_dim
  std::uint32_t output_dim = 0;      ///< width of the output; 0 means model_dim
  std::uint32_t max_keys = 0;        ///< tokens that the cache holds per sequence or block, 1..2^30
  std::uint32_t max_sequences = 1;   ///< independent token streams, or blocks, in the cache
  std::uint32_t workers = 1;         ///< as in MultiHeadConfig
  std::uint32_t scratch_budget = 0;  ///< as in MultiHeadConfig
  DataType key_type = DataType::float32;  ///< of keys and of values
  DataType value_type = DataType::float32;
  bool key_scales_per_channel = false;  ///< int8 keys only; cache().set_key_scales() comes before the first token
  bool ring = false;                    ///< once every slot is in use, a token overwrites the oldest
  std::uint32_t sink_tokens = 0;        ///< ring only: the first tokens, never overwritten; below max_keys
  std::uint32_t max_blocks = 0;         ///< columns of a block table, whose blocks hold max_keys tokens, a multiple of
                                        ///< 16, each; not in a ring; 0: no block tables
  WeightType weight_type = WeightType::float32;  ///< of the four projections
};

namespace detail {

template <>
struct LayerTypes<KvCache> {
  using Config = KvMultiHeadConfig;
  using CachePlan = KvCachePlan;
};

}  // namespace detail

using KvMultiHeadPlan = LayerPlan<KvCache>;

/// Writes the plan of a configuration, or a status that says why there is none and leaves `plan` as it was. As for
/// MultiHeadConfig, and bad_option: what a KvCachePlan refuses; a block table in a ring, or with max_keys no multiple
/// of 16; or values in fewer bits that are longer than sixteen keys.
template <class Say = detail::Unexplained>
[[nodiscard]] constexpr Status make_plan(KvMultiHeadConfig config, KvMultiHeadPlan& plan, Say say = {}) noexcept {
  Status status = detail::complete(config, say);
  if (status != Status::ok) return status;
  KvMultiHeadPlan made{.config = config};
  status = make_plan(
      KvCacheConfig{config.max_sequences, config.kv_heads, config.head_dim, config.value_dim, config.max_keys,
                    config.key_type, config.value_type, config.key_scales_per_channel, config.ring, config.sink_tokens},
      made.cache, say);
  if (status != Status::ok) return status;
  std::uint64_t most_keys = config.max_keys;
  if (config.max_blocks != 0) {
    if (config.ring) return say(Status::bad_option, "max_blocks", config.max_blocks, 0, 0, "is not for rings");
    if (config.max_keys % panel_width != 0) {
      return say(Status::bad_option, "max_keys", config.max_keys, panel_width, max_rows,
                 "must be a multiple of 16 where there are max_blocks");
    }
    most_keys *= config.max_blocks;
    if (most_keys > max_rows) {
      return say(Status::too_large, "max_blocks", config.max_blocks, 0, max_rows / config.max_keys,
                 "blocks of max_keys tokens hold at most 2^30");
    }
  }
  status = detail::plan_around_cache(made, static_cast<std::uint32_t>(most_keys), say);
  if (status != Status::ok) return status;
  if (config.value_type != DataType::float32 &&
      std::uint64_t{made.attention.staged_keys} * config.head_dim < made.cache.value_width) {
    return say(Status::bad_option, "value_type", config.value_type, 0, 0,
               "must be float32 where a value is longer than sixteen keys");
  }
  plan = made;
  return Status::ok;
}

/// The plan of a configuration known at compile time. A bad configuration does not compile.
[[nodiscard]] consteval KvMultiHeadPlan plan(const KvMultiHeadConfig& config) {
  KvMultiHeadPlan made;
  detail::require(make_plan(config, made));
  return made;
}

namespace detail {

[[nodiscard]] Status pack_float_weights(const KvMultiHeadPlan& plan, const MultiHeadWeights& weights,
                                        std::span<std::byte> packed) noexcept;
[[nodiscard]] Status pack_rounded_weights(const KvMultiHeadPlan& plan, const MultiHeadWeights& weights,
                                          std::span<std::byte> packed) noexcept;

}  // namespace detail

/// As for a MultiHeadPlan; packed weights serve either layer of the same dimensions and type.
[[nodiscard]] MultiHeadWeights split_packed(const KvMultiHeadPlan& plan, const float* input_weight,
                                            const float* input_bias, const float* output_weight,
                                            const float* output_bias) noexcept;
[[nodiscard, gnu::always_inline]] inline Status pack_weights(const KvMultiHeadPlan& plan,
                                                             const MultiHeadWeights& weights,
                                                             std::span<std::byte> packed) noexcept {
  return plan.config.weight_type == WeightType::float32 ? detail::pack_float_weights(plan, weights, packed)
                                                        : detail::pack_rounded_weights(plan, weights, packed);
}

/// The calls of MultiHeadLayer with a KvCache under them. With float32 and without a ring or blocks, the bits are those
/// of MultiHeadAttention; with other types, those of attention over the floats that the cache decodes to.
///
/// In a ring, a token attends over what the ring holds once that token has been appended: prefill() of many tokens has
/// the bits of decode() of each. Masks and biases [.., keys], key_lengths and scores are indexed by slot; causal masks,
/// windows, ALiBi and relative biases use positions, as KvCacheView says, and so does RoPE:
/// keys are stored rotated. ring_wrapped: a call of more than one token overwrites others and has key_lengths,
/// query_lengths or prefix_lengths, which would count tokens that are gone, or not there yet.
///
/// With a block table, token t of batch entry b lies in block block_table[b][t / max_keys], slot t % max_keys. A call
/// appends after the past_lengths[b] tokens of entry b, in order, and keeps no state of its own: every block before
/// that is full, the one that is begun holds past_lengths[b] % max_keys tokens, and those after it are empty
/// (bad_length otherwise); encode() counts past_lengths as 0 and empties the blocks that it fills. Entries may share
/// blocks that are read, not one that is appended to (bad_sequence, and for a block that the cache does not have).
/// cache_full: more than max_blocks blocks are needed. sequence_ids is not read; key_lengths is null (bad_option).
///
/// Scales per channel: bad_scale, they are not set; not_finite, a projected key is infinite or NaN, which is known only
/// after scratch has been written. Where that would be too late, a call first projects its keys one extra time.
using KvMultiHeadAttention = MultiHeadLayer<KvCache>;

}  // namespace heed
