// SPDX-License-Identifier: MIT
//
// What comes before and after the blocks of extended models, at random.
#pragma once

#include "transformer/random_model.hpp"

namespace heed::test {

/// Members of the ends, each in half of the models that can have it.
inline void extend_ends(Random& random, ModelConfig& c) {
  const auto coin = [&] { return random.between(0, 1) == 1; };
  if (coin()) c.output_softcap = 0.5F * static_cast<float>(random.between(1, 60));
  c.unit_output = coin();
  if (!c.encoder) return;
  if (coin()) c.pooling = Pooling::mean_of_rest;
  if (c.input == ModelInput::tokens) {
    c.token_types = coin() ? random.between(1, 3) : 0;
  } else {
    c.registers = coin() ? random.between(1, 4) : 0;
    if (coin()) c.input = ModelInput::convolutions;
  }
  if (c.pooling == Pooling::every) return;
  c.pooler = static_cast<Pooler>(random.between(0, 2));
  c.norm_after_pooling = !c.without_final_norm && coin();
}

/// The weights of the ends that a configuration has beside those of RandomWeights; they live as long as the object.
class RandomEnds {
 public:
  RandomEnds(std::uint64_t seed, const ModelConfig& c, ModelWeights& ends) {
    Random random(seed);
    const std::size_t dim = c.block.model_dim;
    const auto matrix = [&](std::size_t outputs, std::size_t inputs) {
      return kept_.emplace_back(random.normals(outputs * inputs, 1.0F / std::sqrt(static_cast<float>(inputs)))).data();
    };
    const auto numbers = [&](std::size_t count, float spread) {
      return kept_.emplace_back(random.normals(count, spread)).data();
    };
    if (c.registers != 0) ends.registers = numbers(c.registers * dim, 1.0F);
    if (c.token_types != 0) ends.token_types = numbers(c.token_types * dim, 0.5F);
    if (c.input == ModelInput::convolutions) {
      ends.input = matrix(dim, std::size_t{3} * c.input_dim);
      ends.second_input = matrix(dim, 3 * dim);
      if (random.between(0, 3) != 0) ends.second_input_bias = numbers(dim, 0.1F);
    }
    if (c.pooler == Pooler::none) return;
    ends.pooler = matrix(dim, dim);
    if (random.between(0, 3) != 0) ends.pooler_bias = numbers(dim, 0.1F);
  }

 private:
  std::deque<std::vector<float>> kept_;
};

}  // namespace heed::test
