// SPDX-License-Identifier: MIT
//
// The options of `heed attend`, alone and in pairs, against a naive double computation, and every way to refuse them.
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

class HeedAttendOptions : public CommandTest {
 protected:
  static constexpr AttentionShape shape{
      .batch = 2, .heads = 6, .kv_heads = 3, .queries = 5, .keys = 19, .head_dim = 8, .value_dim = 7};
  static constexpr std::size_t batch = 2, heads = 6, queries = 5, keys = 19;
  static constexpr const char* inputs = "attend --query q.npy --key k.npy --value v.npy --out out.npy ";

  HeedAttendOptions() {
    const AttentionCase drawn = random_case(random_, shape, 2.0F);
    c_ = {.shape = shape, .query = drawn.query, .key = drawn.key, .value = drawn.value};
    write_npy("q.npy", {2, 6, 5, 8}, c_.query);
    write_npy("k.npy", {2, 3, 19, 8}, c_.key);
    write_npy("v.npy", {2, 3, 19, 7}, c_.value);
  }

  /// Runs with the options, and compares every output with the twin.
  void expect_twin(const std::string& options, double bound = 1e-5) const {
    SCOPED_TRACE(options);
    const TwinResult expected = option_twin(c_);
    expect_success(inputs + options + " --scores s.npy --lse l.npy");
    expect_near(read_npy("out.npy", {2, 6, 5, 7}), expected.output, bound);
    expect_near(read_npy("s.npy", {2, 6, 5, 19}), expected.weights, bound);
    expect_near(read_npy("l.npy", {2, 6, 5}), expected.log_sum_exp, bound);
  }

  static bool causal(std::size_t i, std::size_t j, std::ptrdiff_t offset) {
    return static_cast<std::ptrdiff_t>(j) <= static_cast<std::ptrdiff_t>(i) + offset;
  }

  Random random_{31};
  TwinCase c_;
};

TEST_F(HeedAttendOptions, MasksBroadcastAndCompose) {
  std::vector<std::uint8_t> open(heads * queries * keys);
  for (std::uint8_t& value : open) value = random_.between(0, 2) != 0 ? 200 : 0;
  write_npy("bool.npy", {6, 5, 19}, open);
  c_.seen = [&](auto, auto h, auto i, auto j) { return open[(h * queries + i) * keys + j] != 0; };
  expect_twin("--mask bool.npy");
  c_.seen = [&](auto b, auto h, auto i, auto j) {
    return open[(h * queries + i) * keys + j] != 0 && j < (b == 0 ? 7U : 19U) && causal(i, j, 3);
  };
  expect_twin("--mask bool.npy --causal 3 --key-lengths 7,19");

  const std::vector<float> added = random_.normals(batch * queries * keys);
  write_npy("added.npy", {2, 1, 5, 19}, added);
  c_.seen = [](auto...) { return true; };
  c_.bias = [&](auto b, auto, auto i, auto j) { return static_cast<double>(added[(b * queries + i) * keys + j]); };
  expect_twin("--mask added.npy");
  c_.seen = [](auto, auto, auto i, auto j) { return i < 4 && j < i + 6; };
  expect_twin("--mask added.npy --left-window 0 --right-window 6 --query-lengths 4,4");
}

TEST_F(HeedAttendOptions, MasksShorterThanTheKeysArePaddedWhereThatIsAskedFor) {
  const std::vector<double> added{0.5, -1.0, -INFINITY, 2.0};
  write_npy("short.npy", {4}, added);
  c_.seen = [&](auto, auto, auto, auto j) { return j < 4 && j != 2; };
  c_.bias = [&](auto, auto, auto, auto j) { return j < 4 ? added[j] : 0.0; };
  expect_failure(std::string(inputs) + "--mask short.npy", {"short.npy [4]", "there are 19 keys", "--pad-mask"});
  expect_twin("--mask short.npy --pad-mask");
  write_npy("none.npy", {5, 0}, std::vector<std::uint8_t>{});
  c_.seen = [](auto...) { return false; };
  expect_twin("--mask none.npy --pad-mask");
}

TEST_F(HeedAttendOptions, WindowsFollowTheQueryPosition) {
  const auto window = [](std::ptrdiff_t left, std::ptrdiff_t right, std::ptrdiff_t offset) {
    return [=](auto, auto, auto i, auto j) {
      const std::ptrdiff_t distance = static_cast<std::ptrdiff_t>(j) - (static_cast<std::ptrdiff_t>(i) + offset);
      return (left < 0 || distance >= -left) && (right < 0 || distance <= right);
    };
  };
  c_.seen = window(2, 1, 0);
  expect_twin("--left-window 3 --right-window 2");
  c_.seen = window(2, 1, 14);
  expect_twin("--left-window 3 --right-window 2 --query-position bottom-right");
  c_.seen = window(4, -1, 9);
  expect_twin("--left-window 5 --query-position 9");
  c_.seen = window(4, 0, 14);
  expect_twin("--left-window 5 --right-window 0 --causal bottom-right");
}

