// SPDX-License-Identifier: MIT
#include "format/quantize.hpp"
#include "format/quantize_groups.hpp"
#include "product/linear_rows.hpp"
#include "product/pack_linear.hpp"

namespace heed::detail {
namespace {

void store_output(DataType type, const float* weight, std::uint32_t inputs, const StoredRow& row) noexcept {
  if (type == DataType::float16) {
    store_float16(weight, 0, inputs, row);
  } else if (type == DataType::bfloat16) {
    store_bfloat16(weight, 0, inputs, row);
  } else if (type == DataType::int8) {
    raise_int8_scale(weight, 0, inputs, row);  // which clear_weights() has cleared
    store_int8(weight, 0, inputs, row);
  } else if (type == DataType::int8_groups) {
    store_int8_groups(weight, inputs, row);
  } else {
    store_int4_groups(weight, inputs, row);
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
