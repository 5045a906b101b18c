// SPDX-License-Identifier: MIT
//
// The C interface of attention over KvCaches, by the rules of c_api_calls.hpp.
#include <cstddef>

#include "c/c_api_attention.hpp"
#include "c/c_api_calls.hpp"
#include "c/c_api_kv_cache.hpp"
#include "c/c_api_options.hpp"
#include "heed/attention.hpp"
#include "heed/heed_attend_kv_cache.h"
#include "heed/kv_cache.hpp"
#include "heed/options.hpp"

namespace {

using heed::KvCacheView;
using heed::detail::in_place;
using heed::detail::same_size;

static_assert(same_size<heed_kv_cache_view, KvCacheView>);
HEED_SAME_MEMBER(heed_kv_cache_view, KvCacheView, cache);
HEED_SAME_MEMBER(heed_kv_cache_view, KvCacheView, block_table);
HEED_SAME_MEMBER(heed_kv_cache_view, KvCacheView, max_blocks);

}  // namespace

heed_status heed_attend_kv_cache(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                                 const heed_attention_inputs* inputs, const heed_kv_cache_view* keys,
                                 const heed_attention_options* options, const heed_attention_outputs* outputs,
                                 const heed_executor* executor) {
  if (plan == nullptr || inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  if (keys == nullptr || keys->cache == nullptr) return HEED_NULL_POINTER;
  const heed_attention_options made = heed::detail::adapted(options);
  return heed::detail::answer(
      heed::attend(in_place<heed::AttentionPlan>(*plan), heed::detail::memory_of(arena, arena_bytes),
                   heed::detail::twin_of(*inputs), in_place<KvCacheView>(*keys), in_place<heed::AttentionOptions>(made),
                   in_place<heed::AttentionOutputs>(*outputs), heed::detail::executor_of(executor)));
}