TEST_F(HeedAttendOptions, PrefixesAreSeenByAll) {
  c_.seen = [](auto b, auto, auto i, auto j) { return j <= i || j < (b == 0 ? 9U : 2U); };
  expect_twin("--causal top-left --prefix-lengths 9,2");
  write_npy("prefix.npy", {2}, std::vector<std::int32_t>{9, 2});
  c_.seen = [](auto b, auto, auto i, auto j) { return (j <= i || j < (b == 0 ? 9U : 2U)) && j < 6; };
  expect_twin("--causal top-left --prefix-lengths prefix.npy --key-lengths 6,6");
}

TEST_F(HeedAttendOptions, QueryLengthsMoveTheBottomRightCorner) {
  const std::size_t lengths[]{3, 0};
  c_.seen = [&](auto b, auto, auto i, auto j) {
    return i < lengths[b] && causal(i, j, 19 - static_cast<std::ptrdiff_t>(lengths[b]));
  };
  expect_twin("--causal bottom-right --query-lengths 3,0");
}

TEST_F(HeedAttendOptions, SoftcapComesBehindThePreBias) {
  const std::vector<float> bias = random_.normals(heads * keys, 3.0F);
  write_npy("bias.npy", {6, 1, 19}, bias);
  c_.softcap = 1.5;
  expect_twin("--softcap 1.5");
  c_.before_cap = [&](auto, auto h, auto, auto j) { return static_cast<double>(bias[h * keys + j]); };
  expect_twin("--softcap 1.5 --pre-softcap-bias bias.npy");
  c_.softcap = 0.0;
  expect_twin("--pre-softcap-bias bias.npy");
}

TEST_F(HeedAttendOptions, AlibiHasTheSlopesOfThePaperOrOnesOwn) {
  // Six heads: the slopes of four, then every second one of eight.
  const double standard[]{0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125};
  const auto alibi = [&](const double* slopes, double offset) {
    return [=](auto, auto h, auto i, auto j) {
      return -slopes[h] * std::abs(static_cast<double>(j) - (static_cast<double>(i) + offset));
    };
  };
  c_.bias = alibi(standard, 0.0);
  expect_twin("--alibi");
  c_.bias = alibi(standard, 14.0);
  c_.seen = [](auto, auto, auto i, auto j) { return causal(i, j, 14); };
  expect_twin("--causal bottom-right --alibi");
  const double own[]{1.0, -0.5, 0.0, 0.25, 2.0, 0.75};
  write_npy("slopes.npy", {6}, std::vector<double>(own, own + 6));
  c_.bias = alibi(own, 14.0);
  c_.softcap = 4.0;
  expect_twin("--alibi slopes.npy --causal bottom-right --softcap 4");
}

TEST_F(HeedAttendOptions, SinksTakeWeightWithoutAKey) {
  c_.sinks.assign(6, 0.0);
  expect_twin("--smooth-softmax");
  const std::vector<float> sinks{-1.0F, 0.0F, 3.0F, 40.0F, -40.0F, 0.5F};
  write_npy("sinks.npy", {6}, sinks);
  c_.sinks.assign(sinks.begin(), sinks.end());
  expect_twin("--sink-logits sinks.npy");
  c_.seen = [](auto b, auto, auto i, auto j) { return b == 0 && causal(i, j, -2); };
  expect_twin("--sink-logits sinks.npy --causal -2 --key-lengths 19,0");
}

TEST_F(HeedAttendOptions, ReadsHalfPrecision) {
  // Numbers of few bits, which float16 and bfloat16 hold exactly.
  for (std::vector<float>* values : {&c_.query, &c_.key, &c_.value}) {
    for (float& value : *values) value = static_cast<float>(random_.between(1, 128)) / 64.0F - 1.0078125F;
  }
  const auto bits = [](const std::vector<float>& values, bool brain) {
    std::vector<std::uint16_t> halves;
    for (const float value : values) {
      const auto word = std::bit_cast<std::uint32_t>(value);
      const std::uint32_t half = (word >> 16 & 0x8000U) | (((word & 0x7FFFFFFFU) >> 13) - (112U << 10));
      halves.push_back(static_cast<std::uint16_t>(brain ? word >> 16 : half));
    }
    return halves;
  };
  const auto write = [&](const char* name, const Shape& sizes, const std::vector<float>& values, const char* type) {
    write_npy(name, sizes, bits(values, type == std::string("<V2")));
    std::string bytes = read_bytes(path(name));
    bytes.replace(bytes.find("<u2"), 3, type);
    write_bytes(path(name), bytes);
  };
  write("q.npy", {2, 6, 5, 8}, c_.query, "|V2");
  expect_failure(inputs, {"q.npy", "|V2"});
  for (const char* type : {"<f2", "<V2"}) {
    SCOPED_TRACE(type);
    write("q.npy", {2, 6, 5, 8}, c_.query, type);
    write("k.npy", {2, 3, 19, 8}, c_.key, type);
    write("v.npy", {2, 3, 19, 7}, c_.value, type);
    expect_twin("");
  }
}

