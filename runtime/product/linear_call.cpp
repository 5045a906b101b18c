// SPDX-License-Identifier: MIT
#include "common/validation.hpp"
#include "heed/linear.hpp"
#include "product/linear.hpp"
#include "product/linear_check.hpp"

namespace heed {

Status linear(const LinearPlan& plan, const PackedWeights& weights, std::uint32_t rows, ConstMatrix x, MutableMatrix y,
              std::span<std::byte> scratch, const Executor& executor, std::uint32_t workers) noexcept {
  Status status = detail::check_packed(plan, weights);
  if (status != Status::ok) return status;
  if (rows == 0 || workers == 0) return Status::zero_dimension;
  if (rows > max_rows) return Status::too_large;
  if (workers > max_workers) return Status::bad_workers;
  if (plan.staging_bytes != 0) {
    status = detail::check_memory(scratch, std::size_t{workers} * plan.staging_bytes);
  }
  if (status == Status::ok) status = detail::check_input(x, 1, rows, plan.inputs);
  if (status == Status::ok) status = detail::check_output(y, 1, rows, plan.outputs);
  if (status != Status::ok) return status;
  if (x.data == y.data) return Status::overlap;
  const detail::Linear linear{weights.bytes.data(), weights.format, reinterpret_cast<float*>(scratch.data()), executor,
                              workers};
  linear.multiply(plan, {x.data, x.row_stride}, rows, {y.data, y.row_stride});
  return Status::ok;
}

}  // namespace heed
