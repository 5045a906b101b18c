// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "attention/key_source.hpp"
#include "heed/cache.hpp"
#include "heed/layer.hpp"
#include "layer/sequences.hpp"

namespace heed {

/// What pages add to a cache: to attention over it, and to a layer's sequences.
struct KvPages {
  const detail::StoredKeys* stored_keys;

  /// What attend() refuses about the pages of one batch entry.
  Status (*check_keys)(const AttentionInputs& inputs, std::uint32_t batch) noexcept;

  /// Sequences::check(), clear() and append().
  Status (*check)(const detail::Sequences& sequences, detail::CacheUpdate update) noexcept;
  Status (*clear)(const detail::Sequences& sequences, std::uint32_t batch) noexcept;
  Status (*append)(const detail::Sequences& sequences, const detail::LayerRows& rows, const ConstTensor& key,
                   const ConstTensor& value) noexcept;
};

}  // namespace heed
