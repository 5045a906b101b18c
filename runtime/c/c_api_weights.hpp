// SPDX-License-Identifier: MIT
//
// The structs of heed_weights.h and heed_format.h as those of linear.hpp and format.hpp.
#pragma once

#include "c/c_api_calls.hpp"
#include "heed/heed_weights.h"
#include "heed/linear.hpp"

namespace heed::detail {

static_assert(HEED_DATA_TYPE_FLOAT32 == value_of(DataType::float32));
static_assert(HEED_DATA_TYPE_FLOAT16 == value_of(DataType::float16));
static_assert(HEED_DATA_TYPE_BFLOAT16 == value_of(DataType::bfloat16));
static_assert(HEED_DATA_TYPE_INT8 == value_of(DataType::int8));
static_assert(HEED_DATA_TYPE_INT8_GROUPS == value_of(DataType::int8_groups));
static_assert(HEED_DATA_TYPE_INT4_GROUPS == value_of(DataType::int4_groups));
static_assert(HEED_DATA_TYPE_INT4 == value_of(DataType::int4));
static_assert(HEED_DATA_TYPE_INT8_CHANNELS == value_of(DataType::int8_channels));
static_assert(HEED_SCALE_GROUP_SIZE == scale_group_size);

[[nodiscard]] inline PackedWeights twin_of(const heed_packed_weights& weights) noexcept {
  return {memory_of(weights.bytes, weights.size), weights.format};
}

}  // namespace heed::detail
