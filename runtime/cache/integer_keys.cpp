// SPDX-License-Identifier: MIT
//
// Attention in integers. A query is rounded to int8, and a weight times the scale of its value to int16; the sums of
// their products with keys and values are exact:
//
//   score  = float(sum over channels of q(i) k(i)) * (key scale * query scale), 1024 channels at a time
//   result = float(sum over keys of p(j) v(j)) * scale of p
//   p(j)   = weight(j) * value scale(j), or 0 for a weight of 0
//
// with q, p and their scales as in integer_product.hpp. The scale of p follows from the greatest p of a key block; keys
// that a row does not see take no part in it.
#include <kernels/integer_softmax.hpp>
#include <kernels/integer_sums.hpp>
#include <kernels/row_pairs.hpp>
#include <kernels/short_stack.hpp>
#include <kernels/sparse_values.hpp>
#include <kernels/value_products.hpp>
#include <kernels/value_sums.hpp>
#include <kernels/weigh_rows.hpp>
#include <port.hpp>

#include "attention/key_block.hpp"
#include "cache/integer_values.hpp"
#include "cache/key_places.hpp"
#include "cache/key_readers.hpp"
#include "common/integer_product.hpp"
#include "format/format.hpp"
#include "heed/detail/rounded_row.hpp"
#include "product/gemm.hpp"
#include "product/integer_linear.hpp"

