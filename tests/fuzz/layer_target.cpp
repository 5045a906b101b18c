// SPDX-License-Identifier: MIT
//
// A layer's call with options beside its parts put together: the bytes choose the shape, the options and the positions.
// Both have the same bits.
#include <gtest/gtest.h>

#include "fuzz/choices.hpp"
#include "fuzz/target.hpp"
#include "layer/layer_options_case.hpp"
#include "support/hash.hpp"

namespace heed::test::fuzz {
namespace {

LayerOptionsCase case_of(Choices& choices) {
  Random shape(choices.word());
  LayerOptionsCase c = plain_layer_case(shape, static_cast<LayerMethod>(choices.below(3)));
  const std::uint32_t options = choices.word();
  for (std::uint32_t option = 0; option < option_count; ++option) {
    if ((options >> option & 1) == 0) continue;
    Random random(choices.byte());
    add_layer_option(random, c, static_cast<Option>(option));
  }
  if (c.shape().head_dim >= 2 && choices.coin()) {
    Random random(choices.byte());
    add_rotary(random, c);
  }
  c.config.ring = choices.coin();  // one that never comes to its end
  return c;
}

}  // namespace

Corpus corpus() {
  Corpus made;
  Random random(2);
  for (std::uint32_t i = 0; i < 12; ++i) {
    std::string input(32, '\0');
    for (char& byte : input) byte = static_cast<char>(random.bits());
    made.seeds.push_back(input);
  }
  return made;
}

bool run(std::span<const std::byte> bytes) {
  Choices choices(bytes);
  const LayerOptionsCase c = case_of(choices);
  OptionsManner manner;
  manner.format = static_cast<MaskFormat>(choices.below(2));
  manner.padding = choices.below(4);
  const ScoreStage stage = score_stages[choices.below(4)];
  Random random(choices.byte());
  const LayerWeights weights(random, c.config, choices.coin());
  const LayerResult got = test::run(c, weights, stage, manner);
  const LayerResult expected = composed(c, weights, stage);
  require(!testing::Test::HasFailure(), "a sound call is not refused");
  require(same_bits(got.heads, expected.heads), "the heads are those of the parts");
  require(same_bits(got.scores, expected.scores), "the scores are those of the parts");
  require(same_bits(got.log_sum_exp, expected.log_sum_exp), "the log-sum-exp is that of the parts");
  require(same_bits(got.y, expected.y), "the output is that of the parts");
  return true;
}

}  // namespace heed::test::fuzz
