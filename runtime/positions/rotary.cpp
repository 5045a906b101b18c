// SPDX-License-Identifier: MIT
#include "positions/rotary.hpp"

#include <cstddef>
#include <cstdint>
#include <kernels/row_shares.hpp>

#include "common/validation.hpp"
#include "heed/detail/linked_code.hpp"
#include "heed/positions.hpp"

namespace heed {

namespace {

[[nodiscard]] Status check(const Rotary& rotary, const RotaryPositions& tokens, const ConstTensor& from,
                           const MutableTensor& to) noexcept {
  const std::uint32_t head_dim = rotary.plan.config.head_dim;
  if (head_dim == 0) return Status::not_initialised;
  if (tokens.batch > max_rows || tokens.heads > max_dimension || tokens.tokens > max_rows) return Status::too_large;
  Status status = detail::check_input(from, tokens.batch, tokens.heads, tokens.tokens, head_dim);
  if (status != Status::ok) return status;
  status = detail::check_output(to, tokens.batch, tokens.heads, tokens.tokens, head_dim);
  return status != Status::ok ? status : detail::check_positions(rotary, tokens);
}

}  // namespace

namespace detail {

constinit const LinkedCode rotary_code;

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

void compute_rotary_rows(const RotaryPlan& plan, std::uint32_t first, std::uint32_t count, float* rows) noexcept {
  // Where blocks take rows by parts, a prompt's rows are all computed here.
  if constexpr (least_row_share != 0) {
    const RotarySteps steps = rotary_steps(plan);
    const std::uint32_t half = plan.config.rotary_dim / 2;
    for (std::uint32_t pair = 0; pair < half; pair += block_pairs) {
      const std::uint32_t pairs = half - pair < block_pairs ? half - pair : block_pairs;
      Phase own[block_pairs];
      for (std::uint32_t i = 0; i < pairs; ++i) own[i] = steps.step(pair + i);
      float* to = rows + pair;
      for (std::uint32_t row = 0; row < count; ++row, to += 2 * std::size_t{half}) {
        rotary_points(own, first + row, pairs, plan.config.attention_factor, to, to + half);
      }
    }
    return;
  }
  fill_rotary_rows(plan, first, count, rows);
}

void rotate(const Rotary& rotary, const RotaryPositions& tokens, ConstTensor from, MutableTensor to) noexcept {
  const RotaryConfig& config = rotary.plan.config;
  const auto for_each_token = [&tokens](const auto& visit) {
    for (std::uint32_t b = 0; b < tokens.batch; ++b) {
      for (std::uint32_t t = 0; t < tokens.tokens; ++t) visit(b, t);
    }
  };
  for_each_block(rotary, [&](PairBlock& block) {
    for_each_token([&](std::uint32_t b, std::uint32_t t) {
      block.move_to(position_of(tokens, b, t));
      for (std::uint32_t h = 0; h < tokens.heads; ++h) block.rotate(from.row(b, h, t), 1, to.row(b, h, t), 1);
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
  RotaryPositions counted = tokens;
  for (std::uint32_t* const count : {&counted.batch, &counted.heads, &counted.tokens}) {
    if (*count == 0) *count = 1;
  }
  const Status status = check(rotary, counted, from, to);
  if (status == Status::ok) detail::rotate(rotary, counted, from, to);
  return status;
}

Status make_rotary_table(const RotaryPlan& plan, std::span<std::byte> memory, Rotary& rotary) noexcept {
  if (plan.config.head_dim == 0) return Status::not_initialised;
  detail::assert_plan_unchanged(plan);
  if (plan.config.max_position == 0) return Status::zero_dimension;
  const Status status = detail::check_memory(memory, plan.bytes);
  if (status != Status::ok) return status;
  auto* const table = reinterpret_cast<float*>(memory.data());
  detail::compute_rotary_rows(plan, 0, plan.config.max_position, table);
  rotary = {plan, table};
  return Status::ok;
}

}  // namespace heed
