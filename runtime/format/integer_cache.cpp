// SPDX-License-Identifier: MIT
//
// Keys and values over which attention is computed in integers: the numbers and scales of int8, as the weights of
// products.
#include <bit>
#include <cstdint>
#include <kernels/stored_integers.hpp>

#include "cache/integer_values.hpp"
#include "cache/key_readers.hpp"
#include "format/format.hpp"
#include "format/quantize.hpp"

namespace heed::detail {
namespace {

/// Channels of a key, which is lane `first` of a panel, or of a value, which is number `first` of four: value_in() says
/// how its row differs.
void store_channels(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept {
  const float scale = row.scale<float>(0);
  const auto lane = static_cast<std::uint32_t>(row.first);
  if (row.step == panel_width) {
    store_integer_key(channels, scale, first, count, row.numbers + std::size_t{lane} * 4);
  } else {
    store_integer_value(channels, scale, first, count, row.numbers, row.step, lane);
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

/// Weights times scales are rounded by the greatest of them, which bounds them all if no scale is negative, and is a
/// number if none is infinite. NaN may have either sign.
[[nodiscard]] bool may_be_value_scales(const KvCachePlan& plan, std::byte* memory) noexcept {
  constexpr std::uint32_t infinity = 0x7F800000U;
  const std::uint32_t* const tokens = states_in(plan, memory);
  const auto* scales = reinterpret_cast<const float*>(memory + plan.value_scales.offset);
  for (std::uint32_t sequence = 0; sequence < plan.config.max_sequences; ++sequence) {
    const std::uint32_t keys = least(tokens[sequence], plan.config.max_keys);
    for (std::uint32_t head = 0; head < plan.config.kv_heads; ++head, scales += integer_value_rows(plan)) {
      for (std::uint32_t key = 0; key < keys; ++key) {
        const auto bits = std::bit_cast<std::uint32_t>(scales[key]);
        if (bits >= infinity && (bits & ~0x80000000U) <= infinity) return false;
      }
    }
  }
  return true;
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
                                                 .may_be = heed::detail::may_be_value_scales,
                                                 .stored_keys = &heed::detail::integer_keys};
