// SPDX-License-Identifier: MIT
//
// Scores of attention in integers, as integer_keys.cpp defines them.
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_scores.hpp>
#include <kernels/integer_sums.hpp>
#include <kernels/key_scores.hpp>
#include <kernels/rounded_rows.hpp>
#include <kernels/row_pairs.hpp>

#include "cache/integer_values.hpp"
#include "cache/key_places.hpp"
#include "cache/key_readers.hpp"
#include "common/integer_product.hpp"
#include "format/format.hpp"
#include "heed/detail/rounded_row.hpp"
#include "product/gemm.hpp"
#include "product/integer_linear.hpp"

namespace heed::detail::integers {
namespace {

#ifdef __OPTIMIZE_SIZE__
constexpr bool scores_all_blocks = true;
#else
constexpr bool scores_all_blocks = false;
[[gnu::noinline]] void score_rest(IntegerProduct product, std::uint32_t inputs, const float* scales, float* scores,
                                  std::ptrdiff_t score_row) noexcept;
#endif

/// Adds to the scores of product.rows queries and a panel of keys the products of the blocks of channels after that of
/// `product`. In code for size, where that is one before the first, this makes the scores of all blocks.
void score_rest(IntegerProduct product, std::uint32_t inputs, const float* scales, float* scores,
                std::ptrdiff_t score_row) noexcept {
  while ((product.first += block_inputs) < inputs) {
    product.weights += std::size_t{block_inputs} * panel_width;
    product.inputs = least(inputs - product.first, block_inputs);
    integer_sums<DataType::int8, DataType::int8>(product);
    for (std::uint32_t r = 0; r < product.rows; ++r) {
      float* const row = scores + static_cast<std::ptrdiff_t>(r) * score_row;
      const std::int32_t* const sums = product.sums + std::size_t{r} * panel_width;
      if (scores_all_blocks && product.first == 0) {
        scale_sums(sums, scales, scale_of(product.row(r)), row);
      } else {
        add_sums(sums, scales, scale_of(product.row(r)), row, row);
      }
    }
  }
}

/// score_keys() where a port has it, with the room of a block's results if it takes some.
template <class Product>
[[nodiscard, gnu::always_inline]] inline bool score_at_once(const Product& product,
                                                            [[maybe_unused]] const AttentionPlan& plan,
                                                            [[maybe_unused]] float* staged) noexcept {
  if constexpr (requires { score_keys(product, staged, 0U); }) {
    float* const results = staged + (plan.block_work.offset - plan.keys.offset) / sizeof(float);
    return score_keys(product, results, plan.block_work.bytes / sizeof(float));
  } else {
    return score_keys(product);
  }
}

}  // namespace

std::uint32_t multiply_keys(const KeySource& source, std::uint32_t first, std::uint32_t wanted, float* staged,
                            Gemm& product) noexcept {
  const std::uint32_t head_dim = product.depth;
  auto* const rows = reinterpret_cast<std::byte*>(staged);
  const auto row_bytes = std::size_t{rounded_row_bytes(head_dim)};
  const auto inputs = static_cast<std::uint32_t>(round_up(head_dim, 8));
  const bool rounded =
      round_all_rows<DataType::int8, DataType::int8>(product.a, product.a_row, product.rows, head_dim, row_bytes, rows);
  const std::uint32_t done =
      rounded ? product.rows
              : round_row_pairs<DataType::int8>(product.a, product.a_row, product.rows, head_dim, row_bytes, rows);
  for (std::uint32_t r = done; r < product.rows; ++r) {
    round_row(store_row<DataType::int8, DataType::int8>, most_of_rows<DataType::int8>,
              product.a + static_cast<std::ptrdiff_t>(r) * product.a_row, head_dim, row_bytes, rows + r * row_bytes);
  }
  join_product_rows<DataType::int8, DataType::int8>(rows + done * row_bytes, row_bytes, product.rows - done, head_dim);
  const std::uint32_t count = within_page(*source.head.run.inputs, first, wanted);
  const StoredNumbers keys = keys_at(source, first);
  const auto* scales = reinterpret_cast<const float*>(keys.scales);
  const MatrixProduct all{.weights = keys.numbers,
                          .scales = scales,
                          .bias = nullptr,
                          .rows = rows,
                          .row_bytes = row_bytes,
                          .count = product.rows,
                          .inputs = inputs,
                          .outputs = static_cast<std::uint32_t>(round_up(count, panel_width)),
                          .y = product.c,
                          .y_row = product.c_row};
  if (score_at_once(all, *source.head.run.plan, staged)) return count;
  std::int32_t sums[integer_rows * panel_width];
  const std::uint32_t before = scores_all_blocks ? block_inputs : 0;
  IntegerProduct panel{.weights = keys.numbers - std::size_t{before} * panel_width,
                       .multipliers = nullptr,
                       .first_row = rows,
                       .row_bytes = row_bytes,
                       .rows = 0,
                       .first = 0 - before,
                       .inputs = least(inputs, block_inputs),
                       .sums = sums};
  for (std::uint32_t key = 0; key < count; key += panel_width) {
    float* scores = product.c + key;
    panel.first_row = rows;
    for (std::uint32_t left = product.rows; left != 0; left -= panel.rows) {
      panel.rows = least(left, integer_rows);
      if constexpr (!scores_all_blocks) score_panel(panel, scales, scores, product.c_row);
      if (scores_all_blocks || inputs > block_inputs) score_rest(panel, inputs, scales, scores, product.c_row);
      scores += static_cast<std::ptrdiff_t>(panel.rows) * product.c_row;
      panel.first_row += panel.rows * row_bytes;
    }
    panel.weights += std::size_t{inputs} * panel_width;
    scales += panel_width;
  }
  return count;
}

}  // namespace heed::detail::integers
