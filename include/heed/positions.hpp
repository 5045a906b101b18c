// SPDX-License-Identifier: MIT
//
// Positions added to embeddings, the embeddings themselves, and rotary position embedding (RoPE, Su et al. 2021,
// arXiv:2104.09864): pairs of a query's and of a key's columns are rotated by angles that grow with the position, so
// that their product depends on the distance alone.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/cache.hpp"
#include "heed/detail/rotary_steps.hpp"
#include "heed/heed_positions.h"
#include "heed/types.hpp"

namespace heed {

/// Adds the sinusoidal encoding of positions first_position, first_position + 1, ... to x [1, rows, dim], in place.
/// Each sine and cosine is within 2^-24 of the exact one at every position below 2^32, for every finite base above 1,
/// and is then added with one rounding. An odd dim has one more sine than cosines.
///
/// dim is at most 65536, rows at most 2^30 and first_position + rows at most 2^32; with more than one row,
/// |x.row_stride| is at least dim.
/// Statuses: zero_dimension, too_large, null_pointer, bad_stride, bad_base, bad_option (no such order).
[[nodiscard]] Status add_sinusoidal_positions(MutableMatrix x, std::uint32_t rows, std::uint32_t dim,
                                              std::uint32_t first_position = 0,
                                              SinusoidLayout order = SinusoidLayout::interleaved,
                                              float base = 10000.0F) noexcept;

/// Adds the learned encoding of positions first_position, first_position + 1, ... to x [1, rows, dim], in place: row r
/// gets row first_position + r of the table [positions, dim], dense, whose size is a multiple of dim. dim
/// is at most 65536, rows at most 2^30; with more than one row, |x.row_stride| is at least dim.
/// Statuses: zero_dimension, too_large, null_pointer, bad_stride, bad_length (the size of the table), bad_position.
[[nodiscard]] Status add_learned_positions(std::span<const float> table, MutableMatrix x, std::uint32_t rows,
                                           std::uint32_t dim, std::uint32_t first_position = 0) noexcept;

/// Copies the table row of every token id into x [1, tokens, dim]. table is [vocabulary, dim], dense; its size is a
/// multiple of dim and every token is below vocabulary.
/// Statuses: zero_dimension, too_large, null_pointer, bad_stride, bad_length (the size of the table), bad_token.
[[nodiscard]] Status embedding_lookup(std::span<const float> table, std::uint32_t dim,
                                      std::span<const std::uint32_t> tokens, MutableMatrix x) noexcept;

namespace detail {

[[nodiscard]] constexpr RotaryConfig completed(RotaryConfig config) noexcept {
  if (config.rotary_dim == 0) config.rotary_dim = config.head_dim;
  if (config.base == 0.0F) config.base = 10000.0F;
  if (config.scaling_factor == 0.0F) config.scaling_factor = 1.0F;
  if (config.beta_fast == 0.0F) config.beta_fast = 32.0F;
  if (config.beta_slow == 0.0F) config.beta_slow = 1.0F;
  if (config.high_freq_factor == 0.0F) config.high_freq_factor = 4.0F;
  if (config.low_freq_factor == 0.0F) config.low_freq_factor = 1.0F;
  return config;
}

[[nodiscard]] constexpr bool is_between(float low, float x, float high) noexcept {
  return low <= x && x < high;  // false for NaN
}

template <class Say>
[[nodiscard]] constexpr Status check_rotary(const RotaryConfig& config, Say say) noexcept {
  constexpr float limit = 4294967296.0F;
  constexpr float least = 0x1p-20F;
  constexpr float largest = 0x1p127F;
  if (config.head_dim == 0) return say(Status::zero_dimension, "head_dim", 0, 1, max_dimension);
  if (config.head_dim > max_dimension) return say(Status::too_large, "head_dim", config.head_dim, 1, max_dimension);
  if (config.max_position > max_rows) return say(Status::too_large, "max_position", config.max_position, 0, max_rows);
  if (config.head_dim == 1) return say(Status::bad_rotary, "head_dim", 1, 2, max_dimension, "has no pair of columns");
  if (config.rotary_dim % 2 != 0 || config.rotary_dim > config.head_dim) {
    return say(Status::bad_rotary, "rotary_dim", config.rotary_dim, 2, config.head_dim, "must be even");
  }
  if (config.layout > RotaryLayout::interleaved) return say(Status::bad_option, "layout", config.layout, 0, 1);
  if (config.scaling > RotaryScaling::llama3) return say(Status::bad_option, "scaling", config.scaling, 0, 4);
  if (!(config.base > 1.0F) || !((std::bit_cast<std::uint32_t>(config.base) >> 23) < 255)) {
    return say(Status::bad_base, "base", config.base, 1, 0x1.fffffep127F, "must be above 1");
  }
  const auto refuse = [&](const char* member, float value, float from, float to) {
    return say(Status::bad_rotary, member, value, from, to, "the greatest is not included");
  };
  if (config.attention_factor != 0.0F && !is_between(least, config.attention_factor, largest)) {
    return refuse("attention_factor", config.attention_factor, least, largest);
  }
  if (config.scaling == RotaryScaling::none) return Status::ok;
  if (!is_between(1.0F, config.scaling_factor, limit)) {
    return refuse("scaling_factor", config.scaling_factor, 1.0F, limit);
  }
  if (config.scaling != RotaryScaling::yarn && config.scaling != RotaryScaling::llama3) return Status::ok;
  const std::uint32_t trained = config.original_max_position;
  if (trained == 0) return say(Status::zero_dimension, "original_max_position", trained, 1, max_rows);
  if (trained > max_rows) return say(Status::too_large, "original_max_position", trained, 1, max_rows);
  const bool yarn = config.scaling == RotaryScaling::yarn;
  const float low = yarn ? config.beta_slow : config.low_freq_factor;
  const float high = yarn ? config.beta_fast : config.high_freq_factor;
  if (!is_between(least, low, limit)) return refuse(yarn ? "beta_slow" : "low_freq_factor", low, least, limit);
  if (!is_between(low, high, limit) || (!yarn && low == high)) {
    return yarn ? refuse("beta_fast", high, low, limit)
                : say(Status::bad_rotary, "high_freq_factor", high, low, limit, "must be above low_freq_factor");
  }
  return Status::ok;
}

[[nodiscard]] constexpr Frequencies rotary_frequencies(const RotaryConfig& config) noexcept {
  const Frequencies unscaled = frequencies(config.base, config.rotary_dim);
  if (config.scaling != RotaryScaling::ntk || config.rotary_dim == 2) return unscaled;
  // base^(-2 i / dims) with the greater base is that with the smaller one times factor^(-2 i / (dims - 2)).
  return {sum(unscaled.octaves, frequencies(config.scaling_factor, config.rotary_dim - 2).octaves)};
}

[[nodiscard]] constexpr RotarySteps rotary_steps(const RotaryPlan& plan) noexcept {
  const RotaryConfig& config = plan.config;
  RotarySteps steps{.frequencies = rotary_frequencies(config)};
  if (config.scaling == RotaryScaling::none || config.scaling == RotaryScaling::ntk) return steps;
  steps.factor = wide(config.scaling_factor);
  steps.scaling = StepScaling::divided;
  if (config.scaling == RotaryScaling::yarn) {
    steps.scaling = StepScaling::ramp_of_index;
    steps.first = plan.ramp_first;
    steps.last = plan.ramp_last;
  } else if (config.scaling == RotaryScaling::llama3) {
    steps.scaling = StepScaling::ramp_of_rotations;
    steps.context = config.original_max_position;
    steps.low = wide(config.low_freq_factor);
    steps.high = wide(config.high_freq_factor);
  }
  return steps;
}

/// Rows of a table for the positions from `first` on: the cosines of all pairs, then their sines, times the attention
/// factor.
constexpr void fill_rotary_rows(const RotaryPlan& plan, std::uint32_t first, std::uint32_t count,
                                float* rows) noexcept {
  const RotarySteps steps = rotary_steps(plan);
  const std::uint32_t dims = plan.config.rotary_dim;
  const float factor = plan.config.attention_factor;
  for (std::uint32_t pair = 0; pair < dims / 2; ++pair) {
    const Phase step = steps.step(pair);
    for (std::uint32_t row = 0; row < count; ++row) {
      const SineCosine point = sine_cosine(phase_at(step, first + row));
      const std::size_t at = std::size_t{row} * dims + pair;
      rows[at] = point.cosine * factor;
      rows[at + dims / 2] = point.sine * factor;
    }
  }
}

constexpr void fill_rotary_table(const RotaryPlan& plan, float* table) noexcept {
  fill_rotary_rows(plan, 0, plan.config.max_position, table);
}

}  // namespace detail

/// Writes the plan of a configuration, or a status that says why there is none and leaves `plan` as it was.
/// Statuses: zero_dimension (head_dim; with yarn and llama3 original_max_position); too_large; bad_option (no such
/// layout or scaling); bad_base; bad_rotary (rotary_dim is odd or above head_dim, a factor is outside its range, or
/// original_max_position is so short or so long that yarn would have no ramp: no pair makes more than beta_slow
/// rotations, or all of rotary_dim frequencies more than beta_fast times).
template <class Say = detail::Unexplained>
[[nodiscard]] constexpr Status make_plan(RotaryConfig config, RotaryPlan& plan, Say say = {}) noexcept {
  config = detail::completed(config);
  const Status status = detail::check_rotary(config, say);
  if (status != Status::ok) return status;

  const bool yarn = config.scaling == RotaryScaling::yarn;
  if (config.attention_factor == 0.0F) {
    config.attention_factor = yarn ? detail::yarn_attention_factor(config.scaling_factor) : 1.0F;
  }
  RotaryPlan made{.config = config};
  if (yarn) {
    const detail::Frequencies frequencies = detail::rotary_frequencies(config);
    const auto above = [&](float rotations) {
      return detail::frequencies_above(frequencies, config.rotary_dim, config.original_max_position,
                                       detail::wide(rotations));
    };
    const std::uint32_t fast = above(config.beta_fast);
    const std::uint32_t slow = above(config.beta_slow);
    if (slow == 0 || fast == config.rotary_dim) {
      return say(Status::bad_rotary, "scaling", config.scaling, 0, 2,
                 slow == 0 ? "has no ramp: original_max_position is too short for beta_slow"
                           : "has no ramp: original_max_position is too long for beta_fast");
    }
    made.ramp_first = fast == 0 ? 0 : fast - 1;
    made.ramp_last = slow < config.rotary_dim ? slow : config.rotary_dim - 1;
  }
  Layout layout;
  made.bytes = layout.add(RegionName::none, config.max_position, config.rotary_dim, sizeof(float)).bytes;
  if (!layout.fits()) return detail::sizes_too_large(say);
  plan = made;
  return Status::ok;
}

/// The plan of a configuration known at compile time. A bad configuration does not compile.
[[nodiscard]] consteval RotaryPlan plan(const RotaryConfig& config) {
  RotaryPlan made{};
  detail::require(make_plan(config, made));
  return made;
}

/// Cosines and sines for positions 0 .. Positions - 1, made by the compiler: constexpr objects of it lie in flash.
template <std::uint32_t Positions, std::uint32_t Dims>
struct RotaryTable {
  float values[std::size_t{Positions} * Dims];
};

/// The table of a configuration with the arguments as its max_position and rotary_dim. By default, gcc 12 evaluates up
/// to 512 positions of 64 columns and clang 14 up to 128; more needs -fconstexpr-ops-limit= or -fconstexpr-steps=.
template <std::uint32_t Positions, std::uint32_t Dims>
[[nodiscard]] consteval RotaryTable<Positions, Dims> rotary_table(RotaryConfig config) {
  config.max_position = Positions;
  config.rotary_dim = Dims;
  RotaryTable<Positions, Dims> table{};
  detail::fill_rotary_table(plan(config), table.values);
  return table;
}

/// Fills memory of at least plan.bytes, on a 64-byte boundary, with the plan's table and binds it to `rotary`.
/// Statuses: not_initialised (the plan), zero_dimension (the plan has no positions), null_pointer, arena_too_small,
/// arena_misaligned.
[[nodiscard]] Status make_rotary_table(const RotaryPlan& plan, std::span<std::byte> memory, Rotary& rotary) noexcept;

/// Rotates each pair (x, y) of `from` [batch, heads, tokens, head_dim] to (x cos - y sin, y cos + x sin), in the three
/// roundings that this formula has, and copies the columns after rotary_dim. `to` is the same tensor as `from`, or does
/// not overlap it.
///
/// Statuses: not_initialised (the plan), zero_dimension, too_large (a count, or a position beyond 2^32 - 1),
/// null_pointer, bad_stride, bad_position.
[[nodiscard]] Status apply_rotary(const Rotary& rotary, const RotaryPositions& tokens, ConstTensor from,
                                  MutableTensor to) noexcept;

/// append() of a cache with rotated keys, which are stored rotated, in its type: key [1, kv_heads, tokens, head_dim],
/// value [1, kv_heads, tokens, value_dim]. positions [tokens]; null: each token's number in its sequence.
/// The bits of apply_rotary() and append().
/// Statuses: those of the cache's append(); not_initialised (the plan), plan_mismatch (its head_dim is not the
/// cache's), bad_position, too_large (a position beyond 2^32 - 1).
[[nodiscard]] Status append_rotated(KvCache& cache, std::uint32_t sequence, std::uint32_t tokens,
                                    const ConstTensor& key, const ConstTensor& value, const Rotary& rotary,
                                    const std::uint32_t* positions = nullptr) noexcept;

}  // namespace heed
