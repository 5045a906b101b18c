// SPDX-License-Identifier: MIT
#include "options/score_terms.hpp"

#include <port.hpp>

#include "common/constants.hpp"
#include "math/functions.hpp"

namespace heed::detail {
namespace {

constexpr float first_lanes[panel_width] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// key - position, counted from a key block's first: small numbers are exact in a float, wherever the block lies.
[[nodiscard]] float position_in_block(std::int64_t position, std::uint32_t block_first) noexcept {
  constexpr std::int64_t limit = std::int64_t{1} << 30;
  const std::int64_t distance = position - block_first;
  return static_cast<float>(static_cast<std::int32_t>(distance > limit    ? limit
                                                      : distance < -limit ? -limit
                                                                          : distance));
}

/// score - slope * |key - position|, in any arrangement of the lanes.
[[nodiscard]] port::f32x16 add_slope(const port::f32x16& score, const port::f32x16& slope, const port::f32x16& key,
                                     const port::f32x16& position) noexcept {
  using namespace port;
  const f32x16 distance = max(sub(key, position), sub(position, key));
  return fma(distance, slope, score);
}

}  // namespace

void add_bias(const KeyBlock& block, KeyRange keys, const NumberRows& bias, std::uint32_t count,
              float* block_work) noexcept {
  const std::uint32_t end = count > block.first_key ? count - block.first_key : 0;
  if (end < keys.end) keys.end = end;
  const port::f32x16 unit = port::set(log2_e);
  change_by_rows(
      block, keys, panel_width, block_work,
      [&](std::uint32_t key, std::uint32_t, const float** rows) noexcept {
        for (std::uint32_t r = 0; r < block.group.rows; ++r) rows[r] = bias.of[r] + block.first_key + key;
      },
      [&](const port::f32x16& score, const port::f32x16& number) noexcept { return port::fma(number, unit, score); });
}

void cap_scores(const KeyBlock& block, KeyRange keys, float softcap) noexcept {
  const port::f32x16 cap = port::set(softcap * log2_e);
  const port::f32x16 inverse = port::set(1.0F / (softcap * log2_e));
  const auto capped = [&](const port::f32x16& score) noexcept {
    return port::mul(cap, tanh_lanes(port::mul(score, inverse)));
  };
  if (block.group.columns) {
    for (std::uint32_t key = keys.begin; key < keys.end; ++key) {
      change(block.scores + std::size_t{key} * panel_width, capped);
    }
    return;
  }
  const KeyRange panels = whole_panels(keys);
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    float* row = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row;
    for (std::uint32_t key = panels.begin; key < panels.end; key += panel_width) change(row + key, capped);
  }
}

void add_mask(const KeyBlock& block, KeyRange keys, const NumberRows& mask, float* block_work) noexcept {
  const port::f32x16 unit = port::set(log2_e);
  change_by_rows(
      block, keys, panel_width, block_work,
      [&](std::uint32_t key, std::uint32_t, const float** rows) noexcept {
        for (std::uint32_t r = 0; r < block.group.rows; ++r) {
          rows[r] = mask.of[r] + block.first_key + key;
          // As many streams as rows are more than a CPU follows by itself.
          if constexpr (port::prefetches) port::prefetch(rows[r], std::ptrdiff_t{4} * panel_width);
        }
      },
      [&](const port::f32x16& score, const port::f32x16& number) noexcept {
        const port::f32x16 term = port::mul(number, unit);
        return port::where_less(term, port::set(lowest), port::set(minus_infinity), port::add(score, term));
      });
}

void add_slopes(const KeyBlock& block, KeyRange keys, const float* slopes, const std::int64_t* positions) noexcept {
  using namespace port;
  for (std::uint32_t first = keys.begin / block_keys * block_keys; first < keys.end; first += block_keys) {
    const KeyRange here = {keys.begin > first ? keys.begin - first : 0, within(keys, first, block_keys).end};
    float position[panel_width] = {};
    float slope[panel_width] = {};
    for (std::uint32_t r = 0; r < block.group.rows; ++r) {
      position[r] = position_in_block(positions[r], block.first_key + first);
      slope[r] = -slopes[r];
    }
    if (block.group.columns) {
      const f32x16 row_positions = load(position);
      const f32x16 row_slopes = load(slope);
      for (std::uint32_t key = here.begin; key < here.end; ++key) {
        change(block.scores + std::size_t{first + key} * panel_width, [&](const f32x16& score) noexcept {
          return add_slope(score, row_slopes, set(static_cast<float>(key)), row_positions);
        });
      }
      continue;
    }
    const KeyRange panels = whole_panels(here);
    for (std::uint32_t r = 0; r < block.group.rows; ++r) {
      float* row = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row + first;
      for (std::uint32_t key = panels.begin; key < panels.end; key += panel_width) {
        change(row + key, [&](const f32x16& score) noexcept {
          const f32x16 lanes_keys = add(set(static_cast<float>(key)), load(first_lanes));
          return add_slope(score, set(slope[r]), lanes_keys, set(position[r]));
        });
      }
    }
  }
}

void add_relative(const KeyBlock& block, KeyRange keys, const NumberRows& values, const RelativeBias& bias,
                  const std::int64_t* positions, float* block_work) noexcept {
  const std::int64_t last = std::int64_t{bias.left} + bias.right;
  const port::f32x16 unit = port::set(log2_e);
  const Squares squares(block, block_work);
  change_by_rows(
      block, keys, squares.step, squares.panel,
      [&](std::uint32_t key, std::uint32_t count, const float** rows) noexcept {
        for (std::uint32_t r = 0; r < block.group.rows; ++r) {
          const std::int64_t first = std::int64_t{block.first_key} + key - positions[r] + bias.left;
          if (first >= 0 && first + count <= last + 1) {
            rows[r] = values.of[r] + first;
            continue;
          }
          float* to = squares.rows + std::size_t{r} * squares.step;
          rows[r] = to;
          if (first >= last || first + count <= 1) {
            port::store(to, port::set(values.of[r][first >= last ? last : 0]));
            continue;
          }
          for (std::uint32_t i = 0; i < count; ++i) {
            const std::int64_t at = first + i;
            to[i] = values.of[r][at < 0 ? 0 : at > last ? last : at];
          }
        }
      },
      [&](const port::f32x16& score, const port::f32x16& number) noexcept { return port::fma(number, unit, score); });
}

}  // namespace heed::detail
