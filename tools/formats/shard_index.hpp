// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/safetensors.hpp"

namespace heed::tools {

/// model.safetensors.index.json: which file of the folder has which tensor.
class ShardIndex {
 public:
  /// A Failure, which begins with `name`, if this is no index, or names a file outside of its folder.
  ShardIndex(std::string_view text, std::string name);

  /// The files, each once.
  [[nodiscard]] std::vector<std::string> files() const;

  /// The shards, in the order of files(), have exactly the tensors that the index says.
  void require(const std::vector<Safetensors>& shards) const;

 private:
  std::string name_;
  std::map<std::string, std::string> file_of_;  ///< of a tensor
};

}  // namespace heed::tools
