// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "formats/files.hpp"
#include "heed/model.hpp"
#include "options/output_option.hpp"
#include "support/stage_hashes.hpp"
#include "support/stage_values.hpp"

namespace heed::tools {

/// Where a command leaves what a model computes at its stages.
struct StageOptions {
  std::string hashes;
  std::string values;
};

inline void add_stage_options(CLI::App& command, StageOptions& options) {
  add_output(command, "--stages", options.hashes, "write a hash of every stage of every block");
  add_output(command, "--stage-values", options.values,
             "write the values of every stage of every block, at most 1 GiB: safetensors, for `heed compare`");
}

/// What a model computes at its stages, as far as the options ask for it. It stays where it is while it observes.
class StageRecord {
 public:
  explicit StageRecord(const StageOptions& options) : options_(options) {}

  void observe(Model& model) {
    if (options_.hashes.empty() && options_.values.empty()) return;
    model.observe({this, [](void* context, std::uint32_t block, Stage stage, const float* values, std::uint32_t rows,
                            std::uint32_t columns) {
                     static_cast<StageRecord*>(context)->add(block, stage, values, rows, columns);
                   }});
  }

  void add_to(OutputFiles& files) {
    if (!options_.hashes.empty()) files.add(options_.hashes, hashes_.to_json(), "--stages");
    if (!options_.values.empty()) files.add(options_.values, values_.take_bytes("--stage-values"), "--stage-values");
  }

 private:
  void add(std::uint32_t block, Stage stage, const float* values, std::uint32_t rows, std::uint32_t columns) {
    if (!options_.hashes.empty()) hashes_.add(block, stage, values, rows, columns);
    if (!options_.values.empty()) values_.add(block, stage, values, rows, columns);
  }

  const StageOptions& options_;
  StageHashes hashes_;
  StageValues values_;
};

}  // namespace heed::tools
