// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "formats/input_file.hpp"
#include "heed/model.hpp"
#include "support/aligned_bytes.hpp"

namespace heed::tools {

/// A model file, mapped into memory, which has been found to be one.
class LoadedModel {
 public:
  /// A Failure names the file and the field that is wrong.
  explicit LoadedModel(const std::filesystem::path& file);

  /// A file that is there already, as it is or in memory of its own.
  LoadedModel(const std::filesystem::path& file, std::shared_ptr<const MappedFile> content);
  LoadedModel(const std::filesystem::path& file, AlignedBytes bytes);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ModelConfig& config() const { return config_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void check();

  std::string name_;
  std::shared_ptr<const MappedFile> content_{};
  AlignedBytes copy_;
  std::span<const std::byte> bytes_;
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
