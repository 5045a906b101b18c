// SPDX-License-Identifier: MIT
#include "product/pack_linear.hpp"

#include "product/linear_check.hpp"

namespace heed {

Status pack_linear(const LinearPlan& plan, const float* weight, const float* bias,
                   std::span<std::byte> packed) noexcept {
  const Status status = detail::check_packing(plan, weight, bias, packed);
  if (status != Status::ok) return status;
  plan.type == DataType::float32 ? detail::pack_floats(plan, weight, bias, packed.data())
                                 : detail::pack_rounded(plan, weight, bias, packed.data());
  return Status::ok;
}

}  // namespace heed
