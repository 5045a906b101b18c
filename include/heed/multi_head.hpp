// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/attention.hpp"
#include "heed/detail/layout.hpp"
#include "heed/executor.hpp"
#include "heed/float_kv_cache.hpp"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

namespace heed {

struct MultiHeadConfig {
  std::uint32_t model_dim = 0;       ///< width of the input that queries come from, 1..65536
  std::uint32_t heads = 1;           ///< query heads, 1..65536; 0 means 1
  std::uint32_t kv_heads = 0;        ///< key and value heads; heads is a multiple of it; 0 means heads
  std::uint32_t head_dim = 0;        ///< length of a query and of a key; 0 means model_dim / heads
  std::uint32_t value_dim = 0;       ///< length of a value; 0 means head_dim
  std::uint32_t kv_input_dim = 0;    ///< width of the input that keys and values come from; 0 means model_dim
  std::uint32_t output_dim = 0;      ///< width of the output; 0 means model_dim
  std::uint32_t max_keys = 0;        ///< tokens that the cache holds per sequence, 1..2^30
  std::uint32_t max_sequences = 1;   ///< independent token streams in the cache, 1..2^30; 0 means 1
  std::uint32_t workers = 1;         ///< most tasks handed to the executor at once, 1..64; 0 means 1
  std::uint32_t scratch_budget = 0;  ///< bytes to aim for, once for each worker's attention scratch (0: 128 KiB) and
                                     ///< once for the projected rows (0: 256 KiB); never changes a bit of the result
};

/// One projection's place in the packed weights: y = x W^T + b.
struct ProjectionPlan {
  std::uint32_t inputs = 0;   ///< columns of W
  std::uint32_t outputs = 0;  ///< rows of W
  Region panels{};            ///< float [outputs rounded up to 16 / 16, inputs, 16]: a lane is an output
  Region bias{};              ///< float [outputs rounded up to 16]
};

/// Two memories: `bytes` of arena (state first, scratch behind it) and `weights_bytes` of packed weights, which may lie
/// in flash.
/// Use it as make_plan() wrote it: a changed one makes calls write outside of their memory; a debug build traps.
struct MultiHeadPlan {
  MultiHeadConfig config{};      ///< with every 0 replaced by what it means
  FloatKvCachePlan cache{};      ///< offsets inside `state`
  AttentionPlan attention{};     ///< offsets inside `attention_scratch`
  std::uint32_t token_rows = 0;  ///< tokens projected at a time

  Region state{};              ///< the key-value cache: all that outlives a call; no pointers inside
  Region attention_scratch{};  ///< every worker's
  Region projected{};          ///< float [token_rows, heads * head_dim or kv_heads * (head_dim + value_dim)]
  Region attention_output{};   ///< float [token_rows, heads * value_dim]
  std::uint32_t bytes = 0;

