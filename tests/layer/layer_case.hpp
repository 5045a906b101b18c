// SPDX-License-Identifier: MIT
//
// A multi-head layer with memory of just the right size, and random weights.
#pragma once

#include <vector>

#include "support/cases.hpp"
#include "support/storage.hpp"

namespace heed::test {

struct LayerWeights {
  std::vector<float> query, key, value, output, query_bias, key_bias, value_bias, output_bias;

  LayerWeights(Random& random, const MultiHeadConfig& c, bool biases) {
    const auto matrix = [&](std::size_t rows, std::size_t columns) {
      return random.normals(rows * columns, 1.0F / std::sqrt(static_cast<float>(columns)));
    };
    query = matrix(std::size_t{c.heads} * c.head_dim, c.model_dim);
    key = matrix(std::size_t{c.kv_heads} * c.head_dim, c.kv_input_dim);
    value = matrix(std::size_t{c.kv_heads} * c.value_dim, c.kv_input_dim);
    output = matrix(c.output_dim, std::size_t{c.heads} * c.value_dim);
    if (!biases) return;
    query_bias = random.normals(std::size_t{c.heads} * c.head_dim, 0.1F);
    key_bias = random.normals(std::size_t{c.kv_heads} * c.head_dim, 0.1F);
    value_bias = random.normals(std::size_t{c.kv_heads} * c.value_dim, 0.1F);
    output_bias = random.normals(c.output_dim, 0.1F);
  }

  [[nodiscard]] MultiHeadWeights view() const {
    const auto or_null = [](const std::vector<float>& v) { return v.empty() ? nullptr : v.data(); };
    return {query.data(),        key.data(),        value.data(),        output.data(),
            or_null(query_bias), or_null(key_bias), or_null(value_bias), or_null(output_bias)};
  }
};

/// The configuration with every default written out.
inline MultiHeadConfig completed(const MultiHeadConfig& config) {
  MultiHeadPlan plan;
  EXPECT_EQ(make_plan(config, plan), Status::ok);
  return plan.config;
}

struct Layer {
  MultiHeadPlan plan;
  AlignedMemory arena;
  AlignedMemory packed;
  MultiHeadAttention layer;

  Layer(const MultiHeadConfig& config, const MultiHeadWeights& weights, const KvRing& ring = kv_ring,
        unsigned char fill = 0xFF)
      : plan(plan_for(config)), arena(plan.bytes, fill), packed(plan.weights_bytes, fill) {
    EXPECT_EQ(pack_weights(plan, weights, packed.span()), Status::ok);
    EXPECT_EQ(layer.init(plan, arena.span(), packed.span(), storage_of(config, ring)), Status::ok);
  }

  static MultiHeadPlan plan_for(const MultiHeadConfig& config) {
    MultiHeadPlan plan;
    EXPECT_EQ(make_plan(config, plan), Status::ok);
    return plan;
  }
};

}  // namespace heed::test
