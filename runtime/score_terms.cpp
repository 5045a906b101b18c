// SPDX-License-Identifier: MIT
#include "score_terms.hpp"

#include <kernels/convert.hpp>
#include <kernels/hyperbolic_tangent.hpp>
#include <kernels/logarithm.hpp>
#include <kernels/transpose.hpp>
#include <port.hpp>

namespace heed::detail {
namespace {

constexpr float first_lanes[panel_width] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

template <class Function>
[[gnu::always_inline]] inline void change(float* at, Function f) noexcept {
  port::store(at, f(port::load(at)));
}

/// The sixteen keys from `key` on, or what is left of them.
[[nodiscard]] std::uint32_t count_at(std::uint32_t key, std::uint32_t end) noexcept {
  return end - key < panel_width ? end - key : panel_width;
}

[[nodiscard]] port::f32x16 load_count(const float* from, std::uint32_t count) noexcept {
  return count == panel_width ? port::load(from) : port::load_partial(from, static_cast<int>(count));
}

/// Scores become f(score, number), where rows_at(key, count, rows) points rows[r] to the numbers of `count` keys.
template <class RowsAt, class Function>
void change_by_rows(const KeyBlock& block, KeyRange keys, float* panel, RowsAt rows_at, Function f) noexcept {
  const float* rows[panel_width];
  for (std::uint32_t key = keys.begin; key < keys.end; key += panel_width) {
    const std::uint32_t count = count_at(key, keys.end);
    rows_at(key, count, rows);
    if (block.group.columns) {
      to_panel(rows, block.group.rows, count, 1.0F, panel);
      for (std::uint32_t k = 0; k < count; ++k) {
        const port::f32x16 numbers = port::load(panel + std::size_t{k} * panel_width);
        change(block.scores + std::size_t{key + k} * panel_width,
               [&](const port::f32x16& score) noexcept { return f(score, numbers); });
      }
      continue;
    }
    for (std::uint32_t r = 0; r < block.group.rows; ++r) {
      float* at = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row + key;
      const port::f32x16 score = f(load_count(at, count), load_count(rows[r], count));
      if (count == panel_width) {
        port::store(at, score);
      } else {
        port::store_partial(at, score, static_cast<int>(count));
      }
    }
  }
}

/// key - position, counted from a block's first key: small numbers are exact in a float, wherever the block lies.
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

/// Points to sixteen bytes that are 0 where the mask is false. `bytes` is room for them.
[[nodiscard]] const std::uint8_t* mask_bytes(const BoolRow& mask, std::uint32_t key, std::uint32_t count,
                                             std::uint8_t* bytes) noexcept {
  if (mask.format == MaskFormat::bytes) {
    if (count == panel_width) return mask.data + key;
    for (std::uint32_t i = 0; i < panel_width; ++i) bytes[i] = i < count ? mask.data[key + i] : 0;
  } else {
    for (std::uint32_t i = 0; i < panel_width; ++i) bytes[i] = i < count && mask.open(key + i) ? 1 : 0;
  }
  return bytes;
}

}  // namespace

void add_bias(const KeyBlock& block, KeyRange keys, const NumberRows& bias, std::uint32_t count, float* room) noexcept {
  const std::uint32_t end = count > block.first_key ? count - block.first_key : 0;
  if (end < keys.end) keys.end = end;
  const port::f32x16 unit = port::set(log2_e);
  change_by_rows(
      block, keys, room,
      [&](std::uint32_t key, std::uint32_t, const float** rows) noexcept {
        for (std::uint32_t r = 0; r < block.group.rows; ++r) rows[r] = bias.of[r] + block.first_key + key;
      },
      [&](const port::f32x16& score, const port::f32x16& number) noexcept { return port::fma(number, unit, score); });
}

void cap_scores(const KeyBlock& block, KeyRange keys, float softcap) noexcept {
  const port::f32x16 cap = port::set(softcap * log2_e);
  const port::f32x16 inverse = port::set(1.0F / (softcap * log2_e));
  const auto capped = [&](const port::f32x16& score) noexcept {
    return port::mul(cap, hyperbolic_tangent(port::mul(score, inverse)));
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

void add_mask(const KeyBlock& block, KeyRange keys, const NumberRows& mask, float* room) noexcept {
  const port::f32x16 unit = port::set(log2_e);
  change_by_rows(
      block, keys, room,
      [&](std::uint32_t key, std::uint32_t, const float** rows) noexcept {
        for (std::uint32_t r = 0; r < block.group.rows; ++r) rows[r] = mask.of[r] + block.first_key + key;
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
                  const std::int64_t* positions, float* room) noexcept {
  const std::int64_t last = std::int64_t{bias.left} + bias.right;
  const port::f32x16 unit = port::set(log2_e);
  change_by_rows(
      block, keys, room + std::size_t{panel_width} * panel_width,
      [&](std::uint32_t key, std::uint32_t count, const float** rows) noexcept {
        for (std::uint32_t r = 0; r < block.group.rows; ++r) {
          const std::int64_t first = std::int64_t{block.first_key} + key - positions[r] + bias.left;
          if (first >= 0 && first + count <= last + 1) {
            rows[r] = values.of[r] + first;
            continue;
          }
          float* to = room + std::size_t{r} * panel_width;
          for (std::uint32_t i = 0; i < count; ++i) {
            const std::int64_t at = first + i;
            to[i] = values.of[r][at < 0 ? 0 : at > last ? last : at];
          }
          rows[r] = to;
        }
      },
      [&](const port::f32x16& score, const port::f32x16& number) noexcept { return port::fma(number, unit, score); });
}

void close_scores(const KeyBlock& block, KeyRange keys, const BoolRow* masks, float* room) noexcept {
  change_by_rows(
      block, keys, room + std::size_t{panel_width} * panel_width,
      [&](std::uint32_t key, std::uint32_t count, const float** rows) noexcept {
        for (std::uint32_t r = 0; r < block.group.rows; ++r) {
          std::uint8_t bytes[panel_width];
          const std::uint8_t* from = mask_bytes(masks[r], block.first_key + key, count, bytes);
          float* to = room + std::size_t{r} * panel_width;
          port::store(to, load_int8(reinterpret_cast<const std::int8_t*>(from)));
          rows[r] = to;
        }
      },
      [](const port::f32x16& score, const port::f32x16& open) noexcept {
        using namespace port;
        return where_less(mul(open, open), set(1.0F), set(minus_infinity), score);
      });
}

}  // namespace heed::detail
