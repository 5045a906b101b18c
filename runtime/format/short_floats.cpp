// SPDX-License-Identifier: MIT
//
// Numbers of two bytes without scales.

#include "format/format_of.hpp"

namespace heed::detail {

/// The format of keys and values of two bytes without scales.
template <port::f32x16 (*load_elements)(const std::uint16_t*) noexcept, StoreChannels* store>
[[nodiscard]] constexpr Format short_cache(DataType type) noexcept {
  using Numbers = ShortNumbers<load_elements>;
  Format format = keys_of<Numbers>(type);
  format.multiply_rows = format.multiply_panels;
  format.dequantize_rows = [](const std::byte* numbers, const std::byte* scales, std::uint32_t rows, std::uint32_t dim,
                              float* to) noexcept {
    dequantize_panel<Numbers>(numbers, scales, rows * ((dim + panel_width - 1) / panel_width), to);
  };
  add_storing<nullptr, nullptr, store>(format);
  return format;
}

}  // namespace heed::detail

constexpr heed_format heed_float16_weights =
    heed::detail::weights_of<heed::detail::ShortNumbers<heed::detail::half_lanes>>(heed::DataType::float16);
constexpr heed_format heed_float16_cache =
    heed::detail::short_cache<heed::detail::half_lanes, heed::detail::store_float16>(heed::DataType::float16);

constexpr heed_format heed_bfloat16_weights =
    heed::detail::weights_of<heed::detail::ShortNumbers<heed::detail::bfloat16_lanes>>(heed::DataType::bfloat16);
constexpr heed_format heed_bfloat16_cache =
    heed::detail::short_cache<heed::detail::bfloat16_lanes, heed::detail::store_bfloat16>(heed::DataType::bfloat16);
