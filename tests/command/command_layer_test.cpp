// SPDX-License-Identifier: MIT
//
// `heed mha` from outside: its files against a naive double computation, and every way to refuse.
#include "command/command_layer.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace heed::test;
using heed::Causal;

TEST_F(HeedMha, MatchesTheReferenceWithPackedAndSeparateWeights) {
  const std::vector<float> x = random_.normals(batch * tokens * 24);
  write_npy("x.npy", {batch, tokens, 24}, x);
  for (const bool biases : {false, true}) {
    SCOPED_TRACE(biases);
    Weights w{4, 4, 6, 6, 24, 24, 24, {}, {}, {}, {}, {}, {}, {}, {}};
    w.fill(random_, biases);
    write_packed(w, "layer.0.", "packed.safetensors");
    write_separate(w, "separate.safetensors", "F32", [](float value) { return value; });
    const Layer layer = reference(w, x, x, tokens, Causal::top_left);
    expect_success(
        "mha --weights packed.safetensors --prefix layer.0. --heads 4 --input x.npy --out out.npy "
        "--causal top-left --scores s.npy --lse l.npy --head-outputs h.npy");
    expect_near(read_npy("out.npy", {batch, tokens, 24}), layer.y, 2e-5);
    expect_near(read_npy("h.npy", {batch, 4, tokens, 6}), layer.attention.output, 1e-5);
    expect_near(read_npy("s.npy", {batch, 4, tokens, tokens}), layer.attention.weights, 1e-5);
    expect_near(read_npy("l.npy", {batch, 4, tokens}), layer.attention.log_sum_exp, 1e-5);
    const std::string bytes = read_bytes(path("out.npy"));
    expect_success("mha --weights separate.safetensors --heads 4 --input x.npy --out out.npy --causal 0 --workers 2 " +
                   separate_ + (biases ? biases_ : ""));
    EXPECT_EQ(read_bytes(path("out.npy")), bytes);
  }
}

TEST_F(HeedMha, AttendsToAMemoryOfAnotherWidthWithFewerHeads) {
  Weights w{6, 2, 5, 3, 16, 20, 11, {}, {}, {}, {}, {}, {}, {}, {}};
  w.fill(random_, true);
  constexpr std::size_t keys = 9;
  const std::vector<float> x = random_.normals(batch * tokens * 16);
  const std::vector<float> memory = random_.normals(batch * keys * 20);
  write_npy("x.npy", {batch, tokens, 16}, x);
  write_npy("m.npy", {batch, keys, 20}, memory);
  write_separate(w, "w.safetensors", "F32", [](float value) { return value; });
  const Layer layer = reference(w, x, memory, keys, Causal::bottom_right);
  const std::string arguments =
      "mha --weights w.safetensors --heads 6 --kv-heads 2 --input x.npy --kv-input m.npy "
      "--out out.npy --causal bottom-right --scores s.npy --stage raw " +
      separate_ + biases_;
  expect_success(arguments);
  expect_near(read_npy("out.npy", {batch, tokens, 11}), layer.y, 2e-5);
  expect_near(read_npy("s.npy", {batch, 6, tokens, keys}), layer.attention.scores, 1e-4);
  write_npy("n.npy", {batch}, std::vector<std::int32_t>{9, 0});
  expect_success(arguments + "--key-lengths n.npy --head-outputs h.npy");
  const std::vector<float> heads = read_npy("h.npy", {batch, 6, tokens, 3});
  EXPECT_EQ(std::vector<float>(heads.begin() + 6 * tokens * 3, heads.end()), std::vector<float>(6 * tokens * 3));
}