  Region weights_header{};  ///< identifies the plan that the weights were packed for
  ProjectionPlan query{};   ///< offsets inside the packed weights, as the three below
  ProjectionPlan key{};
  ProjectionPlan value{};
  ProjectionPlan output{};
  std::uint32_t weights_bytes = 0;
};

namespace detail {

constexpr ProjectionPlan lay_out_projection(Layout& layout, RegionName panels, RegionName bias, std::uint64_t inputs,
                                            std::uint64_t outputs) noexcept {
  const std::uint64_t width = round_up(outputs, panel_width);
  ProjectionPlan plan{static_cast<std::uint32_t>(inputs), static_cast<std::uint32_t>(outputs), {}, {}};
  plan.panels = layout.add(panels, width, inputs, sizeof(float));
  plan.bias = layout.add(bias, width, 1, sizeof(float));
  return plan;
}

[[nodiscard]] constexpr Status complete(MultiHeadConfig& config) noexcept {
  if (config.model_dim == 0) return Status::zero_dimension;
  if (config.heads == 0) config.heads = 1;
  if (config.max_sequences == 0) config.max_sequences = 1;
  if (config.workers == 0) config.workers = 1;
  if (config.kv_heads == 0) config.kv_heads = config.heads;
  if (config.head_dim == 0) config.head_dim = config.model_dim / config.heads;
  if (config.value_dim == 0) config.value_dim = config.head_dim;
  if (config.kv_input_dim == 0) config.kv_input_dim = config.model_dim;
  if (config.output_dim == 0) config.output_dim = config.model_dim;
  if (config.model_dim > max_dimension || config.kv_input_dim > max_dimension || config.output_dim > max_dimension) {
    return Status::too_large;
  }
  return check_heads(config.heads, config.kv_heads, config.head_dim, config.value_dim);
}

/// The arena: state, then scratch for as many tokens at a time as the budget allows.
constexpr void lay_out_arena(MultiHeadPlan& plan, Layout& layout) noexcept {
  const MultiHeadConfig& config = plan.config;
  const std::uint64_t query_width = round_up(std::uint64_t{config.heads} * config.head_dim, panel_width);
  const std::uint64_t key_width = round_up(std::uint64_t{config.kv_heads} * config.head_dim, panel_width);
  const std::uint64_t value_width = round_up(std::uint64_t{config.kv_heads} * config.value_dim, panel_width);
  const std::uint64_t context_width = round_up(std::uint64_t{config.heads} * config.value_dim, panel_width);
  const std::uint64_t projected = query_width > key_width + value_width ? query_width : key_width + value_width;
  plan.state = layout.add(RegionName::key_value_cache, plan.cache.bytes, 1, 1);
  plan.attention_scratch = layout.add(RegionName::attention_scratch, plan.attention.bytes, 1, 1);
  plan.projected = layout.add(RegionName::projected_rows, plan.token_rows, projected, sizeof(float));
  plan.attention_output = layout.add(RegionName::attention_output, plan.token_rows, context_width, sizeof(float));
  plan.bytes = layout.bytes();
}

}  // namespace detail

[[nodiscard]] constexpr Status make_plan(MultiHeadConfig config, MultiHeadPlan& plan) noexcept {
  Status status = detail::complete(config);
  if (status != Status::ok) return status;

  MultiHeadPlan made{.config = config};
  status = make_plan(
      FloatKvCacheConfig{config.max_sequences, config.kv_heads, config.head_dim, config.value_dim, config.max_keys},
      made.cache);
  if (status != Status::ok) return status;
  status = make_plan(AttentionConfig{config.heads, config.kv_heads, config.head_dim, config.value_dim, config.max_keys,
                                     config.workers, config.scratch_budget},
                     made.attention);
  if (status != Status::ok) return status;

  const std::uint32_t budget = config.scratch_budget == 0 ? 256 * 1024 : config.scratch_budget;
  bool fits = false;
  for (made.token_rows = 64;; made.token_rows /= 2) {
    Layout layout;
    detail::lay_out_arena(made, layout);
    fits = layout.fits();
    if (made.token_rows == 1 || (fits && made.projected.bytes + std::uint64_t{made.attention_output.bytes} <= budget))
      break;
  }
  if (!fits) return Status::too_large;

  Layout weights;
  const std::uint64_t heads = config.heads;
  const std::uint64_t kv_heads = config.kv_heads;
  made.weights_header = weights.add(RegionName::weights_header, arena_alignment, 1, 1);
  made.query = detail::lay_out_projection(weights, RegionName::query_weight, RegionName::query_bias, config.model_dim,
                                          heads * config.head_dim);
  made.key = detail::lay_out_projection(weights, RegionName::key_weight, RegionName::key_bias, config.kv_input_dim,
                                        kv_heads * config.head_dim);
  made.value = detail::lay_out_projection(weights, RegionName::value_weight, RegionName::value_bias,
                                          config.kv_input_dim, kv_heads * config.value_dim);
  made.output = detail::lay_out_projection(weights, RegionName::output_weight, RegionName::output_bias,
                                           heads * config.value_dim, config.output_dim);
  if (!weights.fits()) return Status::too_large;
  made.weights_bytes = weights.bytes();
  plan = made;
  return Status::ok;
}

/// The plan of a configuration known at compile time. A bad configuration does not compile.
[[nodiscard]] consteval MultiHeadPlan plan(const MultiHeadConfig& config) {
  MultiHeadPlan made;
  detail::require(make_plan(config, made));
  return made;
}

/// Trained weights as PyTorch and safetensors store them: row-major [out, in]. A bias may be null, which means zero.
struct MultiHeadWeights {
  const float* query = nullptr;   ///< [heads * head_dim, model_dim]
  const float* key = nullptr;     ///< [kv_heads * head_dim, kv_input_dim]
  const float* value = nullptr;   ///< [kv_heads * value_dim, kv_input_dim]
  const float* output = nullptr;  ///< [output_dim, heads * value_dim]
  const float* query_bias = nullptr;
  const float* key_bias = nullptr;
  const float* value_bias = nullptr;
  const float* output_bias = nullptr;
};

/// Views of one packed matrix [W_Q; W_K; W_V] and its bias (PyTorch: in_proj_weight, in_proj_bias). The three share
/// their input, so kv_input_dim must equal model_dim.
[[nodiscard]] MultiHeadWeights split_packed(const MultiHeadPlan& plan, const float* input_weight,
                                            const float* input_bias, const float* output_weight,
                                            const float* output_bias) noexcept;

/// Writes the weights into `packed` (at least plan.weights_bytes on a 64-byte boundary) in the layout the kernels read.
/// Done once, on the device or offline; the bytes are the same on every little-endian machine.
[[nodiscard]] Status pack_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                                  std::span<std::byte> packed) noexcept;

