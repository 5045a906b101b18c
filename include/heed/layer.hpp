// SPDX-License-Identifier: MIT
//
// The multi-head layer: four projections around the attention, over a cache that it owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/attention.hpp"
#include "heed/cache.hpp"
#include "heed/detail/layer_plan.hpp"
#include "heed/detail/linked_code.hpp"
#include "heed/heed_layer.h"
#include "heed/linear.hpp"
#include "heed/options.hpp"
#include "heed/positions.hpp"
#include "heed/types.hpp"

namespace heed {

/// Writes the plan of a configuration, or a status that says why there is none and leaves `plan` as it was:
/// zero_dimension; heads_not_divisible: heads is no multiple of kv_heads, or, with a head_dim of 0, model_dim none of
/// heads; too_large; bad_workers; bad_option: no such type of weights; what a KvCachePlan refuses; a page table in a
/// ring, or with max_keys no multiple of 16; or values that are not float32 and longer than sixteen keys.
template <class Say = detail::Unexplained>
[[nodiscard]] constexpr Status make_plan(MultiHeadConfig config, MultiHeadPlan& plan, Say say = {}) noexcept {
  Status status = detail::complete(config, say);
  if (status != Status::ok) return status;
  MultiHeadPlan made{.config = config};
  status =
      make_plan(KvCacheConfig{config.max_sequences, config.kv_heads, config.head_dim, config.value_dim, config.max_keys,
                              config.sink_tokens, config.key_type, config.value_type, config.ring},
                made.cache, say);
  if (status != Status::ok) return status;
  made.config.ring = made.cache.config.ring;
  std::uint64_t most_keys = config.max_keys;
  if (config.max_pages != 0) {
    if (config.ring != 0) return say(Status::bad_option, "max_pages", config.max_pages, 0, 0, "is not for rings");
    if (config.max_keys % panel_width != 0) {
      return say(Status::bad_option, "max_keys", config.max_keys, panel_width, max_rows,
                 "must be a multiple of 16 where there are max_pages");
    }
    most_keys *= config.max_pages;
    if (most_keys > max_rows) {
      return say(Status::too_large, "max_pages", config.max_pages, 0, max_rows / config.max_keys,
                 "pages of max_keys tokens hold at most 2^30");
    }
  }
  status = detail::plan_around_cache(made, static_cast<std::uint32_t>(most_keys), say);
  if (status != Status::ok) return status;
  if (config.value_type != DataType::float32 && config.value_type != DataType::int8_integer &&
      std::uint64_t{made.attention.staged_keys} * config.head_dim < made.cache.value_width) {
    return say(Status::bad_option, "value_type", config.value_type, 0, 0,
               "must be float32 where a value is longer than sixteen keys");
  }
  plan = made;
  return Status::ok;
}

/// The plan of a configuration known at compile time. A bad configuration does not compile.
[[nodiscard]] consteval MultiHeadPlan plan(const MultiHeadConfig& config) {
  MultiHeadPlan made;
  detail::require(make_plan(config, made));
  return made;
}

/// Views of one packed matrix [W_Q; W_K; W_V] and its bias (PyTorch: in_proj_weight, in_proj_bias). The three share
/// their input, so kv_input_dim must equal model_dim. Null stays null; nothing is refused.
[[nodiscard]] MultiHeadWeights split_packed(const MultiHeadPlan& plan, const float* input_weight,
                                            const float* input_bias, const float* output_weight,
                                            const float* output_bias) noexcept;

namespace detail {

/// pack_weights() of float32 and of the other types, apart, because only the latter need code that rounds.
[[nodiscard]] Status pack_float_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                                        std::span<std::byte> packed) noexcept;
[[nodiscard]] Status pack_rounded_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                                          std::span<std::byte> packed) noexcept;

}  // namespace detail

