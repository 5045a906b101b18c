// SPDX-License-Identifier: MIT
//
// `heed pack` of whole models: the bytes that the library packs, for every family of names and for firmware.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "command/packed_models.hpp"
#include "command/programs.hpp"

namespace heed::test {
namespace {

TEST_F(HeedPackModel, ReadsLlama) {
  const TinyModel model(tiny_llama, false);
  expect_packed(model, stored_llama(model), llama_json_);
  json named = llama_json_;
  named["family"] = "llama";
  named["rotary_layout"] = "halves";
  named["rotary_base"] = 10000;
  named["block"]["norm_epsilon"] = 1e-5;
  expect_packed(model, stored_llama(model), named);
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
  config.encoder = true;
  config.embedding_norm = true;
  config.without_final_norm = true;
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
  torch["block"].update({{"norm_placement", "before"}, {"activation", "gelu_erf"}});
  torch.update({{"input", "tokens"},
                {"class_token", false},
                {"tensors",
                 {{"input", "embedding"},
                  {"positions", "positions"},
                  {"head", {{"name", "classes.weight"}, {"transposed", false}}},
                  {"head_bias", "classes.bias"}}}});
  expect_packed(encoder, stored_torch(encoder, "transformer_encoder."), torch);
  torch["prefix"] = "decoder.";
  expect_packed(encoder, stored_torch(encoder, "decoder."), torch);
  torch.erase("prefix");
  config.encoder = false;
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
  config.without_final_norm = true;
  json torch = vit_json_;
  torch["block"].update({{"norm_placement", "before"}, {"activation", "gelu_erf"}});
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
  // Its rows come as they are.
  config.input = ModelInput::none;
  config.input_dim = 12;
  const TinyModel alone(config, true);
  tensors = stored_torch(alone, "");
  std::erase_if(tensors, [](const StoredTensor& tensor) { return tensor.name == "embedding"; });
  for (StoredTensor& tensor : tensors) {
    if (tensor.name.rfind("layers.0.", 0) == 0) tensor.name.erase(0, 9);
  }
  torch.update({{"input", "none"}, {"input_dim", 12}, {"blocks", 1}});
  torch["tensors"].erase("input");
  expect_packed(alone, tensors, torch);
  torch["input_dim"] = 11;
  write_json(torch);
  expect_failure(good_, {"input 3", "input_dim is model_dim"});
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
    config.block.weight_type = config.input_type = config.head_type = static_cast<DataType>(type);
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
  const auto words = std::bit_cast<std::array<std::uint32_t, sizeof(ModelConfig) / 4>>(model.config);
  std::string config_words;
  for (const std::uint32_t word : words) config_words += std::to_string(word) + "U, ";
  const std::string compare =
      "#include <stdio.h>\n#include <string.h>\n"
      "static const uint32_t config_words[] = {" +
      config_words +
      "};\n"
      "static unsigned char expected[sizeof tiny];\n"
      "#ifdef __cplusplus\n"
      "static_assert(heed::plan(tiny_config, {.rows = 1, .max_keys = 4}).file.bytes == sizeof tiny);\n"
      "#endif\n"
      "int main(void) {\n"
      "  FILE* file = fopen(\"expected.bin\", \"rb\");\n"
      "  if (file == NULL || fread(expected, 1, sizeof expected, file) != sizeof expected || getc(file) != EOF) return "
      "1;\n"
      "  if (memcmp(expected, tiny, sizeof expected) != 0 || (uintptr_t)tiny % 64 != 0) return 2;\n"
      "  if (sizeof tiny_config != sizeof config_words) return 4;\n"
      "  if (memcmp(&tiny_config, config_words, sizeof config_words) != 0) return 5;\n"
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
  for (const char* header : {"tiny.h", "stub.h"}) {
    EXPECT_NE(
        big_endian_errors(path("."), header).find("tiny was packed for little-endian CPUs: on this one call pack_m"),
        std::string::npos)
        << header;
  }
}

}  // namespace
}  // namespace heed::test
