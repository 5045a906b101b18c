// SPDX-License-Identifier: MIT
//
// What `heed mha` and `heed pack` take from the shapes of a layer's weights, and weights that are no numbers.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "command/command_layer.hpp"

namespace {

using namespace heed::test;

class HeedLayerSizes : public HeedMha {
 protected:
  HeedLayerSizes() { w_.fill(random_, true); }

  /// Packs, and expects these bytes and this line.
  void expect_packed(const std::string& arguments, const std::string& bytes, const std::string& line) const {
    SCOPED_TRACE(arguments);
    const Ended ended = run("pack --out y.bin --weights " + arguments);
    EXPECT_EQ(ended.code, 0) << ended.error;
    EXPECT_EQ(ended.out, line);
    EXPECT_EQ(read_bytes(path("y.bin")), bytes);
  }

  Weights w_{4, 2, 12, 12, 48, 48, 48, {}, {}, {}, {}, {}, {}, {}, {}};
};

// [96, 48] holds 4 heads over 2 key heads, and 4 over 4 whose queries are half as long as their values.
TEST_F(HeedLayerSizes, APackedMatrixHasValuesAsLongAsQueries) {
  write_packed(w_, "", "packed");
  write_separate(w_, "separate", "F32", [](float value) { return value; });
  const std::string line =
      "layer: model_dim 48, heads 4, kv_heads 2, head_dim 12, value_dim 12, kv_input_dim 48, output_dim 48, "
      "weight_type float32";
  const std::string rows = "; rows 0..47 queries, 48..71 keys, 72..95 values\n";
  ASSERT_EQ(run("pack --out all.bin --weights separate --heads 4 --kv-heads 2 " + separate_ + biases_).out,
            line + "\n");
  const std::string bytes = read_bytes(path("all.bin"));
  expect_packed("separate --heads 4 " + separate_ + biases_, bytes, line + "\n");
  expect_packed("packed --heads 4", bytes, line + rows);
  expect_packed("packed --heads 4 --kv-heads 2", bytes, line + rows);
  expect_packed("packed --heads 4 --head-dim 12", bytes, line + rows);
  const std::vector<float> x = random_.normals(batch * tokens * 48);
  write_npy("x.npy", {batch, tokens, 48}, x);
  EXPECT_EQ(run("mha --weights packed --heads 4 --input x.npy --out y.npy").out, line + rows);
  expect_near(read_npy("y.npy", {batch, tokens, 48}), reference(w_, x, x, tokens, heed::Causal::none).y, 1e-4);
  // The other layer must be asked for.
  expect_failure("pack --weights packed --out out.bin --heads 4 --kv-heads 4",
                 {"--weights packed: tensor in_proj_weight [96, 48]", "[144, 48]", "--head-dim"});
  const Ended other = run("pack --weights packed --out y.bin --heads 4 --kv-heads 4 --head-dim 6");
  EXPECT_NE(other.out.find("kv_heads 4, head_dim 6, value_dim 12"), std::string::npos) << other.out;
  EXPECT_NE(other.out.find("rows 0..23 queries, 24..47 keys, 48..95 values"), std::string::npos) << other.out;
}

TEST_F(HeedLayerSizes, RefusesSizesThatTheShapesContradict) {
  write_packed(w_, "", "packed");
  write_separate(w_, "separate", "F32", [](float value) { return value; });
  const std::string packed = "pack --out out.bin --weights packed ";
  const std::string separate = "pack --out out.bin --weights separate " + separate_;
  expect_failure(packed + "--heads 5", {"tensor out_proj.weight [48, 48]: --heads 5 does not divide 48"});
  expect_failure(separate + "--heads 5", {"tensor q.weight [48, 48]: --heads 5 does not divide 48"});
  expect_failure(packed + "--heads 3", {"in_proj_weight [96, 48]", "[144, 48] is needed for 3 heads"});
  expect_failure(packed + "--heads 4 --value-dim 6", {"96, 48]", "4 heads, 4 kv_heads, head_dim 6, value_dim 6"});
  expect_failure(separate + "--heads 4 --kv-heads 4", {"k.weight [24, 48]", "[48, 48] is needed", "4 kv_heads"});
  expect_failure(separate + "--heads 4 --kv-heads 1", {"k.weight [24, 48]", "[12, 48] is needed", "1 kv_heads"});
  expect_failure(separate + "--heads 3", {"k.weight [24, 48]", "3 kv_heads, head_dim 16"});
  expect_failure(separate + "--heads 4 --head-dim 6", {"q.weight [48, 48]", "[24, 48]"});
  expect_failure(separate + "--heads 4 --value-dim 6", {"v.weight [24, 48]", "[12, 48]"});
}

TEST_F(HeedLayerSizes, RefusesQueriesKeysAndValuesOfEachHeadTogether) {
  for (const std::string name : {"self_attention.query_key_value.weight", "attention.wqkv.weight"}) {
    write_safetensors(path("w"), {{name, {96, 48}, bytes_of(concatenated(w_.query, w_.key, w_.value))},
                                  {"out_proj.weight", {48, 48}, bytes_of(w_.output)}});
    expect_failure("pack --out out.bin --weights w --heads 4 --in-proj-weight " + name,
                   {"--weights w: tensor " + name, "all queries, all keys, all values are needed"});
  }
}

TEST_F(HeedLayerSizes, RefusesWeightsThatAreNoNumbers) {
  write_npy("x.npy", {tokens, 48}, std::vector<float>(tokens * 48));
  const auto refuse = [&](const std::vector<std::string>& parts) {
    write_packed(w_, "", "w");
    expect_failure("pack --weights w --heads 4 --out out.bin", parts);
    expect_failure("mha --weights w --heads 4 --input x.npy --out out.npy", parts);
  };
  w_.key[48 + 5] = std::numeric_limits<float>::quiet_NaN();
  refuse({"--weights w: tensor in_proj_weight [96, 48], element [49, 5]: not a number"});
  w_.key[48 + 5] = 0.0F;
  w_.output_bias[7] = -std::numeric_limits<float>::infinity();
  refuse({"--weights w: tensor out_proj.bias [48], element [7]: infinite"});
}

TEST_F(HeedLayerSizes, NamesOtherFormatsOfWeights) {
  const std::string rest(64, '\0');
  const std::pair<std::string, std::string> formats[] = {{std::string("GGUF\3\0\0\0", 8), "a GGUF file"},
                                                         {"PK\x03\x04", "PyTorch's .pt"},
                                                         {"\x80\x02\x8A\x0A", "a pickle"},
                                                         {"\x89HDF", "an HDF5 file"},
                                                         {"HEEM", "what `heed pack` has written"},
                                                         {"HEED", "what `heed pack` has written"},
                                                         {"version https://git-lfs.", "a pointer of Git LFS"},
                                                         {"{\"metadata\": {}}", "the index of a model"},
                                                         {"\x93NUMPY", "a single .npy file"}};
  for (const auto& [begin, words] : formats) {
    write_bytes(path("w.bin"), begin + rest);
    expect_failure("pack --weights w.bin --heads 4 --out out.bin", {"--weights w.bin: this is ", words, "safetensors"});
  }
}

}  // namespace