/// Writes the weights into `packed` (at least plan.weights_bytes on a 64-byte boundary) in the layout the kernels read.
/// Done once, on the device or offline; the bytes are the same on every little-endian machine, and for every plan of
/// the same dimensions and type. pack_linear() says how they are rounded. not_initialised: the plan is empty.
/// null_pointer: one of the four weights, or `packed`. arena_too_small, arena_misaligned: `packed`. bad_scale: one of
/// the four is too small for its type. Nothing is written then.
[[nodiscard, gnu::always_inline]] inline Status pack_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                                                             std::span<std::byte> packed) noexcept {
  // Where the plan is a constant, only one of the two is linked.
  return plan.config.weight_type == DataType::float32 ? detail::pack_float_weights(plan, weights, packed)
                                                      : detail::pack_rounded_weights(plan, weights, packed);
}

namespace detail {

/// What happens to the cache before the queries look at it.
enum class CacheUpdate : std::uint8_t { nothing, append, replace };

/// An arena as its two parts, of which a short one has too few bytes.
struct LayerMemories {
  std::span<std::byte> state;
  std::span<std::byte> scratch;
};

[[nodiscard]] constexpr LayerMemories split_arena(std::span<std::byte> arena, std::size_t state_bytes) noexcept {
  const std::size_t first = arena.size() < state_bytes ? arena.size() : state_bytes;
  return {arena.first(first), arena.subspan(first)};
}

/// What a layer's plan has a use for (heed/detail/linked_code.hpp).
[[nodiscard, gnu::always_inline]] constexpr const LinkedCode* code_of(const MultiHeadPlan& plan) noexcept {
  if (!is_known(plan.attention.config.integers != 0)) return &float_attention_code;
  return is_known(plan.config.weight_type != DataType::float32) ? nullptr : &float_product_code;
}

template <class Extras>
struct BlockPass;
struct LayerRotary;
struct LayerExtras;

}  // namespace detail

struct MultiHeadOptions;
class TransformerBlock;

/// A multi-head attention layer: Q = X W_Q, K = M W_K, V = M W_V, each head attends, Concat(head_1..head_h) W_O
/// (arXiv:1706.03762, section 3.2.2). M is X itself, or another sequence for cross-attention. Keys and values live in
/// the cache, in the state.
///
/// Every call checks all that it is given before it writes. Any of them returns
///   not_initialised  init() has not succeeded
///   zero_dimension, too_large  batch or tokens is 0 or above its limit; too_large, too: a ring would have counted more
///                    than max_tokens tokens
///   bad_sequence     a sequence is not in the cache, or two batch entries append to one
///   cache_full       the tokens do not fit; encode() needs all of them in the cache at once, in a ring, too
///   null_pointer, bad_stride  of the tensors; an optional one may be null
/// and those that attend
///   overlap          the output begins where the input does, and goes on with another stride
///   bad_scale        `scale` is outside its range
///   bad_length       a key length is more than the keys that there are
///   bad_option       an option has no such value
///   plan_mismatch    prefill() and encode() of a layer whose kv_input_dim is not model_dim; a page table for a plan
///                    without pages
/// Calls with options return what options.hpp says, too.
///
/// Over a cache in few bits, the bits are those of attention over the dequantized floats.
///
/// In a ring, a token attends over what the ring holds once that token has been appended: prefill() of many tokens has
/// the bits of decode() of each. Masks and biases [.., keys], key_lengths and scores are indexed by slot; causal masks,
/// windows, ALiBi and relative biases use positions, as AttentionInputs says, and so does RoPE: keys are stored
/// rotated. ring_wrapped: a call of more than one token overwrites others and has key_lengths, query_lengths or
/// prefix_lengths, which would count tokens that are gone, or not there yet. missing_format: the call needs
/// kv_ring_with_positions.
///
/// With a page table, token t of batch entry b lies in page page_table[b][t / max_keys], slot t % max_keys. A call
/// appends after the past_lengths[b] tokens of entry b, in order, and keeps no state of its own: every page before
/// that is full, the one that is begun holds past_lengths[b] % max_keys tokens, and those after it are empty
/// (bad_length otherwise); encode() counts past_lengths as 0 and empties the pages that it fills. Entries may share
/// pages that are read, not one that is appended to (bad_sequence, and for a page that the cache does not have).
/// cache_full: more than max_pages pages are needed. sequence_ids is not read; key_lengths is null (bad_option).
///
/// Keys of DataType::int8_channels: bad_scale, their scales are not set; not_finite, a projected key is infinite or
/// NaN, which is known only after scratch has been written. Where that would be too late, a call first projects its
/// keys one extra time.
class MultiHeadAttention {
 public:
  /// Binds state (at least plan.state_bytes), scratch (plan.scratch_bytes) and packed weights (plan.weights_bytes),
  /// each on a 64-byte boundary, and empties the cache. The memories do not overlap. Scratch may lie anywhere, in
  /// tightly coupled memory for example, and may be shared by all that do not run at the same time.
  ///
  /// not_initialised: the plan is empty. null_pointer, arena_too_small, arena_misaligned: one of the memories.
  /// overlap: two of them share a byte of those that the plan counts. wrong_weights: they were packed for other
  /// dimensions, type or byte order. missing_format: their format is not that of plan.config.weight_type, or
  /// `storage` does not name what the cache needs. bad_float_environment: without floats in hardware, the program's
  /// functions for them are not IEEE's.
  [[nodiscard]] Status init(const MultiHeadPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                            const PackedWeights& packed_weights, const KvStorage& storage = {}) noexcept {
    return init(plan, detail::LayerMemories{state, scratch}, packed_weights, storage, detail::code_of(plan));
  }