TEST_F(HeedAttendOptions, RefusesMasksThatDoNotFit) {
  const std::string all = inputs;
  const auto refuse = [&](const char* option, const Shape& sizes, const std::vector<std::string>& parts) {
    std::size_t count = 1;
    for (const std::size_t size : sizes) count *= size;
    write_npy("bad.npy", sizes, std::vector<float>(count));
    std::vector<std::string> all_parts = parts;
    all_parts.insert(all_parts.end(), {option, "bad.npy"});
    expect_failure(all + option + " bad.npy", all_parts);
  };
  refuse("--mask", {20}, {"[20]", "there are 19 keys"});
  refuse("--mask", {4, 19}, {"[4, 19]", "[2, 6, 5, 19]"});
  refuse("--mask", {2, 3, 5, 19}, {"[2, 3, 5, 19]"});
  refuse("--mask", {1, 2, 6, 5, 19}, {"[1, 2, 6, 5, 19]", "1 to 4"});
  refuse("--pre-softcap-bias", {3, 1, 1, 19}, {"[3, 1, 1, 19]"});
  refuse("--pre-softcap-bias", {5, 1}, {"[5, 1]", "there are 19 keys"});
  refuse("--mask", {5, 1}, {"[5, 1]", "there are 19 keys"});
  refuse("--mask", {5, 20}, {"[5, 20]", "there are 19 keys"});
  refuse("--sink-logits", {3}, {"[3]", "[6]"});
  refuse("--alibi", {1, 6}, {"[1, 6]", "[6]"});
  write_npy("int.npy", {19}, std::vector<std::int64_t>(19));
  expect_failure(all + "--mask int.npy", {"int.npy", "<i8", "bool"});
  write_npy("bool.npy", {19}, std::vector<std::uint8_t>(19));
  expect_failure(all + "--pre-softcap-bias bool.npy", {"bool.npy", "--pre-softcap-bias"});
  expect_failure(all + "--sink-logits bool.npy", {"bool.npy", "|u1"});
}

TEST_F(HeedAttendOptions, RefusesBadNumbers) {
  const std::string all = inputs;
  expect_failure(all + "--window 3,-1", {"--window 3,-1", "--left-window", "--right-window", "LEFT + 1"});
  expect_failure(all + "--left-window -1", {"--left-window"});
  expect_failure(all + "--right-window 2147483649", {"--right-window"});
  expect_failure(all + "--pad-mask", {"--pad-mask", "--mask"});
  expect_failure(all + "--softcap -1", {"--softcap"});
  expect_failure(all + "--softcap 3e38", {"heed: --softcap 3e+38: 0, or a number from 1e-30 to 1e30"});
  expect_failure(all + "--softcap nan", {"--softcap"});
  expect_failure(all + "--softcap inf", {"--softcap"});
  write_npy("sinks.npy", {6}, std::vector<float>(6));
  std::vector<float> numbers(6);
  numbers[2] = NAN;
  write_npy("nan.npy", {6}, numbers);
  expect_failure(all + "--sink-logits nan.npy", {"heed: --sink-logits nan.npy: head 2 has nan, and a number below"});
  expect_failure(all + "--alibi nan.npy", {"heed: --alibi nan.npy: head 2 has nan"});
  write_npy("empty.npy", {0, 6, 5, 8}, std::vector<float>{});
  expect_failure("attend --query empty.npy --key k.npy --value v.npy --out out.npy",
                 {"heed: --query empty.npy [0, 6, 5, 8]: the batch is 0"});
  expect_failure(all + "--sink-logits sinks.npy --smooth-softmax", {"--sink-logits", "--smooth-softmax"});
  expect_failure(all + "--key-lengths 1,20", {"--key-lengths 1,20", "20", "0..19"});
  expect_failure(all + "--key-lengths 1,-1", {"-1"});
  expect_failure(all + "--key-lengths 1,2,3", {"[3]", "[2]"});
  expect_failure(all + "--key-lengths 1,,3", {"1,,3"});
  expect_failure(all + "--query-lengths 6,0", {"--query-lengths 6,0", "0..5"});
  expect_failure(all + "--prefix-lengths 1,1", {"--prefix-lengths", "--causal"});
  expect_failure(all + "--causal 0 --prefix-lengths 1,20", {"--prefix-lengths 1,20", "0..19"});
  expect_failure(all + "--causal 0 --query-position 3", {"--query-position 3", "--causal none"});
  expect_failure(all + "--query-position 3",
                 {"--query-position means nothing without --left-window, --right-window, --alibi or --rope"});
  expect_failure(all + "--query-position left", {"--query-position left"});
}

}  // namespace
