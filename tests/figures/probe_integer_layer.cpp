// SPDX-License-Identifier: MIT
#include "heed/layer.hpp"

extern "C" heed::Status probe(const heed::MultiHeadPlan& plan, std::byte* arena, const std::byte* weights,
                              heed::MultiHeadAttention& layer, const float* x, float* y) {
  // As the compiler knows it of a plan that is a constant, so that what multiplies floats is not named.
  if (plan.attention.config.integers == 0 || plan.config.weight_type != heed::DataType::int8) __builtin_unreachable();
  const heed::PackedWeights packed(weights, plan.weights_bytes, &heed::int8_integer_weights);
  const heed::Status status = layer.init(plan, {arena, plan.bytes}, packed, {.formats = {&heed::int8_integer_cache}});
  return status != heed::Status::ok ? status : layer.decode(x, y);
}
