// SPDX-License-Identifier: MIT
#include "nn/embedding_row.hpp"

#include "format/format.hpp"

namespace heed::detail {

void load_embedding_row(const LinearPlan& plan, const std::byte* packed, const Format* format, std::uint32_t output,
                        float* to) noexcept {
  const std::size_t panel = output / panel_width;
  const std::size_t lane = output % panel_width;
  const std::byte* const weights = packed + plan.weights.offset + panel * plan.inputs * vector_bytes(plan.type);
  if (format != nullptr) {
    const auto scale_bytes = static_cast<std::size_t>(panel_scale_bytes(plan.type, plan.inputs));
    const std::byte* const scales = packed + plan.scales.offset + panel * scale_bytes;
    format->dequantize_lane(weights, scales, static_cast<int>(lane), plan.inputs, to);
    return;
  }
  const auto* const from = reinterpret_cast<const float*>(weights);
  for (std::size_t i = 0; i < plan.inputs; ++i) to[i] = from[i * panel_width + lane];
}

}  // namespace heed::detail
