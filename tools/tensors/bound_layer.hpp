// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "heed/layer.hpp"
#include "support/aligned_bytes.hpp"
#include "support/failure.hpp"

namespace heed::tools {

/// A multi-head layer that owns all that it points to.
struct BoundLayer {
  /// `where` begins the message of a Failure.
  BoundLayer(const MultiHeadPlan& made, const MultiHeadWeights& weights, const std::string& where)
      : plan(made), arena(plan.bytes), packed(plan.weights_bytes) {
    require_ok(pack_weights(plan, weights, packed.span()), where);
    require_ok(layer.init(plan, arena.span(), packed.span()), where);
  }

  BoundLayer(const BoundLayer&) = delete;
  BoundLayer& operator=(const BoundLayer&) = delete;
  ~BoundLayer() = default;

  MultiHeadPlan plan;
  AlignedBytes arena;
  AlignedBytes packed;
  MultiHeadAttention layer;
};

}  // namespace heed::tools