namespace heed::detail {
namespace integers {
namespace {

/// Keys of a batch entry, in whole panels, whose values lie in one piece.
struct ValuePiece {
  std::uint32_t place;  ///< how many keys the pieces before it have
  std::uint32_t count;
  const float* scales;      ///< [count]
  const std::byte* values;  ///< of the first sixteen channels
};

/// Out of line, so that no loop of products has it in its way.
[[nodiscard, gnu::noinline]] ValuePiece values_at(const KeySource& source, std::uint32_t first, std::uint32_t place,
                                                  std::uint32_t wanted) noexcept {
  const KeyPlace at = place_of(source, first + place);
  const KvCache& cache = cache_of(source);
  const std::uint32_t kv_head = source.head.kv_head;
  return {place, within_page(*source.head.run.inputs, first + place, wanted - place),
          integer_value_scales(cache, at.sequence, kv_head) + at.slot,
          integer_value_panel(cache, at.sequence, kv_head, 0) + std::size_t{at.slot} * panel_width};
}

/// The values of `count` keys from `first` on, a multiple of 16, piece by piece.
template <class Visit>
void for_each_piece(const KeySource& source, std::uint32_t first, std::uint32_t count, const Visit& visit) noexcept {
  for (std::uint32_t done = 0; done < count;) {
    const ValuePiece piece = values_at(source, first, done, count);
    visit(piece);
    done += piece.count;
  }
}

/// The scores of row `r` become p, in the panels that any row sees; returns their greatest, or NaN.
[[nodiscard, maybe_unused]] float weigh_row(const KeyBlock& block, const KeySource& source, std::uint32_t r,
                                            float& maximum, float& sum) noexcept {
  const KeyRange panels = whole_panels(block.any);
  const KeyRange seen = block.seen[r].empty() ? KeyRange{panels.end, panels.end} : block.seen[r];
  const KeyRange touched = whole_panels(seen);
  float* const row = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row;
  for (std::uint32_t key = panels.begin; key < touched.begin; ++key) row[key] = 0.0F;
  for (std::uint32_t key = touched.end; key < panels.end; ++key) row[key] = 0.0F;
  WeighedRow weighed{.maximum = seen.empty() ? lowest : greatest_score(row, seen)};
  for_each_piece(source, block.first_key + touched.begin, touched.end - touched.begin,
                 [&](const ValuePiece& piece) noexcept {
                   const std::uint32_t first = touched.begin + piece.place;
                   weigh_scores(row + first, within(seen, first, piece.count), piece.scales, weighed);
                 });
  maximum = weighed.maximum;
  sum = weighed.sum;
  return weighed.greatest;
}

/// weigh_row() of `count` rows from `first` on, at most weighed_rows: what a row does not see becomes minus infinity
/// first.
[[maybe_unused]] void weigh_together(const KeyBlock& block, const KeySource& source, std::uint32_t first,
                                     std::uint32_t count, float* maxima, float* sums, float* greatest) noexcept {
  const KeyRange panels = whole_panels(block.any);
  float* const scores = block.scores + static_cast<std::ptrdiff_t>(first) * block.score_row;
  WeighedRow weighed[weighed_rows];
  for (std::uint32_t r = 0; r < count; ++r) {
    const KeyRange seen = block.seen[first + r];
    const KeyRange touched = seen.empty() ? KeyRange{panels.end, panels.end} : whole_panels(seen);
    float* const row = scores + static_cast<std::ptrdiff_t>(r) * block.score_row;
    for (std::uint32_t key = panels.begin; key < touched.begin; ++key) row[key] = minus_infinity;
    for (std::uint32_t key = touched.end; key < panels.end; ++key) row[key] = minus_infinity;
    weighed[r].maximum = seen.empty() ? lowest : greatest_score(row, seen);
  }
  for_each_piece(
      source, block.first_key + panels.begin, panels.end - panels.begin, [&](const ValuePiece& piece) noexcept {
        weigh_rows(scores + panels.begin + piece.place, block.score_row, count, piece.count, piece.scales, weighed);
      });
  for (std::uint32_t r = 0; r < count; ++r) {
    maxima[first + r] = weighed[r].maximum;
    sums[first + r] = weighed[r].sum;
    greatest[first + r] = weighed[r].greatest;
  }
}

/// weigh_row() of all rows; `greatest` is [rows].
[[gnu::always_inline]] inline void weigh_all_rows(const KeyBlock& block, const KeySource& source, float* maxima,
                                                  float* sums, float* greatest) noexcept {
  const std::uint32_t rows = block.group.rows;
  port::store(maxima, port::set(lowest));
  port::store(sums, port::set(0.0F));
  if constexpr (weighed_rows != 1) {
    for (std::uint32_t r = 0; r < rows; r += weighed_rows) {
      weigh_together(block, source, r, least(rows - r, weighed_rows), maxima, sums, greatest);
    }
  } else {
    for (std::uint32_t r = 0; r < rows; ++r) greatest[r] = weigh_row(block, source, r, maxima[r], sums[r]);
  }
}

/// The sums of one row and a piece of its keys' values, in few channels.
[[maybe_unused]] void add_sparse_values(float* p, const ValuePiece& piece, float greatest,
                                        const ValueSums& to) noexcept {
  constexpr float most = most_of_rows<DataType::int16>;
  std::int32_t sums[8];
  sum_sparse_values(p, piece.count / 4, piece.values, sums, rounding_factor(greatest, most));
  to.add(sums, rounded_scale(greatest, most));
}

/// weigh_values() where a port makes the sums of one row at a time, in the place of that row's p.
[[maybe_unused]] void weigh_each_row(const KeyBlock& block, const KeySource& source, float* maxima, float* sums,
                                     float* result) noexcept {
  const KvCachePlan& plan = cache_of(source).plan();
  const KeyRange keys = whole_panels(block.any);
  const std::uint32_t count = keys.end - keys.begin;
  auto* const rounded = reinterpret_cast<std::byte*>(block.staged);
  for (std::uint32_t r = 0; r < panel_width; ++r) {
    maxima[r] = lowest;
    sums[r] = 0.0F;
  }
  float* row = block.scores + keys.begin;
  for (std::uint32_t r = 0; r < block.group.rows; ++r, row += block.score_row, result += plan.value_width) {
    const float greatest = weigh_row(block, source, r, maxima[r], sums[r]);
    for_each_piece(source, block.first_key + keys.begin, count, [&](const ValuePiece& piece) noexcept {
      float* const p = row + piece.place;
      round_row(store_row<DataType::int8, DataType::int16>, most_of_rows<DataType::int16>, p, piece.count,
                rounded_row_bytes(block.plan.scored_keys), rounded, greatest);
      IntegerProduct product{.weights = piece.values,
                             .multipliers = nullptr,
                             .first_row = rounded,
                             .row_bytes = 0,
                             .rows = 1,
                             .first = 0,
                             .inputs = piece.count,
                             .sums = static_cast<std::int32_t*>(static_cast<void*>(p))};
      for (std::uint32_t channel = 0; channel < plan.value_width; channel += panel_width) {
        product.outputs = least(plan.config.value_dim - channel, panel_width);
        integer_sums<DataType::int8, DataType::int16>(product);
        float* const first = result + channel;
        const ValueSums to{first, product.outputs, piece.place == 0, piece.place + piece.count == count};
        to.add(product.sums, scale_of(rounded));
        product.weights += panel_width * integer_value_rows(plan);
      }
    });
  }
}

static_assert(block_keys <= block_inputs);
void weigh_values(const KeyBlock& block, const KeySource& source, float* maxima, float* sums, float* result) noexcept {
  if constexpr (stack_is_short) return weigh_each_row(block, source, maxima, sums, result);
  const KvCachePlan& plan = cache_of(source).plan();
  const KeyRange keys = whole_panels(block.any);
  const std::uint32_t count = keys.end - keys.begin;
  const std::uint32_t rows = block.group.rows;
  const auto row_bytes = std::size_t{rounded_row_bytes(block.plan.scored_keys)};
  auto* const rounded = reinterpret_cast<std::byte*>(block.staged);
  float greatest[panel_width];
  weigh_all_rows(block, source, maxima, sums, greatest);
  for_each_piece(source, block.first_key + keys.begin, count, [&](const ValuePiece& piece) noexcept {
    if (takes_sparse_values(plan.config.value_dim, rows)) {
      for (std::uint32_t r = 0; r < rows; ++r) {
        float* const p = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row + keys.begin + piece.place;
        add_sparse_values(p, piece, greatest[r],
                          {&result[std::size_t{r} * plan.value_width], plan.config.value_dim, piece.place == 0,
                           piece.place + piece.count == count});
      }
      return;
    }
    const std::size_t panel_bytes = panel_width * integer_value_rows(plan);
    const ValueProduct product{piece.values, panel_bytes,           rounded, row_bytes,       rows,
                               count,        plan.config.value_dim, result,  plan.value_width};
    const bool whole = piece.count == count;
    if (whole && round_and_multiply_weights(product, block.scores + keys.begin, block.score_row, greatest, rounded)) {
      return;
    }
    for (std::uint32_t r = 0; r < rows; ++r) {
      round_row(store_row<DataType::int8, DataType::int16>, most_of_rows<DataType::int16>,
                block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row + keys.begin + piece.place, piece.count,
                row_bytes, rounded + r * row_bytes, greatest[r]);
    }
    if (whole && multiply_weights(product)) return;
    join_rows<DataType::int16>(rounded, row_bytes, rows, piece.count);
    std::int32_t part[integer_rows * panel_width];
    for (std::uint32_t channel = 0; channel < plan.value_width; channel += panel_width) {
      const std::byte* const values = piece.values + channel * integer_value_rows(plan);
      const std::uint32_t outputs = least(plan.config.value_dim - channel, panel_width);
      for (std::uint32_t row = 0; row < rows; row += integer_rows) {
        const IntegerProduct sums_of{.weights = values,
                                     .multipliers = nullptr,
                                     .first_row = rounded + row * row_bytes,
                                     .row_bytes = row_bytes,
                                     .rows = least(rows - row, integer_rows),
                                     .first = 0,
                                     .inputs = piece.count,
                                     .outputs = outputs,
                                     .sums = part};
        integer_sums<DataType::int8, DataType::int16>(sums_of);
        for (std::uint32_t r = 0; r < sums_of.rows; ++r) {
          float* const first = &result[std::size_t{row + r} * plan.value_width + channel];
          const ValueSums to{first, outputs, piece.place == 0, piece.place + piece.count == count};
          to.add(part + std::size_t{r} * panel_width, scale_of(sums_of.row(r)));
        }
      }
    }
  });
}

}  // namespace
}  // namespace integers

constexpr StoredKeys integer_keys = {integers::weigh_values, nullptr, integers::multiply_keys, nullptr};

}  // namespace heed::detail
