// SPDX-License-Identifier: MIT
#include "heed/rotary.hpp"

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "common/as_made.hpp"
#include "common/validation.hpp"
#include "positions/rope.hpp"

namespace heed {
namespace {

/// Pairs that are turned at a time: one vector of each column. Their steps, cosines and sines take 256 bytes of stack.
constexpr std::uint32_t block_pairs = port::lanes;

/// `count` floats that lie `stride` elements apart.
[[nodiscard]] port::f32x16 gather(const float* from, std::ptrdiff_t stride, std::uint32_t count) noexcept {
  if (stride == 1) return count == block_pairs ? port::load(from) : port::load_partial(from, static_cast<int>(count));
  float values[block_pairs] = {};
  for (std::uint32_t i = 0; i < count; ++i) values[i] = from[static_cast<std::ptrdiff_t>(i) * stride];
  return port::load(values);
}

void scatter(float* to, std::ptrdiff_t stride, std::uint32_t count, const port::f32x16& v) noexcept {
  if (stride == 1) {
    if (count == block_pairs) return port::store(to, v);
    return port::store_partial(to, v, static_cast<int>(count));
  }
  float values[block_pairs];
  port::store(values, v);
  for (std::uint32_t i = 0; i < count; ++i) to[static_cast<std::ptrdiff_t>(i) * stride] = values[i];
}

/// Up to sixteen neighbouring pairs, and the cosines and sines that turn them at the position moved to. Its functions
/// are not inlined: apply_rotary() and append_rotated() share them, and flash is dearer than a call per sixteen pairs.
class PairBlock {
 public:
  PairBlock(const Rotary& rotary, const detail::RotarySteps& steps, std::uint32_t first) noexcept
      : rotary_(rotary), first_(first), half_(rotary.plan.config.rotary_dim / 2) {
    count_ = half_ - first < block_pairs ? half_ - first : block_pairs;
    if (rotary.table != nullptr) return;
    for (std::uint32_t i = 0; i < count_; ++i) steps_[i] = steps.step(first + i);
  }

  [[gnu::noinline]] void move_to(std::uint32_t position) noexcept {
    const RotaryConfig& config = rotary_.plan.config;
    if (rotary_.table != nullptr) {
      const float* const row = rotary_.table + std::size_t{position} * config.rotary_dim + first_;
      cosines_ = gather(row, 1, count_);
      sines_ = gather(row + half_, 1, count_);
      return;
    }
    float cosines[block_pairs];
    float sines[block_pairs];
    for (std::uint32_t i = 0; i < count_; ++i) {
      const detail::SineCosine point = detail::sine_cosine(detail::phase_at(steps_[i], position));
      cosines[i] = point.cosine * config.attention_factor;
      sines[i] = point.sine * config.attention_factor;
    }
    cosines_ = gather(cosines, 1, count_);
    sines_ = gather(sines, 1, count_);
  }

  /// From one row of columns, `from_step` elements apart, to another.
  [[gnu::noinline]] void turn(const float* from, std::ptrdiff_t from_step, float* to,
                              std::ptrdiff_t to_step) const noexcept {
    const bool interleaved = rotary_.plan.config.layout == RotaryLayout::interleaved;
    const std::ptrdiff_t to_next = interleaved ? 2 : 1;
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(first_) * to_next;
    const std::ptrdiff_t second = first + (interleaved ? 1 : static_cast<std::ptrdiff_t>(half_));
    const port::f32x16 x = gather(from + first * from_step, to_next * from_step, count_);
    const port::f32x16 y = gather(from + second * from_step, to_next * from_step, count_);
    const port::f32x16 turned_x = port::sub(port::mul(x, cosines_), port::mul(y, sines_));
    const port::f32x16 turned_y = port::add(port::mul(y, cosines_), port::mul(x, sines_));
    scatter(to + first * to_step, to_next * to_step, count_, turned_x);
    scatter(to + second * to_step, to_next * to_step, count_, turned_y);
  }

