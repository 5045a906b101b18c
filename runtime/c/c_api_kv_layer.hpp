// SPDX-License-Identifier: MIT
//
// The structs of heed_kv_multi_head.h as those of kv_multi_head.hpp.
#pragma once

#include "c/c_api_calls.hpp"
#include "c/c_api_kv_cache.hpp"
#include "c/c_api_layer.hpp"
#include "heed/heed_kv_multi_head.h"
#include "heed/kv_multi_head.hpp"

namespace heed::detail {

HEED_SAME_LAYER_CONFIG(heed_kv_multi_head_config, KvMultiHeadConfig);
HEED_SAME_MEMBER(heed_kv_multi_head_config, KvMultiHeadConfig, key_type);
HEED_SAME_MEMBER(heed_kv_multi_head_config, KvMultiHeadConfig, value_type);
HEED_SAME_MEMBER(heed_kv_multi_head_config, KvMultiHeadConfig, key_scales_per_channel);
HEED_SAME_MEMBER(heed_kv_multi_head_config, KvMultiHeadConfig, ring);
HEED_SAME_MEMBER(heed_kv_multi_head_config, KvMultiHeadConfig, sink_tokens);
HEED_SAME_MEMBER(heed_kv_multi_head_config, KvMultiHeadConfig, max_blocks);

HEED_SAME_LAYER_PLAN(heed_kv_multi_head_plan, KvMultiHeadPlan);

/// A bool of C++ is 0 or 1, and nothing else.
[[nodiscard]] inline heed_kv_multi_head_config adapted(const heed_kv_multi_head_config& config) noexcept {
  heed_kv_multi_head_config made = config;
  made.key_scales_per_channel = config.key_scales_per_channel != 0 ? 1 : 0;
  made.ring = config.ring != 0 ? 1 : 0;
  return made;
}

}  // namespace heed::detail
