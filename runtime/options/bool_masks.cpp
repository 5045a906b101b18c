// SPDX-License-Identifier: MIT
#include <bit>
#include <kernels/close_columns.hpp>
#include <port.hpp>

#include "common/constants.hpp"
#include "options/score_terms.hpp"

namespace heed::detail {
namespace {

constexpr std::uint64_t every_byte = 0x0101010101010101U;

/// The first byte is the lowest.
[[nodiscard]] std::uint64_t load_eight(const std::uint8_t* from) noexcept {
  std::uint64_t bytes;
  __builtin_memcpy(&bytes, from, sizeof bytes);
  return std::endian::native == std::endian::big ? __builtin_bswap64(bytes) : bytes;
}

/// Whether one of eight bytes is 0 (Mycroft's test: a borrow reaches the top bit of a byte that is 0, and of no byte
/// before the first such).
[[nodiscard]] bool has_zero(std::uint64_t bytes) noexcept {
  return ((bytes - every_byte) & ~bytes & 0x80 * every_byte) != 0;
}

/// Bit i: whether byte i is not 0. Each byte leaves its top bit, and the product moves these side by side.
[[nodiscard]] std::uint32_t bits_of(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t low = 0x7F * every_byte;
  const std::uint64_t tops = (((bytes & low) + low) | bytes) & ~low;
  return static_cast<std::uint32_t>(tops * 0x0002040810204081U >> 56);
}

/// The keys from `key` on, at most sixteen: bit i, whether key + i is open.
[[nodiscard]] std::uint32_t open_bits(const BoolRow& mask, std::uint32_t key, std::uint32_t count) noexcept {
  if (count == panel_width && mask.format == MaskFormat::bytes) {
    return bits_of(load_eight(mask.data + key)) | bits_of(load_eight(mask.data + key + 8)) << 8;
  }
  if (count == panel_width && key % 8 == 0) {
    return mask.data[key / 8] | static_cast<std::uint32_t>(mask.data[key / 8 + 1]) << 8;
  }
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < count; ++i) bits |= static_cast<std::uint32_t>(mask.open(key + i)) << i;
  return bits;
}

/// Queries in the lanes: a lane's bits are a number, which loses them from the highest on.
void close_columns(const float* numbers, std::uint32_t count, float* scores) noexcept {
  using namespace port;
  const f32x16 closed = set(minus_infinity);
  f32x16 left = load(numbers);
  float power = static_cast<float>(1U << (count - 1));
  for (std::uint32_t k = count; k-- > 0;) {
    const f32x16 bit = set(power);
    power *= 0.5F;
    float* const at = scores + std::size_t{k} * panel_width;
    store(at, where_less(left, bit, closed, load(at)));
    left = where_less(left, bit, left, sub(left, bit));
  }
}

constexpr float lane_parts[panel_width] = {0x1p-1F,  0x1p-2F,  0x1p-3F,  0x1p-4F,  0x1p-5F,  0x1p-6F,
                                           0x1p-7F,  0x1p-8F,  0x1p-9F,  0x1p-10F, 0x1p-11F, 0x1p-12F,
                                           0x1p-13F, 0x1p-14F, 0x1p-15F, 0x1p-16F};

/// Keys in the lanes. Divided by 2^(lane + 1), the bits and a half, which keeps them from half way, are rounded up
/// where the lane's bit is 1.
[[nodiscard]] port::f32x16 close_lanes(std::uint32_t bits, const port::f32x16& scores) noexcept {
  using namespace port;
  constexpr float to_integer = 12582912.0F;  // 1.5 * 2^23
  const f32x16 part = mul(set(static_cast<float>(static_cast<std::int32_t>(bits)) + 0.5F), load(lane_parts));
  const f32x16 rounded = sub(add(part, set(to_integer)), set(to_integer));
  return where_less(part, rounded, scores, set(minus_infinity));
}

/// All numbers before their first use as lanes: the CPU passes on no stores to a load that is longer. A group whose
/// queries are the lanes has one key block at a time, whose squares of sixteen keys find room in block_work.
void close_by_columns(const KeyBlock& block, KeyRange keys, const BoolRow* masks, float* block_work) noexcept {
  std::uint32_t closed = 0;  // a bit for each square
  for (std::uint32_t key = keys.begin; key < keys.end; key += panel_width) {
    const std::uint32_t count = least(keys.end - key, panel_width);
    const std::uint32_t every_bit = (1U << count) - 1;
    std::uint32_t open = every_bit;
    for (std::uint32_t r = 0; r < block.group.rows; ++r) {
      const std::uint32_t bits = open_bits(masks[r], block.first_key + key, count);
      block_work[key + r] = static_cast<float>(static_cast<std::int32_t>(bits));
      open &= bits;
    }
    if (open != every_bit) closed |= 1U << key / panel_width;
  }
  for (std::uint32_t key = keys.begin; key < keys.end; key += panel_width) {
    if ((closed >> key / panel_width & 1) == 0) continue;
    close_columns(block_work + key, least(keys.end - key, panel_width), block.scores + std::size_t{key} * panel_width);
  }
}

}  // namespace

