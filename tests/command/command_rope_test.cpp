// SPDX-License-Identifier: MIT
//
// `heed mha --rope`: positions of a layer's queries and keys, against a double computation, and every way to refuse.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "command/command_layer.hpp"
#include "command/rotated.hpp"

namespace {

using namespace heed::test;
using heed::Causal;
using Positions = std::vector<std::int64_t>;

class HeedLayerRope : public HeedMha {
 protected:
  static constexpr std::size_t keys = 9;

  HeedLayerRope() {
    w_.fill(random_, true);
    x_ = random_.normals(batch * tokens * 16);
    memory_ = random_.normals(batch * keys * 16);
    write_npy("x.npy", {batch, tokens, 16}, x_);
    write_npy("m.npy", {batch, keys, 16}, memory_);
    write_separate(w_, "w", "F32", [](float value) { return value; });
  }

  static Positions count(std::int64_t first, std::size_t rows) {
    Positions positions;
    for (std::size_t i = 0; i < batch * rows; ++i) positions.push_back(first + static_cast<std::int64_t>(i % rows));
    return positions;
  }

  /// Runs the layer with these options, and compares it with one whose queries and keys are rotated.
  void expect_layer(const std::string& options, const std::vector<float>& memory, Causal causal,
                    const Positions& of_queries, const Positions& of_keys, const heed::RotaryConfig& rope) const {
    SCOPED_TRACE(options);
    const Layer layer = reference(w_, x_, memory, of_keys.size() / batch, causal, [&](AttentionCase& c) {
      c.query = rotated(c.query, batch, w_.heads, of_queries, rope);
      c.key = rotated(c.key, batch, w_.kv_heads, of_keys, rope);
    });
    expect_success(line_ + options);
    expect_near(read_npy("out.npy", {batch, tokens, 11}), layer.y, 5e-5);
  }

  Weights w_{4, 2, 8, 3, 16, 16, 11, {}, {}, {}, {}, {}, {}, {}, {}};
  std::vector<float> x_, memory_;
  const heed::RotaryConfig plain_{.head_dim = 8};
  const std::string line_ = "mha --weights w --heads 4 --kv-heads 2 --input x.npy --out out.npy " + separate_ + biases_;
};

TEST_F(HeedLayerRope, RotatesTokensThatAreQueriesAndKeys) {
  expect_layer("--rope 10000", x_, Causal::none, count(0, tokens), count(0, tokens), plain_);
  expect_layer("--rope 10000 --causal", x_, Causal::top_left, count(0, tokens), count(0, tokens), plain_);
  const Positions given{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
  write_npy("p.npy", {batch, tokens}, given);
  const heed::RotaryConfig scaled{.head_dim = 8,
                                  .rotary_dim = 6,
                                  .base = 500.0F,
                                  .layout = heed::RotaryLayout::interleaved,
                                  .scaling = heed::RotaryScaling::linear,
                                  .scaling_factor = 4.0F};
  expect_layer("--rope 500,interleaved,6 --rope-scaling linear:4 --positions p.npy --causal", x_, Causal::top_left,
               given, given, scaled);
}

// As in `heed attend`: queries stand where the causal rule has them.
TEST_F(HeedLayerRope, RotatesTheTokensOfTwoInputs) {
  const std::string cross = "--kv-input m.npy --rope 10000 ";
  expect_layer(cross, memory_, Causal::none, count(0, tokens), count(0, keys), plain_);
  expect_layer(cross + "--causal bottom-right", memory_, Causal::bottom_right, count(keys - tokens, tokens),
               count(0, keys), plain_);
  write_npy("p.npy", {tokens}, std::vector<std::int32_t>{7, 0, 50, 3, 3, 1});
  write_npy("kp.npy", {batch, keys}, count(100, keys));
  expect_layer(cross + "--positions p.npy --key-positions kp.npy", memory_, Causal::none,
               {7, 0, 50, 3, 3, 1, 7, 0, 50, 3, 3, 1}, count(100, keys), plain_);
  const std::vector<float> out = read_npy("out.npy", {batch, tokens, 11});
  expect_success(line_ + "--key m.npy --value m.npy --rope 10000 --positions p.npy --key-positions kp.npy");
  EXPECT_EQ(read_npy("out.npy", {batch, tokens, 11}), out);
}

TEST_F(HeedLayerRope, RefusesPositionsOfNothing) {
  expect_failure(line_ + "--rope 10000 --add-zero-attn", {"--rope", "--add-zero-attn", "position"});
  expect_failure(line_ + "--rope 10000,7", {"--rope 10000,7", "even", "head_dim 8"});
  expect_failure(line_ + "--rope 1", {"--rope 1", "above 1"});
  write_npy("p.npy", {tokens}, std::vector<std::int64_t>(tokens));
  expect_failure(line_ + "--positions p.npy", {"--positions p.npy", "without --rope"});
  expect_failure(line_ + "--rope-scaling linear:2", {"--rope-scaling linear:2", "without --rope"});
  expect_failure(line_ + "--rope 10000 --key-positions p.npy", {"--key-positions p.npy", "--positions is for both"});
  expect_failure(line_ + "--rope 10000 --kv-input m.npy --key-positions p.npy",
                 {"--key-positions p.npy [6]", "[2, 9]"});
  expect_failure(line_ + "--rope 10000 --kv-input m.npy --causal -1", {"--rope", "x.npy", "position -1"});
  expect_failure(line_ + "--rope 10000 --positions x.npy", {"--positions: x.npy", "<f4"});
}

}  // namespace