TEST_F(HeedMha, ReadsTwoDimensionsAndEveryStorageType) {
  Weights w{2, 2, 8, 8, 16, 16, 16, {}, {}, {}, {}, {}, {}, {}, {}};
  w.fill(random_, true);
  const std::vector<float> x = random_.normals(tokens * 16);
  write_npy("x.npy", {1, tokens, 16}, x);
  write_packed(w, "", "w.safetensors");
  expect_success("mha --weights w.safetensors --heads 2 --input x.npy --out out.npy");
  const std::vector<float> y = read_npy("out.npy", {1, tokens, 16});
  write_npy("x.npy", {tokens, 16}, x);
  write_separate(w, "f64", "F64", [](float value) { return static_cast<double>(value); });
  write_separate(w, "bf16", "BF16",
                 [](float value) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16); });
  // Exact for these weights, which are 0 or normal numbers of few bits in float16.
  write_separate(w, "f16", "F16", [](float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = value == 0.0F ? 0 : ((bits & 0x7FFFFFFFU) >> 13) - (112U << 10);
    return static_cast<std::uint16_t>((bits >> 16 & 0x8000U) | magnitude);
  });
  for (const char* type : {"f64", "bf16", "f16"}) {
    SCOPED_TRACE(type);
    expect_success(std::string("mha --heads 2 --input x.npy --out out.npy --weights ") + type + " " + separate_ +
                   biases_);
    EXPECT_EQ(read_npy("out.npy", {tokens, 16}), y);
  }
}

TEST_F(HeedMha, RefusesWeightsThatDoNotFit) {
  Weights w{2, 2, 8, 8, 16, 16, 16, {}, {}, {}, {}, {}, {}, {}, {}};
  w.fill(random_, true);
  write_packed(w, "a.", "w.safetensors");
  write_separate(w, "s.safetensors", "F32", [](float value) { return value; });
  write_npy("x.npy", {batch, tokens, 16}, random_.normals(batch * tokens * 16));
  write_npy("wide.npy", {batch, tokens, 17}, random_.normals(batch * tokens * 17));
  write_npy("one.npy", {1, tokens, 16}, random_.normals(tokens * 16));
  const std::string io = " --input x.npy --out out.npy ";
  const std::string good = "mha --weights w.safetensors --prefix a. ";
  expect_failure("mha --weights none.safetensors --heads 2" + io, {"none.safetensors"});
  expect_failure("mha --weights w.safetensors --heads 2" + io, {"w.safetensors", "out_proj.weight"});
  expect_failure(good + "--heads 0" + io, {"--heads"});
  expect_failure(good + "--heads 3" + io, {"a.out_proj.weight [16, 16]", "--heads 3 does not divide 16"});
  expect_failure(good + "--heads 3 --value-dim 8" + io, {"a.in_proj_weight [48, 16]", "[72, 16]", "3 heads"});
  expect_failure(good + "--heads 2 --head-dim 7" + io, {"a.in_proj_weight [48, 16]", "[44, 16]"});
  expect_failure(good + "--heads 2 --out-bias no.bias" + io, {"a.no.bias"});
  expect_failure(good + "--heads 2 --q-bias q.bias --in-proj-bias in_proj_bias" + io, {"--in-proj-bias", "--q-bias"});
  expect_failure(good + "--heads 2 --input wide.npy --out out.npy", {"wide.npy [2, 6, 17]", "16"});
  expect_failure(good + "--heads 2 --kv-input one.npy" + io, {"one.npy [1, 6, 16]", "x.npy [2, 6, 16]", "batch"});
  expect_failure("mha --weights s.safetensors --heads 2 --out-weight o.weight" + io, {"in_proj_weight", "q_proj"});
  expect_failure("mha --weights s.safetensors --heads 2 --out-weight o.bias" + io, {"o.bias [16]", "2 dimensions"});
  expect_failure("mha --weights s.safetensors --heads 2 --kv-heads 1 " + separate_ + io,
                 {"k.weight [16, 16]", "[8, 16]", "1 kv_heads"});
}

