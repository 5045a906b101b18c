// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/executor.hpp"
#include "heed/multi_head.hpp"

namespace heed::detail {

/// Rows of a dense or strided matrix; the columns are contiguous.
template <class Element>
struct Rows {
  Element* data;
  std::ptrdiff_t stride;
};

/// y [rows, outputs] = x [rows, inputs] W^T + b with packed weights, of at most 64 rows (a plan's token_rows), whose
/// inputs stay in a second-level cache. Each element is one chain over ascending inputs that starts from the bias. The
/// output panels are shared out among the workers.
void project(const ProjectionPlan& plan, const std::byte* weights, Rows<const float> x, std::uint32_t rows,
             Rows<float> y, const Executor& executor, std::uint32_t workers) noexcept;

}  // namespace heed::detail
