// SPDX-License-Identifier: MIT
#include "common/as_made.hpp"
#include "heed/kv_multi_head.hpp"
#include "layer/packed_weights.hpp"

namespace heed {

MultiHeadWeights split_packed(const KvMultiHeadPlan& plan, const float* input_weight, const float* input_bias,
                              const float* output_weight, const float* output_bias) noexcept {
  return detail::split_packed(detail::weights_layout(plan), input_weight, input_bias, output_weight, output_bias);
}

Status pack_weights(const KvMultiHeadPlan& plan, const MultiHeadWeights& weights,
                    std::span<std::byte> packed) noexcept {
  if (plan.weights_bytes == 0) return Status::not_initialised;
  detail::expect_as_made(plan);
  return detail::pack_weights(detail::weights_layout(plan), weights, packed);
}

}  // namespace heed
