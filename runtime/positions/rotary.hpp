// SPDX-License-Identifier: MIT
//
// Pairs of columns and the cosines and sines that rotate them, and what apply_rotary() does, in two parts: a layer
// checks everything before it writes, and rotates its rows later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/rotary_points.hpp>
#include <kernels/rotate.hpp>
#include <port.hpp>

#include "heed/positions.hpp"

namespace heed::detail {

/// Pairs that are rotated at a time: one vector of each column. Their steps, cosines and sines take 256 bytes of stack.
inline constexpr std::uint32_t block_pairs = port::lanes;

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

  PairBlock(const PairBlock&) = delete;
  PairBlock& operator=(const PairBlock&) = delete;

  [[gnu::noinline]] void move_to(std::uint32_t position) noexcept {
    const RotaryConfig& config = rotary_.plan.config;
    if (rotary_.table != nullptr) {
      cosines_ = rotary_.table + std::size_t{position} * config.rotary_dim + first_;
      sines_ = cosines_ + half_;
      return;
    }
    rotary_points(steps_, position, count_, config.attention_factor, computed_[0], computed_[1]);
  }

  /// From one row of columns, `from_step` elements apart, to another.
  [[gnu::noinline]] void rotate(const float* from, std::ptrdiff_t from_step, float* to,
                                std::ptrdiff_t to_step) const noexcept {
    rotate_pairs({from + first_channel() * from_step, from + second_channel() * from_step, step() * from_step},
                 cosines_, sines_, count_,
                 {to + first_channel() * to_step, to + second_channel() * to_step, step() * to_step});
  }

  /// A row's pairs by themselves: interleaved as the columns are, or x in the first sixteen and y after them.
  [[gnu::noinline]] void rotated_to(const float* from, float* to) const noexcept {
    rotate_pairs({from + first_channel(), from + second_channel(), step()}, cosines_, sines_, count_,
                 {to, to + (interleaved() ? 1 : block_pairs), step()});
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
  float computed_[2][block_pairs];
  const float* cosines_ = computed_[0];
  const float* sines_ = computed_[1];
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

/// Whether every position has a row in the table, or without one a number of 32 bits.
[[nodiscard]] Status check_positions(const Rotary& rotary, const RotaryPositions& tokens) noexcept;

/// apply_rotary() of checked arguments.
void rotate(const Rotary& rotary, const RotaryPositions& tokens, ConstTensor from, MutableTensor to) noexcept;

/// fill_rotary_rows() out of line.
void compute_rotary_rows(const RotaryPlan& plan, std::uint32_t first, std::uint32_t count, float* rows) noexcept;

}  // namespace heed::detail
