// SPDX-License-Identifier: MIT
//
// `heed attend` from outside: its files against a naive double computation, and every way to refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "heed/heed.hpp"
#include "support/cases.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"

namespace {

using namespace heed::test;
using heed::Causal;

std::vector<double> as_doubles(const std::vector<float>& floats) {
  return {floats.begin(), floats.end()};
}

class HeedAttend : public CommandTest {
 protected:
  static constexpr AttentionShape shape{
      .batch = 3, .heads = 4, .kv_heads = 2, .queries = 5, .keys = 21, .head_dim = 12, .value_dim = 7};
  static constexpr const char* inputs = "attend --query q.npy --key k.npy --value v.npy --out out.npy ";

  HeedAttend() {
    Random random(11);
    c_ = random_case(random, shape);
    write_npy("q.npy", {3, 4, 5, 12}, c_.query);
    write_npy("k.npy", {3, 2, 21, 12}, c_.key);
    write_npy("v.npy", {3, 2, 21, 7}, c_.value);
    write_npy("lengths.npy", {3}, std::vector<std::int64_t>{0, 9, 21});
  }

  void write_heads_inside() const {
    write_npy("q.npy", {3, 5, 48}, swap_heads_and_rows(c_.query, 3, 4, 5, 12));
    write_npy("k.npy", {3, 21, 24}, swap_heads_and_rows(c_.key, 3, 2, 21, 12));
    write_npy("v.npy", {3, 21, 14}, swap_heads_and_rows(c_.value, 3, 2, 21, 7));
  }

