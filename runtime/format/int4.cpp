// SPDX-License-Identifier: MIT
#include <bit>

#include "format/format_of.hpp"

namespace heed::detail {
namespace {

using KeyNumbers = GroupLanes<std::uint8_t, bfloat16_lanes>;

[[nodiscard]] constexpr std::uint32_t groups_of(std::uint32_t dim) noexcept {
  return (dim + scale_group_size - 1) / scale_group_size;
}

[[maybe_unused]] void multiply_int4_rows(const Gemm& product, const std::byte* numbers,
                                         const std::byte* scales) noexcept {
  multiply_quantized(product, Int4OfSteps{reinterpret_cast<const std::uint8_t*>(numbers),
                                          reinterpret_cast<const std::uint16_t*>(scales),
                                          static_cast<std::ptrdiff_t>(groups_of(product.columns))});
}

/// Counted in bytes, of two elements each.
void dequantize_int4_rows(const std::byte* numbers, const std::byte* scales, std::uint32_t rows, std::uint32_t dim,
                          float* to) noexcept {
  const auto* from = reinterpret_cast<const std::uint8_t*>(numbers);
  const auto* scale = reinterpret_cast<const std::uint16_t*>(scales);
  const auto bytes = static_cast<std::size_t>(round_up(dim, panel_width) / 2);
  for (std::uint32_t row = 0; row < rows; ++row, scale += groups_of(dim), from += bytes, to += bytes * 2) {
    for (std::size_t b = 0; b < bytes; b += panel_width / 2) {
      const auto factor = port::set(std::bit_cast<float>(std::uint32_t{scale[b / (scale_group_size / 2)]} << 16));
      port::store(to + b * 2, port::mul(load_int4(from + b), factor));
    }
  }
}

[[nodiscard]] constexpr Format int4_storage() noexcept {
  Format format = keys_of<KeyNumbers>(DataType::int4);
  if constexpr (quantized_tile_rows != 0) format.multiply_rows = multiply_int4_rows;
  format.dequantize_rows = dequantize_int4_rows;
  add_storing<clear_int4_scales, raise_int4_scales, store_int4>(format);
  return format;
}

}  // namespace
}  // namespace heed::detail

constexpr heed_format heed_int4_cache = heed::detail::int4_storage();
