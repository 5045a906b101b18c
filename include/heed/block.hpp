// SPDX-License-Identifier: MIT
//
// A transformer block: what it is, what a device gives it, its plan and the object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/detail/block_plan.hpp"
#include "heed/format.hpp"
#include "heed/heed_model.h"
#include "heed/heed_model_config.h"
#include "heed/layer.hpp"
#include "heed/linear.hpp"
#include "heed/nn.hpp"
#include "heed/positions.hpp"
#include "heed/types.hpp"

namespace heed {

/// Writes the plan of a transformer block, or a status that says why there is none and leaves `plan` as it was:
/// zero_dimension, heads_not_divisible, too_large, bad_workers as for a MultiHeadConfig; bad_option: as there, an
/// enumerator has no such value, or norm_epsilon is outside its range.
template <class Say = detail::Unexplained>
[[nodiscard]] constexpr Status make_plan(const BlockConfig& config, const BlockMemory& memory, BlockPlan& plan,
                                         Say say = {}) noexcept {
  BlockPlan made;
  const Status status = detail::fill_block_plan(config, memory, made, say);
  if (status == Status::ok) plan = made;
  return status;
}

/// The plan of a configuration known at compile time. A bad configuration does not compile.
[[nodiscard]] consteval BlockPlan plan(const BlockConfig& config, const BlockMemory& memory) {
  BlockPlan made;
  detail::require(make_plan(config, memory, made));
  return made;
}

/// In words, in static storage.
[[nodiscard]] constexpr const char* to_string(Stage stage) noexcept {
  switch (stage) {
    case Stage::embedding: return "embedding";
    case Stage::attention: return "attention";
    case Stage::cross_attention: return "cross-attention";
    case Stage::mlp: return "mlp";
    case Stage::block: return "block";
    case Stage::output: return "output";
  }
  return "unknown stage";
}

struct BlockOptions {
  const Rotary* rotary = nullptr;  ///< of the self-attention's queries and keys; its head_dim is the block's
  StageObserver observer{};
  std::uint32_t number = 0;        ///< what the observer is told
  std::uint32_t rotary_begin = 0;  ///< the position of the first row of rotary's table
};

class Model;

/// A transformer block: what BlockConfig describes. The rows that go through are changed in place.
///
/// init() and bind() return
///   not_initialised  the plan is empty
///   null_pointer, arena_too_small, arena_misaligned  one of the memories
///   overlap          two of them share a byte of those that the plan counts
///   wrong_weights    they were packed for other dimensions
///   missing_format   the format is not that of their type, or `storage` does not name what the caches need; or the
///                    block is one that a Model alone runs, with PackedModel's `extension`
///   bad_float_environment  without floats in hardware: the program's functions for them are not IEEE's
///   bad_state        bind() only: the state is not one of this plan
/// and the other calls
///   not_initialised  init() has not succeeded; with cross-attention, set_context() has not
///   zero_dimension, too_large  count is 0 or more than the plan's rows
///   null_pointer, bad_stride   of the rows
///   cache_full       the tokens do not fit
///   plan_mismatch, bad_position, not_initialised  of rotary positions
class TransformerBlock {
 public:
  /// Binds state (at least plan.state_bytes), scratch (plan.scratch_bytes) and packed weights (plan.weights_bytes),
  /// each on a 64-byte boundary, and empties the caches. Scratch may be shared by all that do not run at the same time.
  [[nodiscard]] Status init(const BlockPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                            const PackedWeights& weights, const KvStorage& storage = {}) noexcept;

  /// The same, but keeps what the state holds.
  [[nodiscard]] Status bind(const BlockPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                            const PackedWeights& weights, const KvStorage& storage = {}) noexcept;

  /// The plan outlives the object.
  template <class... Memories>
  Status init(const BlockPlan&& plan, Memories&&... memories) = delete;
  template <class... Memories>
  Status bind(const BlockPlan&& plan, Memories&&... memories) = delete;

  /// An encoder block: every row of `rows` [count, model_dim], dense, attends to every other.
  [[nodiscard]] Status encode(float* rows, std::uint32_t count, const BlockOptions& options = {},
                              const Executor& executor = {}) noexcept;

  /// A decoder block: appends the rows to the cache and attends causally. The bits of a row do not depend on how the
  /// rows were split into calls.
  [[nodiscard]] Status prefill(float* rows, std::uint32_t count, const BlockOptions& options = {},
                               const Executor& executor = {}) noexcept;

  /// Replaces what cross-attention looks at: rows [1, count, cross_dim] of an encoder, of which keys and values are
  /// kept in the state. plan_mismatch: the block has no cross-attention; cache_full: more than max_cross_keys.
  [[nodiscard]] Status set_context(ConstMatrix rows, std::uint32_t count, const Executor& executor = {}) noexcept;

  /// Whether there is something that cross-attention looks at.
  [[nodiscard]] bool has_context() const noexcept { return cross_.cache().length(0) != 0; }

  /// The cache of the self-attention, for truncate(), reset(), length() and tokens().
  [[nodiscard]] KvCache& cache() noexcept { return attention_.cache(); }
  [[nodiscard]] const KvCache& cache() const noexcept { return attention_.cache(); }
  [[nodiscard]] const BlockPlan& plan() const noexcept { return *plan_; }

 private:
  [[nodiscard]] Status run(float* rows, std::uint32_t count, detail::CacheUpdate update, const BlockOptions& options,
                           const Executor& executor) noexcept;

  /// bind() to memories that were bound before, so that nothing is checked.
  void place(const BlockPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
             const PackedWeights& weights, const KvStorage& storage) noexcept;

  /// encode() for a caller that reads one row of it, to the same bits: the others are left as they are. Without rotary
  /// positions, and for what encode() does not refuse.
  [[nodiscard]] Status encode_row(float* rows, std::uint32_t count, std::uint32_t row, const BlockOptions& options,
                                  const Executor& executor) noexcept;
  friend class Model;
  template <class Extras>
  friend struct detail::BlockPass;

  const BlockPlan* plan_ = nullptr;
  MultiHeadAttention attention_;
  MultiHeadAttention cross_;
  std::byte* scratch_ = nullptr;
  const std::byte* weights_ = nullptr;
  const Format* format_ = nullptr;
};

}  // namespace heed
