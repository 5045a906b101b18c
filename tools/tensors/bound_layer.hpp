// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "heed/multi_head.hpp"
#include "support/aligned_bytes.hpp"
#include "support/failure.hpp"

namespace heed::tools {

/// A multi-head layer that owns its arena and its packed weights.
struct BoundLayer {
  /// `where` begins the message of a Failure.
  BoundLayer(const MultiHeadPlan& plan, const MultiHeadWeights& weights, const std::string& where)
      : arena(plan.bytes), packed(plan.weights_bytes) {
    require_ok(pack_weights(plan, weights, packed.span()), where);
    require_ok(layer.init(plan, arena.span(), packed.span()), where);
  }

  AlignedBytes arena;
  AlignedBytes packed;
  MultiHeadAttention layer;
};

}  // namespace heed::tools
