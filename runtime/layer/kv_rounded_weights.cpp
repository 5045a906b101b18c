// SPDX-License-Identifier: MIT
#include "heed/kv_multi_head.hpp"
#include "layer/packed_weights.hpp"
#include "linear/pack_linear.hpp"

namespace heed {

Status detail::pack_rounded_weights(const KvMultiHeadPlan& plan, const MultiHeadWeights& weights,
                                    std::span<std::byte> packed) noexcept {
  return pack_weights(plan, weights, packed, &pack_rounded);
}

}  // namespace heed