  /// The same, but keeps what the state already holds, as the cache's bind() does, and writes nothing. bad_state, too.
  [[nodiscard]] Status bind(const MultiHeadPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                            const PackedWeights& packed_weights, const KvStorage& storage = {}) noexcept {
    return bind(plan, detail::LayerMemories{state, scratch}, packed_weights, storage, detail::code_of(plan));
  }

  /// The two above with one arena (at least plan.bytes on a 64-byte boundary): state, then scratch.
  [[nodiscard]] Status init(const MultiHeadPlan& plan, std::span<std::byte> arena, const PackedWeights& packed_weights,
                            const KvStorage& storage = {}) noexcept {
    return init(plan, detail::split_arena(arena, plan.state_bytes), packed_weights, storage, detail::code_of(plan));
  }
  [[nodiscard]] Status bind(const MultiHeadPlan& plan, std::span<std::byte> arena, const PackedWeights& packed_weights,
                            const KvStorage& storage = {}) noexcept {
    return bind(plan, detail::split_arena(arena, plan.state_bytes), packed_weights, storage, detail::code_of(plan));
  }

  /// The plan outlives the object.
  template <class... Memories>
  Status init(const MultiHeadPlan&& plan, Memories&&... memories) = delete;
  template <class... Memories>
  Status bind(const MultiHeadPlan&& plan, Memories&&... memories) = delete;

  /// Projects input [batch, tokens, kv_input_dim] and appends the keys and values to the cache. Of the inputs, batch,
  /// tokens, input, sequence_ids, page_table and past_lengths are read.
  [[nodiscard]] Status append(const MultiHeadInputs& inputs, const Executor& executor = {}) noexcept;
  [[nodiscard]] Status append(std::uint32_t batch, const std::uint32_t* sequence_ids, std::uint32_t tokens,
                              ConstMatrix input, const Executor& executor = {}) noexcept;

  /// Attends from `input` over what the cache holds and appends nothing: cross-attention after append().
  [[nodiscard]] Status attend(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                              const Executor& executor = {}) noexcept;

  /// Appends `input` and attends causally: a prompt, a part of one, or one token. The bits of a token's output do not
  /// depend on how the tokens were split into calls. Needs kv_input_dim = model_dim.
  [[nodiscard]] Status prefill(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                               const Executor& executor = {}) noexcept;

