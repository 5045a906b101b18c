// SPDX-License-Identifier: MIT
//
// `heed pack FOLDER`: members of config.json that are not known or not read, the way round them, and what messages
// name.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "command/model_folders.hpp"

namespace heed::test {
namespace {

json without(json config, const char* member) {
  config.erase(member);
  return config;
}

TEST_F(HeedPackFolder, SaysWhereAConfigurationIsNoJson) {
  const TinyModel model(tiny_llama, false);
  write_folder(llama_config_, stored_llama(model));
  const auto refuse = [&](const char* text, const std::string& what) {
    write_bytes(path("m/config.json"), text);
    expect_failure("pack m --out out.heed", {"m/config.json: not JSON: " + what});
  };
  refuse("{\n  \"blocks\": 2, // two\n}", "line 2, column 16: JSON has no comments");
  refuse("{\n  \"blocks\": 2,\n}", "line 3, column 1: JSON has no comma after the last one");
  refuse("{\"a\": [1, 2,]}", "line 1, column 13: JSON has no comma after the last one");
  refuse("{\"a\": NaN}", "line 1, column 7: something else is needed");
  refuse("{\"a\": 1", "line 1, column 8: it ends too early");
  refuse("{\"a\": 1e999}", "a number is too large");
}

TEST_F(HeedPackFolder, IgnoresMembersThatAreNamed) {
  const TinyModel model(tiny_llama, false);
  const json config = with(with(llama_config_, "unheard_of", 1), "unheard_too", {{"a", 1}});
  write_folder(config, stored_llama(model));
  expect_failure("pack m --out out.heed", {"unheard_of: this member is not known", "--ignore-member unheard_of"});
  const Ended ended = run("pack m --out out.heed --ignore-member unheard_of --ignore-member unheard_too");
  EXPECT_EQ(ended.code, 0) << ended.error;
  EXPECT_NE(ended.out.find("ignored, as --ignore-member says: unheard_of, unheard_too\n"), std::string::npos)
      << ended.out;
  EXPECT_EQ(read_bytes(path("out.heed")), bytes_of_file(model));
  std::filesystem::remove(path("out.heed"));
  // What has a meaning is not ignored, nor what is not there.
  for (const char* member : {"hidden_size", "quantization_config", "tie_word_embeddings"}) {
    write_config(llama_config_);
    expect_failure(std::string("pack m --out o.heed --ignore-member ") + member,
                   {std::string("--ignore-member ") + member + ": no such member is in question"});
  }
  expect_failure("pack --model m.json --weights w --out o.heed --ignore-member a",
                 {"--ignore-member means nothing without a folder"});
}

TEST_F(HeedPackFolder, FindsTheTypeOfAModel) {
  const TinyModel model(tiny_llama, false);
  const json unsaid = without(llama_config_, "model_type");
  write_folder(unsaid, stored_llama(model));
  EXPECT_NE(expect_folder_packed(model).find("\nmodel_type llama, as architectures says\n"), std::string::npos);
  expect_failure("pack m --out out.heed --model-type gpt2",
                 {"architectures: a class of llama is said, and gpt2 by --model-type"});
  refuse_config(without(unsaid, "architectures"), {"model_type: it is missing", "--model-type", "one of llama, "});
  const Ended ended = run("pack m --out out.heed --model-type llama");
  EXPECT_EQ(ended.code, 0) << ended.error;
  EXPECT_NE(ended.out.find("\nmodel_type llama, as --model-type says\n"), std::string::npos) << ended.out;
  EXPECT_EQ(read_bytes(path("out.heed")), bytes_of_file(model));
  std::filesystem::remove(path("out.heed"));
  expect_failure("pack m --out out.heed --model-type mamba", {"model_type: mamba is said"});
  write_config(llama_config_);
  expect_failure("pack m --out out.heed --model-type gpt2", {"model_type: llama is said, and gpt2 by --model-type"});
  refuse_config(with(unsaid, "architectures", {"LlamaForTokenClassification"}), {"LlamaForCausalLM is supported"});
  refuse_config(with(unsaid, "architectures", {"MambaForCausalLM"}), {"model_type: it is missing"});
  expect_failure("pack nothing.gguf --out out.heed", {"nothing.gguf: there is no such folder, and no such file"});
}

TEST_F(HeedPackFolder, NamesTheMemberThatIsWrong) {
  const TinyModel model(tiny_llama, false);
  write_folder(llama_config_, stored_llama(model));
  // As wide as the hidden rows, so that the matrices look turned.
  refuse_config(with(with(llama_config_, "hidden_size", 20), "head_dim", 6),
                {"post_attention_layernorm.weight [12]", "12 wide in the file, and 20 is said"});
  json qwen2 = with(with(llama_config_, "model_type", "qwen2"), "architectures", {"Qwen2ForCausalLM"});
  qwen2["use_sliding_window"] = true;
  qwen2["max_window_layers"] = 1;
  refuse_config(qwen2, {"config.json: max_window_layers: block 1 is not as"});
  qwen2["use_sliding_window"] = false;
  qwen2["layer_types"] = {"sliding_attention", "sliding_attention"};
  refuse_config(qwen2, {"config.json: layer_types: layers have a window, and use_sliding_window is false"});
  refuse_config(with(llama_config_, "layer_types", {"full_attention", "sliding_attention"}),
                {"layer_types: the library's class does not read it, and block 1 sees everything"});
}

TEST_F(HeedPackFolder, ReadsSafetensorsWithMetadataNull) {
  const TinyModel model(tiny_llama, false);
  write_folder(llama_config_, stored_llama(model));
  std::string bytes = read_bytes(path("m/model.safetensors"));
  const std::string name = "\"__metadata__\":";
  const std::size_t begin = bytes.find(name) + name.size();
  const std::size_t end = bytes.find('}', begin) + 1;
  ASSERT_LT(end, bytes.find("model."));
  bytes.replace(begin, end - begin, "null" + std::string(end - begin - 4, ' '));
  write_bytes(path("m/model.safetensors"), bytes);
  expect_folder_packed(model);
}

}  // namespace
}  // namespace heed::test
