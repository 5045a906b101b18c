// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heed::tools {

/// What so many threads can do together at most.
struct MachineLimits {
  double multiply_adds = 0.0;  ///< fused multiply-adds of floats, per second
  double read_bytes = 0.0;     ///< per second, from where these bytes lie
};

/// Measures both, in all threads at the same time. Each reads its share of `bytes`, which begin on a 64-byte boundary.
[[nodiscard]] MachineLimits measure_limits(std::uint32_t workers, std::span<const std::byte> bytes);

}  // namespace heed::tools
