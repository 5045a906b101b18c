// SPDX-License-Identifier: MIT
//
// The C interface of attention over stored caches, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstddef>

#include "c_api_calls.hpp"
#include "c_api_options.hpp"
#include "c_api_stored_cache.hpp"
#include "heed/attention.hpp"
#include "heed/heed_stored_cache.h"
#include "heed/options.hpp"
#include "heed/stored_cache.hpp"

namespace {

using heed::StoredKeyView;
using heed::detail::same_size;

static_assert(same_size<heed_stored_key_view, StoredKeyView>);
HEED_SAME_MEMBER(heed_stored_key_view, StoredKeyView, cache);
HEED_SAME_MEMBER(heed_stored_key_view, StoredKeyView, pages);
HEED_SAME_MEMBER(heed_stored_key_view, StoredKeyView, page_columns);

}  // namespace

heed_status heed_attend_stored(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                               const heed_attention_inputs* inputs, const heed_stored_key_view* keys,
                               const heed_attention_options* options, const heed_attention_outputs* outputs,
                               const heed_executor* executor) {
  if (plan == nullptr || inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  if (keys == nullptr || keys->cache == nullptr) return HEED_NULL_POINTER;
  auto reads = std::bit_cast<heed::AttentionInputs>(*inputs);
  reads.cache = nullptr;
  const auto cache = std::bit_cast<heed::StoredCache>(*keys->cache);
  const StoredKeyView view{&cache, keys->pages, keys->page_columns};
  return heed::detail::answer(
      heed::attend(std::bit_cast<heed::AttentionPlan>(*plan), heed::detail::memory_of(arena, arena_bytes), reads, view,
                   heed::detail::twin_of(options), std::bit_cast<heed::AttentionOutputs>(*outputs),
                   heed::detail::executor_of(executor)));
}
