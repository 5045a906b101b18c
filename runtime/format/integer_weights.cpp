// SPDX-License-Identifier: MIT
//
// Weights whose rows are integers.
#include "format/integer_weights.hpp"

#include "format/format.hpp"

namespace heed::detail {
namespace {

/// The scale of number `step` of an output, whose panel has the given scales.
template <DataType weights>
[[nodiscard]] float value_at(const std::byte* numbers, const std::byte* scales, std::uint32_t step,
                             std::uint32_t output) noexcept {
  std::int32_t number = weight_number<weights>(numbers, step, output);
  if constexpr (weights != DataType::int8) {
    const auto* const multipliers = reinterpret_cast<const std::int8_t*>(scales + panel_width * sizeof(float));
    number *= multipliers[step / scale_group_size * panel_width + output];
  }
  return static_cast<float>(number) * reinterpret_cast<const float*>(scales)[output];
}

template <DataType weights>
void dequantize_lane(const std::byte* numbers, const std::byte* scales, int lane, std::uint32_t steps,
                     float* to) noexcept {
  for (std::uint32_t step = 0; step < steps; ++step) {
    to[step] = value_at<weights>(numbers, scales, step, static_cast<std::uint32_t>(lane));
  }
}

template <DataType weights>
[[nodiscard]] constexpr Format integer_weights() noexcept {
  return {.type = weights,
          .products = products_of(weights, DataType::int8),
          .multiply_panels = nullptr,
          .dequantize_panel = nullptr,
          .dequantize_lane = dequantize_lane<weights>,
          .multiply = integer_linear,
          .round = round_rows_for<weights>,
          .int8_sums = integer_sums<weights, DataType::int8>,
          .int16_sums = integer_sums<weights, DataType::int16>,
          .int16_factor = static_cast<float>(1 << group_shift<weights, DataType::int16>),
          .activate = map_integer_activation};
}

}  // namespace
}  // namespace heed::detail

constexpr heed_format heed_int8_integer_weights = heed::detail::integer_weights<heed::DataType::int8>();
constexpr heed_format heed_int8_multiplier_weights = heed::detail::integer_weights<heed::DataType::int8_multipliers>();
constexpr heed_format heed_int4_multiplier_weights = heed::detail::integer_weights<heed::DataType::int4_multipliers>();
