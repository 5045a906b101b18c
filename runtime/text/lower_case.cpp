// SPDX-License-Identifier: MIT
#include "text/unicode.hpp"

namespace heed::detail {

std::uint32_t lower_case(std::uint32_t point) noexcept {
  if (point == 0x130) return 'i';
  std::uint32_t first = 0;
  for (std::uint32_t size = lower_run_count; size > 1;) {
    const std::uint32_t half = size / 2;
    if ((lower_runs[std::size_t{2} * (first + half)] & 0x1FFFFF) <= point) first += half;
    size -= half;
  }
  // Runs of every second point may lie in each other: one before may reach further.
  for (std::uint32_t i = first + 1; i-- > 0 && i + 2 > first;) {
    const std::uint32_t start = lower_runs[std::size_t{2} * i] & 0x1FFFFF;
    const std::uint32_t step = (lower_runs[std::size_t{2} * i + 1] & 1) + 1;
    if (point < start) continue;
    const std::uint32_t distance = point - start;
    if (distance % step != 0 || distance / step > lower_runs[std::size_t{2} * i] >> 21) continue;
    // The distance has a sign, which moves in from the left.
    const std::uint32_t halved = lower_runs[std::size_t{2} * i + 1] >> 1;
    return point + (halved | (halved & 0x40000000U) << 1);
  }
  return point;
}

}  // namespace heed::detail
