// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/weight_file.hpp"
#include "heed/model_plan.hpp"
#include "tensors/model_families.hpp"

namespace heed::tools {

/// What a file calls the tensors of a model.
class ModelNames {
 public:
  struct Name {
    std::string pattern;
    bool transposed = false;  ///< stored as [in, out]
    bool required = false;    ///< given by name, not by the family
  };

  /// Takes "family", "prefix" and "tensors" out of an architecture in JSON. Without a family, the one whose names the
  /// file has. A Failure begins with `what`.
  ModelNames(nlohmann::json& json, const std::string& what, const ModelConfig& config, const WeightFile& file);

  /// The name of a role; null if it has none.
  [[nodiscard]] const Name* find(const std::string& role) const;

  /// A name in the file.
  [[nodiscard]] static std::string expand(const std::string& pattern, std::uint32_t block);

  /// Patterns of tensors that are no weights.
  [[nodiscard]] const std::vector<std::string>& buffers() const { return buffers_; }

 private:
  void take_given(nlohmann::json& json, const std::string& what);
  void add_family(const ModelFamily& family, const std::string& prefix);

  std::map<std::string, Name> names_;
  std::vector<std::string> buffers_;
};

}  // namespace heed::tools
