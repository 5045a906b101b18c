// SPDX-License-Identifier: MIT
#include "cache/store_token.hpp"
#include "common/parallel_for.hpp"

namespace heed::detail {

Status append_shared(KvCache& cache, std::uint32_t sequence, std::uint32_t tokens, const ConstTensor& key,
                     const ConstTensor& value, const Executor& executor, std::uint32_t workers) noexcept {
  const std::uint32_t heads = cache.plan().config.kv_heads;
  return append_with(cache, sequence, tokens, key, value, [&](const NewRows& rows) noexcept {
    // Numbers of two keys may share a byte, but none of two heads, and none of a key and a value.
    const auto store = [&rows, heads](std::uint32_t, std::uint32_t item) noexcept {
      const bool is_key = item < heads;
      rows.store(is_key ? item : item - heads, is_key, !is_key);
    };
    parallel_for_each(executor, workers, 2 * heads, store);
  });
}

}  // namespace heed::detail