void close_scores(const KeyBlock& block, KeyRange keys, const BoolRow* masks, float* block_work) noexcept {
  if constexpr (has_close_columns) {
    if (block.group.columns) {
      const bool bytes = masks[0].format == MaskFormat::bytes;
      const std::uint8_t* from[panel_width];
      for (std::uint32_t r = 0; r < block.group.rows; ++r) {
        from[r] = masks[r].data + (bytes ? block.first_key : block.first_key / 8);
      }
      return close_columns(from, block.group.rows, bytes, keys, block.scores, block_work);
    }
  }
  keys.begin = keys.begin / panel_width * panel_width;
  if (block.group.columns) return close_by_columns(block, keys, masks, block_work);
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    float* const row = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row;
    for (std::uint32_t key = keys.begin; key < keys.end; key += panel_width) {
      const std::uint32_t count = least(keys.end - key, panel_width);
      const std::uint32_t bits = open_bits(masks[r], block.first_key + key, count);
      if (bits != (1U << count) - 1) port::store(row + key, close_lanes(bits, port::load(row + key)));
    }
  }
}

bool has_closed(const BoolRow& mask, std::uint32_t key, std::uint32_t count) noexcept {
  const std::uint32_t end = key + count;
  if (mask.format == MaskFormat::bytes) {
    for (; key + 32 <= end; key += 32) {
      const std::uint8_t* const from = mask.data + key;
      if (has_zero(load_eight(from) & load_eight(from + 8) & load_eight(from + 16) & load_eight(from + 24)))
        return true;
    }
  } else {
    for (; key < end && key % 8 != 0; ++key) {
      if (!mask.open(key)) return true;
    }
    for (; key + 8 <= end; key += 8) {
      if (mask.data[key / 8] != 0xFF) return true;
    }
  }
  while (key < end && mask.open(key)) ++key;
  return key < end;
}

std::uint32_t closed_at_begin(const BoolRow& mask, std::uint32_t key, std::uint32_t count) noexcept {
  std::uint32_t closed = 0;
  if (mask.format == MaskFormat::bytes) {
    while (closed + 8 <= count && load_eight(mask.data + key + closed) == 0) closed += 8;
  }
  while (closed < count && !mask.open(key + closed)) ++closed;
  return closed;
}

/// Of bytes 32 at a time: what a triangle closes of a key block is most of it.
std::uint32_t closed_at_end(const BoolRow& mask, std::uint32_t key, std::uint32_t count) noexcept {
  std::uint32_t left = count;
  if (mask.format == MaskFormat::bytes) {
    const auto eight = [&](std::uint32_t before) noexcept { return load_eight(mask.data + key + left - before); };
    while (left >= 32 && (eight(8) | eight(16) | eight(24) | eight(32)) == 0) left -= 32;
    while (left >= 8 && eight(8) == 0) left -= 8;
  }
  while (left > 0 && !mask.open(key + left - 1)) --left;
  return count - left;
}

}  // namespace heed::detail
