// SPDX-License-Identifier: MIT
//
// Weights whose rows are integers.
#include "format/integer_weights.hpp"

#include "format/format.hpp"
#include "format/table_lanes.hpp"

namespace heed::detail {

#ifdef __ELF__
// A model's embedding table has a use for them, and brings them.
// NOLINTBEGIN(readability-redundant-declaration)
[[gnu::weak]] void int8_lane(const std::byte* numbers, const std::byte* scales, int lane, std::uint32_t steps,
                             float* to) noexcept;
[[gnu::weak]] void int8_multiplier_lane(const std::byte* numbers, const std::byte* scales, int lane,
                                        std::uint32_t steps, float* to) noexcept;
[[gnu::weak]] void int4_multiplier_lane(const std::byte* numbers, const std::byte* scales, int lane,
                                        std::uint32_t steps, float* to) noexcept;
// NOLINTEND(readability-redundant-declaration)
#endif

namespace {

template <DataType weights>
[[nodiscard]] constexpr Format integer_weights(DequantizeLane* lane) noexcept {
  return {.type = weights,
          .products = products_of(weights, DataType::int8),
          .multiply_panels = nullptr,
          .dequantize_panel = nullptr,
          .dequantize_lane = lane,
          .multiply = integer_linear,
          .round = round_rows_for<weights>,
          .int8_sums = integer_sums<weights, DataType::int8>,
          .int16_sums = integer_sums<weights, DataType::int16>,
          .int16_factor = static_cast<float>(1 << group_shift<weights, DataType::int16>),
          .activate = map_integer_activation};
}

}  // namespace
}  // namespace heed::detail

constexpr heed_format heed_int8_integer_weights =
    heed::detail::integer_weights<heed::DataType::int8>(heed::detail::int8_lane);
constexpr heed_format heed_int8_multiplier_weights =
    heed::detail::integer_weights<heed::DataType::int8_multipliers>(heed::detail::int8_multiplier_lane);
constexpr heed_format heed_int4_multiplier_weights =
    heed::detail::integer_weights<heed::DataType::int4_multipliers>(heed::detail::int4_multiplier_lane);
