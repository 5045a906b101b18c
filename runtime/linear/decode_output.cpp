// SPDX-License-Identifier: MIT
#include "linear/decode_output.hpp"

#include "linear/weight_format.hpp"

namespace heed::detail {
namespace {

/// Inputs decoded at a time; weight_group_size is a multiple of it.
constexpr std::uint32_t at_once = 8;

}  // namespace

void decode_output(const LinearPlan& plan, const std::byte* packed, const WeightFormat* format, std::uint32_t output,
                   float* to) noexcept {
  const std::size_t panel = output / panel_width;
  const std::size_t lane = output % panel_width;
  const std::size_t vector = vector_bytes(plan.type);
  const auto scale_bytes = static_cast<std::size_t>(panel_scale_bytes(plan.type, plan.inputs));
  const std::size_t group_bytes = has_groups(plan.type) ? panel_width * sizeof(std::uint16_t) : 0;
  const std::byte* const weights = packed + plan.weights.offset + panel * plan.inputs * vector;
  const std::byte* const scales = packed + plan.scales.offset + panel * scale_bytes;
  float decoded[at_once * panel_width];
  for (std::uint32_t k = 0; k < plan.inputs; k += at_once) {
    const std::uint32_t steps = plan.inputs - k < at_once ? plan.inputs - k : at_once;
    const std::byte* const vectors = weights + k * vector;
    const float* from = reinterpret_cast<const float*>(vectors);
    if (format != nullptr) {
      format->decode(vectors, scales + k / weight_group_size * group_bytes, steps, decoded);
      from = decoded;
    }
    for (std::uint32_t i = 0; i < steps; ++i) to[k + i] = from[std::size_t{i} * panel_width + lane];
  }
}

}  // namespace heed::detail
