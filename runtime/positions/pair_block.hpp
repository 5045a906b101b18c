// SPDX-License-Identifier: MIT
//
// Pairs of columns and the cosines and sines that rotate them, for all that rotates rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "heed/rotary.hpp"

namespace heed::detail {

/// Pairs that are rotated at a time: one vector of each column. Their steps, cosines and sines take 256 bytes of stack.
inline constexpr std::uint32_t block_pairs = port::lanes;

/// `count` floats that lie `stride` elements apart.
[[nodiscard]] inline port::f32x16 gather(const float* from, std::ptrdiff_t stride, std::uint32_t count) noexcept {
  if (stride == 1) return count == block_pairs ? port::load(from) : port::load_partial(from, static_cast<int>(count));
  float values[block_pairs] = {};
  for (std::uint32_t i = 0; i < count; ++i) values[i] = from[static_cast<std::ptrdiff_t>(i) * stride];
  return port::load(values);
}

inline void scatter(float* to, std::ptrdiff_t stride, std::uint32_t count, const port::f32x16& v) noexcept {
  if (stride == 1) {
    if (count == block_pairs) return port::store(to, v);
    return port::store_partial(to, v, static_cast<int>(count));
  }
  float values[block_pairs];
  port::store(values, v);
  for (std::uint32_t i = 0; i < count; ++i) to[static_cast<std::ptrdiff_t>(i) * stride] = values[i];
}

struct RotatedPairs {
  port::f32x16 x, y;
};

/// Up to sixteen neighbouring pairs, and the cosines and sines that rotate them at the position moved to. Its functions
/// are not inlined: apply_rotary() and append_rotated() share them, and flash is dearer than a call per sixteen pairs.
class PairBlock {
 public:
  PairBlock(const Rotary& rotary, const RotarySteps& steps, std::uint32_t first) noexcept
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
      // Without a table, those below count_ are set: NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
      const SineCosine point = sine_cosine(phase_at(steps_[i], position));
      cosines[i] = point.cosine * config.attention_factor;
      sines[i] = point.sine * config.attention_factor;
    }
    cosines_ = gather(cosines, 1, count_);
    sines_ = gather(sines, 1, count_);
  }

  /// From one row of columns, `from_step` elements apart, to another.
  [[gnu::noinline]] void rotate(const float* from, std::ptrdiff_t from_step, float* to,
                                std::ptrdiff_t to_step) const noexcept {
    const std::ptrdiff_t next = step();
    const RotatedPairs pairs = rotated(from, from_step);
    scatter(to + first_channel() * to_step, next * to_step, count_, pairs.x);
    scatter(to + second_channel() * to_step, next * to_step, count_, pairs.y);
  }

  /// The pairs of a row, rotated: x are the columns first_channel() + i * step(), y those from second_channel() on.
  [[nodiscard]] RotatedPairs rotated(const float* from, std::ptrdiff_t from_step) const noexcept {
    const std::ptrdiff_t next = step();
    const port::f32x16 x = gather(from + first_channel() * from_step, next * from_step, count_);
    const port::f32x16 y = gather(from + second_channel() * from_step, next * from_step, count_);
    return {port::sub(port::mul(x, cosines_), port::mul(y, sines_)),
            port::add(port::mul(y, cosines_), port::mul(x, sines_))};
  }

  /// The same as floats: interleaved as the columns are, or x in the first sixteen and y after them.
  [[gnu::noinline]] void rotated_to(const float* from, float* to) const noexcept {
    const RotatedPairs pairs = rotated(from, 1);
    scatter(to, step(), count_, pairs.x);
    scatter(to + (interleaved() ? 1 : block_pairs), step(), count_, pairs.y);
  }

  [[nodiscard]] bool interleaved() const noexcept { return rotary_.plan.config.layout == RotaryLayout::interleaved; }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::ptrdiff_t step() const noexcept { return interleaved() ? 2 : 1; }
  [[nodiscard]] std::ptrdiff_t first_channel() const noexcept { return static_cast<std::ptrdiff_t>(first_) * step(); }
  [[nodiscard]] std::ptrdiff_t second_channel() const noexcept {
    return first_channel() + (interleaved() ? 1 : static_cast<std::ptrdiff_t>(half_));
  }

 private:
  const Rotary& rotary_;
  std::uint32_t first_;
  std::uint32_t half_;
  std::uint32_t count_ = 0;
  Phase steps_[block_pairs];
  port::f32x16 cosines_{};
  port::f32x16 sines_{};
};

/// Calls visit(block) for all blocks of pairs, one after the other.
template <class Visit>
void for_each_block(const Rotary& rotary, const Visit& visit) noexcept {
  const bool computed = rotary.table == nullptr;
  const RotarySteps steps = computed ? rotary_steps(rotary.plan) : RotarySteps{};
  for (std::uint32_t first = 0; first < rotary.plan.config.rotary_dim / 2; first += block_pairs) {
    PairBlock block(rotary, steps, first);
    visit(block);
  }
}

[[nodiscard]] inline std::uint32_t position_of(const RotaryPositions& tokens, std::uint32_t batch,
                                               std::uint32_t token) noexcept {
  if (tokens.positions != nullptr) return tokens.positions[std::size_t{batch} * tokens.tokens + token];
  return (tokens.first_positions != nullptr ? tokens.first_positions[batch] : 0) + token;
}

}  // namespace heed::detail
