// SPDX-License-Identifier: MIT
//
// The C interface of rotary positions, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_rotary.h"
#include "heed/kv_cache.hpp"
#include "heed/rotary.hpp"

namespace {

using heed::detail::answer;
using heed::detail::in_place;
using heed::detail::same_size;

static_assert(same_size<heed_rotary_config, heed::RotaryConfig>);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, head_dim);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, rotary_dim);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, base);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, layout);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, scaling);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, scaling_factor);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, original_max_position);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, beta_fast);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, beta_slow);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, high_freq_factor);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, low_freq_factor);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, attention_factor);
HEED_SAME_MEMBER(heed_rotary_config, heed::RotaryConfig, max_position);

static_assert(same_size<heed_rotary_plan, heed::RotaryPlan>);
HEED_SAME_MEMBER(heed_rotary_plan, heed::RotaryPlan, config);
HEED_SAME_MEMBER(heed_rotary_plan, heed::RotaryPlan, ramp_first);
HEED_SAME_MEMBER(heed_rotary_plan, heed::RotaryPlan, ramp_last);
HEED_SAME_MEMBER(heed_rotary_plan, heed::RotaryPlan, bytes);

static_assert(same_size<heed_rotary, heed::Rotary>);
HEED_SAME_MEMBER(heed_rotary, heed::Rotary, plan);
HEED_SAME_MEMBER(heed_rotary, heed::Rotary, table);

static_assert(same_size<heed_rotary_positions, heed::RotaryPositions>);
HEED_SAME_MEMBER(heed_rotary_positions, heed::RotaryPositions, batch);
HEED_SAME_MEMBER(heed_rotary_positions, heed::RotaryPositions, heads);
HEED_SAME_MEMBER(heed_rotary_positions, heed::RotaryPositions, tokens);
HEED_SAME_MEMBER(heed_rotary_positions, heed::RotaryPositions, positions);
HEED_SAME_MEMBER(heed_rotary_positions, heed::RotaryPositions, first_positions);

static_assert(HEED_ROTARY_HALVES == static_cast<int>(heed::RotaryLayout::halves));
static_assert(HEED_ROTARY_INTERLEAVED == static_cast<int>(heed::RotaryLayout::interleaved));
static_assert(HEED_ROTARY_NONE == static_cast<int>(heed::RotaryScaling::none));
static_assert(HEED_ROTARY_LINEAR == static_cast<int>(heed::RotaryScaling::linear));
static_assert(HEED_ROTARY_NTK == static_cast<int>(heed::RotaryScaling::ntk));
static_assert(HEED_ROTARY_YARN == static_cast<int>(heed::RotaryScaling::yarn));
static_assert(HEED_ROTARY_LLAMA3 == static_cast<int>(heed::RotaryScaling::llama3));

}  // namespace

heed_status heed_plan_rotary(const heed_rotary_config* config, heed_rotary_plan* plan) {
  return heed::detail::write_plan<heed::RotaryPlan>(config, plan);
}

heed_status heed_make_rotary_table(const heed_rotary_plan* plan, void* memory, size_t memory_bytes,
                                   heed_rotary* rotary) {
  if (plan == nullptr || rotary == nullptr) return HEED_NULL_POINTER;
  return answer(heed::make_rotary_table(in_place<heed::RotaryPlan>(*plan),
                                        {static_cast<std::byte*>(memory), memory_bytes},
                                        in_place<heed::Rotary>(*rotary)));
}

heed_status heed_apply_rotary(const heed_rotary* rotary, const heed_rotary_positions* tokens, heed_const_tensor from,
                              heed_tensor to) {
  if (rotary == nullptr || tokens == nullptr) return HEED_NULL_POINTER;
  auto twin = std::bit_cast<heed::RotaryPositions>(*tokens);
  twin.batch = heed::detail::at_least_one(twin.batch);
  twin.heads = heed::detail::at_least_one(twin.heads);
  twin.tokens = heed::detail::at_least_one(twin.tokens);
  return answer(heed::apply_rotary(in_place<heed::Rotary>(*rotary), twin, std::bit_cast<heed::ConstTensor>(from),
                                   std::bit_cast<heed::MutableTensor>(to)));
}

heed_status heed_kv_cache_append_rotated(heed_kv_cache* cache, uint32_t sequence, uint32_t tokens,
                                         heed_const_tensor key, heed_const_tensor value, const heed_rotary* rotary,
                                         const uint32_t* positions) {
  if (cache == nullptr || rotary == nullptr) return HEED_NULL_POINTER;
  return answer(heed::append_rotated(in_place<heed::KvCache>(*cache), sequence, tokens, heed::detail::view_of(key),
                                     heed::detail::view_of(value), in_place<heed::Rotary>(*rotary), positions));
}
