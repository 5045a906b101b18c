// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/attention.hpp"
#include "heed/detail/layout.hpp"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

namespace heed {

struct Rotary;

template <class Cache>
class MultiHeadLayer;

struct FloatKvCacheConfig {
  std::uint32_t max_sequences = 1;  ///< independent token streams, 1..2^30; 0 means 1
  std::uint32_t kv_heads = 1;       ///< 1..65536; 0 means 1
  std::uint32_t head_dim = 0;       ///< length of a key
  std::uint32_t value_dim = 0;      ///< length of a value; 0 means head_dim
  std::uint32_t max_keys = 0;       ///< tokens that each sequence holds, 1..2^30
};

/// The cache's memory. It holds no pointer: a byte copy of it is a snapshot that can be restored anywhere.
/// Use it as make_plan() wrote it: a changed one makes calls write outside of their memory; a debug build traps.
struct FloatKvCachePlan {
  FloatKvCacheConfig config = detail::zeros<FloatKvCacheConfig>();  ///< with every 0 replaced by what it means
  std::uint32_t key_panels = 0;
  std::uint32_t value_width = 0;  ///< value_dim rounded up to 16

  Region lengths{};  ///< uint32 [sequences]
  Region keys{};     ///< float [sequences, kv_heads, key_panels, head_dim, 16]: a lane is a key
  Region values{};   ///< float [sequences, kv_heads, max_keys, value_width]

  std::uint32_t bytes = 0;  ///< all of it state: a cache has no scratch
};

/// Writes the plan of a configuration, or a status that says why there is none and leaves `plan` as it was:
/// zero_dimension or too_large.
template <class Say = detail::Unexplained>
[[nodiscard]] constexpr Status make_plan(FloatKvCacheConfig config, FloatKvCachePlan& plan, Say say = {}) noexcept {
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

  FloatKvCachePlan made{.config = config};
  made.key_panels = static_cast<std::uint32_t>(round_up(config.max_keys, panel_width) / panel_width);
  made.value_width = static_cast<std::uint32_t>(round_up(config.value_dim, panel_width));
  const std::uint64_t streams = std::uint64_t{config.max_sequences} * config.kv_heads;
  Layout layout;
  made.lengths = layout.add(RegionName::sequence_lengths, config.max_sequences, 1, sizeof(std::uint32_t));
  made.keys = layout.add(RegionName::cached_keys, streams,
                         std::uint64_t{made.key_panels} * panel_width * config.head_dim, sizeof(float));
  made.values =
      layout.add(RegionName::cached_values, streams, std::uint64_t{config.max_keys} * made.value_width, sizeof(float));
  if (!layout.fits()) return detail::sizes_too_large(say);
  made.bytes = layout.bytes();
  plan = made;
  return Status::ok;
}

/// The plan of a configuration known at compile time. A bad configuration does not compile.
[[nodiscard]] consteval FloatKvCachePlan plan(const FloatKvCacheConfig& config) {
  FloatKvCachePlan made{};
  detail::require(make_plan(config, made));
  return made;
}

/// Keys and values of the tokens so far, in the caller's memory and in the layout the kernels read. The object itself
/// is two pointers, to its plan, which outlives it, and to the memory, where all state lies: copy it freely. append(),
/// truncate() and the counts have the same names and meaning in KvCache: code that uses nothing else compiles for
/// either.
class FloatKvCache {
 public:
  /// Binds the memory (at least plan.bytes on a 64-byte boundary) and empties every sequence. not_initialised: the plan
  /// is empty; null_pointer, arena_too_small, arena_misaligned: the memory.
  [[nodiscard]] Status init(const FloatKvCachePlan& plan, std::span<std::byte> memory) noexcept;

  /// Binds memory that already holds a cache of this plan, a restored snapshot for example, and writes nothing.
  /// As init(), and bad_state: a sequence has more than max_keys tokens. The memory is not checked again later.
  [[nodiscard]] Status bind(const FloatKvCachePlan& plan, std::span<std::byte> memory) noexcept;

  /// The plan outlives the object.
  template <class... Memories>
  Status init(const FloatKvCachePlan&& plan, Memories&&... memories) = delete;
  template <class... Memories>
  Status bind(const FloatKvCachePlan&& plan, Memories&&... memories) = delete;

  /// Appends `tokens` keys and values to one sequence. Of both tensors, batch entry 0 is read:
  /// key [1, kv_heads, tokens, head_dim], value [1, kv_heads, tokens, value_dim]. With rotated keys: append_rotated()
  /// in heed/rotary.hpp. not_initialised, bad_sequence, null_pointer, bad_stride; cache_full: no room for all of them.
  [[nodiscard]] Status append(std::uint32_t sequence, std::uint32_t tokens, ConstTensor key,
                              ConstTensor value) noexcept;

  /// Removes the tokens from number `length` on; 0..tokens(sequence). not_initialised, bad_sequence; bad_length: more.
  [[nodiscard]] Status truncate(std::uint32_t sequence, std::uint32_t length) noexcept;

  /// Removes all tokens of one sequence. not_initialised, bad_sequence.
  [[nodiscard]] Status reset(std::uint32_t sequence) noexcept { return truncate(sequence, 0); }

  /// Slots in use, from slot 0 on; 0 for a sequence that does not exist.
  [[nodiscard]] std::uint32_t length(std::uint32_t sequence) const noexcept;

  /// Tokens appended so far, which all have their slots: length(sequence).
  [[nodiscard]] std::uint32_t tokens(std::uint32_t sequence) const noexcept { return length(sequence); }

  /// The number of the token in a slot below length(sequence): the slot itself. The arguments are not checked.
  [[nodiscard]] static std::uint32_t position(std::uint32_t /*sequence*/, std::uint32_t slot) noexcept { return slot; }

  [[nodiscard]] bool initialised() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] const FloatKvCachePlan& plan() const noexcept { return *plan_; }

  /// Key panels [key_panels, head_dim, 16] of one head; the arguments are not checked.
  [[nodiscard]] const float* key_panels(std::uint32_t sequence, std::uint32_t kv_head) const noexcept;

  /// Values [max_keys, value_width] of one head; the arguments are not checked.
  [[nodiscard]] const float* values(std::uint32_t sequence, std::uint32_t kv_head) const noexcept;

 private:
  template <class Cache>
  friend class MultiHeadLayer;
  friend Status append_rotated(FloatKvCache& cache, std::uint32_t sequence, std::uint32_t tokens, ConstTensor key,
                               ConstTensor value, const Rotary& rotary, const std::uint32_t* positions) noexcept;

  [[nodiscard]] std::uint32_t* lengths() const noexcept;

  /// The first column of a token's key; the others follow panel_width elements apart.
  [[nodiscard]] float* key_lane(std::uint32_t sequence, std::uint32_t kv_head, std::uint32_t token) const noexcept;

  /// bind() to memory that was bound before, so that nothing is checked.
  void place(const FloatKvCachePlan& plan, std::byte* memory) noexcept {
    plan_ = &plan;
    memory_ = memory;
  }

  const FloatKvCachePlan* plan_ = nullptr;
  std::byte* memory_ = nullptr;
};

}  // namespace heed
