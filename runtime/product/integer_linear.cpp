// SPDX-License-Identifier: MIT
#include "product/integer_linear.hpp"

#include <bit>
#include <cstdint>
#include <kernels/integer_matrix.hpp>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_sums.hpp>
#include <port.hpp>

#include "common/integer_product.hpp"
#include "format/format.hpp"
#include "product/linear.hpp"

namespace heed::detail {
namespace {

[[nodiscard]] float& scale_of(std::byte* row) noexcept {
  return *reinterpret_cast<float*>(row);
}

constexpr float no_bias[panel_width]{};

/// 1 / most, which is the greatest integer of a row's type: without an FPU, one of two constants.
[[nodiscard]] float inverse_of(float most) noexcept {
  if constexpr (!port::has_float_unit) {
    constexpr float of_bytes = most_of_rows<DataType::int8>;
    constexpr float of_words = most_of_rows<DataType::int16>;
    if (std::bit_cast<std::uint32_t>(most) == std::bit_cast<std::uint32_t>(of_bytes)) return 1.0F / of_bytes;
    if (std::bit_cast<std::uint32_t>(most) == std::bit_cast<std::uint32_t>(of_words)) return 1.0F / of_words;
  }
  return port::compact_quotient(1.0F, most);
}

/// Whether a row has numbers other than 0; its greatest magnitude may be NaN.
[[nodiscard]] bool is_rounded(float greatest) noexcept {
  if constexpr (port::has_float_unit) return greatest >= 0x1p-100F;
  return port::less_from_zero(0x1.fffffep-101F, greatest);
}

/// The outputs of one panel.
struct PanelOutputs {
  const LinearShare& share;
  const float* scales;
  const float* bias;  ///< [16]
  float* y;           ///< of the first row
  float factor;       ///< 2^shift

  void add(const IntegerProduct& product, std::uint32_t first_row) const noexcept {
    // Copies: for all that a compiler knows, what is stored to y might be the product's own members.
    const std::uint32_t columns = product.outputs;
    const bool starts = product.first == 0;
    const std::size_t row_bytes = product.row_bytes;
    const std::ptrdiff_t y_stride = share.y.stride;
    const std::byte* row = product.first_row;
    const std::int32_t* sums = product.sums;
    float* to = y + static_cast<std::ptrdiff_t>(first_row) * y_stride;
    for (std::uint32_t left = product.rows; left != 0; --left, row += row_bytes, sums += panel_width, to += y_stride) {
      float row_scale = *reinterpret_cast<const float*>(row);
      if (port::has_float_unit || std::bit_cast<std::uint32_t>(factor) != std::bit_cast<std::uint32_t>(1.0F)) {
        row_scale = port::product(row_scale, factor);
      }
      if (columns == panel_width) {
        add_sums(sums, scales, row_scale, starts ? bias : to, to);
        continue;
      }
      float lanes[panel_width]{};
      for (std::uint32_t i = 0; i < columns; ++i) lanes[i] = starts ? bias[i] : to[i];
      add_sums(sums, scales, row_scale, lanes, lanes);
      for (std::uint32_t i = 0; i < columns; ++i) to[i] = lanes[i];
    }
  }
};

/// All panels of the share at once, if the port has a kernel for it; how many rows it has taken.
[[nodiscard]] std::uint32_t multiply_whole(const LinearShare& share, std::uint32_t inputs, const std::byte* weights,
                                           const std::byte* scales) noexcept {
  const LinearPlan& plan = share.plan;
  if (plan.type != DataType::int8 || inputs > most_matrix_inputs) return 0;
  const MatrixProduct whole = whole_matrix(share, inputs, weights, scales);
  return plan.row_type == DataType::int8 ? multiply_matrix<DataType::int8>(whole)
                                         : multiply_matrix<DataType::int16>(whole);
}

}  // namespace

float rounded_scale(float greatest, float most) noexcept {
  return port::less_from_zero(greatest, 0x1p-100F) ? 0.0F : port::product(greatest, inverse_of(most));
}

void round_row(StoreRow* stage, float most, const float* x, std::uint32_t inputs, std::size_t row_bytes, std::byte* row,
               float greatest) noexcept {
  scale_of(row) = rounded_scale(greatest, most);
  if (is_rounded(greatest)) {
    stage(x, port::quotient(most, greatest), inputs, row);
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
  const std::size_t panel_bytes = std::size_t{inputs} * input_bytes;
  const std::byte* weights = share.packed + plan.weights.offset + share.first * panel_bytes;
  const std::byte* scales = share.packed + plan.scales.offset + share.first * scale_bytes;
  const bool has_bias = plan.bias.bytes != 0;
  const float* bias = has_bias ? reinterpret_cast<const float*>(share.packed + plan.bias.offset) : no_bias;
  const std::uint32_t done = multiply_whole(share, inputs, weights, scales);
  if (done == share.rows) return;
  std::int32_t sums[integer_rows * panel_width];
  IntegerProduct product{.weights = weights,
                         .multipliers = nullptr,
                         .first_row = nullptr,
                         .row_bytes = plan.row_bytes,
                         .rows = 0,
                         .first = 0,
                         .inputs = 0,
                         .sums = sums};
  const std::uint32_t end = share.end * panel_width;
  for (std::uint32_t first = share.first * panel_width; first < end; first += panel_width) {
    const auto* const multipliers = reinterpret_cast<const std::int8_t*>(scales + panel_width * sizeof(float));
    const PanelOutputs outputs{share, reinterpret_cast<const float*>(scales), has_bias ? bias + first : bias,
                               share.y.data + first, factor};
    product.outputs = plan.outputs - first < panel_width ? plan.outputs - first : panel_width;
    product.first_row = reinterpret_cast<const std::byte*>(share.staging) + std::size_t{done} * plan.row_bytes;
    for (std::uint32_t row = done; row < share.rows; row += integer_rows) {
      product.rows = share.rows - row < integer_rows ? share.rows - row : integer_rows;
      for (std::uint32_t k = 0; k < inputs; k += block_inputs) {
        product.weights = weights + k * input_bytes;
        product.multipliers = multipliers + std::size_t{k / scale_group_size} * panel_width;
        product.first = k;
        product.inputs = inputs - k < block_inputs ? inputs - k : block_inputs;
        sums_of(product);
        outputs.add(product, row);
      }
      product.first_row += std::size_t{integer_rows} * plan.row_bytes;
    }
    weights += panel_bytes;
    scales += scale_bytes;
  }
}

}  // namespace heed::detail
