// SPDX-License-Identifier: MIT
//
// The softmax of one key block, four lanes at a time: so that what one exp2 needs stays in registers. Sums in the order
// of the shared kernel: sixteen, key mod 16, folded by port::sum's tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/exp2.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// The greatest of `count` quads of scores, `stride` floats apart.
[[gnu::always_inline]] inline float32x4_t greatest_quad(const float* scores, std::size_t stride,
                                                        std::uint32_t count) noexcept {
  float32x4_t greatest = vdupq_n_f32(lowest);
  for (; count != 0; --count, scores += stride) greatest = vmaxnmq_f32(greatest, port::load_quad(scores));
  return greatest;
}

inline constexpr bool softmax_by_rows = false;

/// Keys in the lanes: scores [keys], one row. The panels that `seen` touches are read and written; `seen` is not empty.
inline void softmax_row(float* scores, KeyRange seen, float& maximum, float& sum) noexcept {
  const std::uint32_t first = seen.begin / panel_width * panel_width;
  const auto last = static_cast<std::uint32_t>(round_up(seen.end, panel_width));
  for (std::uint32_t key = first; key < seen.begin; ++key) scores[key] = minus_infinity;
  for (std::uint32_t key = seen.end; key < last; ++key) scores[key] = minus_infinity;

  float* from = scores + first;
  maximum = vmaxnmvq_f32(lowest, greatest_quad(from, 4, (last - first) / 4));
  const float32x4_t greatest = vdupq_n_f32(maximum);
  float totals[panel_width];
  for (std::uint32_t lane = 0; lane < panel_width; lane += 4) {
    exp2_of_differences<64, Totals::join>(from + lane, greatest, totals + lane, (last - first) / panel_width);
  }
  sum = port::sum(port::load(totals));
}

/// The greatest score of each query [16], for scores [keys, 16] and a range of keys.
inline void column_maxima(const float* scores, KeyRange keys, float* maxima) noexcept {
  for (std::uint32_t lane = 0; lane < panel_width; lane += 4) {
    const float* from = scores + std::size_t{keys.begin} * panel_width + lane;
    port::store_quad(maxima + lane, greatest_quad(from, panel_width, keys.end - keys.begin));
  }
}

/// Sum of `Count` quads, a power of two of them: each with that half as many further on, then likewise.
template <int Count>
[[gnu::always_inline]] inline float32x4_t fold(const float* quads, std::size_t apart = 1) noexcept {
  if constexpr (Count == 1) {
    return port::load_quad(quads);
  } else {
    return vaddq_f32(fold<Count / 2>(quads, 2 * apart), fold<Count / 2>(quads + 4 * apart, 2 * apart));
  }
}

/// Queries in the lanes: scores [keys, 16] over a range of keys, with their maxima [16]. What a query does not see is
/// -inf already. `totals` is room for 16 x 16 floats.
inline void softmax_columns(float* scores, KeyRange keys, const float* maxima, float* totals, float* sums) noexcept {
  const std::uint32_t first = keys.begin % panel_width;
  const std::uint32_t left = keys.end - keys.begin;
  const std::uint32_t begun = left < panel_width - first ? left : panel_width - first;
  for (std::uint32_t lane = 0; lane < panel_width; lane += 4) {
    const float32x4_t greatest = port::load_quad(maxima + lane);
    float* from = scores + std::size_t{keys.begin} * panel_width + lane;
    for (std::uint32_t i = 0; begun != panel_width && i < panel_width; ++i) {
      port::store_quad(totals + std::size_t{i} * 4, vdupq_n_f32(0.0F));
    }
    exp2_of_differences<64, Totals::begin>(from, greatest, totals + std::size_t{first} * 4, begun);
    from += std::size_t{begun} * panel_width;
    for (std::uint32_t rest = left - begun; rest != 0;) {
      const std::uint32_t count = rest < panel_width ? rest : panel_width;
      exp2_of_differences<64, Totals::add>(from, greatest, totals, count);
      from += std::size_t{count} * panel_width;
      rest -= count;
    }
    port::store_quad(sums + lane, fold<panel_width>(totals));
  }
}

}  // namespace heed::detail
