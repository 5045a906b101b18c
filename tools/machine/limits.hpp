// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/format.hpp"

namespace heed::tools {

/// Products per second that so many threads reach together at most, each in its own caches: of weights of a type by
/// rows of integers, or, with rows of float32, fused multiply-adds of floats, whatever the weights are stored as.
[[nodiscard]] double measure_products(std::uint32_t workers, DataType weights, DataType rows);

/// Bytes per second that they read together at most, each its share of `bytes`, which begin on a 64-byte boundary; 0
/// for fewer than a share can be cut from.
[[nodiscard]] double measure_reads(std::uint32_t workers, std::span<const std::byte> bytes);

}  // namespace heed::tools