  AttentionCase c_;
};

TEST_F(HeedAttend, MatchesTheReferenceWithEveryMask) {
  struct Mask {
    const char* text;
    Causal kind;
    std::int32_t offset;
  };
  for (const Mask& mask :
       {Mask{"none", Causal::none, 0}, Mask{"top-left", Causal::top_left, 0},
        Mask{"bottom-right", Causal::bottom_right, 0}, Mask{"6", Causal::offset, 6}, Mask{"-3", Causal::offset, -3}}) {
    for (const bool with_lengths : {false, true}) {
      SCOPED_TRACE(mask.text);
      c_.causal = mask.kind;
      c_.offset = mask.offset;
      c_.lengths = with_lengths ? std::vector<std::uint32_t>{0, 9, 21} : std::vector<std::uint32_t>{};
      const Expected expected = reference_attention(c_);
      expect_success(std::string(inputs) + "--scores s.npy --lse l.npy --causal " + mask.text +
                     (with_lengths ? " --key-lengths lengths.npy" : ""));
      expect_near(read_npy("out.npy", {3, 4, 5, 7}), expected.output, expected.output_bound);
      expect_near(read_npy("s.npy", {3, 4, 5, 21}), expected.weights, expected.weight_bound);
      expect_near(read_npy("l.npy", {3, 4, 5}), expected.log_sum_exp, expected.log_sum_exp_bound);
    }
  }
}

TEST_F(HeedAttend, ReadsHeadsInsideTheRows) {
  expect_success(inputs);
  const std::vector<float> bhsd = read_npy("out.npy", {3, 4, 5, 7});
  write_heads_inside();
  expect_success(std::string(inputs) + "--heads 4 --kv-heads 2");
  EXPECT_TRUE(same_bits(swap_heads_and_rows(read_npy("out.npy", {3, 5, 28}), 3, 5, 4, 7), bhsd));
}

TEST_F(HeedAttend, ReadsFloat64AndFortranOrder) {
  expect_success(inputs);
  const std::string bytes = read_bytes(path("out.npy"));
  write_npy("q.npy", {3, 4, 5, 12}, as_doubles(c_.query));
  write_npy("v.npy", {3, 2, 21, 7}, as_doubles(c_.value));
  write_fortran_npy("k.npy", {3, 2, 21, 12}, c_.key);
  ASSERT_NE(read_bytes(path("k.npy")).find("'fortran_order': True"), std::string::npos);
  expect_success(inputs);
  EXPECT_EQ(read_bytes(path("out.npy")), bytes);
}

TEST_F(HeedAttend, GivesTheSameBytesForAnyNumberOfWorkers) {
  std::vector<std::string> bytes;
  for (const char* workers : {"1", "2", "7"}) {
    expect_success(std::string(inputs) + "--scores s.npy --lse l.npy --key-lengths lengths.npy --workers " + workers);
    bytes.push_back(read_bytes(path("out.npy")) + read_bytes(path("s.npy")) + read_bytes(path("l.npy")));
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_EQ(bytes[0], bytes[2]);
}

TEST_F(HeedAttend, WritesScoresAtEveryStage) {
  c_.scale = 0.5F;
  c_.causal = Causal::bottom_right;
  Expected expected = reference_attention(c_);
  const std::string arguments = std::string(inputs) + "--scale 0.5 --causal bottom-right --scores s.npy --stage ";
  for (const char* stage : {"raw", "softcapped"}) {
    expect_success(arguments + stage);
    expect_near(read_npy("s.npy", {3, 4, 5, 21}), expected.scores, expected.score_bound);
  }
  for (std::size_t i = 0; i < expected.scores.size(); ++i) {
    const auto key = static_cast<std::uint32_t>(i % 21);
    const auto query = static_cast<std::uint32_t>(i / 21 % 5);
    if (!c_.visible(0, query, key)) expected.scores[i] = -std::numeric_limits<double>::infinity();
  }
  expect_success(arguments + "masked");
  expect_near(read_npy("s.npy", {3, 4, 5, 21}), expected.scores, expected.score_bound);
  expect_success(arguments + "weights");
  expect_near(read_npy("s.npy", {3, 4, 5, 21}), expected.weights, expected.weight_bound);
}

TEST_F(HeedAttend, TakesCausalWithoutARuleForTopLeft) {
  expect_success(std::string(inputs) + "--causal top-left");
  const std::string bytes = read_bytes(path("out.npy"));
  expect_success(std::string(inputs) + "--causal none");
  EXPECT_NE(read_bytes(path("out.npy")), bytes);
  for (const char* causal : {"--causal", "--causal --workers 2", "--causal 0", "--causal=top-left"}) {
    expect_success(std::string(inputs) + causal);
    EXPECT_EQ(read_bytes(path("out.npy")), bytes) << causal;
  }
  std::filesystem::remove(path("out.npy"));
  expect_failure(std::string(inputs) + "--causal --query-position 3", {"--query-position 3", "--causal none"});
}

TEST_F(HeedAttend, FollowsALinkAndReplacesAnOldFile) {
  write_bytes(path("old.npy"), "old");
  std::filesystem::create_symlink("old.npy", path("link.npy"));
  expect_success("attend --query q.npy --key k.npy --value v.npy --out link.npy");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ(read_npy("old.npy", {3, 4, 5, 7}), read_npy("link.npy", {3, 4, 5, 7}));
}

TEST_F(HeedAttend, RefusesWhatItCannotRead) {
  const std::string q = read_bytes(path("q.npy"));
  expect_failure("attend --query none.npy --key k.npy --value v.npy --out out.npy", {"none.npy", "cannot read"});
  expect_failure("attend --query . --key k.npy --value v.npy --out out.npy", {"folder"});
  write_bytes(path("cut.npy"), q.substr(0, q.size() - 1));
  expect_failure("attend --query cut.npy --key k.npy --value v.npy --out out.npy",
                 {"cut.npy", "[3, 4, 5, 12]", "2880"});
  for (const std::size_t length : {0U, 5U, 7U, 9U, 40U}) {
    write_bytes(path("cut.npy"), q.substr(0, length));
    expect_failure("attend --query cut.npy --key k.npy --value v.npy --out out.npy", {"cut.npy"});
  }
  write_npy("int.npy", {3, 4, 5, 12}, std::vector<std::int32_t>(720));
  expect_failure("attend --query int.npy --key k.npy --value v.npy --out out.npy", {"int.npy", "<i4", "float32"});
  write_npy("bytes.npy", {3, 4, 5, 12}, std::vector<std::uint8_t>(720));
  expect_failure("attend --query bytes.npy --key k.npy --value v.npy --out out.npy", {"bytes.npy", "|u1"});
  std::string lying = q;
  lying.replace(lying.find("(3, 4"), 5, "(9999");
  write_bytes(path("lying.npy"), lying);
  expect_failure("attend --query lying.npy --key k.npy --value v.npy --out out.npy", {"lying.npy", "[9999, 5, 12]"});
}

TEST_F(HeedAttend, RefusesShapesThatDoNotFit) {
  write_npy("wide.npy", {3, 2, 21, 16}, std::vector<float>(3 * 2 * 21 * 16));
  expect_failure("attend --query q.npy --key wide.npy --value v.npy --out out.npy",
                 {"q.npy [3, 4, 5, 12]", "wide.npy [3, 2, 21, 16]", "12 and 16"});
  write_npy("heads.npy", {3, 3, 21, 12}, std::vector<float>(3 * 3 * 21 * 12));
  expect_failure("attend --query q.npy --key heads.npy --value heads.npy --out out.npy",
                 {"[3, 3, 21, 12]", "heads is not a multiple of kv_heads"});
  expect_failure("attend --query q.npy --key k.npy --value heads.npy --out out.npy", {"k.npy", "heads.npy", "2 and 3"});
  write_npy("short.npy", {3, 2, 20, 7}, std::vector<float>(3 * 2 * 20 * 7));
  expect_failure("attend --query q.npy --key k.npy --value short.npy --out out.npy", {"keys", "21 and 20"});
  write_npy("single.npy", {1, 2, 21, 7}, std::vector<float>(2 * 21 * 7));
  expect_failure("attend --query q.npy --key k.npy --value single.npy --out out.npy", {"batch", "3 and 1"});
  write_npy("flat.npy", {3, 21, 24}, std::vector<float>(3 * 21 * 24));
  expect_failure("attend --query q.npy --key flat.npy --value v.npy --out out.npy", {"dimensions", "4 and 3"});
  write_npy("row.npy", {24}, std::vector<float>(24));
  expect_failure("attend --query row.npy --key k.npy --value v.npy --out out.npy", {"row.npy [24]"});
  expect_failure(std::string(inputs) + "--heads 5", {"q.npy [3, 4, 5, 12]", "--heads 5"});
  expect_failure("attend --query flat.npy --key flat.npy --value flat.npy --out out.npy", {"flat.npy", "--heads"});
  expect_failure("attend --query flat.npy --key flat.npy --value flat.npy --out out.npy --heads 7", {"--heads 7"});
}

TEST_F(HeedAttend, RefusesBadOptions) {
  const std::string all = inputs;
  expect_failure(all + "--causal sideways", {"sideways"});
  expect_failure(all + "--causal 99999999999", {"99999999999"});
  expect_failure(all + "--causal 3x", {"3x"});
  expect_failure(all + "--scale inf", {"--scale inf: a scale is not a finite number"});
  expect_failure(all + "--scale 1e-40", {"--scale 9.99995e-41: ", "outside its range"});
  expect_failure(all + "--scale much", {"much"});
  expect_failure(all + "--workers 0", {"workers"});
  expect_failure(all + "--workers 65", {"--workers: Value 65 not in range 1 to 64"});
  for (const std::string workers : {"0x10", "010", "-1", "2.0"}) {
    expect_failure(all + "--workers " + workers, {"--workers: " + workers + " is not a whole number"});
  }
  expect_failure(all + "--heads -4", {"-4"});
  expect_failure(all + "--scores out_s.npy --stage cooked", {"stage"});
  expect_failure(all + "--stage raw", {"--stage", "--scores"});
  expect_failure(all + "--frobnicate", {"--frobnicate"});
  expect_failure(all + "--scores ./out.npy", {"out.npy"});
  expect_failure(all + "--lse no/such/folder/out_l.npy", {"no/such/folder/out_l.npy"});
  expect_failure(all + "--lse .", {"cannot write"});
  expect_failure("attend --query q.npy", {"--key"});
  write_npy("long.npy", {3}, std::vector<std::int32_t>{1, 2, 22});
  expect_failure(all + "--key-lengths long.npy", {"long.npy", "22"});
  write_npy("negative.npy", {3}, std::vector<std::int32_t>{1, -2, 3});
  expect_failure(all + "--key-lengths negative.npy", {"negative.npy", "-2"});
  write_npy("two.npy", {2}, std::vector<std::int64_t>{1, 2});
  expect_failure(all + "--key-lengths two.npy", {"two.npy", "[2]", "[3]"});
  expect_failure(all + "--key-lengths q.npy", {"q.npy", "<f4"});
}

// The text "I love ice" computes X W^T and divides by sqrt(2) instead of sqrt(4); both can be asked for.
TEST_F(HeedAttend, GivesTheWorkedExampleWithEitherScale) {
  const nlohmann::json ice = nlohmann::json::parse(read_bytes(HEED_TEST_DATA "/worked_examples.json")).at("ice");
  const auto matrix = [](const nlohmann::json& rows) {
    std::vector<double> values;
    for (const nlohmann::json& row : rows) {
      for (const nlohmann::json& value : row) values.push_back(value.get<double>());
    }
    return values;
  };
  for (const auto& [name, exact] : ice.at("exact").items()) {
    SCOPED_TRACE(name);
    write_npy("q.npy", {1, 1, 3, 4}, matrix(exact.at("queries")));
    write_npy("k.npy", {1, 1, 3, 4}, matrix(exact.at("keys")));
    write_npy("v.npy", {1, 1, 3, 4}, matrix(exact.at("values")));
    const std::string scale = std::to_string(1.0 / exact.at("divisor").get<double>());
    expect_success(std::string(inputs) + "--scores s.npy --scale " + scale);
    expect_near(read_npy("s.npy", {1, 1, 3, 3}), matrix(exact.at("weights")), 1e-5);
    expect_near(read_npy("out.npy", {1, 1, 3, 4}), matrix(exact.at("outputs")), 1e-5);
  }
}

}  // namespace
