// SPDX-License-Identifier: MIT
#include "tensors/weight_placer.hpp"

namespace heed::tools {

void WeightPlacer::put_rows(const LinearPlan& plan, std::size_t base, const MatrixNumbers& numbers, std::size_t first,
                            const std::vector<float>& bias) {
  if (to_ == nullptr) return;
  const std::size_t from = first * plan.inputs;
  if (numbers.integers.empty()) {
    to_->put_matrix(plan, base, numbers.floats.data() + from, bias.empty() ? nullptr : bias.data());
  } else {
    to_->put_groups(plan, base, numbers.integers.data() + from, numbers.scales.data() + from / scale_group_size,
                    bias.empty() ? nullptr : bias.data());
  }
}

void WeightPlacer::put(const std::string& role, std::uint32_t block, const Shape& shape, const Region& region,
                       std::size_t base) {
  const std::vector<float> values = tensors_.take(role, block, shape, DataType::float32);
  if (to_ != nullptr) to_->put_floats(region, base, values);
}

void WeightPlacer::put_norm(const std::string& role, std::uint32_t block, const NormPlan& plan, std::size_t base,
                            std::size_t dim) {
  const Shape shape{dim == 0 ? config_.block.model_dim : dim};
  put(role, block, shape, plan.weight, base);
  if (config_.block.norm == Norm::layer_norm && has(role + "_bias", block)) {
    put(role + "_bias", block, shape, plan.bias, base);
  }
}

std::vector<float> WeightPlacer::take_bias(const std::string& role, std::uint32_t block, const LinearPlan& plan) {
  if (plan.bias.bytes == 0 || !has(role, block)) return {};
  return tensors_.take(role, block, {plan.outputs}, DataType::float32);
}

void WeightPlacer::put_matrix(const std::string& role, std::uint32_t block, const LinearPlan& plan, std::size_t base) {
  put_matrix(role, block, plan, base, take_bias(role + "_bias", block, plan));
}

void WeightPlacer::put_matrix(const std::string& role, std::uint32_t block, const LinearPlan& plan, std::size_t base,
                              const std::vector<float>& bias) {
  put_rows(plan, base, tensors_.take_matrix(role, block, {plan.outputs, plan.inputs}, plan), 0, bias);
}

}  // namespace heed::tools
