// SPDX-License-Identifier: MIT
//
// Scores of rounded queries and many keys, for ports that gain by doing more at once than a panel.
#pragma once

#include "common/integer_product.hpp"

namespace heed::detail {

/// y = float(sum) * (scale * scale of the row) for whole panels of keys; `bias` is null, and nothing is added. Whether
/// that has been done; a port without a kernel leaves it to score_panel(), as here.
[[nodiscard]] constexpr bool score_keys(const MatrixProduct& /*product*/) noexcept {
  return false;
}

}  // namespace heed::detail
