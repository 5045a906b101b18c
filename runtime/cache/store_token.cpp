// SPDX-License-Identifier: MIT
#include "cache/store_token.hpp"

#include "common/validation.hpp"

namespace heed::detail {

Status check_append(const KvCache& cache, std::uint32_t sequence, std::uint32_t tokens, const ConstTensor& key,
                    const ConstTensor& value) noexcept {
  if (!cache.initialised()) return Status::not_initialised;
  assert_plan_unchanged(cache.plan());
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
  return append_with(
      cache, sequence, tokens, key, value, [](const NewRows& rows) __attribute__((always_inline)) {
        const std::uint32_t heads = rows.cache.plan().config.kv_heads;
        for (std::uint32_t head = 0; head < heads; ++head) rows.store(head, true, true);
      });
}

}  // namespace heed::detail
