// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "heed/model.hpp"
#include "support/aligned_bytes.hpp"

namespace heed::tools {

/// A model file in memory, which has been found to be one.
class LoadedModel {
 public:
  /// A Failure names the file and the field that is wrong.
  explicit LoadedModel(const std::filesystem::path& file);

  /// A file that was read.
  LoadedModel(const std::filesystem::path& file, std::string_view content);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ModelConfig& config() const { return config_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_.span(); }

 private:
  std::string name_;
  AlignedBytes bytes_;
  ModelConfig config_;
};

/// A model with the memory that it runs in.
class BoundModel {
 public:
  BoundModel(LoadedModel& file, const BlockMemory& memory);
  BoundModel(const BoundModel&) = delete;
  BoundModel& operator=(const BoundModel&) = delete;
  ~BoundModel() = default;

  [[nodiscard]] Model& model() { return model_; }

 private:
  ModelPlan plan_;
  AlignedBytes state_;
  AlignedBytes scratch_;
  Model model_;
};

}  // namespace heed::tools
