// SPDX-License-Identifier: MIT
#include "cache/store_token.hpp"

#include "cache/channel_scales.hpp"
#include "common/validation.hpp"

namespace heed::detail {

Status check_append(const KvCache& cache, std::uint32_t sequence, std::uint32_t tokens, const ConstTensor& key,
                    const ConstTensor& value) noexcept {
  if (!cache.initialised()) return Status::not_initialised;
  expect_as_made(cache.plan());
  const KvCacheConfig& config = cache.plan().config;
  if (sequence >= config.max_sequences) return Status::bad_sequence;
  if (tokens == 0) return Status::ok;
  const std::uint32_t appended = cache.tokens(sequence);
  if (config.ring == 0 && tokens > config.max_keys - appended) return Status::cache_full;
  if (tokens > max_tokens - appended) return Status::too_large;
  Status status = check_input(key, 1, config.kv_heads, tokens, config.head_dim);
  if (status == Status::ok) status = check_input(value, 1, config.kv_heads, tokens, config.value_dim);
  if (status != Status::ok) return status;
  const ChannelScales* const scales = channel_scales_of(cache);
  return scales == nullptr || scales->are_set(cache.plan(), cache.memory()) ? Status::ok : Status::bad_scale;
}

Status append_tokens(KvCache& cache, std::uint32_t sequence, std::uint32_t tokens, const ConstTensor& key,
                     const ConstTensor& value) noexcept {
  const KvCachePlan& plan = cache.plan();
  const KvCacheConfig& config = plan.config;
  const ChannelScales* const scales = channel_scales_of(cache);
  if (scales != nullptr && !scales->are_finite(config, tokens, key)) return Status::not_finite;
  std::uint32_t& appended = tokens_of(cache, sequence);
  const std::uint32_t first_slot = slot_of(cache, appended);
  StoreChannels* const store_key = storing(CacheAccess::key_format(cache));
  StoreChannels* const store_value = storing(CacheAccess::value_format(cache));
  for (std::uint32_t head = 0; head < config.kv_heads; ++head) {
    std::uint32_t slot = first_slot;
    for (std::uint32_t t = 0; t < tokens; ++t) {
      store_key(key.row(0, head, t), 0, config.head_dim, key_in(cache, sequence, head, slot));
      store_value(value.row(0, head, t), 0, config.value_dim, value_in(cache, sequence, head, slot));
      // A ring wraps to its first slot after the sinks; others are then full.
      slot = slot + 1 < config.max_keys ? slot + 1 : config.sink_tokens;
    }
  }
  appended += tokens;
  return Status::ok;
}

}  // namespace heed::detail
