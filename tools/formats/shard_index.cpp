// SPDX-License-Identifier: MIT
#include "formats/shard_index.hpp"

#include <set>
#include <utility>

#include "formats/json_text.hpp"
#include "support/failure.hpp"

namespace heed::tools {

ShardIndex::ShardIndex(std::string_view text, std::string name) : name_(std::move(name)) {
  const nlohmann::json json = parse_json(text, name_);
  if (!json.is_object()) throw Failure(name_ + ": not a JSON object");
  for (const auto& [member, value] : json.items()) {
    // The metadata says how long the tensors are together, which they say themselves.
    if (member != "weight_map" && member != "metadata")
      throw Failure(name_ + ": " + member + ": no index has this member");
  }
  const auto map = json.find("weight_map");
  if (map == json.end() || !map->is_object() || map->empty()) {
    throw Failure(name_ + ": weight_map: an object is needed, with the file of each tensor");
  }
  for (const auto& [tensor, value] : map->items()) {
    if (!value.is_string()) throw Failure(name_ + ": weight_map." + tensor + ": the name of a file is needed");
    const std::string file = value.get<std::string>();
    if (file.empty() || file.find_first_of(std::string("/\\\0", 3)) != std::string::npos || file.front() == '.') {
      throw Failure(name_ + ": weight_map." + tensor + ": " + file + " is no name of a file in this folder");
    }
    file_of_.emplace(tensor, file);
  }
}

std::vector<std::string> ShardIndex::files() const {
  std::set<std::string> files;
  for (const auto& [tensor, file] : file_of_) files.insert(file);
  return {files.begin(), files.end()};
}

void ShardIndex::require(const std::vector<Safetensors>& shards) const {
  const std::vector<std::string> files = this->files();
  std::map<std::string, const Safetensors*> shard_of;
  for (std::size_t i = 0; i < files.size(); ++i) {
    shard_of.emplace(files[i], &shards[i]);
    for (const std::string& tensor : shards[i].names()) {
      const auto said = file_of_.find(tensor);
      if (said == file_of_.end()) throw Failure(shards[i].name() + ": tensor " + tensor + " is not in " + name_);
      if (said->second == files[i]) continue;
      throw Failure(shards[i].name() + ": tensor " + tensor + " is here, and in " + said->second + " by " + name_);
    }
  }
  for (const auto& [tensor, file] : file_of_) {
    if (!shard_of.at(file)->has(tensor)) {
      throw Failure(shard_of.at(file)->name() + ": there is no tensor " + tensor + ", which should be here by " +
                    name_);
    }
  }
}

}  // namespace heed::tools
