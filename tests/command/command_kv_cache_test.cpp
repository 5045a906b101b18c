// SPDX-License-Identifier: MIT
//
// `heed attend --kv-type`: keys and values rounded as the stored cache defines it, here once more in double precision,
// and then attended over.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "options/option_twin.hpp"
#include "support/cases.hpp"
#include "support/random.hpp"

namespace {

using namespace heed::test;

/// The least float, of those whose last `free_bits` bits are 0, that `levels` times is at least m.
double least_scale(double m, double levels, int free_bits) {
  auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(m / levels)) >> free_bits << free_bits;
  const std::uint32_t step = 1U << free_bits;
  if (bits >= step) bits -= step;
  while (levels * static_cast<double>(std::bit_cast<float>(bits)) < m) bits += step;
  return static_cast<double>(std::bit_cast<float>(bits));
}

/// Rounds to a float of `bits` bits after the leading one, to nearest even; normal numbers only.
float rounded(float x, int bits) {
  int exponent = 0;
  const double fraction = std::frexp(static_cast<double>(x), &exponent);
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(fraction, bits + 1)), exponent - bits - 1));
}

/// What a cache gives back for rows [count, dim].
std::vector<float> stored(std::vector<float> rows, std::size_t dim, const std::string& type) {
  if (type == "f16" || type == "bf16") {
    for (float& x : rows) x = rounded(x, type == "f16" ? 10 : 7);
    return rows;
  }
  if (type == "f32") return rows;
  const double levels = type == "int8" ? 127.0 : 7.0;
  const std::size_t group = type == "int8" ? dim : 32;
  for (std::size_t row = 0; row < rows.size(); row += dim) {
    for (std::size_t first = 0; first < dim; first += group) {
      const std::size_t end = std::min(first + group, dim);
      double m = 0.0;
      for (std::size_t d = first; d < end; ++d) m = std::max(m, std::abs(static_cast<double>(rows[row + d])));
      const double scale = least_scale(m, levels, type == "int8" ? 8 : 16);
      for (std::size_t d = first; d < end; ++d) {
        float& x = rows[row + d];
        x = static_cast<float>(std::nearbyint(x / static_cast<float>(scale)) * scale);
      }
    }
  }
  return rows;
}

class HeedAttendStored : public CommandTest {
 protected:
  static constexpr std::size_t batch = 2, heads = 4, kv_heads = 2, queries = 5, keys = 37, dim = 40, value_dim = 24;
  static constexpr const char* inputs = "attend --query q.npy --key k.npy --value v.npy --out out.npy ";

  HeedAttendStored() {
    const AttentionShape shape{batch, heads, kv_heads, queries, keys, dim, value_dim};
    const AttentionCase drawn = random_case(random_, shape, 2.0F);
    c_ = {.shape = shape, .query = drawn.query, .key = drawn.key, .value = drawn.value};
    write_npy("q.npy", {batch, heads, queries, dim}, c_.query);
    write_npy("k.npy", {batch, kv_heads, keys, dim}, c_.key);
    write_npy("v.npy", {batch, kv_heads, keys, value_dim}, c_.value);
  }

  void expect_twin(const std::string& key_type, const std::string& value_type, const std::string& options) {
    TwinCase c = c_;
    c.key = stored(c_.key, dim, key_type);
    c.value = stored(c_.value, value_dim, value_type);
    const TwinResult expected = option_twin(c);
    expect_success(inputs + options + " --scores s.npy --lse l.npy");
    expect_near(read_npy("out.npy", {batch, heads, queries, value_dim}), expected.output, 1e-5);
    expect_near(read_npy("s.npy", {batch, heads, queries, keys}), expected.weights, 1e-5);
    expect_near(read_npy("l.npy", {batch, heads, queries}), expected.log_sum_exp, 2e-5);
  }

  Random random_{41};
  TwinCase c_;
};

TEST_F(HeedAttendStored, EveryTypeAloneAndInPairs) {
  const std::vector<std::string> types{"f32", "f16", "bf16", "int8", "int4"};
  for (const std::string& key_type : types) {
    SCOPED_TRACE(key_type);
    expect_twin(key_type, key_type, "--kv-type " + key_type);
    for (const std::string& value_type : types) {
      SCOPED_TRACE(value_type);
      expect_twin(key_type, value_type, "--kv-type " + key_type + ":" + value_type);
    }
  }
}

TEST_F(HeedAttendStored, ComposesWithMasksAndTerms) {
  c_.seen = [](auto b, auto, auto i, auto j) { return j < (b == 0 ? 37U : 20U) && j <= i + (b == 0 ? 32U : 15U); };
  c_.softcap = 3.0;
  c_.sinks.assign(heads, 0.0);
  expect_twin("int8", "f16",
              "--kv-type int8:f16 --key-lengths 37,20 --causal bottom-right --softcap 3 --smooth-softmax");
  std::vector<std::uint8_t> open(queries * keys);
  for (std::uint8_t& value : open) value = random_.between(0, 1) != 0;
  write_npy("m.npy", {queries, keys}, open);
  c_.seen = [&](auto, auto, auto i, auto j) { return open[i * keys + j] != 0; };
  expect_twin("int4", "int4", "--kv-type int4 --mask m.npy --softcap 3 --smooth-softmax --workers 2");
}

TEST_F(HeedAttendStored, FloatsHaveTheBitsOfNoCache) {
  expect_success(inputs);
  const std::string bytes = read_bytes(path("out.npy"));
  expect_success(std::string(inputs) + "--kv-type float32:f32");
  EXPECT_EQ(read_bytes(path("out.npy")), bytes);
}

// The past is stored with the new keys; what is written as the present is not rounded.
TEST_F(HeedAttendStored, StoresThePast) {
  expect_success(std::string(inputs) + "--kv-type int8");
  const std::string bytes = read_bytes(path("out.npy"));
  const auto part = [](const std::vector<float>& all, std::size_t from, std::size_t to, std::size_t width) {
    std::vector<float> rows;
    for (std::size_t stream = 0; stream < batch * kv_heads; ++stream) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(stream * keys * width);
      rows.insert(rows.end(), begin + static_cast<std::ptrdiff_t>(from * width),
                  begin + static_cast<std::ptrdiff_t>(to * width));
    }
    return rows;
  };
  write_npy("pk.npy", {batch, kv_heads, 30, dim}, part(c_.key, 0, 30, dim));
  write_npy("pv.npy", {batch, kv_heads, 30, value_dim}, part(c_.value, 0, 30, value_dim));
  write_npy("k.npy", {batch, kv_heads, 7, dim}, part(c_.key, 30, keys, dim));
  write_npy("v.npy", {batch, kv_heads, 7, value_dim}, part(c_.value, 30, keys, value_dim));
  expect_success(std::string(inputs) + "--kv-type int8 --past-key pk.npy --past-value pv.npy --present-key all.npy");
  EXPECT_EQ(read_bytes(path("out.npy")), bytes);
  EXPECT_EQ(read_npy("all.npy", {batch, kv_heads, keys, dim}), c_.key);
}

TEST_F(HeedAttendStored, RefusesUnknownTypes) {
  for (const char* type : {"f64", "int8:", ":f16", "int8:f16:f16", "INT8", "int8:int8_channels", "int4_groups"}) {
    expect_failure(std::string(inputs) + "--kv-type " + type, {std::string("--kv-type ") + type, " is needed"});
  }
  expect_failure(std::string(inputs) + "--kv-type int8_channels:int8",
                 {"--kv-type int8_channels:int8: no option", "`heed plan`"});
}

}  // namespace
