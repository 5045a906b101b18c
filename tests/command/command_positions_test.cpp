// SPDX-License-Identifier: MIT
//
// `heed attend` with rotary positions, and with keys and values of a past, against a naive double computation.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "command/rotated.hpp"
#include "options/option_twin.hpp"
#include "support/cases.hpp"
#include "support/random.hpp"

namespace {

using namespace heed::test;

class HeedAttendPositions : public CommandTest {
 protected:
  static constexpr std::size_t batch = 2, heads = 4, kv_heads = 2, queries = 5, keys = 9, dim = 8;
  static constexpr const char* inputs = "attend --query q.npy --key k.npy --value v.npy --out out.npy ";

  HeedAttendPositions() {
    const AttentionShape shape{batch, heads, kv_heads, queries, keys, dim, dim};
    const AttentionCase drawn = random_case(random_, shape, 2.0F);
    c_ = {.shape = shape, .query = drawn.query, .key = drawn.key, .value = drawn.value};
    write_npy("q.npy", {batch, heads, queries, dim}, c_.query);
    write_npy("k.npy", {batch, kv_heads, keys, dim}, c_.key);
    write_npy("v.npy", {batch, kv_heads, keys, dim}, c_.value);
  }

  /// Positions [batch, rows].
  static std::vector<float> rotated(const std::vector<float>& from, std::size_t heads_here,
                                    const std::vector<std::int64_t>& positions, double base, std::size_t dims,
                                    bool interleaved) {
    const heed::RotaryLayout layout = interleaved ? heed::RotaryLayout::interleaved : heed::RotaryLayout::halves;
    return heed::test::rotated(from, batch, heads_here, positions,
                               {.head_dim = dim,
                                .rotary_dim = static_cast<std::uint32_t>(dims),
                                .base = static_cast<float>(base),
                                .layout = layout});
  }

  static std::vector<std::int64_t> count(std::int64_t first, std::size_t rows) {
    std::vector<std::int64_t> positions;
    for (std::size_t i = 0; i < batch * rows; ++i) positions.push_back(first + static_cast<std::int64_t>(i % rows));
    return positions;
  }

  void expect_twin(const TwinCase& c, const std::string& options) const {
    SCOPED_TRACE(options);
    expect_success(inputs + options);
    expect_near(read_npy("out.npy", {batch, heads, queries, dim}), option_twin(c).output, 2e-5);
  }

