// SPDX-License-Identifier: MIT
#pragma once

#include "format/format_of.hpp"
#include "format/store_row.hpp"

namespace heed::detail {

/// The format of keys and values of two bytes without scales.
template <port::f32x16 (*load_elements)(const std::uint16_t*) noexcept, StoreChannels* store>
[[nodiscard]] constexpr Format short_cache(DataType type) noexcept {
  using Numbers = ShortNumbers<load_elements>;
  Format format = keys_of<Numbers>(type);
  format.multiply_rows = format.multiply_panels;
  format.decode_rows = [](const std::byte* numbers, const std::byte* scales, std::uint32_t rows, std::uint32_t dim,
                          float* to) noexcept {
    decode_panel<Numbers>(numbers, scales, rows * ((dim + panel_width - 1) / panel_width), to);
  };
  add_storing<nullptr, nullptr, store>(format);
  return format;
}

}  // namespace heed::detail
