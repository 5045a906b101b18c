// SPDX-License-Identifier: MIT
#include "linear/linear_rows.hpp"
#include "linear/pack_linear.hpp"
#include "quantization/quantize_groups.hpp"

namespace heed::detail {
namespace {

void store_output(WeightType type, const float* weight, std::uint32_t inputs, const LinearRow& row) noexcept {
  switch (type) {
    case WeightType::float32: return;
    case WeightType::float16: return store_row(DataType::float16, weight, inputs, inputs, row.weights, row.scales);
    case WeightType::bfloat16: return store_row(DataType::bfloat16, weight, inputs, inputs, row.weights, row.scales);
    case WeightType::int8: return store_row(DataType::int8, weight, inputs, inputs, row.weights, row.scales);
    case WeightType::int8_groups: return store_int8_groups(weight, inputs, row.weights, row.scales);
    case WeightType::int4_groups: return store_int4_groups(weight, inputs, row.weights, row.scales);
  }
}

}  // namespace

void pack_rounded(const LinearPlan& plan, const float* weight, const float* bias, std::byte* packed) noexcept {
  clear_weights(plan, packed);
  for (std::uint32_t i = 0; i < plan.outputs; ++i) {
    store_output(plan.type, weight + std::size_t{i} * plan.inputs, plan.inputs, linear_row(plan, packed, i));
  }
  pack_bias(plan, bias, packed);
}

}  // namespace heed::detail