  Random random_{37};
  TwinCase c_;
};

TEST_F(HeedAttendPositions, RotatesQueriesAndKeys) {
  TwinCase c = c_;
  const auto rotate = [&](std::int64_t first, double base, std::size_t dims, bool interleaved) {
    c.query = rotated(c_.query, heads, count(first, queries), base, dims, interleaved);
    c.key = rotated(c_.key, kv_heads, count(0, keys), base, dims, interleaved);
  };
  rotate(0, 10000.0, dim, false);
  expect_twin(c, "--rope 10000");
  rotate(0, 500.0, dim, true);
  expect_twin(c, "--rope 500,interleaved");
  rotate(0, 10000.0, 4, false);
  expect_twin(c, "--rope 10000,4");
  rotate(keys - queries, 10000.0, 6, true);
  expect_twin(c, "--rope 10000,interleaved,6 --query-position bottom-right");
  c.seen = [](auto, auto, auto i, auto j) { return j <= i + keys - queries; };
  expect_twin(c, "--rope 10000,interleaved,6 --causal bottom-right");
}

TEST_F(HeedAttendPositions, TakesPositionsFromFiles) {
  const std::vector<std::int64_t> of_queries{3, 1, 4, 1, 5, 90000, 2, 6, 5, 3};
  write_npy("p.npy", {batch, queries}, of_queries);
  TwinCase c = c_;
  c.query = rotated(c_.query, heads, of_queries, 10000.0, dim, false);
  c.key = rotated(c_.key, kv_heads, count(0, keys), 10000.0, dim, false);
  expect_twin(c, "--rope 10000 --positions p.npy");
  std::vector<std::int64_t> of_keys = count(100, keys);
  write_npy("kp.npy", {keys}, std::vector<std::int32_t>(of_keys.begin(), of_keys.begin() + keys));
  c.key = rotated(c_.key, kv_heads, of_keys, 10000.0, dim, false);
  expect_twin(c, "--rope 10000 --positions p.npy --key-positions kp.npy");
}

TEST_F(HeedAttendPositions, ScalesRotaryPositions) {
  using heed::RotaryScaling;
  const heed::RotaryConfig plain{.head_dim = dim, .scaling_factor = 4.0F, .original_max_position = 64};
  const auto expect_scaled = [&](const std::string& option, const heed::RotaryConfig& config) {
    TwinCase c = c_;
    const std::vector<std::int64_t> of_queries{3, 100, 4, 1, 250, 90, 2, 600, 5, 3};
    write_npy("p.npy", {batch, queries}, of_queries);
    c.query = heed::test::rotated(c_.query, batch, heads, of_queries, config);
    c.key = heed::test::rotated(c_.key, batch, kv_heads, count(0, keys), config);
    expect_twin(c, "--rope 10000 --positions p.npy --rope-scaling " + option);
  };
  heed::RotaryConfig config = plain;
  config.scaling = RotaryScaling::linear;
  expect_scaled("linear:4", config);
  config.scaling = RotaryScaling::ntk;
  expect_scaled("ntk:4", config);
  config.scaling = RotaryScaling::yarn;
  expect_scaled("yarn:4:64", config);
  config.scaling = RotaryScaling::llama3;
  expect_scaled("llama3:4:64", config);
  config.low_freq_factor = 0.125F;
  config.high_freq_factor = 2.5F;
  expect_scaled("llama3:4:64:0.125:2.5", config);
}

TEST_F(HeedAttendPositions, RefusesBadScalings) {
  const std::string all = std::string(inputs) + "--rope 10000 --rope-scaling ";
  const std::vector<std::string> kinds{"linear:FACTOR", "ntk:FACTOR", "yarn:FACTOR:ORIGINAL", "llama3:FACTOR:ORIGINAL"};
  for (const std::string scaling : {"linaer:2", "none:2", "linear", "linear:", "linear:x", "linear:2:3", "yarn:2",
                                    "yarn:2:64:3", "llama3:2", "llama3:2:64:1", "llama3:2:64:1:4:5", "llama3:2:-1"}) {
    std::vector<std::string> parts = kinds;
    parts.push_back("--rope-scaling " + scaling);
    expect_failure(all + scaling, parts);
  }
  for (const char* factor : {"0", "0.5", "-2", "inf", "nan"}) {
    expect_failure(all + "linear:" + factor, {std::string("--rope-scaling linear:") + factor, "FACTOR", "at least 1"});
  }
  expect_failure(all + "yarn:2:0", {"--rope-scaling yarn:2:0", "ORIGINAL"});
  expect_failure(all + "yarn:2:1", {"--rope-scaling yarn:2:1", "ORIGINAL"});
  expect_failure(all + "llama3:2:64:0:4", {"llama3:2:64:0:4", "LOW"});
  expect_failure(all + "llama3:2:64:4:4", {"llama3:2:64:4:4", "LOW must be below HIGH"});
  expect_failure(inputs + std::string("--rope-scaling linear:2"), {"--rope-scaling linear:2", "--rope"});
}

// A decoder's step: what the first call wrote as its present is the past of the second.
TEST_F(HeedAttendPositions, ThePastHoldsRotatedKeys) {
  const AttentionCase next = random_case(random_, {batch, heads, kv_heads, queries, 2, dim, dim});
  write_npy("k2.npy", {batch, kv_heads, 2, dim}, next.key);
  write_npy("v2.npy", {batch, kv_heads, 2, dim}, next.value);
  expect_success(std::string(inputs) + "--rope 10000 --present-key pk.npy --present-value pv.npy");
  const std::vector<float> first = read_npy("pk.npy", {batch, kv_heads, keys, dim});
  expect_success(
      "attend --query q.npy --key k2.npy --value v2.npy --out out.npy --rope 10000 --causal onnx --past-key pk.npy "
      "--past-value pv.npy --present-key pk2.npy");
  const std::vector<float> second = read_npy("pk2.npy", {batch, kv_heads, keys + 2, dim});

  TwinCase c = c_;
  c.shape.keys = keys + 2;
  c.query = rotated(c_.query, heads, count(keys, queries), 10000.0, dim, false);
  const std::vector<float> rotated_key = rotated(next.key, kv_heads, count(keys, 2), 10000.0, dim, false);
  c.key.clear();
  c.value.clear();
  const auto append = [](std::vector<float>& to, const std::vector<float>& from, std::size_t at, std::size_t rows) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(at * rows * dim),
              from.begin() + static_cast<std::ptrdiff_t>((at + 1) * rows * dim));
  };
  for (std::size_t stream = 0; stream < batch * kv_heads; ++stream) {
    append(c.key, first, stream, keys);
    append(c.key, rotated_key, stream, 2);
    append(c.value, c_.value, stream, keys);
    append(c.value, next.value, stream, 2);
  }
  c.seen = [](auto, auto, auto i, auto j) { return j <= i + keys; };
  expect_near(read_npy("out.npy", {batch, heads, queries, dim}), option_twin(c).output, 2e-5);
  for (std::size_t i = 0; i < second.size(); ++i) EXPECT_NEAR(second[i], c.key[i], 1e-5) << i;
}

