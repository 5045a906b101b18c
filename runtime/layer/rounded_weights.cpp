// SPDX-License-Identifier: MIT
#include "layer/packed_weights.hpp"
#include "product/pack_linear.hpp"

namespace heed {

Status detail::pack_rounded_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                                    std::span<std::byte> packed) noexcept {
  return pack_weights(plan, weights, packed, &pack_rounded);
}

}  // namespace heed
