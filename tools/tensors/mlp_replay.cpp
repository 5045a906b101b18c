// SPDX-License-Identifier: MIT
#include "tensors/mlp_replay.hpp"

#include <cstddef>

#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "tensors/replayed_rows.hpp"

namespace heed::tools {

ReplayedMlp replay_mlp(const LoadedModel& file, BoundModel& bound, std::uint32_t block_number, const float* shown,
                       std::uint32_t rows) {
  const ModelPlan& plan = bound.model().plan();
  const BlockPlan& block = plan.block;
  const BlockConfig& config = block.config;
  const std::byte* const weights =
      file.bytes().data() + plan.file.block_weights.offset + std::size_t{block_number} * block.weights_bytes;
  const PackedWeights packed(weights, block.weights_bytes, weight_format(block.products).format);

  const auto* const input = reinterpret_cast<const float*>(bound.scratch().data() + plan.rows.offset);
  ReplayedMlp replayed{.read = {input, input + std::size_t{rows} * config.model_dim}};
  if (config.norm_placement != NormPlacement::after) {
    replay_norm(config, block.mlp_norm, weights, config.model_dim, replayed.read);
  }
  replayed.hidden = replay_product(block.mlp.up, packed, rows, replayed.read);
  const MutableMatrix hidden = dense(replayed.hidden.data(), rows, config.mlp_dim);
  if (config.gated) {
    const std::vector<float> gates = replay_product(block.mlp.gate, packed, rows, replayed.read);
    require_ok(gated(config.activation, dense(gates.data(), rows, config.mlp_dim), hidden, rows, config.mlp_dim),
               "a gate");
  } else {
    require_ok(activate(config.activation, hidden, rows, config.mlp_dim), "an activation");
  }
  std::vector<float> added = replay_product(block.mlp.down, packed, rows, replayed.hidden);
  if (config.norm_placement == NormPlacement::both) {
    replay_norm(config, block.mlp_output_norm, weights, config.model_dim, added);
  }
  require_replayed(added, shown, block_number, Stage::mlp);
  return replayed;
}

}  // namespace heed::tools
