// SPDX-License-Identifier: MIT
#include "score_terms.hpp"

namespace heed::detail {
namespace {

constexpr float first_lanes[panel_width] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// key - position, within what int32 and float hold well; beyond 2^24 it is rounded.
[[nodiscard]] float distance_of(std::uint32_t key, std::int64_t position) noexcept {
  constexpr std::int64_t limit = std::int64_t{1} << 30;
  const std::int64_t distance = std::int64_t{key} - position;
  const std::int64_t kept = distance > limit ? limit : distance < -limit ? -limit : distance;
  return static_cast<float>(static_cast<std::int32_t>(kept));
}

/// |key - position| of sixteen keys.
[[nodiscard]] port::f32x16 distances(std::uint32_t key, std::int64_t position) noexcept {
  const port::f32x16 signed_distance = port::add(port::set(distance_of(key, position)), port::load(first_lanes));
  return port::max(signed_distance, port::sub(port::set(0.0F), signed_distance));
}

[[nodiscard]] port::f32x16 relative_terms(const RowTerms& row, std::uint32_t key, std::uint32_t count) noexcept {
  const std::int64_t first = std::int64_t{key} - row.position + row.left;
  const std::int64_t last = std::int64_t{row.left} + row.right;
  if (first >= 0 && first + panel_width <= last + 1) return port::load(row.relative_values + first);
  float values[panel_width] = {};
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::int64_t at = first + i;
    values[i] = row.relative_values[at < 0 ? 0 : at > last ? last : at];
  }
  return port::load(values);
}

/// `terms`, with -inf where the mask is false.
[[nodiscard]] port::f32x16 close(const BoolRow& mask, std::uint32_t key, std::uint32_t count,
                                 const port::f32x16& terms) noexcept {
  float open[panel_width] = {};
  if (mask.format == MaskFormat::bytes) {
    const std::uint8_t* from = mask.data + key;
    if (count == panel_width) {
      for (std::uint32_t i = 0; i < panel_width; ++i) open[i] = from[i] != 0 ? 1.0F : 0.0F;
    } else {
      for (std::uint32_t i = 0; i < count; ++i) open[i] = from[i] != 0 ? 1.0F : 0.0F;
    }
  } else {
    for (std::uint32_t i = 0; i < count; ++i) open[i] = mask.open(key + i) ? 1.0F : 0.0F;
  }
  return port::where_less(port::load(open), port::set(1.0F), port::set(minus_infinity), terms);
}

}  // namespace

port::f32x16 terms_of(const RowTerms& row, std::uint32_t key, std::uint32_t count) noexcept {
  using namespace port;
  f32x16 terms = set(0.0F);
  f32x16 mask = terms;
  if (row.mask != nullptr) {
    mask = load_count(row.mask + key, count);
    terms = mul(mask, set(log2_e));
  }
  if (row.slope != 0.0F) terms = fma(distances(key, row.position), set(-row.slope), terms);
  if (row.relative_values != nullptr) terms = fma(relative_terms(row, key, count), set(log2_e), terms);
  if (row.mask != nullptr) terms = where_less(mask, set(closing), set(minus_infinity), terms);
  if (row.bool_mask.data != nullptr) terms = close(row.bool_mask, key, count, terms);
  return terms;
}

}  // namespace heed::detail
