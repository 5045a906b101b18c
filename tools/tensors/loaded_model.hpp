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

/// A model file, which has been found to be one, with or without a tokenizer after the model.
class LoadedModel {
 public:
  /// To be run: a large file is read into memory of its own, a small one is mapped. A Failure names the file and the
  /// field that is wrong.
  explicit LoadedModel(const std::filesystem::path& file);

  /// To be looked at, where it is mapped, or there already.
  LoadedModel(const std::filesystem::path& file, std::shared_ptr<const MappedFile> content);
  LoadedModel(const std::filesystem::path& file, AlignedBytes bytes);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ModelConfig& config() const { return config_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  /// The part of bytes() that is a whole tokenizer; empty if there is none.
  [[nodiscard]] std::span<const std::byte> tokenizer() const { return tokenizer_; }

 private:
  void see(const MappedFile& content);
  void check();

  std::string name_;
  std::shared_ptr<const MappedFile> content_{};
  AlignedBytes copy_;
  std::span<const std::byte> bytes_;
  std::span<const std::byte> tokenizer_{};
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

  /// Its memories, as its plan divides them, and what its caches store with.
  [[nodiscard]] std::span<std::byte> state() { return state_.span(); }
  [[nodiscard]] std::span<const std::byte> scratch() const { return scratch_.span(); }
  [[nodiscard]] const KvStorage& storage() const { return storage_; }

 private:
  ModelPlan plan_;
  KvStorage storage_;
  AlignedBytes state_;
  AlignedBytes scratch_;
  Model model_;
};

}  // namespace heed::tools
