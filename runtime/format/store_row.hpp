// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "format/quantize.hpp"
#include "heed/arena.hpp"

namespace heed::detail {

using ClearScales = void(std::uint32_t dim, const StoredRow& row) noexcept;
using RaiseScales = void(const float* channels, std::uint32_t first, std::uint32_t count,
                         const StoredRow& row) noexcept;

/// Format::store_row() of the three functions that store a row in steps; the first two may be null.
template <ClearScales* clear, RaiseScales* raise, StoreChannels* store>
void store_row(const float* channels, std::uint32_t dim, std::uint32_t width, const StoredRow& row) noexcept {
  static constexpr float padding[panel_width] = {};
  if constexpr (clear != nullptr) {
    clear(dim, row);
    raise(channels, 0, dim, row);
  }
  store(channels, 0, dim, row);
  store(padding, dim, width - dim, row);
}

/// Those of a format.
template <ClearScales* clear, RaiseScales* raise, StoreChannels* store>
constexpr void add_storing(auto& format) noexcept {
  format.store_row = store_row<clear, raise, store>;
  format.clear_scales = clear;
  format.raise_scales = raise;
  format.store = store;
}

}  // namespace heed::detail
