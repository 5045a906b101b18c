// SPDX-License-Identifier: MIT
//
// Weights that `heed pack` cannot store: those that are no numbers, or too large or too small for their type.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "command/packed_models.hpp"

namespace heed::test {
namespace {

class HeedPackWeights : public HeedPackModel {
 protected:
  static void set(StoredTensor& tensor, std::size_t at, float value) {
    std::memcpy(tensor.bytes.data() + 4 * at, &value, sizeof value);
  }

  /// Refuses a tensor with this number as its 26th, [2, 1] of a matrix with twelve columns, and then takes it away.
  void refuse_number(std::vector<StoredTensor>& tensors, const std::string& name, float value, const std::string& more,
                     const std::string& part) const {
    for (StoredTensor& tensor : tensors) {
      if (tensor.name != name) continue;
      const StoredTensor sound = tensor;
      const std::size_t at = tensor.shape.size() == 1 ? 7 : 25;
      set(tensor, at, value);
      write_safetensors(path("w.safetensors"), tensors);
      const std::string element = tensor.shape.size() == 1 ? "[7]" : "[2, 1]";
      expect_failure(good_ + more, {"--weights w.safetensors: tensor " + name + ", element " + element + ": " + part});
      tensor = sound;
      return;
    }
    ADD_FAILURE() << name;
  }

  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  static constexpr float infinity = std::numeric_limits<float>::infinity();
};

TEST_F(HeedPackWeights, AreNumbers) {
  const TinyModel model(tiny_llama, false);
  write_json(llama_json_);
  std::vector<StoredTensor> tensors = stored_llama(model);
  const std::vector<StoredTensor> all = tensors;
  for (const StoredTensor& tensor : all) {
    if (tensor.name.find("down_proj") != std::string::npos) continue;  // of another width
    refuse_number(tensors, tensor.name, nan, "", "not a number");
    refuse_number(tensors, tensor.name, -infinity, "--weight-type int8", "infinite");
  }
}

TEST_F(HeedPackWeights, FitIntoTheirType) {
  const TinyModel model(tiny_llama, false);
  write_json(llama_json_);
  std::vector<StoredTensor> tensors = stored_llama(model);
  struct Case {
    std::string type;
    float most, more;
  };
  const Case cases[] = {{"float16", 65519.0F, 65520.0F},
                        {"bfloat16", 0x1.FEFFFEp127F, 0x1.FFp127F},
                        {"int8_groups", 65519.0F * 127.0F, 65520.0F * 127.0F},
                        {"int4_groups", 65519.0F * 8.0F, 65520.0F * 8.0F}};
  for (const Case& c : cases) {
    for (const char* name : {"model.embed_tokens.weight", "model.layers.1.self_attn.k_proj.weight", "lm_head.weight"}) {
      refuse_number(tensors, name, -c.more, "--weight-type " + c.type, "-");
      refuse_number(tensors, name, c.more, "--weight-type " + c.type,
                    std::to_string(c.more) + " is too large for " + c.type);
    }
    // Norms stay float32.
    const std::vector<StoredTensor> sound = tensors;
    for (StoredTensor& tensor : tensors) set(tensor, 7, tensor.shape.size() == 1 ? c.more : c.most);
    write_safetensors(path("w.safetensors"), tensors);
    const Ended ended = run("pack --model m.json --weights w.safetensors --out y.heed --weight-type " + c.type);
    EXPECT_EQ(ended.code, 0) << ended.error;
    tensors = sound;
  }
}

/// A matrix whose numbers would all become 0; one greater number is enough to keep it.
TEST_F(HeedPackWeights, AreNotLost) {
  const TinyModel model(tiny_llama, false);
  write_json(llama_json_);
  std::vector<StoredTensor> tensors = stored_llama(model);
  const std::string name = "model.layers.1.self_attn.k_proj.weight";
  StoredTensor& tensor = *std::find_if(tensors.begin(), tensors.end(), [&](const auto& t) { return t.name == name; });
  for (std::size_t i = 0; i < tensor.bytes.size() / 4; ++i) set(tensor, i, i % 3 == 0 ? -1e-6F : 1e-7F);
  write_safetensors(path("w.safetensors"), tensors);
  const std::string pack = "pack --model m.json --weights w.safetensors --out y.heed --weight-type ";
  expect_failure(pack + "int8_groups", {"--weights w.safetensors: tensor " + name +
                                        ": the greatest is 1e-06, and int8_groups has no number but 0 up to 3.78e-06"});
  for (const char* type : {"int8", "float16", "bfloat16", "int4_groups", "float32"}) {
    EXPECT_EQ(run(pack + type).code, 0) << type;
  }
  set(tensor, 5, 1e-5F);
  write_safetensors(path("w.safetensors"), tensors);
  const Ended told = run(pack + "int8_groups");
  EXPECT_EQ(told.code, 0);
  EXPECT_NE(told.error.find(name + ": "), std::string::npos) << told.error;
  EXPECT_NE(told.error.find(" groups, of numbers up to 3.78e-06, become 0 in int8_groups"), std::string::npos);
}

TEST_F(HeedPackWeights, AreNumbersInFilesOfLlama2c) {
  ModelConfig config = tiny_llama;
  config.rotary_layout = RotaryLayout::interleaved;
  config.tied_head = true;
  const std::string sound = llama2c_bytes(TinyModel(config, false));
  const std::size_t header = 7 * 4;
  const auto refuse = [&](std::size_t at, float value, const std::string& more, const std::string& part) {
    std::string bytes = sound;
    std::memcpy(bytes.data() + header + 4 * at, &value, sizeof value);
    write_bytes(path("m.bin"), bytes);
    expect_failure("pack --llama2c m.bin --out out.heed " + more, {"--llama2c: m.bin: tensor " + part});
  };
  const std::size_t norms = 19 * 12;
  refuse(25, nan, "", "token_embedding, element [2, 1]: not a number");
  refuse(25, 7e4F, "--weight-type float16", "token_embedding, element [2, 1]: 70000");
  refuse(norms + 12, infinity, "", "rms_att, element [1, 0]: infinite");
  refuse(norms + 24 + 25, 7e4F, "--weight-type float16", "wq, element [0, 2, 1]: 70000");
}

// In int8 it has less than 2^32 bytes, in float32 more.
TEST_F(HeedPackWeights, HaveTheirTypeBeforeTheirSize) {
  const TinyModel model(tiny_llama, false);
  write_safetensors(path("w.safetensors"), stored_llama(model));
  write_json({{"block", {{"model_dim", 2048}, {"heads", 32}, {"kv_heads", 8}, {"mlp_dim", 8192}}},
              {"blocks", 16},
              {"input_dim", 128256},
              {"max_positions", 131072},
              {"outputs", 128256},
              {"tied_head", true}});
  expect_failure(good_, {"--model m.json", "32-bit address space"});
  expect_failure(good_ + "--weight-type int8", {"tensor model.embed_tokens.weight [19, 12]: [128256, 2048] is needed"});
}

}  // namespace
}  // namespace heed::test
