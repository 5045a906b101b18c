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

void weigh_in_integers(const KeyBlock& block, float* maxima, float* sums, float* /*block_work*/) noexcept {
  const KeyRange panels = whole_panels(block.any);
  for (std::uint32_t r = 0; r < panel_width; ++r) {
    maxima[r] = lowest;
    sums[r] = 0.0F;
  }
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    float* const row = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row;
    const bool has_visible_key = !block.seen[r].empty();
    const KeyRange touched = has_visible_key ? whole_panels(block.seen[r]) : KeyRange{panels.end, panels.end};
    for (std::uint32_t key = panels.begin; key < touched.begin; ++key) row[key] = 0.0F;
    for (std::uint32_t key = touched.end; key < panels.end; ++key) row[key] = 0.0F;
    if (has_visible_key) weigh_row(row, block.seen[r], maxima[r], sums[r]);
  }
}

/// Rounded rows, and where the products of a part of them with one panel go.
struct PanelProduct {
  const std::byte* rows;
  std::size_t row_bytes;
  std::uint32_t count;
  std::uint32_t inputs;  ///< of a row, a multiple of 8

  /// Calls take(row, sums [16], is_first) for each row and block of inputs.
  template <DataType rows_type, class Take>
  void run(const std::byte* panel, const Take& take) const noexcept {
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
    panels.run<DataType::int8>(keys.numbers + std::size_t{key} * panels.inputs, store_scores);
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

/// Weights become p; returns their greatest magnitude, or NaN.
[[nodiscard]] float scale_weights(const KeySource& source, std::uint32_t first, std::uint32_t count,
                                  float* weights) noexcept {
  for_each_piece(source, first, count, [&](const ValuePiece& piece) noexcept {
    const KeyPlace place = place_of(source, piece.first);
    const float* const scales =
        integer_value_scales(cache_of(source), place.sequence, source.head.kv_head) + place.slot;
    float* const at = weights + piece.place;
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      at[i] = at[i] != 0.0F ? at[i] * scales[i] : 0.0F;
    }
  });
  return row_magnitude(weights, count);
}

/// Rounds a row's weights of one piece, with the scale of the whole row.
void round_weights(const float* weights, float greatest, const ValuePiece& piece, std::size_t row_bytes,
                   std::byte* row) noexcept {
  round_row(store_row<DataType::int8, DataType::int16>, most_of_rows<DataType::int16>, weights + piece.place,
            piece.count, row_bytes, row, greatest);
}

/// A is not needed afterwards.
std::uint32_t multiply_values(const KeySource& source, std::uint32_t first, std::uint32_t wanted, float* staged,
                              Gemm& product) noexcept {
  const KvCachePlan& plan = cache_of(source).plan();
  // In whole panels, whose other keys have the weight 0.
  const std::uint32_t before = first % panel_width;
  const auto count = static_cast<std::uint32_t>(round_up(before + wanted, panel_width));
  auto* const weights = const_cast<float*>(product.a) - before;
  auto* const rows = reinterpret_cast<std::byte*>(staged);
  const auto row_bytes = static_cast<std::size_t>(rounded_row_bytes(source.head.run.plan->scored_keys));
  float greatest[panel_width];
  for (std::uint32_t r = 0; r < product.rows; ++r) {
    greatest[r] =
        scale_weights(source, first - before, count, weights + static_cast<std::ptrdiff_t>(r) * product.a_row);
  }
  for_each_piece(source, first - before, count, [&](const ValuePiece& piece) noexcept {
    for (std::uint32_t r = 0; r < product.rows; ++r) {
      round_weights(weights + static_cast<std::ptrdiff_t>(r) * product.a_row, greatest[r], piece, row_bytes,
                    rows + r * row_bytes);
    }
    const PanelProduct panels{rows, row_bytes, product.rows, piece.count};
    const KeyPlace place = place_of(source, piece.first);
    for (std::uint32_t panel = 0; panel * panel_width < plan.value_width; ++panel) {
      const std::byte* const values =
          integer_value_panel(cache_of(source), place.sequence, source.head.kv_head, panel) +
          std::size_t{place.slot} * panel_width;
      panels.run<DataType::int16>(values, [&](std::uint32_t row, const std::int32_t* sums, bool) noexcept {
        // The sums of all pieces, as integers.
        float* const to =
            product.c + static_cast<std::ptrdiff_t>(row) * product.c_row + std::size_t{panel} * panel_width;
        for (std::uint32_t i = 0; i < panel_width; ++i) {
          const std::int32_t held = piece.place == 0 ? 0 : std::bit_cast<std::int32_t>(to[i]);
          to[i] = std::bit_cast<float>(held + sums[i]);
        }
      });
    }
  });
  for (std::uint32_t r = 0; r < product.rows; ++r) {
    float* const to = product.c + static_cast<std::ptrdiff_t>(r) * product.c_row;
    const float scale = rounded_scale(greatest[r], most_of_rows<DataType::int16>);
    for (std::uint32_t i = 0; i < plan.value_width; ++i) {
      to[i] = static_cast<float>(std::bit_cast<std::int32_t>(to[i])) * scale;
    }
  }
  return wanted;
}

}  // namespace
}  // namespace integers

constexpr StoredKeys integer_keys = {integers::weigh_in_integers, nullptr, integers::multiply_keys,
                                     integers::multiply_values};

}  // namespace heed::detail
