// SPDX-License-Identifier: MIT
//
// Keys and values over which attention is computed in integers: the numbers and scales of int8, as the weights of
// products.
#include <bit>

#include "cache/integer_values.hpp"
#include "cache/key_readers.hpp"
#include "format/format.hpp"
#include "format/quantize.hpp"

namespace heed::detail {
namespace {

/// A number as a product's weight holds it.
[[nodiscard]] std::byte weight_byte(std::int32_t q, std::size_t input) noexcept {
  return static_cast<std::byte>(input % 2 == 0 ? q + 128 : q);
}

/// x / scale to nearest even, for a scale that raise_int8_scale() has made of x: within -127..127; 0 for one of 0 or
/// NaN.
[[nodiscard]] std::int32_t rounded(float x, float scale) noexcept {
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23: the low bits of what is added to it are rounded to an integer
  return scale > 0.0F ? std::bit_cast<std::int32_t>(x / scale + shift) - std::bit_cast<std::int32_t>(shift) : 0;
}

/// Channels of a key, which is lane `first` of a panel, or of a value, which is number `first` of four: value_in() says
/// how its row differs.
void store_channels(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept {
  const float scale = row.scale<float>(0);
  std::byte* const numbers = row.numbers;
  const std::size_t lane = row.first;
  const std::size_t step = row.step;
  if (step == panel_width) {
    for (std::uint32_t d = first; d < first + count; ++d) {
      numbers[std::size_t{d / 4} * 64 + lane * 4 + d % 4] = weight_byte(rounded(channels[d - first], scale), d);
    }
    return;
  }
  for (std::uint32_t d = first; d < first + count; ++d) {
    numbers[d / panel_width * step + std::size_t{d % panel_width} * 4 + lane] =
        weight_byte(rounded(channels[d - first], scale), lane);
  }
}

void store_whole(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept {
  clear_int8_scale(count, row);
  raise_int8_scale(channels, first, count, row);
  store_channels(channels, first, count, row);
}

/// The step of a value's row is the distance from panel to panel, of sixteen channels and at least sixteen keys.
[[nodiscard]] StoredRow integer_value_in(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                                         std::uint32_t slot) noexcept {
  const std::size_t lane = slot % 4;
  float* const scale = integer_value_scales(cache, sequence, kv_head) + (slot - lane);
  return {integer_value_panel(cache, sequence, kv_head, 0) + std::size_t{slot / 4} * 64,
          reinterpret_cast<std::byte*>(scale), lane, panel_width * integer_value_rows(cache.plan())};
}

}  // namespace
}  // namespace heed::detail

constexpr heed_format heed_int8_integer_cache = {.type = heed::DataType::int8_integer,
                                                 .multiply_panels = nullptr,
                                                 .dequantize_panel = nullptr,
                                                 .store_row = heed::detail::store_whole,
                                                 .clear_scales = heed::detail::clear_int8_scale,
                                                 .raise_scales = heed::detail::raise_int8_scale,
                                                 .store = heed::detail::store_channels,
                                                 .value_in = heed::detail::integer_value_in,
                                                 .stored_keys = &heed::detail::integer_keys};
