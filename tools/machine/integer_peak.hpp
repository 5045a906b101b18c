// SPDX-License-Identifier: MIT
#pragma once

#include "heed/format.hpp"

namespace heed::bench {

/// Products of integers per second, each multiplied and added to a sum of 32 bits, as the port multiplies weights of
/// int8, int8_multipliers or int4_multipliers by rows of int8 or int16; 0 for other types. The best of its kernel with
/// everything in the nearest cache and, where the port's products are an operation on registers, of independent chains
/// of that operation, as the peak of fused multiply-adds is measured: neither is always the faster one. Of `repeats`
/// rounds of about `products` each the best, or of those that a tenth of a second has room for, and one at least.
[[nodiscard]] double measure_integer_peak(DataType weights, DataType rows, int repeats = 30, double products = 1e7);

/// The same with the kernel alone: products that load their weights and rows, and those of int8 weights become outputs.
[[nodiscard]] double measure_integer_kernel(DataType weights, DataType rows, int repeats = 30, double products = 1e7);

/// The same of one row and a matrix of int8, to its outputs, with everything in the nearest cache.
[[nodiscard]] double measure_integer_row(DataType rows, int repeats = 30, double products = 1e7);

}  // namespace heed::bench
