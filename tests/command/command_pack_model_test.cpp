// SPDX-License-Identifier: MIT
//
// `heed pack` of whole models: the bytes of the library for every family of names, and every way to refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command/model_files.hpp"
#include "command/programs.hpp"
#include "heed/heed.hpp"

namespace heed::test {
namespace {

using nlohmann::json;

class HeedPackModel : public CommandTest {
 protected:
  static std::string bytes_of_file(const TinyModel& model) {
    AlignedBytes file = model.file();
    const std::span<const std::byte> bytes = file.span();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  void write_json(const json& architecture) const { write_bytes(path("m.json"), architecture.dump()); }

  /// Packs the tensors as the architecture says, and expects what the library packs.
  void expect_packed(const TinyModel& model, const std::vector<StoredTensor>& tensors, const json& architecture,
                     const std::string& more = "", const std::string& unused = "") const {
    write_json(architecture);
    write_safetensors(path("w.safetensors"), tensors);
    const Ended ended = run("pack --model m.json --weights w.safetensors --out out.heed " + more);
    ASSERT_EQ(ended.code, 0) << ended.error;
    EXPECT_EQ(ended.error, "");
    EXPECT_NE(ended.out.find("out.heed: "), std::string::npos) << ended.out;
    EXPECT_EQ(ended.out.find("not used:") != std::string::npos, !unused.empty()) << ended.out;
    EXPECT_NE(ended.out.find(unused), std::string::npos) << ended.out;
    EXPECT_EQ(read_bytes(path("out.heed")), bytes_of_file(model));
    std::filesystem::remove(path("out.heed"));
  }

  const json llama_json_{{"block",
                          {{"model_dim", 12},
                           {"heads", 2},
                           {"kv_heads", 1},
                           {"mlp_dim", 20},
                           {"norm", "rms_norm"},
                           {"activation", "silu"},
                           {"gated", true}}},
                         {"blocks", 2},
                         {"input_dim", 19},
                         {"max_positions", 16},
                         {"outputs", 19},
                         {"positions", "rotary"}};
  const json vit_json_{{"block", {{"model_dim", 12}, {"heads", 2}, {"mlp_dim", 20}}},
                       {"blocks", 2},
                       {"input_dim", 6},
                       {"max_positions", 5},
                       {"outputs", 7},
                       {"input", "frames"},
                       {"positions", "learned"},
                       {"pooling", "first"},
                       {"class_token", true},
                       {"causal", false}};
  const std::string good_ = "pack --model m.json --weights w.safetensors --out out.heed ";
};

TEST_F(HeedPackModel, ReadsLlama) {
  const TinyModel model(tiny_llama, false);
  expect_packed(model, stored_llama(model), llama_json_);
  json named = llama_json_;
  named["family"] = "llama";
  named["rotary_layout"] = "halves";
  named["rotary_base"] = 10000;
  named["block"]["norm_epsilon"] = 1e-5;
  expect_packed(model, stored_llama(model), named);
  ModelConfig with_biases = tiny_llama;
  with_biases.block.norm = Norm::layer_norm;
  named["block"]["norm"] = "layer_norm";
  const TinyModel biases(with_biases, true);
  std::vector<StoredTensor> tensors = stored_llama(biases);
  // Llama's norms have no biases that are known.
  named["tensors"] = {{"attention_norm_bias", "model.layers.{}.input_layernorm.bias"},
                      {"mlp_norm_bias", "model.layers.{}.post_attention_layernorm.bias"},
                      {"final_norm_bias", "model.norm.bias"},
                      {"head_bias", "lm_head.bias"}};
  expect_packed(biases, tensors, named);
}

TEST_F(HeedPackModel, ReadsATiedHead) {
  ModelConfig config = tiny_llama;
  config.tied_head = true;
  const TinyModel model(config, false);
  json tied = llama_json_;
  tied["tied_head"] = true;
  std::vector<StoredTensor> tensors = stored_llama(model);
  expect_packed(model, tensors, tied);
  // A file may have the table twice.
  tensors.push_back({"lm_head.weight", {19, 12}, tensors.front().bytes});
  expect_packed(model, tensors, tied);
  tensors.back().bytes[5] ^= 1;
  write_safetensors(path("w.safetensors"), tensors);
  expect_failure(good_, {"lm_head.weight", "tied_head"});
}

TEST_F(HeedPackModel, ReadsGpt2) {
  ModelConfig config = tiny_llama;
  config.block = {.model_dim = 12, .heads = 3, .mlp_dim = 20, .activation = Activation::gelu_tanh};
  config.positions = Positions::learned;
  config.tied_head = true;
  const TinyModel model(config, true);
  json gpt2 = llama_json_;
  gpt2["block"] = {{"model_dim", 12}, {"heads", 3}, {"mlp_dim", 20}, {"activation", "gelu_tanh"}};
  gpt2["positions"] = "learned";
  gpt2["tied_head"] = true;
  std::vector<StoredTensor> tensors = stored_gpt2(model);
  expect_packed(model, tensors, gpt2, "", "h.0.attn.bias h.1.attn.bias");
  for (StoredTensor& tensor : tensors) tensor.name = "transformer." + tensor.name;
  expect_packed(model, tensors, gpt2, "", "transformer.h.0.attn.bias");
  for (StoredTensor& tensor : tensors) tensor.name = "my." + tensor.name;
  gpt2["prefix"] = "my.transformer.";
  expect_packed(model, tensors, gpt2, "", "my.transformer.h.1.attn.bias");
}

TEST_F(HeedPackModel, ReadsBert) {
  ModelConfig config = tiny_llama;
  config.block = {.model_dim = 12, .heads = 2, .mlp_dim = 20, .norm_placement = NormPlacement::after};
  config.positions = Positions::learned;
  config.pooling = Pooling::every;
  config.causal = false;
  config.embedding_norm = true;
  config.final_norm = false;
  TinyModel model(config, true);
  json bert = llama_json_;
  bert["block"] = {{"model_dim", 12}, {"heads", 2}, {"mlp_dim", 20}, {"norm_placement", "after"}};
  bert.update({{"positions", "learned"},
               {"pooling", "every"},
               {"causal", false},
               {"embedding_norm", true},
               {"final_norm", false}});
  std::vector<StoredTensor> tensors = stored_bert(model);
  expect_packed(model, tensors, bert);
  // The first token type is added to every position.
  const std::vector<float> types = Random(9).normals(24);
  tensors.push_back({"bert.embeddings.token_type_embeddings.weight", {2, 12}, bytes_of(types)});
  std::vector<float> table(model.ends.positions, model.ends.positions + 16 * 12);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] += types[i % 12];
  model.ends.positions = table.data();
  expect_packed(model, tensors, bert);
  tensors.push_back({"bert.pooler.dense.weight", {12, 12}, std::string(576, '\0')});
  expect_packed(model, tensors, bert, "--allow-unused", "bert.pooler.dense.weight");
  expect_failure(good_, {"w.safetensors", "does not use bert.pooler.dense.weight", "--allow-unused"});
}

TEST_F(HeedPackModel, ReadsVits) {
  const TinyModel model(tiny_vit, true);
  expect_packed(model, stored_vit(model), vit_json_);
  expect_packed(model, stored_timm_vit(model), vit_json_);
}

TEST_F(HeedPackModel, ReadsPyTorchsEncoderAndDecoder) {
  ModelConfig config = tiny_vit;
  config.input = ModelInput::tokens;
  config.class_token = false;
  const TinyModel encoder(config, true);
  json torch = vit_json_;
  torch.update({{"input", "tokens"},
                {"class_token", false},
                {"tensors",
                 {{"input", "embedding"},
                  {"positions", "positions"},
                  {"head", {{"name", "classes.weight"}, {"transposed", false}}},
                  {"head_bias", "classes.bias"}}}});
  expect_packed(encoder, stored_torch(encoder, "transformer_encoder."), torch);
  config.causal = true;
  config.pooling = Pooling::last;
  torch["causal"] = true;
  torch["pooling"] = "last";
  for (const std::uint32_t cross : {12U, 9U}) {
    config.block.cross_dim = cross;
    torch["block"]["cross_dim"] = cross;
    const TinyModel decoder(config, true);
    expect_packed(decoder, stored_torch(decoder, ""), torch);
  }
}

TEST_F(HeedPackModel, ReadsALayerOfPyTorch) {
  ModelConfig config = tiny_vit;
  config.input = ModelInput::tokens;
  config.class_token = false;
  config.final_norm = false;
  json torch = vit_json_;
  torch.update({{"input", "tokens"},
                {"class_token", false},
                {"final_norm", false},
                {"family", "torch_layer"},
                {"prefix", "mine.layers.{}."},
                {"tensors",
                 {{"input", "embedding"},
                  {"positions", "positions"},
                  {"head", "classes.weight"},
                  {"head_bias", "classes.bias"}}}});
  const TinyModel list(config, true);
  expect_packed(list, stored_torch(list, "mine."), torch);
  config.blocks = 1;
  const TinyModel one(config, true);
  std::vector<StoredTensor> tensors = stored_torch(one, "");
  for (StoredTensor& tensor : tensors) {
    if (tensor.name.rfind("layers.0.", 0) == 0) tensor.name.erase(0, 9);
  }
  torch.erase("prefix");
  torch.erase("family");
  torch["blocks"] = 1;
  expect_packed(one, tensors, torch);
  torch["blocks"] = 2;
  write_json(torch);
  expect_failure(good_, {"m.json: prefix", "{}"});
}

TEST_F(HeedPackModel, ReadsAFolder) {
  const TinyModel model(tiny_llama, false);
  std::filesystem::create_directory(path("folder"));
  for (const StoredTensor& tensor : stored_llama(model)) {
    std::vector<float> values(tensor.bytes.size() / sizeof(float));
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    write_npy("folder/" + tensor.name + ".npy", tensor.shape, values);
  }
  write_json(llama_json_);
  ASSERT_EQ(run("pack --model m.json --weights folder --out out.heed").code, 0);
  EXPECT_EQ(read_bytes(path("out.heed")), bytes_of_file(model));
}

TEST_F(HeedPackModel, StoresWeightsInFewBits) {
  const char* const names[] = {"float32", "float16", "bfloat16", "int8", "int8_groups", "int4_groups"};
  for (std::uint32_t type = 0; type < 6; ++type) {
    SCOPED_TRACE(names[type]);
    ModelConfig config = tiny_llama;
    config.block.weight_type = config.input_type = config.head_type = static_cast<WeightType>(type);
    const TinyModel model(config, false);
    expect_packed(model, stored_llama(model), llama_json_, std::string("--weight-type ") + names[type]);
    json typed = llama_json_;
    typed["block"]["weight_type"] = typed["input_type"] = typed["head_type"] = names[type];
    expect_packed(model, stored_llama(model), typed);
    config.rotary_layout = RotaryLayout::interleaved;
    const TinyModel other(config, false);
    write_bytes(path("m.bin"), llama2c_bytes(other));
    EXPECT_EQ(run(std::string("pack --llama2c m.bin --out out.heed --weight-type ") + names[type]).code, 0);
    EXPECT_EQ(read_bytes(path("out.heed")), bytes_of_file(other));
    std::filesystem::remove(path("out.heed"));
  }
  expect_failure(good_ + "--weight-type int3", {"--weight-type int3", "int4_groups"});
}

TEST_F(HeedPackModel, ReadsLlama2c) {
  for (const bool tied : {true, false}) {
    ModelConfig config = tiny_llama;
    config.rotary_layout = RotaryLayout::interleaved;
    config.tied_head = tied;
    const TinyModel model(config, false);
    write_bytes(path("m.bin"), llama2c_bytes(model));
    const Ended ended = run("pack --llama2c m.bin --out out.heed");
    EXPECT_EQ(ended.code, 0) << ended.error;
    EXPECT_EQ(read_bytes(path("out.heed")), bytes_of_file(model)) << tied;
  }
}

TEST_F(HeedPackModel, WritesSourcesForFirmware) {
  ModelConfig config = tiny_llama;
  config.rotary_layout = RotaryLayout::interleaved;
  const TinyModel model(config, false);
  const std::string expected = bytes_of_file(model);
  write_bytes(path("m.bin"), llama2c_bytes(model));
  write_bytes(path("expected.bin"), expected);
  const std::string compare =
      "#include <stdio.h>\n#include <string.h>\n"
      "static unsigned char expected[sizeof tiny];\n"
      "#ifdef __cplusplus\n"
      "static_assert(heed::plan(tiny_config, {.rows = 1, .max_keys = 4}).file.bytes == sizeof tiny);\n"
      "#endif\n"
      "int main(void) {\n"
      "  FILE* file = fopen(\"expected.bin\", \"rb\");\n"
      "  if (file == NULL || fread(expected, 1, sizeof expected, file) != sizeof expected || getc(file) != EOF) return "
      "1;\n"
      "  if (memcmp(expected, tiny, sizeof expected) != 0 || (uintptr_t)tiny % 64 != 0) return 2;\n"
      "  return tiny_bytes == sizeof tiny ? 0 : 3;\n}\n";
  ASSERT_EQ(run("pack --llama2c m.bin --out tiny.h --c-array tiny").code, 0);
  expect_program(path("."), "#include \"tiny.h\"\n" + compare);
  ASSERT_EQ(run("pack --llama2c m.bin --out tiny.h --c-array tiny --extern tiny.c").code, 0);
  expect_program(path("."), "#include \"tiny.h\"\n" + compare, "tiny.c");
  ASSERT_EQ(run("pack --llama2c m.bin --out m.heed --incbin tiny stub.S").code, 0);
  EXPECT_EQ(read_bytes(path("m.heed")), expected);
  const std::string stub = " -c " + path("stub.S") + " -o stub.o -I " + path(".");
  const std::string in_folder = "cd '" + path(".") + "' && ";
  ASSERT_EQ(std::system((in_folder + HEED_C_COMPILER + stub).c_str()), 0);
  expect_program(path("."), "#include \"stub.h\"\n" + compare, "stub.S");
}

TEST_F(HeedPackModel, RefusesArchitectures) {
  const TinyModel model(tiny_llama, false);
  write_safetensors(path("w.safetensors"), stored_llama(model));
  const auto refuse = [&](const json& architecture, const std::vector<std::string>& parts) {
    write_json(architecture);
    expect_failure(good_, parts);
  };
  const auto with = [&](const char* member, const json& value) {
    json changed = llama_json_;
    changed[member] = value;
    return changed;
  };
  refuse(json::array(), {"--model m.json", "not a JSON object"});
  refuse(with("layers", 3), {"m.json: layers", "no such member"});
  refuse(with("blocks", -1), {"m.json: blocks", "whole number"});
  refuse(with("blocks", 4294967296), {"m.json: blocks", "32 bits"});
  refuse(with("blocks", "two"), {"m.json: blocks"});
  refuse(with("blocks", 0), {"m.json", "must be at least 1"});
  refuse(with("positions", "alibi"), {"positions", "none, learned, sinusoidal, rotary"});
  refuse(with("causal", 1), {"causal", "true or false"});
  refuse(with("rotary_base", "much"), {"rotary_base", "a number"});
  refuse(with("rotary_base", 1e39), {"rotary_base", "float32"});
  refuse(with("block", 3), {"block", "object"});
  refuse(with("block", {{"model_dim", 12}, {"width", 3}}), {"block.width", "no such member"});
  refuse(with("block", {{"model_dim", 12}, {"norm", "batch_norm"}}), {"block.norm", "layer_norm, rms_norm"});
  refuse(with("family", "mamba"), {"family", "llama, gpt2, bert"});
  refuse(with("family", 3), {"family", "text"});
  refuse(with("prefix", "other."), {"prefix"});
  refuse(with("rotary_layout", "interleaved"), {"rotary_layout", "halves"});
  refuse(with("tensors", 3), {"tensors", "object"});
  refuse(with("tensors", {{"heads", "x"}}), {"tensors.heads", "no such tensor"});
  refuse(with("tensors", {{"head", 3}}), {"tensors.head"});
  refuse(with("tensors", {{"head", {{"transposed", true}}}}), {"tensors.head", "name"});
  refuse(with("tensors", {{"head", {{"name", "x"}, {"transposed", 1}}}}), {"tensors.head.transposed"});
  refuse(with("tensors", {{"head", {{"name", "x"}, {"offset", 1}}}}), {"tensors.head.offset"});
  refuse(with("tensors", {{"head_bias", "x"}}), {"there is no tensor x"});
  refuse(with("class_token", true), {"m.json"});
  refuse(with("embedding_norm", true), {"no name", "embedding_norm"});
  write_bytes(path("m.json"), R"({"blocks": 1, "blocks": 2})");
  expect_failure(good_, {"m.json has blocks twice"});
  write_bytes(path("m.json"), "{");
  expect_failure(good_, {"--model m.json", "JSON"});
  expect_failure("pack --model none.json --weights w.safetensors --out out.heed", {"--model: cannot read none.json"});
}

TEST_F(HeedPackModel, RefusesTensors) {
  const TinyModel model(tiny_llama, false);
  const std::vector<StoredTensor> sound = stored_llama(model);
  write_json(llama_json_);
  for (std::size_t missing = 0; missing < sound.size(); ++missing) {
    std::vector<StoredTensor> tensors = sound;
    const std::string name = tensors[missing].name;
    tensors.erase(tensors.begin() + static_cast<std::ptrdiff_t>(missing));
    write_safetensors(path("w.safetensors"), tensors);
    // Without the queries of block 0 the names are of no family.
    const bool queries = name == "model.layers.0.self_attn.q_proj.weight";
    expect_failure(good_, queries ? std::vector<std::string>{"w.safetensors", "family"}
                                  : std::vector<std::string>{"w.safetensors: there is no tensor " + name});
    tensors = sound;
    tensors[missing].shape.insert(tensors[missing].shape.begin(), 1);
    write_safetensors(path("w.safetensors"), tensors);
    if (name != "model.embed_tokens.weight") expect_failure(good_, {"tensor " + name + " [1, ", "is needed"});
  }
  std::vector<StoredTensor> tensors = sound;
  tensors.push_back({"model.layers.1.self_attn.q_norm.weight", {6}, std::string(24, '\0')});
  tensors.push_back({"model.layers.2.input_layernorm.weight", {12}, std::string(48, '\0')});
  write_safetensors(path("w.safetensors"), tensors);
  expect_failure(good_, {"model.layers.1.self_attn.q_norm.weight, model.layers.2.input_layernorm.weight"});
  tensors = sound;
  tensors.push_back({"model.layers.1.self_attn.q_proj.bias", {12}, std::string(48, '\0')});
  write_safetensors(path("w.safetensors"), tensors);
  expect_failure(good_, {"model.layers.1.self_attn.q_proj.bias is there, other than that of block 0"});
  tensors = sound;
  tensors[3].type = "I32";
  write_safetensors(path("w.safetensors"), tensors);
  expect_failure(good_, {"tensor " + tensors[3].name, "element type I32"});
}

TEST_F(HeedPackModel, RefusesOptions) {
  const TinyModel model(tiny_llama, false);
  write_json(llama_json_);
  write_safetensors(path("w.safetensors"), stored_llama(model));
  expect_failure("pack --model m.json --out out.heed", {"--weights is required"});
  expect_failure(good_ + "--heads 2", {"--heads means nothing for a whole model"});
  expect_failure(good_ + "--prefix a.", {"--prefix means nothing"});
  expect_failure(good_ + "--max-keys 3", {"--max-keys means nothing"});
  expect_failure(good_ + "--llama2c w.safetensors", {"--model means nothing with --llama2c"});
  expect_failure(good_ + "--c-array a --incbin b out.S", {"--c-array means nothing with --incbin"});
  expect_failure(good_ + "--incbin 3b out.S", {"--incbin 3b", "not a name"});
  expect_failure(good_ + "--incbin b out.h", {"--incbin", "out.h"});
  expect_failure("pack --weights w.safetensors --heads 2 --out out.bin --allow-unused",
                 {"--allow-unused means nothing for a layer"});
}

// Cut off anywhere, or with a changed byte in the header or the first numbers.
TEST_F(HeedPackModel, RefusesBrokenSafetensors) {
  const TinyModel model(tiny_llama, false);
  write_json(llama_json_);
  write_safetensors(path("w.safetensors"), stored_llama(model));
  const std::string sound = read_bytes(path("w.safetensors"));
  for (std::size_t length = 0; length < sound.size(); length += length < 16 ? 1 : 211) {
    write_bytes(path("w.safetensors"), sound.substr(0, length));
    expect_failure(good_, {"w.safetensors"});
  }
  std::size_t header = 0;
  std::memcpy(&header, sound.data(), 8);
  std::size_t read = 0;
  for (std::size_t at = 0; at < header + 100; at += 13) {
    std::string changed = sound;
    changed[at] ^= 4;
    write_bytes(path("w.safetensors"), changed);
    const Ended ended = run(good_);
    EXPECT_TRUE(ended.code == 0 || (ended.code == 2 && ended.error.find("w.safetensors") != std::string::npos)) << at;
    if (ended.code == 0) ++read;
  }
  EXPECT_LE(read, 8 + 100 / 13 + 1);  // the numbers themselves, and a letter of the metadata
}

TEST_F(HeedPackModel, RefusesFilesOfLlama2c) {
  ModelConfig config = tiny_llama;
  config.block.model_dim = 4;
  config.block.mlp_dim = 3;
  config.blocks = 1;
  config.input_dim = config.outputs = 5;
  config.rotary_layout = RotaryLayout::interleaved;
  const TinyModel model(config, false);
  const std::string sound = llama2c_bytes(model);
  const std::string pack = "pack --llama2c m.bin --out out.heed";
  for (std::size_t length = 0; length < sound.size(); length += length < 40 ? 1 : 7) {
    write_bytes(path("m.bin"), sound.substr(0, length));
    expect_failure(pack, {"--llama2c: m.bin", length < 28 ? "the header is cut off" : "are left"});
  }
  write_bytes(path("m.bin"), sound + "x");
  expect_failure(pack, {"1 bytes are left after the last tensor"});
  const char* const fields[] = {"dim", "hidden_dim", "n_layers", "n_heads", "n_kv_heads", "vocab_size", "seq_len"};
  for (std::size_t field = 0; field < 7; ++field) {
    const auto refuse = [&](std::int32_t value, const std::string& part) {
      std::string changed = sound;
      std::memcpy(changed.data() + 4 * field, &value, 4);
      write_bytes(path("m.bin"), changed);
      expect_failure(pack, {"m.bin", part});
    };
    refuse(0, fields[field]);
    refuse(std::numeric_limits<std::int32_t>::min(), field == 5 ? "m.bin" : fields[field]);
    refuse(std::numeric_limits<std::int32_t>::max(), "m.bin");
    if (field != 5) refuse(-3, fields[field]);
  }
  write_bytes(path("m.bin"), "24ka" + sound);
  expect_failure(pack, {"later version"});
}

}  // namespace
}  // namespace heed::test
