// SPDX-License-Identifier: MIT
#include "formats/model_folder.hpp"

#include "formats/files.hpp"
#include "formats/shard_index.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

constexpr const char* index_file = "model.safetensors.index.json";
constexpr const char* single_file = "model.safetensors";

}  // namespace

bool ModelFolder::has(const char* file) const {
  return is_there(folder_ / file);
}

void ModelFolder::read_weights(const std::string& file) {
  names_.push_back((folder_ / file).string());
  contents_.push_back(std::make_shared<const MappedFile>(folder_ / file));
}

ModelFolder::ModelFolder(const std::filesystem::path& folder) : folder_(folder) {
  const std::string name = folder.string();
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) throw Failure(name + ": there is no such folder, and no such file");
  if (!has("config.json")) throw Failure(name + ": there is no config.json");
  if (has("adapter_config.json")) {
    throw Failure(name + ": adapter_config.json: adapters are not supported; merge them into the model");
  }
  config_ = read_file(folder_ / "config.json");
  generation_config_ = read_optional_file(folder_ / "generation_config.json");
  if (has(single_file) && has(index_file)) {
    throw Failure(name + ": " + single_file + " and " + index_file + " are both there, and one of them is needed");
  }
  if (has(single_file)) {
    read_weights(single_file);
  } else if (has(index_file)) {
    index_ = read_file(folder_ / index_file);
    for (const std::string& file : ShardIndex(index_, (folder_ / index_file).string()).files()) read_weights(file);
  } else {
    throw Failure(name + ": there is no " + single_file + ", and no " + index_file +
                  " (save_pretrained() writes them; pickles are not read)");
  }
}

WeightFile ModelFolder::weights() const {
  std::vector<Safetensors> shards;
  for (std::size_t i = 0; i < names_.size(); ++i) shards.emplace_back(names_[i], contents_[i]);
  if (!index_.empty()) ShardIndex(index_, (folder_ / index_file).string()).require(shards);
  for (Safetensors& shard : shards) shard.rename_norms();
  return {names_.size() == 1 ? names_.front() : folder_.string(), std::move(shards)};
}

}  // namespace heed::tools
