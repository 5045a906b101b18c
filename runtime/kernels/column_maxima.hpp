// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "common/constants.hpp"
#include "common/key_range.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// The greatest score of each query [16], for scores [keys, 16] and a range of keys.
inline void column_maxima(const float* scores, KeyRange keys, float* maxima) noexcept {
  using namespace port;
  f32x16 greatest = set(lowest);
  for (std::uint32_t key = keys.begin; key < keys.end; ++key) {
    greatest = max(greatest, load(scores + std::size_t{key} * lanes));
  }
  store(maxima, greatest);
}

}  // namespace heed_own_code
}  // namespace heed::detail
