// SPDX-License-Identifier: MIT
//
// The structs of heed_weights.h as those of linear.hpp.
#pragma once

#include "c/c_api_calls.hpp"
#include "heed/heed_weights.h"
#include "heed/linear.hpp"

namespace heed::detail {

static_assert(HEED_WEIGHT_FLOAT32 == value_of(WeightType::float32));
static_assert(HEED_WEIGHT_FLOAT16 == value_of(WeightType::float16));
static_assert(HEED_WEIGHT_BFLOAT16 == value_of(WeightType::bfloat16));
static_assert(HEED_WEIGHT_INT8 == value_of(WeightType::int8));
static_assert(HEED_WEIGHT_INT8_GROUPS == value_of(WeightType::int8_groups));
static_assert(HEED_WEIGHT_INT4_GROUPS == value_of(WeightType::int4_groups));
static_assert(HEED_WEIGHT_GROUP_SIZE == weight_group_size);

/// A format of C is the object of C++.
[[nodiscard]] inline const heed_weight_format* twin_of(const WeightFormat& format) noexcept {
  return reinterpret_cast<const heed_weight_format*>(&format);
}

[[nodiscard]] inline PackedWeights twin_of(const heed_packed_weights& weights) noexcept {
  return {memory_of(weights.bytes, weights.size), reinterpret_cast<const WeightFormat*>(weights.format)};
}

}  // namespace heed::detail
