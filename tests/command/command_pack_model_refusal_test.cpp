// SPDX-License-Identifier: MIT
//
// Every way in which `heed pack` refuses a whole model: architectures, tensors, options, and files that are cut off or
// changed.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "command/packed_models.hpp"

namespace heed::test {
namespace {

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
  refuse(with("blocks", 0), {"m.json, family llama: ", "must be at least 1"});
  refuse(with("positions", "alibi"), {"positions", "learned, none, sinusoidal, rotary"});
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
  refuse(with("embedding_norm", true), {"embedding_norm: true", "the family llama has false"});
  write_bytes(path("m.json"), R"({"blocks": 1, "blocks": 2})");
  expect_failure(good_, {"m.json has blocks twice"});
  write_bytes(path("m.json"), "{");
  expect_failure(good_, {"--model m.json", "JSON"});
  const std::string nested = std::string(200000, '[') + std::string(200000, ']');
  write_bytes(path("m.json"), R"({"block": {"model_dim": )" + nested + "}}");
  expect_failure(good_, {"--model m.json", "more than 64 lists and objects"});
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
    expect_failure(good_, {"--weights w.safetensors: there is no tensor " + name});
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
