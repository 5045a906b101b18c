// SPDX-License-Identifier: MIT
//
// Attention in integers. A query is rounded to int8 and its products with keys are exact sums; weights, times the
// scales of their values, are rounded to int16, and so are theirs:
//
//   score  = float(sum over channels of q(i) k(i)) * (key scale * query scale), 1024 channels at a time
//   result = float(sum over keys of p(j) v(j)) * scale of p
//   p(j)   = weight(j) * value scale(j), or 0 for a weight of 0
//
// with q, p and their scales as in integer_product.hpp; what p is rounded by is the greatest of a key block, which no
// key that a row does not see takes part in.
#include <bit>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_softmax.hpp>
#include <kernels/integer_sums.hpp>

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

/// Rounded rows, and where the products of a part of them with one panel go.
struct PanelProduct {
  const std::byte* rows;
  std::size_t row_bytes;
  std::uint32_t count;
  std::uint32_t inputs;  ///< of a row, a multiple of 8

  /// Calls take(row, sums [16], is_first) for each row and block of inputs; `outputs` sums are wanted.
  template <DataType rows_type, class Take>
  void run(const std::byte* panel, std::uint32_t outputs, const Take& take) const noexcept {
    std::int32_t sums[integer_rows * panel_width];
    for (std::uint32_t row = 0; row < count; row += integer_rows) {
      for (std::uint32_t first = 0; first < inputs; first += block_inputs) {
        const IntegerProduct product{.weights = panel + std::size_t{first} * panel_width,
                                     .multipliers = nullptr,
                                     .first_row = rows + row * row_bytes,
                                     .row_bytes = row_bytes,
                                     .rows = least(count - row, integer_rows),
                                     .first = first,
                                     .inputs = least(inputs - first, block_inputs),
                                     .outputs = outputs,
                                     .sums = sums};
        integer_sums<DataType::int8, rows_type>(product);
        for (std::uint32_t r = 0; r < product.rows; ++r) take(row + r, sums + std::size_t{r} * panel_width, first == 0);
      }
    }
  }
};

[[nodiscard]] float scale_of(const std::byte* row) noexcept {
  return *reinterpret_cast<const float*>(row);
}

std::uint32_t multiply_keys(const KeySource& source, std::uint32_t first, std::uint32_t wanted, float* staged,
                            Gemm& product) noexcept {
  const std::uint32_t head_dim = product.depth;
  auto* const rows = reinterpret_cast<std::byte*>(staged);
  const PanelProduct panels{rows, static_cast<std::size_t>(rounded_row_bytes(head_dim)), product.rows,
                            static_cast<std::uint32_t>(round_up(head_dim, 8))};
  for (std::uint32_t r = 0; r < product.rows; ++r) {
    round_row(store_row<DataType::int8, DataType::int8>, most_of_rows<DataType::int8>,
              product.a + static_cast<std::ptrdiff_t>(r) * product.a_row, head_dim, panels.row_bytes,
              rows + r * panels.row_bytes);
  }
  const std::uint32_t count = within_page(*source.head.run.inputs, first, wanted);
  const StoredNumbers keys = keys_at(source, first);
  for (std::uint32_t key = 0; key < count; key += panel_width) {
    const float* const scales = reinterpret_cast<const float*>(keys.scales) + key;
    const auto store_scores = [&](std::uint32_t row, const std::int32_t* sums, bool is_first) noexcept {
      const float scale = scale_of(rows + row * panels.row_bytes);
      float* const scores = product.c + static_cast<std::ptrdiff_t>(row) * product.c_row + key;
      if (is_first) {
        scale_sums(sums, scales, scale, scores);
      } else {
        add_sums(sums, scales, scale, scores, scores);
      }
    };
    panels.run<DataType::int8>(keys.numbers + std::size_t{key} * panels.inputs, panel_width, store_scores);
  }
  return count;
}

/// `count` keys of a batch entry, from `first` on, a multiple of 16, whose values lie in one piece; `place` is how many
/// keys the pieces before it have.
struct ValuePiece {
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t place;
};

/// The values of some keys, piece by piece.
template <class Visit>
void for_each_piece(const KeySource& source, std::uint32_t first, std::uint32_t count, const Visit& visit) noexcept {
  for (std::uint32_t done = 0; done < count;) {
    const std::uint32_t taken = within_page(*source.head.run.inputs, first + done, count - done);
    visit(ValuePiece{first + done, taken, done});
    done += taken;
  }
}

