// SPDX-License-Identifier: MIT
//
// The C interface of statuses, tensors, regions and executors, by the rules of c_api_calls.hpp.
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/arena.hpp"
#include "heed/executor.hpp"
#include "heed/heed_types.h"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

namespace heed::detail {

static_assert(same_size<heed_tensor, MutableTensor>);
HEED_SAME_MEMBER(heed_tensor, MutableTensor, data);
HEED_SAME_MEMBER(heed_tensor, MutableTensor, batch_stride);
HEED_SAME_MEMBER(heed_tensor, MutableTensor, head_stride);
HEED_SAME_MEMBER(heed_tensor, MutableTensor, row_stride);

static_assert(same_size<heed_const_tensor, ConstTensor>);
HEED_SAME_MEMBER(heed_const_tensor, ConstTensor, data);
HEED_SAME_MEMBER(heed_const_tensor, ConstTensor, batch_stride);
HEED_SAME_MEMBER(heed_const_tensor, ConstTensor, head_stride);
HEED_SAME_MEMBER(heed_const_tensor, ConstTensor, row_stride);

static_assert(same_size<heed_matrix, MutableMatrix>);
HEED_SAME_MEMBER(heed_matrix, MutableMatrix, data);
HEED_SAME_MEMBER(heed_matrix, MutableMatrix, batch_stride);
HEED_SAME_MEMBER(heed_matrix, MutableMatrix, row_stride);

static_assert(same_size<heed_const_matrix, ConstMatrix>);
HEED_SAME_MEMBER(heed_const_matrix, ConstMatrix, data);
HEED_SAME_MEMBER(heed_const_matrix, ConstMatrix, batch_stride);
HEED_SAME_MEMBER(heed_const_matrix, ConstMatrix, row_stride);

static_assert(same_size<heed_region, Region>);
HEED_SAME_MEMBER(heed_region, Region, name);
HEED_SAME_MEMBER(heed_region, Region, offset);
HEED_SAME_MEMBER(heed_region, Region, bytes);

static_assert(same_size<heed_executor, Executor>);
HEED_SAME_MEMBER(heed_executor, Executor, context);
HEED_SAME_MEMBER(heed_executor, Executor, parallel_for);

static_assert(HEED_OK == value_of(Status::ok));
static_assert(HEED_ZERO_DIMENSION == value_of(Status::zero_dimension));
static_assert(HEED_HEADS_NOT_DIVISIBLE == value_of(Status::heads_not_divisible));
static_assert(HEED_TOO_LARGE == value_of(Status::too_large));
static_assert(HEED_BAD_WORKERS == value_of(Status::bad_workers));
static_assert(HEED_ARENA_TOO_SMALL == value_of(Status::arena_too_small));
static_assert(HEED_ARENA_MISALIGNED == value_of(Status::arena_misaligned));
static_assert(HEED_NULL_POINTER == value_of(Status::null_pointer));
static_assert(HEED_BAD_STRIDE == value_of(Status::bad_stride));
static_assert(HEED_BAD_LENGTH == value_of(Status::bad_length));
static_assert(HEED_BAD_SCALE == value_of(Status::bad_scale));
static_assert(HEED_BAD_OPTION == value_of(Status::bad_option));
static_assert(HEED_KEYS_EXCEED_PLAN == value_of(Status::keys_exceed_plan));
static_assert(HEED_CACHE_FULL == value_of(Status::cache_full));
static_assert(HEED_BAD_SEQUENCE == value_of(Status::bad_sequence));
static_assert(HEED_BAD_TOKEN == value_of(Status::bad_token));
static_assert(HEED_NOT_INITIALISED == value_of(Status::not_initialised));
static_assert(HEED_WRONG_WEIGHTS == value_of(Status::wrong_weights));
static_assert(HEED_BAD_STATE == value_of(Status::bad_state));
static_assert(HEED_PLAN_MISMATCH == value_of(Status::plan_mismatch));
static_assert(HEED_BAD_BASE == value_of(Status::bad_base));
static_assert(HEED_BAD_ROTARY == value_of(Status::bad_rotary));
static_assert(HEED_BAD_POSITION == value_of(Status::bad_position));
static_assert(HEED_RING_WRAPPED == value_of(Status::ring_wrapped));
static_assert(HEED_NOT_EMPTY == value_of(Status::not_empty));
static_assert(HEED_NOT_FINITE == value_of(Status::not_finite));
static_assert(HEED_BAD_FILE == value_of(Status::bad_file));
static_assert(HEED_OVERLAP == value_of(Status::overlap));
static_assert(HEED_MISSING_FORMAT == value_of(Status::missing_format));

static_assert(HEED_ARENA_ALIGNMENT == arena_alignment);

}  // namespace heed::detail

const char* heed_region_to_string(heed_region region) {
  return heed::to_string(static_cast<heed::RegionName>(region.name));
}

const char* heed_status_to_string(heed_status status) {
  const auto value = static_cast<std::uint32_t>(status);
  return heed::to_string(static_cast<heed::Status>(value < UINT8_MAX ? value : UINT8_MAX));
}
