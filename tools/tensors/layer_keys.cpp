// SPDX-License-Identifier: MIT
#include "tensors/layer_keys.hpp"

#include "heed/linear.hpp"
#include "support/aligned_bytes.hpp"
#include "support/failure.hpp"
#include "support/planned.hpp"

namespace heed::tools {

ProjectedRows::ProjectedRows(const Projection& projection, const TokenRows& rows)
    : kv_heads_(projection.kv_heads), dim_(projection.dim), tokens_(rows.tokens), rows_(rows.batch) {
  const std::uint32_t width = kv_heads_ * dim_;
  const auto plan = planned<LinearPlan>(rows.name, LinearConfig{.inputs = projection.inputs, .outputs = width});
  AlignedBytes packed(plan.bytes);
  require_ok(pack_linear(plan, projection.weight, projection.bias, packed.span()), rows.name);
  ConstMatrix x = rows.matrix();
  for (std::vector<float>& projected : rows_) {
    projected.resize(std::size_t{tokens_} * width);
    require_ok(linear(plan, packed.span(), tokens_, x, dense(projected.data(), tokens_, width)), rows.name);
    x.data += x.batch_stride;
  }
}

void ProjectedRows::add_token(const std::vector<float>& token) {
  for (std::vector<float>& rows : rows_) rows.insert(rows.end(), token.begin(), token.end());
  ++tokens_;
}

ConstTensor ProjectedRows::batch_entry(std::uint32_t batch) const {
  return bshd<const float>(rows_[batch].data(), kv_heads_, tokens_, dim_);
}

}  // namespace heed::tools
