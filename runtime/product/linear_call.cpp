// SPDX-License-Identifier: MIT
//
// linear(), with its checks.
#include <cstddef>
#include <cstdint>
#include <kernels/rows_of_products.hpp>
#include <span>

#include "common/validation.hpp"
#include "heed/detail/linked_code.hpp"
#include "heed/linear.hpp"
#include "product/linear.hpp"
#include "product/linear_check.hpp"

namespace heed {

namespace {

/// Which weights a call has is known only when it runs: this reference makes the linker include the code for floats.
[[gnu::used]] constexpr const detail::LinkedCode* multiplied_floats = &detail::float_product_code;

}  // namespace

Status linear(const LinearPlan& plan, const PackedWeights& weights, std::uint32_t rows, ConstMatrix x, MutableMatrix y,
              std::span<std::byte> scratch, const Executor& executor, std::uint32_t workers) noexcept {
  Status status = detail::check_packed(plan, weights);
  if (status != Status::ok) return status;
  if (rows == 0 || workers == 0) return Status::zero_dimension;
  if (rows > max_rows) return Status::too_large;
  if (workers > max_workers) return Status::bad_workers;
  const std::uint32_t rounded = rows < detail::rounded_rows_at_once ? rows : detail::rounded_rows_at_once;
  const std::size_t scratch_bytes = std::size_t{workers} * plan.staging_bytes + std::size_t{rounded} * plan.row_bytes;
  if (scratch_bytes != 0) status = detail::check_memory(scratch, scratch_bytes);
  if (status == Status::ok) status = detail::check_input(x, 1, rows, plan.inputs);
  if (status == Status::ok) status = detail::check_output(y, 1, rows, plan.outputs);
  if (status != Status::ok) return status;
  if (x.data == y.data) return Status::overlap;
  const detail::Linear linear{weights.span().data(), weights.format, reinterpret_cast<float*>(scratch.data()), executor,
                              workers};
  const std::uint32_t at_once = plan.row_bytes == 0 ? rows : detail::rows_of_products(rounded);
  for (std::uint32_t first = 0; first < rows; first += at_once) {
    const std::uint32_t count = rows - first < at_once ? rows - first : at_once;
    linear.multiply(plan, {x.row(0, first), x.row_stride}, count, {y.row(0, first), y.row_stride});
  }
  return Status::ok;
}

}  // namespace heed