TEST_F(HeedMha, RefusesDamagedSafetensors) {
  write_npy("x.npy", {batch, tokens, 16}, std::vector<float>(batch * tokens * 16));
  const std::string arguments = "mha --weights w.safetensors --heads 2 --input x.npy --out out.npy";
  const auto expect_refusal = [&](const std::string& bytes, const std::vector<std::string>& parts) {
    write_bytes(path("w.safetensors"), bytes);
    expect_failure(arguments, parts);
  };
  const auto entry = [](const std::string& fields) {
    return safetensors_bytes("{\"out_proj.weight\":{" + fields + "}}", std::string(16, '\0'));
  };
  expect_refusal("", {"w.safetensors", "too short"});
  expect_refusal("1234567", {"too short"});
  expect_refusal(std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}", 10), {"18446744073709551615", "has 2"});
  expect_refusal(std::string("\x03\0\0\0\0\0\0\0{}", 10), {"3 bytes", "has 2"});
  expect_refusal(safetensors_bytes("{", ""), {"JSON"});
  expect_refusal(safetensors_bytes("[]", ""), {"JSON"});
  expect_refusal(safetensors_bytes("{\"a\":1}", ""), {"tensor a"});
  const std::string shape = "\"dtype\":\"F32\",\"shape\":[2,2],";
  expect_refusal(entry(shape + "\"data_offsets\":7"), {"out_proj.weight", "data_offsets"});
  expect_refusal(entry(shape + "\"data_offsets\":[0,17]"), {"out_proj.weight", "0..17", "16 bytes"});
  expect_refusal(entry(shape + "\"data_offsets\":[16,0]"), {"out_proj.weight", "16..0"});
  expect_refusal(entry(shape + "\"data_offsets\":[18446744073709551612,12]"), {"out_proj.weight", "outside"});
  expect_refusal(entry(shape + "\"data_offsets\":[-4,12]"), {"out_proj.weight"});
  expect_refusal(entry(shape + "\"data_offsets\":[0,12]"), {"out_proj.weight", "[2, 2]", "12 bytes"});
  const std::string offsets = "\"data_offsets\":[0,16]";
  expect_refusal(entry("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296,4294967296]," + offsets), {"too large"});
  expect_refusal(entry("\"dtype\":\"F32\",\"shape\":[2,2.5]," + offsets), {"out_proj.weight"});
  expect_refusal(entry("\"dtype\":\"I64\",\"shape\":[2]," + offsets), {"out_proj.weight", "I64"});
}

// A layer of a trained network, on a real input: block 0 of the Keyword Transformer KWT-1.
TEST_F(HeedMha, ComputesALayerOfTheKeywordTransformer) {
  const char* const variable = std::getenv("HEED_KWT1");
  const std::filesystem::path data = variable != nullptr
                                         ? std::filesystem::path(variable)
                                         : std::filesystem::path(HEED_TEST_DATA "/../../../shared/kwt1");
  if (!std::filesystem::exists(data / "kwt1.safetensors")) {
    GTEST_SKIP() << "no KWT-1 weights in " << data << "; set HEED_KWT1 to their folder";
  }
  Shape shape;
  const auto golden = [&](const char* name) {
    return read_safetensors(data / "goldens_right.safetensors", std::string("blocks.0.") + name, shape);
  };
  const std::vector<float> x = golden("input");
  write_npy("x.npy", shape, x);
  ASSERT_EQ(shape, (Shape{99, 64}));
  expect_success("mha --weights '" + (data / "kwt1.safetensors").string() +
                 "' --prefix blocks.0.attention. --heads 1 --q-weight query.weight --k-weight key.weight "
                 "--v-weight value.weight --out-weight output.weight --out-bias output.bias --input x.npy "
                 "--out out.npy --head-outputs h.npy --lse l.npy");
  const auto doubles = [](const std::vector<float>& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  expect_near(read_npy("out.npy", {99, 64}), doubles(golden("attention.output")), 1e-5);
  expect_near(read_npy("h.npy", {1, 1, 99, 64}), doubles(golden("attention.context")), 1e-5);
  expect_near(read_npy("l.npy", {1, 1, 99}), doubles(golden("attention.lse")), 1e-5);
}

}  // namespace
