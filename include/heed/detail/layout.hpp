// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "heed/arena.hpp"
#include "heed/status.hpp"

namespace heed {

/// Lanes of the logical vector on every port. Keys, features and output columns are handled in panels of this width.
inline constexpr std::uint32_t panel_width = 16;

/// Keys over which one partial softmax is taken. Key blocks start at absolute multiples of it, so the order of every
/// sum follows from the key positions alone; part of the arithmetic, not a tuning constant.
inline constexpr std::uint32_t block_keys = 256;

inline constexpr std::uint32_t max_dimension = 1U << 16;  ///< head_dim, value_dim, heads, model_dim
inline constexpr std::uint32_t max_rows = 1U << 30;       ///< queries, keys, batch, tokens
inline constexpr std::uint32_t max_workers = 64;

[[nodiscard]] constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t step) noexcept {
  return (value + step - 1) / step * step;
}

/// Lays regions one after the other, each on an arena_alignment boundary. The total must stay below 2^32, so that the
/// plan is the same on a 32-bit target. No 64-bit division, for which such a target would call a library routine.
class Layout {
 public:
  /// A region of rows * columns * element_bytes bytes.
  constexpr Region add(RegionName name, std::uint64_t rows, std::uint64_t columns,
                       std::uint64_t element_bytes) noexcept {
    constexpr std::uint64_t limit = UINT32_MAX;
    if (rows > limit || columns > limit || rows * columns > limit) fits_ = false;
    const std::uint64_t elements = fits_ ? rows * columns : 0;
    if (elements * element_bytes > limit) fits_ = false;
    const std::uint64_t bytes = fits_ ? round_up(elements * element_bytes, arena_alignment) : 0;
    if (end_ + bytes > limit) fits_ = false;
    if (!fits_) return {};
    const Region region{name, static_cast<std::uint32_t>(end_), static_cast<std::uint32_t>(bytes)};
    end_ += bytes;
    return region;
  }

  [[nodiscard]] constexpr bool fits() const noexcept { return fits_; }
  [[nodiscard]] constexpr std::uint32_t bytes() const noexcept { return static_cast<std::uint32_t>(end_); }

 private:
  std::uint64_t end_ = 0;
  bool fits_ = true;
};

/// What plan() calls on a configuration that cannot work. It is not constexpr, so reaching it at compile time stops the
/// compilation with its name and the status in the message.
namespace this_configuration_is_refused {
void zero_dimension();
void heads_not_divisible();
void too_large();
void bad_workers();
void bad_option();
void bad_base();
void bad_rotary();
}  // namespace this_configuration_is_refused

namespace detail {

consteval void require(Status status) {
  if (status == Status::zero_dimension) this_configuration_is_refused::zero_dimension();
  if (status == Status::heads_not_divisible) this_configuration_is_refused::heads_not_divisible();
  if (status == Status::bad_workers) this_configuration_is_refused::bad_workers();
  if (status == Status::bad_option) this_configuration_is_refused::bad_option();
  if (status == Status::bad_base) this_configuration_is_refused::bad_base();
  if (status == Status::bad_rotary) this_configuration_is_refused::bad_rotary();
  if (status != Status::ok) this_configuration_is_refused::too_large();
}

}  // namespace detail

}  // namespace heed
