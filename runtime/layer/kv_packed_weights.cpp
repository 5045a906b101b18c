// SPDX-License-Identifier: MIT
#include "heed/kv_multi_head.hpp"
#include "layer/packed_weights.hpp"
#include "linear/pack_linear.hpp"

namespace heed {

MultiHeadWeights split_packed(const KvMultiHeadPlan& plan, const float* input_weight, const float* input_bias,
                              const float* output_weight, const float* output_bias) noexcept {
  return detail::split_packed(detail::weights_layout(plan), input_weight, input_bias, output_weight, output_bias);
}

Status detail::pack_float_weights(const KvMultiHeadPlan& plan, const MultiHeadWeights& weights,
                                  std::span<std::byte> packed) noexcept {
  return pack_weights(plan, weights, packed, &pack_floats);
}

}  // namespace heed
