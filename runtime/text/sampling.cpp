// SPDX-License-Identifier: MIT
#include <kernels/exp2.hpp>
#include <port.hpp>

#include "common/constants.hpp"
#include "common/validation.hpp"
#include "heed/arena.hpp"
#include "heed/text.hpp"

namespace heed {
namespace {

[[nodiscard]] std::uint32_t likeliest(std::span<const float> logits) noexcept {
  return argmax(logits.data(), static_cast<std::uint32_t>(logits.size()));
}

/// Logits become exp2(scale * (logit - greatest)), NaN becomes 0.
void to_weights(std::span<float> logits, float greatest, float scale) noexcept {
  using namespace detail;
  for (std::size_t first = 0; first < logits.size(); first += panel_width) {
    const std::size_t rest = logits.size() - first;
    const int count = rest < panel_width ? static_cast<int>(rest) : static_cast<int>(panel_width);
    for (int i = 0; i < count; ++i) {
      float& logit = logits[first + static_cast<std::size_t>(i)];
      if (logit != logit) logit = minus_infinity;
    }
    const port::f32x16 logit = port::load_partial(logits.data() + first, count);
    const port::f32x16 shifted = port::mul(port::sub(logit, port::set(greatest)), port::set(scale));
    port::store_partial(logits.data() + first, exp2_nonpositive(shifted), count);
  }
}

/// The tokens as a heap, the likeliest on top; of equally likely ones the first comes first.
struct LikeliestFirst {
  const float* weights;
  std::uint32_t* order;
  std::uint32_t count;

  LikeliestFirst(std::span<const float> all, std::uint32_t* room) noexcept
      : weights(all.data()), order(room), count(static_cast<std::uint32_t>(all.size())) {
    for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
    for (std::uint32_t i = count / 2; i-- > 0;) sift_down(i);
  }

  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const noexcept {
    return weights[a] > weights[b] || (weights[a] == weights[b] && a < b);
  }

  void sift_down(std::uint32_t parent) const noexcept {
    const std::uint32_t moved = order[parent];
    for (std::uint32_t child = 2 * parent + 1; child < count; child = 2 * parent + 1) {
      if (child + 1 < count && before(order[child + 1], order[child])) ++child;
      if (!before(order[child], moved)) break;
      order[parent] = order[child];
      parent = child;
    }
    order[parent] = moved;
  }

  /// Moves the top out of the heap, to the place after it.
  void pop() noexcept {
    --count;
    const std::uint32_t top = order[0];
    order[0] = order[count];
    order[count] = top;
    if (count > 1) sift_down(0);
  }
};

/// Sums in the order of the tokens, or of their likelihood.
[[nodiscard]] float sum_of(std::span<const float> weights) noexcept {
  float sum = 0.0F;
  for (const float weight : weights) sum += weight;
  return sum;
}

/// [0, 1), in steps of 2^-24.
[[nodiscard]] float uniform(RandomBits& random) noexcept {
  return static_cast<float>(random.next() >> 8) * 0x1p-24F;
}

/// What top_p means.
[[nodiscard]] float reach(const Sampling& config) noexcept {
  return config.top_p == 0.0F ? 1.0F : config.top_p;
}

/// One of the likeliest tokens that top_k and top_p leave.
[[nodiscard]] std::uint32_t draw_likely(const Sampling& config, std::span<const float> weights, std::uint32_t* order,
                                        float chance) noexcept {
  LikeliestFirst heap(weights, order);
  const std::uint32_t all = heap.count;
  const auto nth = [&](std::uint32_t rank) noexcept { return order[all - 1 - rank]; };
  std::uint32_t kept = 0;
  float total = 0.0F;
  if (config.top_k != 0 && config.top_k < all) {
    for (; kept < config.top_k; ++kept) {
      heap.pop();
      total += weights[nth(kept)];
    }
  } else {
    total = sum_of(weights);
  }
  const std::uint32_t most = kept == 0 ? all : kept;
  const float enough = reach(config) * total;
  float sum = 0.0F;
  std::uint32_t used = 0;
  while (used < most && (used == 0 || sum < enough)) {
    if (used == all - heap.count) heap.pop();
    sum += weights[nth(used)];
    ++used;
  }
  const float target = chance * sum;
  float reached = 0.0F;
  for (std::uint32_t rank = 0; rank < used; ++rank) {
    reached += weights[nth(rank)];
    if (target < reached) return nth(rank);
  }
  return nth(0);
}

[[nodiscard]] std::uint32_t draw_any(std::span<const float> weights, float chance) noexcept {
  const float target = chance * sum_of(weights);
  float reached = 0.0F;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    reached += weights[i];
    if (target < reached) return static_cast<std::uint32_t>(i);
  }
  return likeliest(weights);
}

}  // namespace

Status sample_token(const Sampling& config, std::span<float> logits, std::span<std::uint32_t> order, RandomBits& random,
                    std::uint32_t& token) noexcept {
  if (logits.empty()) return Status::zero_dimension;
  if (logits.data() == nullptr || order.data() == nullptr) return Status::null_pointer;
  if (order.size() < logits.size() || logits.size() >= std::size_t{1} << 31) return Status::bad_length;
  const bool temperature =
      config.temperature == 0.0F || (config.temperature >= 0.001F && config.temperature <= 1000.0F);
  if (!temperature || !(config.top_p >= 0.0F && config.top_p <= 1.0F)) return Status::bad_option;

  const std::uint32_t greatest = likeliest(logits);
  if (!(logits[greatest] >= detail::lowest)) return Status::not_finite;
  token = greatest;
  if (config.temperature == 0.0F) return Status::ok;
  const float chance = uniform(random);
  if (!detail::is_finite(logits[greatest])) return Status::ok;
  to_weights(logits, logits[greatest], detail::log2_e / config.temperature);
  const bool all = reach(config) == 1.0F && (config.top_k == 0 || config.top_k >= logits.size());
  token = all ? draw_any(logits, chance) : draw_likely(config, logits, order.data(), chance);
  return Status::ok;
}

}  // namespace heed
