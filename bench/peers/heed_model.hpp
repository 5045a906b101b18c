// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "cases/data.hpp"
#include "support/weight_bytes.hpp"

namespace heed::bench {

/// A model file, in memory as the command's, with the memory that it runs in; one with rows of integers has attention
/// in integers. Ends the program where there is no such model.
class HeedModel {
 public:
  HeedModel(const std::filesystem::path& path, std::uint32_t rows, std::uint32_t max_keys)
      : HeedModel(std::make_shared<const tools::AlignedBytes>(read(path)), path, rows, max_keys, 1) {}

  HeedModel(std::shared_ptr<const tools::AlignedBytes> file, const std::string& name, std::uint32_t rows,
            std::uint32_t max_keys, std::uint32_t workers)
      : file_(std::move(file)) {
    const ModelFile read = read_model(file_->span());
    expect(read.status, name + ": " + read.field);
    const bool integers = read.config.block.row_type != DataType::float32;
    const DataType kept = integers ? DataType::int8_integer : DataType::float32;
    const BlockMemory memory{
        .rows = rows, .max_keys = max_keys, .workers = workers, .key_type = kept, .value_type = kept};
    expect(make_plan(read.config, memory, plan_), name);
    state_.resize(plan_.state_bytes);
    scratch_.resize(plan_.scratch_bytes);
    expect(model_.init(plan_, state_, scratch_, {file_->span(), formats}, storage), name);
  }
  HeedModel(const HeedModel&) = delete;
  HeedModel& operator=(const HeedModel&) = delete;

  [[nodiscard]] Model& get() { return model_; }
  [[nodiscard]] const ModelConfig& config() const { return plan_.config; }

 private:
  static constexpr const Format* formats[] = {&int8_weights, &int4_group_weights, &int8_integer_weights,
                                              &int4_multiplier_weights};
  static constexpr KvStorage storage{.formats = {&int8_integer_cache}};

  [[nodiscard]] static tools::AlignedBytes read(const std::filesystem::path& path) {
    tools::AlignedBytes file = tools::weight_bytes(std::filesystem::file_size(path));
    std::ifstream stream(path, std::ios::binary);
    stream.read(reinterpret_cast<char*>(file.span().data()), static_cast<std::streamsize>(file.span().size()));
    return file;
  }

  std::shared_ptr<const tools::AlignedBytes> file_;
  ModelPlan plan_;
  Bytes state_;
  Bytes scratch_;
  Model model_;
};

}  // namespace heed::bench
