// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/weight_file.hpp"

namespace heed::tools {

/// A folder as save_pretrained() of Hugging Face's transformers leaves it.
class ModelFolder {
 public:
  /// A Failure names the file that is missing, or what cannot be read in this form.
  explicit ModelFolder(const std::filesystem::path& folder);

  [[nodiscard]] const std::string& config() const { return config_; }
  [[nodiscard]] std::string config_name() const { return (folder_ / "config.json").string(); }

  [[nodiscard]] const std::optional<std::string>& generation_config() const { return generation_config_; }
  [[nodiscard]] std::string generation_config_name() const { return (folder_ / "generation_config.json").string(); }

  /// They keep the files open.
  [[nodiscard]] WeightFile weights() const;

 private:
  [[nodiscard]] bool has(const char* file) const;
  void read_weights(const std::string& file);

  std::filesystem::path folder_;
  std::string config_;
  std::optional<std::string> generation_config_;
  std::string index_;                    ///< empty: one file
  std::vector<std::string> names_ = {};  ///< of the files with tensors
  std::vector<std::shared_ptr<const MappedFile>> contents_ = {};
};

}  // namespace heed::tools
