// SPDX-License-Identifier: MIT
#include "product/integer_linear.hpp"

#include <kernels/integer_outputs.hpp>
#include <kernels/integer_sums.hpp>

#include "common/integer_product.hpp"
#include "format/format.hpp"
#include "product/linear.hpp"

namespace heed::detail {
namespace {

[[nodiscard]] float& scale_of(std::byte* row) noexcept {
  return *reinterpret_cast<float*>(row);
}

constexpr float no_bias[panel_width]{};

/// The rows of one panel.
struct PanelRows {
  const LinearShare& share;
  std::uint32_t panel;
  const float* scales;
  float factor;  ///< 2^shift

  void add(const IntegerProduct& product, std::uint32_t first_row) const noexcept {
    const LinearPlan& plan = share.plan;
    const std::uint32_t first = panel * panel_width;
    const std::uint32_t columns = plan.outputs - first < panel_width ? plan.outputs - first : panel_width;
    const float* bias = no_bias;
    if (plan.bias.bytes != 0) bias = reinterpret_cast<const float*>(share.packed + plan.bias.offset) + first;
    for (std::uint32_t row = 0; row < product.rows; ++row) {
      float* const y = share.y.data + static_cast<std::ptrdiff_t>(first_row + row) * share.y.stride + first;
      const float row_scale = *reinterpret_cast<const float*>(product.row(row)) * factor;
      const std::int32_t* const sums = product.sums + std::size_t{row} * panel_width;
      if (columns == panel_width) {
        add_sums(sums, scales, row_scale, product.first == 0 ? bias : y, y);
        continue;
      }
      float lanes[panel_width]{};
      for (std::uint32_t i = 0; i < columns; ++i) lanes[i] = product.first == 0 ? bias[i] : y[i];
      add_sums(sums, scales, row_scale, lanes, lanes);
      for (std::uint32_t i = 0; i < columns; ++i) y[i] = lanes[i];
    }
  }
};

}  // namespace

float rounded_scale(float greatest, float most) noexcept {
  return greatest < 0x1p-100F ? 0.0F : greatest * (1.0F / most);
}

void round_row(StoreRow* stage, float most, const float* x, std::uint32_t inputs, std::size_t row_bytes, std::byte* row,
               float greatest) noexcept {
  scale_of(row) = rounded_scale(greatest, most);
  if (greatest >= 0x1p-100F) {
    stage(x, most / greatest, inputs, row);
  } else {
    for (std::size_t i = row_numbers_at; i < row_bytes; ++i) row[i] = std::byte{0};
  }
}

void round_rows(StoreRow* stage, float most, const LinearPlan& plan, const float* x, std::ptrdiff_t stride,
                std::uint32_t rows, std::byte* to) noexcept {
  for (std::uint32_t row = 0; row < rows; ++row, x += stride, to += plan.row_bytes) {
    round_row(stage, most, x, plan.inputs, plan.row_bytes, to);
  }
}

void integer_linear(const Format& format, const LinearShare& share) noexcept {
  const LinearPlan& plan = share.plan;
  const auto inputs = static_cast<std::uint32_t>(packed_inputs(plan.row_type, plan.inputs));
  const std::size_t input_bytes = vector_bytes(plan.type);
  const auto scale_bytes = static_cast<std::size_t>(panel_scale_bytes(plan.type, plan.inputs));
  const bool short_rows = plan.row_type == DataType::int8;
  const auto sums_of = short_rows ? format.int8_sums : format.int16_sums;
  const float factor = short_rows ? 1.0F : format.int16_factor;
  std::int32_t sums[integer_rows * panel_width];
  for (std::uint32_t panel = share.first; panel < share.end; ++panel) {
    const std::byte* const weights = share.packed + plan.weights.offset + std::size_t{panel} * inputs * input_bytes;
    const std::byte* const scales = share.packed + plan.scales.offset + panel * scale_bytes;
    const auto* const multipliers = reinterpret_cast<const std::int8_t*>(scales + panel_width * sizeof(float));
    const PanelRows rows{share, panel, reinterpret_cast<const float*>(scales), factor};
    for (std::uint32_t row = 0; row < share.rows; row += integer_rows) {
      for (std::uint32_t k = 0; k < inputs; k += block_inputs) {
        const IntegerProduct product{
            .weights = weights + k * input_bytes,
            .multipliers = multipliers + std::size_t{k / scale_group_size} * panel_width,
            .first_row = reinterpret_cast<const std::byte*>(share.staging) + std::size_t{row} * plan.row_bytes,
            .row_bytes = plan.row_bytes,
            .rows = share.rows - row < integer_rows ? share.rows - row : integer_rows,
            .first = k,
            .inputs = inputs - k < block_inputs ? inputs - k : block_inputs,
            .sums = sums};
        sums_of(product);
        rows.add(product, row);
      }
    }
  }
}

}  // namespace heed::detail
