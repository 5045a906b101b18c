// SPDX-License-Identifier: MIT
#include "options/layer_rotary.hpp"

#include "support/failure.hpp"

namespace heed::tools {

LayerRotary::LayerRotary(const RotaryOptions& options, const LayerInputs& layer,
                         const std::vector<std::int32_t>& offsets) {
  const std::optional<RotaryPlan> plan = rotary_plan(options, layer.plan().config.head_dim, layer.names());
  if (!plan) return;
  if (layer.extra_keys() != 0) {
    throw Failure("--rope: the tokens of --bias-k and --add-zero-attn, or of the tensor bias_k, are at no position");
  }
  rotary_ = Rotary{.plan = *plan};
  const RotaryRows queries{layer.x().batch, layer.x().tokens, layer.x().name};
  if (layer.encodes()) {
    if (!options.key_positions.empty()) {
      throw Failure("--key-positions " + options.key_positions + ": the keys are the tokens of --input; --positions " +
                    "is for both");
    }
    if (!options.positions.empty()) positions_ = query_positions(options, queries, {});
    return;
  }
  positions_ = query_positions(options, queries, offsets);
  key_positions_ = key_positions(options, {layer.x().batch, layer.keys(), layer.names()}, 0);
}

void LayerRotary::apply(MultiHeadOptions& options) const {
  if (!rotary_) return;
  options.rotary = &*rotary_;
  options.positions = positions_.empty() ? nullptr : positions_.data();
}

MultiHeadOptions LayerRotary::key_options() const {
  MultiHeadOptions options;
  if (!rotary_) return options;
  options.rotary = &*rotary_;
  options.positions = key_positions_.empty() ? nullptr : key_positions_.data();
  return options;
}

}  // namespace heed::tools
