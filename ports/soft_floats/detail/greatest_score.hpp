// SPDX-License-Identifier: MIT
#pragma once

#include <single_floats/detail/greatest.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// The greatest of the scores [keys] in `seen`, which is not empty.
[[nodiscard]] inline float greatest_score(float* scores, KeyRange seen) noexcept {
  return greatest_of(scores + seen.begin, 1, seen.end - seen.begin);
}

}  // namespace heed_own_code
}  // namespace heed::detail