struct MultiHeadInputs {
  std::uint32_t batch = 1;
  std::uint32_t tokens = 0;                     ///< per batch entry, 1..2^30
  ConstMatrix input{};                          ///< [batch, tokens, model_dim]
  const std::uint32_t* sequence_ids = nullptr;  ///< [batch] in the cache, all different if appended to; null: 0, 1, ...
  const std::uint32_t* key_lengths = nullptr;   ///< [batch] keys that exist, 0..length of the sequence; null: all
  Causal causal = Causal::none;                 ///< read by attend() and encode(); prefill() is bottom_right
  std::int32_t causal_offset = 0;
  float scale = 0.0F;  ///< 0 means 1 / sqrt(head_dim); otherwise |scale| is 2^-126..2.358e38
};

struct MultiHeadOutputs {
  MutableMatrix output{};        ///< [batch, tokens, output_dim]
  MutableTensor head_outputs{};  ///< [batch, heads, tokens, value_dim] before W_O, or data = null
  MutableTensor scores{};        ///< [batch, heads, tokens, keys], or data = null
  ScoreStage score_stage = ScoreStage::weights;
  float* log_sum_exp = nullptr;  ///< [batch, heads, tokens], or null
};

namespace detail {

/// What happens to the cache before the queries look at it.
enum class CacheUpdate : std::uint8_t { nothing, append, replace };

}  // namespace detail

struct MultiHeadOptions;

/// A multi-head attention layer: Q = X W_Q, K = M W_K, V = M W_V, each head attends, Concat(head_1..head_h) W_O
/// (arXiv:1706.03762, section 3.2.2). M is X itself, or another sequence for cross-attention. Keys and values live in
/// the cache, in the arena's state region.
class MultiHeadAttention {
 public:
  /// Binds an arena (at least plan.bytes on a 64-byte boundary) and packed weights, and empties the cache.
  [[nodiscard]] Status init(const MultiHeadPlan& plan, std::span<std::byte> arena,
                            std::span<const std::byte> packed_weights) noexcept;

  /// The same, but keeps the state that the arena already holds, as FloatKvCache::bind() does, and writes nothing.
  [[nodiscard]] Status bind(const MultiHeadPlan& plan, std::span<std::byte> arena,
                            std::span<const std::byte> packed_weights) noexcept;

  /// Projects memory [batch, tokens, kv_input_dim] and appends the keys and values to the cache.
  [[nodiscard]] Status append(std::uint32_t batch, const std::uint32_t* sequences, std::uint32_t tokens,
                              ConstMatrix memory, const Executor& executor = {}) noexcept;

  /// Attends from x over what the cache holds, and appends nothing: cross-attention after append().
  [[nodiscard]] Status attend(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                              const Executor& executor = {}) noexcept;

  /// Appends x and attends causally: a prompt, a part of one, or one token. The bits of a token's output do not depend
  /// on how the tokens were split into calls. Needs kv_input_dim = model_dim.
  [[nodiscard]] Status prefill(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                               const Executor& executor = {}) noexcept;

  /// Empties the sequences, appends x and attends: an encoder layer. Needs kv_input_dim = model_dim.
  [[nodiscard]] Status encode(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                              const Executor& executor = {}) noexcept;

  /// The four calls above with options (heed/multi_head_options.hpp): functions of their own, so that a firmware that
  /// needs none links none.
  [[nodiscard]] Status append(std::uint32_t batch, const std::uint32_t* sequences, std::uint32_t tokens,
                              ConstMatrix memory, const MultiHeadOptions& options,
                              const Executor& executor = {}) noexcept;
  [[nodiscard]] Status attend(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                              const MultiHeadOutputs& outputs, const Executor& executor = {}) noexcept;
  [[nodiscard]] Status prefill(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                               const MultiHeadOutputs& outputs, const Executor& executor = {}) noexcept;
  [[nodiscard]] Status encode(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                              const MultiHeadOutputs& outputs, const Executor& executor = {}) noexcept;

  /// prefill() of a single token: x [1, model_dim], y [1, output_dim].
  [[nodiscard]] Status decode(const float* x, float* y, std::uint32_t sequence = 0) noexcept;

  /// The cache, for truncate(), reset() and length().
  [[nodiscard]] FloatKvCache& cache() noexcept { return cache_; }
  [[nodiscard]] const FloatKvCache& cache() const noexcept { return cache_; }

 private:
  [[nodiscard]] Status run(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs, detail::CacheUpdate update,
                           const Executor& executor) noexcept;
  [[nodiscard]] Status run(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                           const MultiHeadOutputs& outputs, detail::CacheUpdate update,
                           const Executor& executor) noexcept;

  MultiHeadPlan plan_{};
  FloatKvCache cache_;
  std::byte* arena_ = nullptr;
  const std::byte* weights_ = nullptr;
};

}  // namespace heed
