// SPDX-License-Identifier: MIT
//
// Folders as Hugging Face's libraries save them, of tiny models.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "command/packed_models.hpp"

namespace heed::test {

class HeedPackFolder : public HeedPackModel {
 protected:
  void write_config(const json& config) const { write_bytes(path("m/config.json"), config.dump()); }

  /// The folder m.
  void write_folder(const json& config, const std::vector<StoredTensor>& tensors) const {
    std::filesystem::remove_all(path("m"));
    std::filesystem::create_directory(path("m"));
    write_config(config);
    write_safetensors(path("m/model.safetensors"), tensors);
  }

  /// The same tensors, every second one in a file of its own; returns the index.
  [[nodiscard]] json write_shards(const json& config, const std::vector<StoredTensor>& tensors) const {
    write_folder(config, tensors);
    std::filesystem::remove(path("m/model.safetensors"));
    json index{{"metadata", {{"total_size", 0}}}};
    std::vector<StoredTensor> parts[2];
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      parts[i % 2].push_back(tensors[i]);
      index["weight_map"][tensors[i].name] = shards_[i % 2];
    }
    write_safetensors(path("m/" + shards_[0]), parts[0]);
    write_safetensors(path("m/" + shards_[1]), parts[1]);
    write_index(index);
    return index;
  }

  void write_index(const json& index) const { write_bytes(path("m/model.safetensors.index.json"), index.dump()); }

  /// Packs the folder, and expects what the library packs; returns what was printed.
  std::string expect_folder_packed(const TinyModel& model) const {
    const Ended ended = run("pack m --out out.heed");
    EXPECT_EQ(ended.code, 0) << ended.error;
    EXPECT_EQ(read_bytes(path("out.heed")), bytes_of_file(model));
    std::filesystem::remove(path("out.heed"));
    return ended.out;
  }

  /// Refuses a folder that has been written, whose config.json becomes this.
  void refuse_config(const json& config, const std::vector<std::string>& parts) const {
    write_config(config);
    expect_failure("pack m --out out.heed", parts);
  }

  /// The configuration of tiny_llama.
  const json llama_config_{{"architectures", {"LlamaForCausalLM"}},
                           {"model_type", "llama"},
                           {"hidden_size", 12},
                           {"num_attention_heads", 2},
                           {"num_key_value_heads", 1},
                           {"intermediate_size", 20},
                           {"num_hidden_layers", 2},
                           {"vocab_size", 19},
                           {"max_position_embeddings", 16},
                           {"rms_norm_eps", 1e-5},
                           {"hidden_act", "silu"},
                           {"torch_dtype", "float32"},
                           {"eos_token_id", {2, 3}},
                           {"rope_scaling", nullptr}};
  const std::string shards_[2] = {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"};
};

}  // namespace heed::test
