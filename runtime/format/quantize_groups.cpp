// SPDX-License-Identifier: MIT
#include <bit>

#include "common/half.hpp"
#include "format/quantize.hpp"
#include "heed/format.hpp"

namespace heed::detail {
namespace {

/// A scale as it is stored, and as a float; NaN if it is not finite.
struct HalfScale {
  std::uint16_t stored;
  float value;

  explicit HalfScale(float scale) noexcept : stored(to_half(scale)) {
    if ((stored & 0x7C00U) == 0x7C00U) stored = 0x7E00U;
    value = from_half(stored);
  }
};

/// Calls store(group, first, count, scales' element) for each group.
template <class StoreGroup>
void for_groups(std::uint32_t count, const StoredRow& row, StoreGroup store_group) noexcept {
  for (std::uint32_t first = 0; first < count; first += scale_group_size) {
    const std::uint32_t end = count - first < scale_group_size ? count : first + scale_group_size;
    row.scale<std::uint16_t>(first / scale_group_size) = store_group(first, end);
  }
}

}  // namespace

void store_int8_groups(const float* from, std::uint32_t count, const StoredRow& row) noexcept {
  auto* const to = reinterpret_cast<std::int8_t*>(row.numbers);
  for_groups(count, row, [&](std::uint32_t first, std::uint32_t end) noexcept {
    const HalfScale scale(greatest_magnitude(from + first, end - first) / 127.0F);
    for (std::uint32_t i = first; i < end; ++i) {
      to[row.place(i)] = static_cast<std::int8_t>(quantize(from[i], scale.value, -127.0F, 127.0F));
    }
    return scale.stored;
  });
}

void store_int4_groups(const float* from, std::uint32_t count, const StoredRow& row) noexcept {
  for_groups(count, row, [&](std::uint32_t first, std::uint32_t end) noexcept {
    const HalfScale scale(extreme_of(from + first, end - first) / -8.0F);
    for (std::uint32_t i = first; i < end; ++i) put_int4(row, i, quantize(from[i], scale.value, -8.0F, 7.0F));
    return scale.stored;
  });
}

}  // namespace heed::detail
