// SPDX-License-Identifier: MIT
//
// Packed weights read back as floats.
#include <cstddef>
#include <cstdint>

#include "format/format.hpp"
#include "heed/detail/linked_code.hpp"
#include "heed/linear.hpp"
#include "product/linear_check.hpp"

namespace heed {

namespace {

/// Inputs dequantized at a time; scale_group_size is a multiple of it.
constexpr std::uint32_t at_once = 8;

/// The format of the weights is known only when it runs: this reference makes the linker include what reads those for
/// rows of integers.
[[gnu::used]] constexpr const detail::LinkedCode* unpacked_lanes = &detail::integer_lane_code;

/// unpack_linear() for rows of integers.
void unpack_integers(const LinearPlan& plan, const PackedWeights& weights, float* weight) noexcept {
  const auto panel_bytes =
      static_cast<std::size_t>(detail::packed_inputs(plan.row_type, plan.inputs)) * detail::vector_bytes(plan.type);
  const auto scale_bytes = static_cast<std::size_t>(detail::panel_scale_bytes(plan.type, plan.inputs));
  const std::byte* const panels = weights.span().data() + plan.weights.offset;
  const std::byte* const scales = weights.span().data() + plan.scales.offset;
  for (std::uint32_t output = 0; output < plan.outputs; ++output, weight += plan.inputs) {
    const std::size_t panel = output / panel_width;
    weights.format->dequantize_lane(panels + panel * panel_bytes, scales + panel * scale_bytes,
                                    static_cast<int>(output % panel_width), plan.inputs, weight);
  }
}

}  // namespace

Status unpack_linear(const LinearPlan& plan, const PackedWeights& weights, float* weight) noexcept {
  const Status status = detail::check_packed(plan, weights);
  if (status != Status::ok) return status;
  if (weight == nullptr) return Status::null_pointer;
  if (plan.row_bytes != 0) {
    unpack_integers(plan, weights, weight);
    return Status::ok;
  }
  const std::size_t vector_bytes = detail::vector_bytes(plan.type);
  const auto scale_bytes = static_cast<std::size_t>(detail::panel_scale_bytes(plan.type, plan.inputs));
  const std::byte* panels = weights.span().data() + plan.weights.offset;
  const std::byte* scales = weights.span().data() + plan.scales.offset;
  float dequantized[at_once * panel_width];
  for (std::uint32_t row = 0; row < plan.outputs; row += panel_width, scales += scale_bytes) {
    const std::uint32_t lanes = plan.outputs - row < panel_width ? plan.outputs - row : panel_width;
    for (std::uint32_t k = 0; k < plan.inputs; k += at_once) {
      const std::uint32_t steps = plan.inputs - k < at_once ? plan.inputs - k : at_once;
      const std::size_t group = k / scale_group_size;
      const std::size_t group_bytes = detail::has_groups(plan.type) ? panel_width * sizeof(std::uint16_t) : 0;
      const float* from = reinterpret_cast<const float*>(panels);
      if (weights.format != nullptr) {
        weights.format->dequantize_panel(panels, scales + group * group_bytes, steps, dequantized);
        from = dequantized;
      }
      for (std::uint32_t i = 0; i < steps * panel_width; ++i) {
        if (i % panel_width < lanes) {
          weight[std::size_t{row + i % panel_width} * plan.inputs + k + i / panel_width] = from[i];
        }
      }
      panels += steps * vector_bytes;
    }
  }
  return Status::ok;
}

}  // namespace heed
