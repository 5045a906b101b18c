// SPDX-License-Identifier: MIT
#include "layer/float_sequences.hpp"

namespace heed::detail {

Status FloatSequences::check(CacheUpdate update) const noexcept {
  if (inputs.block_table != nullptr) return Status::plan_mismatch;
  const FloatKvCacheConfig& config = cache.plan().config;
  for (std::uint32_t b = 0; b < inputs.batch; ++b) {
    const std::uint32_t id = sequence(b);
    if (id >= config.max_sequences) return Status::bad_sequence;
    if (update == CacheUpdate::nothing) continue;
    const std::uint32_t held = update == CacheUpdate::append ? tokens(b) : 0;
    if (inputs.tokens > config.max_keys - held) return Status::cache_full;
    for (std::uint32_t other = 0; inputs.sequence_ids != nullptr && other < b; ++other) {
      if (inputs.sequence_ids[other] == id) return Status::bad_sequence;
    }
  }
  return Status::ok;
}

}  // namespace heed::detail
