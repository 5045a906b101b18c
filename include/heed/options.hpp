// SPDX-License-Identifier: MIT
//
// Attention with options, the mean of scores over heads, and the numbers for biases: ALiBi's slopes and T5's relative
// positions, which also run at compile time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/attention.hpp"
#include "heed/detail/phase.hpp"
#include "heed/heed_options.h"
#include "heed/types.hpp"

namespace heed {

class KvCache;

/// mean [batch, queries, keys] = the mean over the heads of scores [batch, heads, queries, keys], summed in ascending
/// order: one map for a layer. The mean of finite scores is finite while it is below 3.3e38, however great their sum.
/// Every dimension is at least 1. `mean` may be the first head of `scores`.
/// Statuses: zero_dimension, too_large, null_pointer, bad_stride.
[[nodiscard]] Status mean_over_heads(std::uint32_t batch, std::uint32_t heads, std::uint32_t queries,
                                     std::uint32_t keys, ConstTensor scores, MutableMatrix mean) noexcept;

/// attend() with options. A separate function, so that firmware without options links none of this.
/// Statuses: those of attend() without options; bad_option (a window, softcap, sink or mask format outside its range,
/// or two kinds of sinks); bad_length (query_lengths, score_selection); too_large (relative_bias); null_pointer,
/// bad_stride (masks and biases).
[[nodiscard]] Status attend(const AttentionPlan& plan, std::span<std::byte> arena, const AttentionInputs& inputs,
                            const AttentionOptions& options, const AttentionOutputs& outputs,
                            const Executor& executor = {}) noexcept;

namespace detail {

/// Of a softcap: far from where the cap or its inverse would leave the range of a float.
inline constexpr float least_softcap = 1e-30F;
inline constexpr float greatest_softcap = 1e30F;

/// A natural number of up to 64 * 32 bits.
struct Natural {
  std::uint32_t words[64]{1};
  std::uint32_t count = 1;

