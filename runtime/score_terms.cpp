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

/// Room for the numbers of sixteen rows and `step` keys, and for the same ones with the rows in the lanes. A row of
/// the first may be written sixteen keys wide where what it spills into is written later.
struct Squares {
  std::uint32_t step;
  float* rows;
  float* panel;

  Squares(const KeyBlock& block, float* room) noexcept
      : step(block.plan.config.value_dim > panel_width ? panel_width : panel_width / 2),
        rows(room),
        panel(room + std::size_t{panel_width} * step) {}
};

[[nodiscard]] port::f32x16 load_count(const float* from, std::uint32_t count) noexcept {
  return count == panel_width ? port::load(from) : port::load_partial(from, static_cast<int>(count));
}

/// Scores become f(score, number), where rows_at(key, count, rows) points rows[r] to the numbers of `count` keys, at
/// most `step`, or says false: then these keys' scores stay. `panel` is room for 16 x step floats.
template <class RowsAt, class Function>
void change_by_rows(const KeyBlock& block, KeyRange keys, std::uint32_t step, float* panel, RowsAt rows_at,
                    Function f) noexcept {
  const float* rows[panel_width];
  for (std::uint32_t key = keys.begin; key < keys.end; key += step) {
    const std::uint32_t count = keys.end - key < step ? keys.end - key : step;
    if (!rows_at(key, count, rows)) continue;
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

/// Sixteen bytes of a row, those that are 0 where the mask is false; count of them are there.
struct MaskBytes {
  std::uint64_t half[2];

  [[nodiscard]] bool all_open() const noexcept { return no_zero(half[0]) && no_zero(half[1]); }

 private:
  /// Whether none of eight bytes is 0 (Mycroft's test: a borrow reaches the top bit of a byte that is 0, and of no byte
  /// before the first such).
  [[nodiscard]] static bool no_zero(std::uint64_t bytes) noexcept {
    return ((bytes - 0x0101010101010101U) & ~bytes & 0x8080808080808080U) == 0;
  }
};

/// Eight bits as eight bytes that are 0 or not.
[[nodiscard]] std::uint64_t spread(std::uint32_t bits) noexcept {
  return bits * 0x0101010101010101U & 0x8040201008040201U;
}

/// The keys from `key` on; beyond `count` the bytes are 0.
[[nodiscard]] MaskBytes mask_bytes(const BoolRow& mask, std::uint32_t key, std::uint32_t count) noexcept {
  MaskBytes bytes{};
  if (mask.format == MaskFormat::bytes) {
    if (count == panel_width) {
      __builtin_memcpy(&bytes, mask.data + key, panel_width);
    } else {
      std::uint8_t padded[panel_width] = {};
      for (std::uint32_t i = 0; i < count; ++i) padded[i] = mask.data[key + i];
      __builtin_memcpy(&bytes, padded, panel_width);
    }
    return bytes;
  }
  std::uint32_t bits = 0;
  if (count == panel_width && key % 8 == 0) {
    bits = mask.data[key / 8] | static_cast<std::uint32_t>(mask.data[key / 8 + 1]) << 8;
  } else {
    for (std::uint32_t i = 0; i < count; ++i) bits |= static_cast<std::uint32_t>(mask.open(key + i)) << i;
  }
  return {{spread(bits & 0xFFU), spread(bits >> 8)}};
}

}  // namespace

void add_bias(const KeyBlock& block, KeyRange keys, const NumberRows& bias, std::uint32_t count, float* room) noexcept {
  const std::uint32_t end = count > block.first_key ? count - block.first_key : 0;
  if (end < keys.end) keys.end = end;
  const port::f32x16 unit = port::set(log2_e);
  change_by_rows(
      block, keys, panel_width, room,
      [&](std::uint32_t key, std::uint32_t, const float** rows) noexcept {
        for (std::uint32_t r = 0; r < block.group.rows; ++r) rows[r] = bias.of[r] + block.first_key + key;
        return true;
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
      block, keys, panel_width, room,
      [&](std::uint32_t key, std::uint32_t, const float** rows) noexcept {
        for (std::uint32_t r = 0; r < block.group.rows; ++r) rows[r] = mask.of[r] + block.first_key + key;
        return true;
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
  const Squares squares(block, room);
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
        return true;
      },
      [&](const port::f32x16& score, const port::f32x16& number) noexcept { return port::fma(number, unit, score); });
}

void close_scores(const KeyBlock& block, KeyRange keys, const BoolRow* masks, float* room) noexcept {
  const Squares squares(block, room);
  change_by_rows(
      block, keys, squares.step, squares.panel,
      [&](std::uint32_t key, std::uint32_t count, const float** rows) noexcept {
        bool all_open = count == panel_width;
        for (std::uint32_t r = 0; r < block.group.rows; ++r) {
          const MaskBytes bytes = mask_bytes(masks[r], block.first_key + key, count);
          all_open = all_open && bytes.all_open();
          std::int8_t lanes[panel_width];
          __builtin_memcpy(lanes, &bytes, panel_width);
          float* to = squares.rows + std::size_t{r} * squares.step;
          port::store(to, load_int8(lanes));
          rows[r] = to;
        }
        return !all_open;
      },
      [](const port::f32x16& score, const port::f32x16& open) noexcept {
        using namespace port;
        return where_less(mul(open, open), set(1.0F), set(minus_infinity), score);
      });
}

std::uint32_t closed_at_begin(const BoolRow& mask, std::uint32_t key, std::uint32_t count) noexcept {
  std::uint32_t closed = 0;
  if (mask.format == MaskFormat::bytes) {
    for (std::uint64_t bytes = 0; closed + 8 <= count; closed += 8) {
      __builtin_memcpy(&bytes, mask.data + key + closed, 8);
      if (bytes != 0) break;
    }
  }
  while (closed < count && !mask.open(key + closed)) ++closed;
  return closed;
}

std::uint32_t closed_at_end(const BoolRow& mask, std::uint32_t key, std::uint32_t count) noexcept {
  std::uint32_t left = count;
  if (mask.format == MaskFormat::bytes) {
    for (std::uint64_t bytes = 0; left >= 8; left -= 8) {
      __builtin_memcpy(&bytes, mask.data + key + left - 8, 8);
      if (bytes != 0) break;
    }
  }
  while (left > 0 && !mask.open(key + left - 1)) --left;
  return count - left;
}

}  // namespace heed::detail
