// SPDX-License-Identifier: MIT
//
// A model with a witness over all that its calls can reach.
#pragma once

#include <vector>

#include "refusal/refusals.hpp"
#include "transformer/built_model.hpp"
#include "transformer/random_ends.hpp"

namespace heed::test {

struct WatchedModel {
  ModelConfig config;
  RandomWeights weights;
  RandomEnds more_weights;
  AlignedMemory file;
  BuiltModel built;
  std::vector<float> logits;
  Witness witness;

  WatchedModel(const ModelConfig& c, const BlockMemory& memory)
      : config(completed(c)),
        weights(3, config),
        more_weights(4, config, weights.ends),
        file(packed_model(config, weights.ends, weights.blocks)),
        built(file.span(), memory),
        logits(100) {
    witness.watch("state", built.state.span());
    witness.watch("scratch", built.scratch.span());
    witness.watch("logits", logits);
    witness.watch_object("model", built.model);
  }

  template <class Call>
  void expect(Status expected, const char* what, const Call& call) {
    witness.expect(expected, what, call);
  }
};

}  // namespace heed::test