 private:
  const Rotary& rotary_;
  std::uint32_t first_;
  std::uint32_t half_;
  std::uint32_t count_ = 0;
  detail::Turns steps_[block_pairs];
  port::f32x16 cosines_{};
  port::f32x16 sines_{};
};

/// Calls visit(block) for all blocks of pairs, one after the other.
template <class Visit>
void for_each_block(const Rotary& rotary, const Visit& visit) noexcept {
  const bool computed = rotary.table == nullptr;
  const detail::RotarySteps steps = computed ? detail::rotary_steps(rotary.plan) : detail::RotarySteps{};
  for (std::uint32_t first = 0; first < rotary.plan.config.rotary_dim / 2; first += block_pairs) {
    PairBlock block(rotary, steps, first);
    visit(block);
  }
}

[[nodiscard]] std::uint32_t position_of(const RotaryPositions& tokens, std::uint32_t batch,
                                        std::uint32_t token) noexcept {
  if (tokens.positions != nullptr) return tokens.positions[std::size_t{batch} * tokens.tokens + token];
  return (tokens.first_positions != nullptr ? tokens.first_positions[batch] : 0) + token;
}

[[nodiscard]] Status check(const Rotary& rotary, const RotaryPositions& tokens, const ConstTensor& from,
                           const MutableTensor& to) noexcept {
  const std::uint32_t head_dim = rotary.plan.config.head_dim;
  if (head_dim == 0) return Status::not_initialised;
  if (tokens.batch == 0 || tokens.heads == 0 || tokens.tokens == 0) return Status::zero_dimension;
  if (tokens.batch > max_rows || tokens.heads > max_dimension || tokens.tokens > max_rows) return Status::too_large;
  Status status = detail::check_input(from, tokens.batch, tokens.heads, tokens.tokens, head_dim);
  if (status != Status::ok) return status;
  status = detail::check_output(to, tokens.batch, tokens.heads, tokens.tokens, head_dim);
  return status != Status::ok ? status : detail::check_positions(rotary, tokens);
}

}  // namespace

namespace detail {

Status check_positions(const Rotary& rotary, const RotaryPositions& tokens) noexcept {
  const bool counted = tokens.positions == nullptr;
  const std::uint32_t last = tokens.tokens - 1;
  for (std::uint32_t batch = 0; batch < tokens.batch; ++batch) {
    if (counted && position_of(tokens, batch, 0) > UINT32_MAX - last) return Status::too_large;
    if (rotary.table == nullptr) continue;
    for (std::uint32_t token = counted ? last : 0; token <= last; ++token) {
      if (position_of(tokens, batch, token) >= rotary.plan.config.max_position) return Status::bad_position;
    }
  }
  return Status::ok;
}

void turn(const Rotary& rotary, const RotaryPositions& tokens, ConstTensor from, MutableTensor to) noexcept {
  const RotaryConfig& config = rotary.plan.config;
  const auto for_each_token = [&tokens](const auto& visit) {
    for (std::uint32_t b = 0; b < tokens.batch; ++b) {
      for (std::uint32_t t = 0; t < tokens.tokens; ++t) visit(b, t);
    }
  };
  for_each_block(rotary, [&](PairBlock& block) {
    for_each_token([&](std::uint32_t b, std::uint32_t t) {
      block.move_to(position_of(tokens, b, t));
      for (std::uint32_t h = 0; h < tokens.heads; ++h) block.turn(from.row(b, h, t), 1, to.row(b, h, t), 1);
    });
  });
  if (from.data == to.data || config.rotary_dim == config.head_dim) return;
  for_each_token([&](std::uint32_t b, std::uint32_t t) {
    for (std::uint32_t h = 0; h < tokens.heads; ++h) {
      const float* const source = from.row(b, h, t);
      float* const target = to.row(b, h, t);
      for (std::uint32_t d = config.rotary_dim; d < config.head_dim; ++d) target[d] = source[d];
    }
  });
}

}  // namespace detail

Status apply_rotary(const Rotary& rotary, const RotaryPositions& tokens, ConstTensor from, MutableTensor to) noexcept {
  const Status status = check(rotary, tokens, from, to);
  if (status == Status::ok) detail::turn(rotary, tokens, from, to);
  return status;
}

Status make_rotary_table(const RotaryPlan& plan, std::span<std::byte> memory, Rotary& rotary) noexcept {
  if (plan.config.head_dim == 0) return Status::not_initialised;
  detail::expect_as_made(plan);
  if (plan.config.max_position == 0) return Status::zero_dimension;
  const Status status = detail::check_memory(memory, plan.bytes);
  if (status != Status::ok) return status;
  auto* const table = reinterpret_cast<float*>(memory.data());
  detail::fill_rotary_table(plan, table);
  rotary = {plan, table};
  return Status::ok;
}

Status append_rotated(FloatKvCache& cache, std::uint32_t sequence, std::uint32_t tokens, ConstTensor key,
                      ConstTensor value, const Rotary& rotary, const std::uint32_t* positions) noexcept {
  if (!cache.initialised() || rotary.plan.config.head_dim == 0) return Status::not_initialised;
  const FloatKvCacheConfig& config = cache.plan().config;
  if (config.head_dim != rotary.plan.config.head_dim) return Status::plan_mismatch;
  if (sequence >= config.max_sequences) return Status::bad_sequence;
  if (tokens == 0) return Status::ok;
  const std::uint32_t first = cache.length(sequence);
  if (tokens > config.max_keys - first) return Status::cache_full;
  const RotaryPositions added{.tokens = tokens, .positions = positions, .first_positions = &first};
  Status status = detail::check_positions(rotary, added);
  if (status != Status::ok) return status;
  status = cache.append(sequence, tokens, key, value);
  if (status != Status::ok) return status;

  // In place, in the lanes: a key's columns lie one panel width apart.
  for_each_block(rotary, [&](PairBlock& block) {
    for (std::uint32_t t = 0; t < tokens; ++t) {
      block.move_to(position_of(added, 0, t));
      for (std::uint32_t head = 0; head < config.kv_heads; ++head) {
        float* const lane = cache.key_lane(sequence, head, first + t);
        block.turn(lane, panel_width, lane, panel_width);
      }
    }
  });
  return Status::ok;
}

}  // namespace heed
