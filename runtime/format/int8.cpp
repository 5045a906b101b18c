// SPDX-License-Identifier: MIT
#include "format/format_of.hpp"

namespace heed::detail {
namespace {

void dequantize_int8_rows(const std::byte* numbers, const std::byte* scales, std::uint32_t rows, std::uint32_t dim,
                          float* to) noexcept {
  const auto* from = reinterpret_cast<const std::int8_t*>(numbers);
  const auto* scale = reinterpret_cast<const float*>(scales);
  const auto width = static_cast<std::uint32_t>(round_up(dim, panel_width));
  for (std::uint32_t row = 0; row < rows; ++row, from += width, to += width) dequantize_row(from, *scale++, width, to);
}

[[nodiscard]] constexpr Format int8_storage() noexcept {
  Format format = keys_of<Int8Lanes>(DataType::int8);
  if constexpr (quantized_tile_rows != 0) format.multiply_rows = multiply_panels<Int8Steps>;
  format.dequantize_rows = dequantize_int8_rows;
  add_storing<clear_int8_scale, raise_int8_scale, store_int8>(format);
  return format;
}

}  // namespace
}  // namespace heed::detail

constexpr heed_format heed_int8_weights = heed::detail::weights_of<heed::detail::Int8Lanes>(heed::DataType::int8);
constexpr heed_format heed_int8_cache = heed::detail::int8_storage();
