// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/files.hpp"
#include "heed/model.hpp"
#include "options/help_format.hpp"
#include "options/output_option.hpp"
#include "support/attention_record.hpp"
#include "support/stage_hashes.hpp"
#include "support/stage_values.hpp"
#include "tensors/loaded_model.hpp"

namespace heed::tools {

/// Where a command leaves what a model computes at its stages.
struct StageOptions {
  std::string hashes;
  std::string values;
  AttentionFiles attention;

  [[nodiscard]] bool asked() const { return !hashes.empty() || !values.empty() || !attention.asked().empty(); }
};

inline void add_stage_options(CLI::App& command, StageOptions& options) {
  begin_group(command, "What the model computes in between");
  add_output(command, "--stages", OutputKind::json, options.hashes, "write a hash of every stage of every block");
  add_output(command, "--stage-values", OutputKind::tensors, options.values,
             "write the values of every stage of every block, at most 1 GiB: safetensors, for `heed compare`");
  add_output(command, "--attention", OutputKind::picture, options.attention.picture,
             "draw the attention weights of every block and head: SVG");
  add_output(command, "--attention-values", OutputKind::tensors, options.attention.values,
             "write the attention weights [heads, queries, keys] of every block, at most 1 GiB: safetensors");
}

/// What a model computes at its stages, as far as the options ask for it. It stays where it is while it observes.
class StageRecord {
 public:
  explicit StageRecord(const StageOptions& options) : options_(options) {}

  void observe(const LoadedModel& file, BoundModel& bound) {
    if (!options_.attention.asked().empty()) attention_.emplace(options_.attention, file, bound);
    if (!options_.asked()) return;
    bound.model().observe({this, [](void* context, std::uint32_t block, Stage stage, const float* values,
                                    std::uint32_t rows, std::uint32_t columns) {
                             static_cast<StageRecord*>(context)->add(block, stage, values, rows, columns);
                           }});
  }

  /// `rows` are labels of what went through the blocks, for a picture.
  void add_to(OutputFiles& files, const std::vector<std::string>& rows) {
    if (!options_.hashes.empty()) files.add(options_.hashes, hashes_.to_json(), "--stages");
    if (!options_.values.empty()) files.add(options_.values, values_.take_bytes("--stage-values"), "--stage-values");
    if (attention_) attention_->add_to(files, rows);
  }

 private:
  void add(std::uint32_t block, Stage stage, const float* values, std::uint32_t rows, std::uint32_t columns) {
    if (!options_.hashes.empty()) hashes_.add(block, stage, values, rows, columns);
    if (!options_.values.empty()) values_.add(block, stage, values, rows, columns);
    if (attention_) attention_->see(block, stage, values, rows);
  }

  const StageOptions& options_;
  StageHashes hashes_;
  StageValues values_;
  std::optional<AttentionRecord> attention_;
};

}  // namespace heed::tools
