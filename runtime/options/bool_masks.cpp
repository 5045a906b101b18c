// SPDX-License-Identifier: MIT
#include <kernels/convert.hpp>

#include "common/constants.hpp"
#include "options/score_terms.hpp"

namespace heed::detail {
namespace {

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

void close_scores(const KeyBlock& block, KeyRange keys, const BoolRow* masks, float* block_work) noexcept {
  const Squares squares(block, block_work);
  change_by_rows(
      block, keys, squares.step, squares.panel,
      [&](std::uint32_t key, std::uint32_t count, const float** rows) noexcept {
        // All bytes before their first use as lanes: the CPU passes on no store to a load that is longer.
        auto* const bytes = reinterpret_cast<std::int8_t*>(squares.panel);
        bool all_open = count == panel_width;
        for (std::uint32_t r = 0; r < block.group.rows; ++r) {
          const MaskBytes sixteen = mask_bytes(masks[r], block.first_key + key, count);
          all_open = all_open && sixteen.all_open();
          __builtin_memcpy(bytes + std::size_t{r} * panel_width, &sixteen, panel_width);
        }
        if (all_open) return false;
        for (std::uint32_t r = 0; r < block.group.rows; ++r) {
          float* to = squares.rows + std::size_t{r} * squares.step;
          port::store(to, load_int8(bytes + std::size_t{r} * panel_width));
          rows[r] = to;
        }
        return true;
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
