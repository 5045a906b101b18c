// SPDX-License-Identifier: MIT
//
// Weights whose rows are integers.
#include "format/integer_weights.hpp"

#include <cstddef>
#include <cstdint>
#include <kernels/grouped_matrix.hpp>

#include "common/integer_product.hpp"
#include "format/format.hpp"
#include "format/table_lanes.hpp"
#include "product/linear.hpp"

namespace heed::detail {

#ifdef __ELF__
// Linked only with a model, whose embedding table may need them (heed/detail/linked_code.hpp).
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

/// integer_linear() by the port's kernel for whole matrices, where rows are bytes and a block has all inputs.
template <DataType weights>
void multiply_groups(const Format& format, const LinearShare& share) noexcept {
  const LinearPlan& plan = share.plan;
  const auto inputs = static_cast<std::uint32_t>(packed_inputs(plan.row_type, plan.inputs));
  if (plan.row_type != DataType::int8 || inputs > block_inputs) {
    integer_linear(format, share);
    return;
  }
  const std::size_t panel_bytes = std::size_t{inputs} * vector_bytes(weights);
  const auto scale_bytes = static_cast<std::size_t>(panel_scale_bytes(weights, plan.inputs));
  multiply_grouped_matrix(whole_matrix(share, inputs, share.packed + plan.weights.offset + share.first * panel_bytes,
                                       share.packed + plan.scales.offset + share.first * scale_bytes));
}

template <DataType weights>
[[nodiscard]] constexpr auto* multiply_with() noexcept {
  if constexpr (has_grouped_matrix && weights == DataType::int4_multipliers) {
    return multiply_groups<weights>;
  } else {
    return integer_linear;
  }
}

template <DataType weights>
[[nodiscard]] constexpr Format integer_weights(DequantizeLane* lane) noexcept {
  return {.type = weights,
          .products = products_of(weights, DataType::int8),
          .multiply_panels = nullptr,
          .dequantize_panel = nullptr,
          .dequantize_lane = lane,
          .multiply = multiply_with<weights>(),
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
