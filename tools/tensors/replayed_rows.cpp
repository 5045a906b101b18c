// SPDX-License-Identifier: MIT
#include "tensors/replayed_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "support/aligned_bytes.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

bool same_floats(float left, float right) {
  return std::bit_cast<std::uint32_t>(left) == std::bit_cast<std::uint32_t>(right) ||
         (std::isnan(left) && std::isnan(right));
}

}  // namespace

void replay_norm(const BlockConfig& config, const NormPlan& norm, const std::byte* weights, std::uint32_t dim,
                 std::vector<float>& rows) {
  const auto count = static_cast<std::uint32_t>(rows.size() / dim);
  const auto numbers = [&](const Region& region) {
    return std::span(reinterpret_cast<const float*>(weights + region.offset), dim);
  };
  const ConstMatrix from = dense<const float>(rows.data(), count, dim);
  const MutableMatrix to = dense(rows.data(), count, dim);
  require_ok(config.norm == Norm::rms_norm
                 ? rms_norm(from, count, dim, numbers(norm.weight), config.norm_epsilon, to)
                 : layer_norm(from, count, dim, numbers(norm.weight), numbers(norm.bias), config.norm_epsilon, to),
             "a norm");
}

std::vector<float> replay_product(const LinearPlan& plan, const PackedWeights& weights, std::uint32_t rows,
                                  const std::vector<float>& from) {
  const std::size_t rounded = std::size_t{std::min(rows, detail::rounded_rows_at_once)} * plan.row_bytes;
  AlignedBytes scratch(std::max<std::size_t>(rounded, plan.staging_bytes));
  std::vector<float> to(std::size_t{rows} * plan.outputs);
  require_ok(linear(plan, weights, rows, dense(from.data(), rows, plan.inputs), dense(to.data(), rows, plan.outputs),
                    scratch.span()),
             "a product");
  return to;
}

void require_replayed(const std::vector<float>& computed, const float* shown, std::uint32_t block, Stage stage) {
  if (std::equal(computed.begin(), computed.end(), shown, same_floats)) return;
  throw Failure("block " + std::to_string(block) + ", " + to_string(stage) +
                ": computed anew, it is not what the model computed");
}

}  // namespace heed::tools