TEST_F(HeedAttendPositions, RefusesBadPositions) {
  const std::string all = inputs;
  for (const char* rope : {"x", "10000,", "10000,x", "10000,interleaved,", "10000,4,interleaved", "10000,0"}) {
    expect_failure(all + "--rope " + rope, {std::string("--rope ") + rope});
  }
  expect_failure(all + "--rope 1", {"--rope 1", "q.npy"});
  expect_failure(all + "--rope 10000,10", {"--rope 10000,10", "q.npy", "up to head_dim 8"});
  expect_failure(all + "--rope 10000,3", {"--rope 10000,3", "q.npy", "even"});
  expect_failure(all + "--rope 10000 --causal -1", {"--rope", "-1", "q.npy"});
  write_npy("p.npy", {4}, std::vector<std::int64_t>{0, 1, 2, 3});
  expect_failure(all + "--positions p.npy", {"--positions p.npy", "--rope"});
  expect_failure(all + "--key-positions p.npy", {"--key-positions p.npy", "--rope"});
  expect_failure(all + "--rope 10000 --positions p.npy", {"--positions p.npy [4]", "[5]", "[2, 5]"});
  write_npy("p.npy", {5}, std::vector<std::int64_t>{0, 1, -2, 3, 4});
  expect_failure(all + "--rope 10000 --positions p.npy", {"--positions p.npy", "-2"});
  expect_failure(all + "--rope 10000 --positions q.npy", {"q.npy", "<f4"});
}

TEST_F(HeedAttendPositions, RefusesAPastThatDoesNotFit) {
  const std::string all = inputs;
  write_npy("pk.npy", {batch, kv_heads, 3, dim}, std::vector<float>(batch * kv_heads * 3 * dim));
  write_npy("two.npy", {batch, kv_heads, 2, dim}, std::vector<float>(batch * kv_heads * 2 * dim));
  write_npy("flat.npy", {batch, 3, dim}, std::vector<float>(batch * 3 * dim));
  write_npy("one.npy", {1, kv_heads, 3, dim}, std::vector<float>(kv_heads * 3 * dim));
  expect_failure(all + "--past-key pk.npy", {"--past-key", "--past-value"});
  expect_failure(all + "--past-key pk.npy --past-value two.npy", {"pk.npy [2, 2, 3, 8]", "two.npy [2, 2, 2, 8]"});
  expect_failure(all + "--past-key flat.npy --past-value pk.npy", {"flat.npy [2, 3, 8]"});
  expect_failure(all + "--past-key pk.npy --past-value one.npy", {"--past-value one.npy [1, 2, 3, 8]"});
}

}  // namespace
