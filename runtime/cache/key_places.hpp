// SPDX-License-Identifier: MIT
//
// Where the keys of a batch entry lie: in a sequence of a cache, or in pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "attention/key_source.hpp"
#include "cache/cache_parts.hpp"
#include "common/key_range.hpp"
#include "common/validation.hpp"

namespace heed::detail {

struct KeyPlace {
  std::uint32_t sequence;
  std::uint32_t slot;
};

[[nodiscard]] inline const KvCache& cache_of(const KeySource& source) noexcept {
  return *source.head.run.inputs->cache;
}

[[nodiscard]] inline KeyPlace place_of(const KeySource& source, std::uint32_t key) noexcept {
  const AttentionInputs& inputs = *source.head.run.inputs;
  if (inputs.page_table == nullptr) return {sequence_of(inputs.sequence_ids, source.head.batch), key};
  const std::uint32_t page_keys = inputs.cache->plan().config.max_keys;
  return {inputs.page_table[std::size_t{source.head.batch} * inputs.max_pages + port::whole_quotient(key, page_keys)],
          port::whole_remainder(key, page_keys)};
}

/// The panel that a key is in.
[[nodiscard]] inline StoredNumbers keys_at(const KeySource& source, std::uint32_t first) noexcept {
  const KeyPlace place = place_of(source, first);
  return key_panel(cache_of(source), place.sequence, source.head.kv_head, place.slot);
}

/// How many of `wanted` keys from `first` on lie in one piece.
[[nodiscard]] inline std::uint32_t within_page(const AttentionInputs& inputs, std::uint32_t first,
                                               std::uint32_t wanted) noexcept {
  if (inputs.page_table == nullptr) return wanted;
  const std::uint32_t page_keys = inputs.cache->plan().config.max_keys;
  return least(wanted, page_keys - port::whole_remainder(first, page_keys));
}

}  // namespace heed::detail
