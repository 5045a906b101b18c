// SPDX-License-Identifier: MIT
#include "tensors/layer_keys.hpp"

#include "support/failure.hpp"
#include "support/planned.hpp"
#include "tensors/bound_layer.hpp"

namespace heed::tools {

ProjectedRows::ProjectedRows(const Projection& projection, const TokenRows& rows)
    : kv_heads_(projection.kv_heads), dim_(projection.dim), tokens_(rows.tokens), rows_(rows.batch) {
  // A layer whose values are what is wanted; its other projections only have to exist.
  const auto plan = planned<MultiHeadPlan>(rows.name, MultiHeadConfig{.model_dim = projection.inputs,
                                                                      .heads = kv_heads_,
                                                                      .head_dim = dim_,
                                                                      .output_dim = 1,
                                                                      .max_keys = tokens_,
                                                                      .max_sequences = rows.batch});
  const std::vector<float> output(std::size_t{kv_heads_} * dim_);
  BoundLayer bound(plan,
                   {.query = projection.weight,
                    .key = projection.weight,
                    .value = projection.weight,
                    .output = output.data(),
                    .value_bias = projection.bias},
                   rows.name);
  require_ok(bound.layer.append(rows.batch, nullptr, tokens_, rows.matrix()), rows.name);
  const std::size_t width = plan.cache.value_width;
  for (std::uint32_t batch = 0; batch < rows.batch; ++batch) {
    for (std::uint32_t token = 0; token < tokens_; ++token) {
      for (std::uint32_t head = 0; head < kv_heads_; ++head) {
        const float* row = bound.layer.cache().values(batch, head) + token * width;
        rows_[batch].insert(rows_[batch].end(), row, row + dim_);
      }
    }
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
