// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_sums.hpp>
#include <kernels/rounded_rows.hpp>
#include <kernels/row_pairs.hpp>

#include "nn/activation.hpp"
#include "product/integer_linear.hpp"

namespace heed::detail {

#ifdef __ELF__
/// Formats name it and an MLP calls it. It is linked with the MLP, and null in a program that has none.
// NOLINTNEXTLINE(readability-redundant-declaration)
[[gnu::weak]] MapActivation map_integer_activation;
#endif

/// Format::round() of weights of a type.
template <DataType weights>
void round_rows_for(const LinearPlan& plan, const float* x, std::ptrdiff_t stride, std::uint32_t rows,
                    std::byte* to) noexcept {
  if (plan.row_type == DataType::int8) {
    if (round_all_rows<weights, DataType::int8>(x, stride, rows, plan.inputs, plan.row_bytes, to)) return;
    const std::uint32_t done = round_row_pairs<DataType::int8>(x, stride, rows, plan.inputs, plan.row_bytes, to);
    x += static_cast<std::ptrdiff_t>(done) * stride;
    to += std::size_t{done} * plan.row_bytes;
    rows -= done;
    round_rows(store_row<weights, DataType::int8>, most_of_rows<DataType::int8>, plan, x, stride, rows, to);
    join_product_rows<weights, DataType::int8>(to, plan.row_bytes, rows, plan.inputs);
  } else {
    round_rows(store_row<weights, DataType::int16>, most_of_rows<DataType::int16>, plan, x, stride, rows, to);
    join_product_rows<weights, DataType::int16>(to, plan.row_bytes, rows, plan.inputs);
  }
}

}  // namespace heed::detail
