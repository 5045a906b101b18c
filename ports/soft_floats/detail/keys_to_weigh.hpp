// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heed::detail {

/// Scores up to `end`, and what has been found of those that are weighed.
struct WeighedKeys {
  const float* end;
  std::uint32_t top;       ///< the maximum in units of 2^-20, and a half of 2^-8
  std::uint32_t total;     ///< of the weights
  std::uint32_t greatest;  ///< bits
};

}  // namespace heed::detail
