// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "format/quantize.hpp"

namespace heed::detail {

using ClearScales = void(std::uint32_t dim, const StoredRow& row) noexcept;
using RaiseScales = void(const float* channels, std::uint32_t first, std::uint32_t count,
                         const StoredRow& row) noexcept;

/// Format::store_row() of types that have scales of their own.
template <ClearScales* clear, RaiseScales* raise, StoreChannels* store>
void store_with_scales(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept {
  clear(first + count, row);
  raise(channels, first, count, row);
  store(channels, first, count, row);
}

/// Those of a format; the first two may be null.
template <ClearScales* clear, RaiseScales* raise, StoreChannels* store>
constexpr void add_storing(auto& format) noexcept {
  format.store_row = store;
  if constexpr (clear != nullptr) format.store_row = store_with_scales<clear, raise, store>;
  format.clear_scales = clear;
  format.raise_scales = raise;
  format.store = store;
}

}  // namespace heed::detail
