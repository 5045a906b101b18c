// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heed::detail {

/// A row of work: one query of one query head.
struct QueryRow {
  std::uint32_t query;
  std::uint32_t head;
};

}  // namespace heed::detail