  constexpr void multiply(std::uint32_t factor) noexcept {
    std::uint64_t carry = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      carry += std::uint64_t{words[i]} * factor;
      words[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words[count++] = static_cast<std::uint32_t>(carry);
  }

  constexpr void multiply(std::uint32_t factor, std::uint32_t times) noexcept {
    for (std::uint32_t i = 0; i < times; ++i) multiply(factor);
  }
};

[[nodiscard]] constexpr bool is_less(const Natural& a, const Natural& b) noexcept {
  if (a.count != b.count) return a.count < b.count;
  for (std::uint32_t i = a.count; i-- > 0;) {
    if (a.words[i] != b.words[i]) return a.words[i] < b.words[i];
  }
  return false;
}

/// The least distance whose bucket is at least exact + k, k < per_direction - exact: with n = per_direction - exact,
/// the least d for which n log(d / exact) / log(max_distance / exact) >= k, which is d^n >= max_distance^k exact^(n -
/// k).
[[nodiscard]] constexpr std::uint32_t bucket_limit(const RelativeBucketsPlan& plan, std::uint32_t k) noexcept {
  const std::uint32_t growing = plan.per_direction - plan.exact;
  Natural bound;
  bound.multiply(plan.config.max_distance, k);
  bound.multiply(plan.exact, growing - k);
  std::uint32_t low = plan.exact;
  std::uint32_t high = plan.config.max_distance;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    Natural power;
    power.multiply(middle, growing);
    if (is_less(power, bound)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// 2^(-8 numerator / 2^log2_heads), nearly always the nearest float.
[[nodiscard]] constexpr float alibi_slope(std::uint32_t numerator, int log2_heads) noexcept {
  const int shift = log2_heads - 3;
  const std::uint32_t halvings = shift > 0 ? numerator >> shift : numerator << -shift;
  const std::uint64_t fraction = shift > 0 ? std::uint64_t{numerator} << (64 - shift) : 0;
  if (fraction == 0) return std::bit_cast<float>((127 - halvings) << 23);
  std::uint64_t power = UINT64_MAX;  // 1 in units of 2^-64, and the error at the end is below 2^-57
  for (std::uint64_t j = fraction >> 60; j > 0; --j)
    power -= multiply_high(power, one_minus_exp2(std::uint64_t{1} << 60));
  power -= multiply_high(power, one_minus_exp2(fraction & (UINT64_MAX >> 4)));
  return round_to_float(power, 64 + static_cast<int>(halvings));
}

}  // namespace detail

/// ALiBi's slopes (Press et al. 2022, arXiv:2108.12409) for AttentionOptions::alibi_slopes: 2^(-8 (h + 1) / heads) for
/// a power of two. For another number, those of the next power of two below, and then every second one of the next
/// above, as in the authors' code. Writes the first `heads` of `slopes`; heads is 1..65536.
/// Statuses: zero_dimension, too_large, null_pointer, arena_too_small.
[[nodiscard]] constexpr Status alibi_slopes(std::uint32_t heads, std::span<float> slopes) noexcept {
  if (heads == 0) return Status::zero_dimension;
  if (heads > max_dimension) return Status::too_large;
  if (slopes.data() == nullptr) return Status::null_pointer;
  if (slopes.size() < heads) return Status::arena_too_small;
  const int log2_heads = 63 - detail::leading_zeros(heads);
  const std::uint32_t below = 1U << log2_heads;
  for (std::uint32_t h = 0; h < below; ++h) slopes[h] = detail::alibi_slope(h + 1, log2_heads);
  for (std::uint32_t h = below; h < heads; ++h) slopes[h] = detail::alibi_slope(2 * (h - below) + 1, log2_heads + 1);
  return Status::ok;
}

/// Writes the plan of a configuration, or a status that says why there is none and leaves `plan` as it was.
/// Statuses: bad_option (a direction has fewer than 2 or more than 128 buckets, max_distance is not above half of them,
/// or there are no such directions); too_large (max_distance).
[[nodiscard]] constexpr Status make_plan(RelativeBucketsConfig config, RelativeBucketsPlan& plan) noexcept {
  if (config.num_buckets == 0) config.num_buckets = 32;
  if (config.max_distance == 0) config.max_distance = 128;
  using Directions = RelativeBucketsConfig::Directions;
  if (config.directions != Directions::bidirectional && config.directions != Directions::causal)
    return Status::bad_option;
  const bool both = config.directions == Directions::bidirectional;
  RelativeBucketsPlan made{.config = config};
  made.per_direction = both ? config.num_buckets / 2 : config.num_buckets;
  made.exact = made.per_direction / 2;
  if (made.per_direction < 2 || made.per_direction > 128 || config.max_distance <= made.exact)
    return Status::bad_option;
  if (config.max_distance >= max_rows) return Status::too_large;
  for (std::uint32_t k = 0; k < made.per_direction - made.exact; ++k) made.limits[k] = detail::bucket_limit(made, k);
  // Beyond the last limit all distances share a bucket.
  made.left = made.limits[made.per_direction - made.exact - 1];
  made.right = both ? made.left : 0;
  made.columns = made.left + 1 + made.right;
  plan = made;
  return Status::ok;
}

/// The plan of a configuration known at compile time. A bad configuration does not compile.
[[nodiscard]] consteval RelativeBucketsPlan plan(const RelativeBucketsConfig& config) {
  RelativeBucketsPlan made{};
  detail::require(make_plan(config, made));
  return made;
}

/// The bucket of a key at key position - query position, decided in exact integers. Hugging Face's transformers take
/// the logarithms in float32. That agrees at every distance with 32 buckets and max_distance 128, T5's own; elsewhere
/// it can round the least distance of a bucket into the bucket below where the logarithm is a whole number, as with 72
/// buckets, max_distance 50 and distance 30.
[[nodiscard]] constexpr std::uint32_t relative_bucket(const RelativeBucketsPlan& plan,
                                                      std::int32_t relative_position) noexcept {
  const bool later = relative_position > 0;
  if (later && plan.config.directions == RelativeBucketsConfig::Directions::causal) return 0;
  const auto bits = static_cast<std::uint32_t>(relative_position);
  const std::uint32_t distance = later ? bits : 0U - bits;
  std::uint32_t bucket = distance;
  if (distance >= plan.exact) {
    bucket = plan.exact;
    while (bucket + 1 < plan.per_direction && distance >= plan.limits[bucket + 1 - plan.exact]) ++bucket;
  }
  return later ? bucket + plan.per_direction : bucket;
}

/// Lays out T5's embedding [buckets, heads], dense, as the table of a RelativeBias in `values` [heads, plan.columns],
/// and points `bias` at it.
/// Statuses: not_initialised (the plan), zero_dimension, too_large, null_pointer, bad_length (the embedding has another
/// size), arena_too_small (`values` has fewer floats).
[[nodiscard]] constexpr Status expand_relative_bias(const RelativeBucketsPlan& plan, std::span<const float> embedding,
                                                    std::uint32_t heads, std::span<float> values,
                                                    RelativeBias& bias) noexcept {
  if (plan.columns == 0) return Status::not_initialised;
  if (heads == 0) return Status::zero_dimension;
  if (heads > max_dimension) return Status::too_large;
  if (embedding.data() == nullptr || values.data() == nullptr) return Status::null_pointer;
  if (embedding.size() != std::size_t{plan.config.num_buckets} * heads) return Status::bad_length;
  if (values.size() < std::uint64_t{heads} * plan.columns) return Status::arena_too_small;
  for (std::uint32_t column = 0; column < plan.columns; ++column) {
    const auto relative_position = static_cast<std::int32_t>(column - plan.left);
    const float* const row = &embedding[std::size_t{relative_bucket(plan, relative_position)} * heads];
    for (std::uint32_t h = 0; h < heads; ++h) values[std::size_t{h} * plan.columns + column] = row[h];
  }
  bias = {values.data(), static_cast<std::ptrdiff_t>(plan.columns), plan.left, plan.right};
  return Status::ok;
}

}  // namespace heed