  /// Empties the sequences, appends `input` and attends: an encoder layer. Needs kv_input_dim = model_dim.
  [[nodiscard]] Status encode(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                              const Executor& executor = {}) noexcept;

  /// prefill() of a single token: input [1, model_dim], output [1, output_dim].
  [[nodiscard]] Status decode(const float* input, float* output, std::uint32_t sequence_id = 0,
                              const Executor& executor = {}) noexcept;

  /// The calls above with options: separate functions, so that firmware without options links none of them.
  [[nodiscard]] Status append(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                              const Executor& executor = {}) noexcept;
  [[nodiscard]] Status append(std::uint32_t batch, const std::uint32_t* sequence_ids, std::uint32_t tokens,
                              ConstMatrix input, const MultiHeadOptions& options,
                              const Executor& executor = {}) noexcept;
  [[nodiscard]] Status attend(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                              const MultiHeadOutputs& outputs, const Executor& executor = {}) noexcept;
  [[nodiscard]] Status prefill(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                               const MultiHeadOutputs& outputs, const Executor& executor = {}) noexcept;
  [[nodiscard]] Status encode(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                              const MultiHeadOutputs& outputs, const Executor& executor = {}) noexcept;
  [[nodiscard]] Status decode(const float* input, float* output, std::uint32_t sequence_id,
                              const MultiHeadOptions& options, const Executor& executor = {}) noexcept;

  /// The cache, for truncate(), reset(), length() and tokens().
  [[nodiscard]] KvCache& cache() noexcept { return cache_; }
  [[nodiscard]] const KvCache& cache() const noexcept { return cache_; }
  [[nodiscard]] const MultiHeadPlan& plan() const noexcept { return *plan_; }

 private:
  [[nodiscard]] Status init(const MultiHeadPlan& plan, const detail::LayerMemories& memories,
                            const PackedWeights& packed_weights, const KvStorage& storage,
                            const detail::LinkedCode* code) noexcept;
  [[nodiscard]] Status bind(const MultiHeadPlan& plan, const detail::LayerMemories& memories,
                            const PackedWeights& packed_weights, const KvStorage& storage,
                            const detail::LinkedCode* code) noexcept;
  [[nodiscard]] static Status check_place(const MultiHeadPlan& plan, const detail::LayerMemories& memories,
                                          const PackedWeights& packed_weights, const KvStorage& storage) noexcept;

  /// bind() to memories that were bound before, so that nothing is checked.
  void place(const MultiHeadPlan& plan, std::byte* state, std::byte* scratch, const PackedWeights& packed_weights,
             const KvStorage& storage) noexcept;
  [[nodiscard]] Status run(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs, detail::CacheUpdate update,
                           const Executor& executor) noexcept;
  [[nodiscard]] Status run(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                           const MultiHeadOutputs& outputs, detail::CacheUpdate update,
                           const Executor& executor) noexcept;
  [[nodiscard]] Status run(const MultiHeadInputs& inputs, const detail::LayerRotary& rotary,
                           const MultiHeadOutputs& outputs, detail::CacheUpdate update,
                           const Executor& executor) noexcept;
  [[nodiscard]] Status run(const MultiHeadInputs& inputs, const detail::LayerExtras& extras,
                           const MultiHeadOutputs& outputs, detail::CacheUpdate update,
                           const Executor& executor) noexcept;
  /// append() by the code of the call with rotary positions, which a transformer block links in any case.
  [[nodiscard]] Status append_in_block(const MultiHeadInputs& inputs, const Executor& executor) noexcept;
  template <class Extras>
  friend struct detail::BlockPass;
  friend class TransformerBlock;

  const MultiHeadPlan* plan_ = nullptr;
  KvCache cache_;
  std::byte* scratch_ = nullptr;
  const std::byte* weights_ = nullptr;
  const Format* weight_format_ = nullptr;
};

}  // namespace heed
