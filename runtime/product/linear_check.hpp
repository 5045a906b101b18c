// SPDX-License-Identifier: MIT
//
// What calls with packed linear weights refuse.
#pragma once

#include <cstddef>
#include <span>

#include "common/validation.hpp"
#include "format/format.hpp"
#include "heed/linear.hpp"

namespace heed::detail {

/// Bytes from the start of packed weights, which may hold other matrices before this one, to its end.
[[nodiscard]] constexpr std::size_t packed_end(const LinearPlan& plan) noexcept {
  return std::size_t{plan.weights.offset} + plan.bytes;
}

/// In builds with HEED_CHECK_PLANS, traps unless a plan of its own is what make_plan() makes.
inline void assert_plan_unchanged([[maybe_unused]] const LinearPlan& plan) noexcept {
#ifdef HEED_CHECK_PLANS
  LinearPlan made;
  const LinearConfig config{plan.inputs, plan.outputs, plan.type, plan.bias.bytes != 0, plan.row_type};
  if (make_plan(config, made) != Status::ok || made.bytes != plan.bytes) __builtin_trap();
  if (made.staging_bytes != plan.staging_bytes || made.row_bytes != plan.row_bytes) __builtin_trap();
  if (plan.weights.name == RegionName::weights && !(made == plan)) __builtin_trap();
#endif
}

[[nodiscard]] inline Status check_packed(const LinearPlan& plan, std::span<const std::byte> packed) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  assert_plan_unchanged(plan);
  return check_memory(packed, packed_end(plan));
}

[[nodiscard]] inline Status check_packed(const LinearPlan& plan, const PackedWeights& weights) noexcept {
  const Status status = check_packed(plan, weights.span());
  if (status != Status::ok) return status;
  return multiplies(weights.format, products_of(plan.type, plan.row_type)) ? Status::ok : Status::missing_format;
}

[[nodiscard]] inline Status check_packing(const LinearPlan& plan, const void* weight, const float* bias,
                                          std::span<const std::byte> packed) noexcept {
  const Status status = check_packed(plan, packed);
  if (status != Status::ok) return status;
  if (weight == nullptr) return Status::null_pointer;
  return bias != nullptr && plan.bias.bytes == 0 ? Status::bad_option : Status::ok;
}

}  // namespace heed::detail