/// The scores of row `r` become p, in the panels that any row sees; returns their greatest, or NaN.
[[nodiscard]] float weigh_row(const KeyBlock& block, const KeySource& source, std::uint32_t r, float& maximum,
                              float& sum) noexcept {
  const KeyRange panels = whole_panels(block.any);
  const KeyRange seen = block.seen[r].empty() ? KeyRange{panels.end, panels.end} : block.seen[r];
  const KeyRange touched = whole_panels(seen);
  float* const row = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row;
  for (std::uint32_t key = panels.begin; key < touched.begin; ++key) row[key] = 0.0F;
  for (std::uint32_t key = touched.end; key < panels.end; ++key) row[key] = 0.0F;
  WeighedRow weighed{.maximum = seen.empty() ? lowest : greatest_score(row, seen)};
  for_each_piece(source, block.first_key + touched.begin, touched.end - touched.begin,
                 [&](const ValuePiece& piece) noexcept {
                   const KeyPlace place = place_of(source, piece.first);
                   const float* const scales =
                       integer_value_scales(cache_of(source), place.sequence, source.head.kv_head) + place.slot;
                   const std::uint32_t first = touched.begin + piece.place;
                   weigh_scores(row + first, within(seen, first, piece.count), scales, weighed);
                 });
  maximum = weighed.maximum;
  sum = weighed.sum;
  return weighed.greatest;
}

/// Where the sums of a piece, as integers, are added to those of the pieces before it, and the last one's become
/// floats.
struct ValueSums {
  float* to;
  std::uint32_t count;
  bool first;
  bool last;

  void add(const std::int32_t* sums, float scale) const noexcept {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::int32_t sum = first ? sums[i] : std::bit_cast<std::int32_t>(to[i]) + sums[i];
      to[i] = last ? static_cast<float>(sum) * scale : std::bit_cast<float>(sum);
    }
  }
};

void weigh_values(const KeyBlock& block, const KeySource& source, float* maxima, float* sums, float* result) noexcept {
  const KvCachePlan& plan = cache_of(source).plan();
  const KeyRange keys = whole_panels(block.any);
  const std::uint32_t count = keys.end - keys.begin;
  const std::uint32_t rows = block.group.rows;
  const auto row_bytes = static_cast<std::size_t>(rounded_row_bytes(block.plan.scored_keys));
  auto* const rounded = reinterpret_cast<std::byte*>(block.staged);
  float greatest[panel_width];
  for (std::uint32_t r = 0; r < panel_width; ++r) {
    maxima[r] = lowest;
    sums[r] = 0.0F;
    if (r < rows) greatest[r] = weigh_row(block, source, r, maxima[r], sums[r]);
  }
  for_each_piece(source, block.first_key + keys.begin, count, [&](const ValuePiece& piece) noexcept {
    for (std::uint32_t r = 0; r < rows; ++r) {
      round_row(store_row<DataType::int8, DataType::int16>, most_of_rows<DataType::int16>,
                block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row + keys.begin + piece.place, piece.count,
                row_bytes, rounded + r * row_bytes, greatest[r]);
    }
    const PanelProduct panels{rounded, row_bytes, rows, piece.count};
    const KeyPlace place = place_of(source, piece.first);
    for (std::uint32_t channel = 0; channel < plan.value_width; channel += panel_width) {
      const std::byte* const values =
          integer_value_panel(cache_of(source), place.sequence, source.head.kv_head, channel / panel_width) +
          std::size_t{place.slot} * panel_width;
      const std::uint32_t outputs = least(plan.config.value_dim - channel, panel_width);
      panels.run<DataType::int16>(values, outputs, [&](std::uint32_t row, const std::int32_t* part, bool) noexcept {
        const ValueSums to{result + std::size_t{row} * plan.value_width + channel, outputs, piece.place == 0,
                           piece.place + piece.count == count};
        to.add(part, scale_of(rounded + row * row_bytes));
      });
    }
  });
}

}  // namespace
}  // namespace integers

constexpr StoredKeys integer_keys = {integers::weigh_values, nullptr, integers::multiply_keys, nullptr};

}  // namespace heed::detail
