// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// The greatest score of each query [16], for scores [keys, 16] and a range of keys. In four chains, which wait less
/// for one another.
inline void column_maxima(const float* scores, KeyRange keys, float* maxima) noexcept {
  using namespace port;
  const f32x16 least_of_all = set(lowest);
  f32x16 greatest[4] = {least_of_all, least_of_all, least_of_all, least_of_all};
  const float* from = scores + std::size_t{keys.begin} * lanes;
  std::uint32_t left = keys.end - keys.begin;
  for (; left >= 4; left -= 4, from += std::ptrdiff_t{4} * lanes) {
#pragma GCC unroll 4
    for (std::ptrdiff_t i = 0; i < 4; ++i) greatest[i] = max(greatest[i], load(from + i * lanes));
  }
  for (; left != 0; --left, from += lanes) greatest[0] = max(greatest[0], load(from));
  store(maxima, max(max(greatest[0], greatest[1]), max(greatest[2], greatest[3])));
}

}  // namespace heed_own_code
}  // namespace heed::detail
