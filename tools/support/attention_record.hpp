// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drawing/attention_picture.hpp"
#include "formats/files.hpp"
#include "tensors/attention_replay.hpp"

namespace heed::tools {

/// Where a command leaves a model's attention weights.
struct AttentionFiles {
  std::string picture;
  std::string values;

  /// The option that asks for them first; empty if none does.
  [[nodiscard]] std::string asked() const {
    return !picture.empty() ? "--attention" : !values.empty() ? "--attention-values" : "";
  }
};

/// Collects the attention weights of every block and pass while a model runs on one entry.
class AttentionRecord {
 public:
  AttentionRecord(const AttentionFiles& files, const LoadedModel& model, BoundModel& bound);

  /// From an observer. Called by the library, it throws nothing: add_to() does.
  void see(std::uint32_t block, Stage stage, const float* values, std::uint32_t rows) noexcept;

  /// `rows` are labels of what goes through the blocks. A Failure of what went wrong while the model ran.
  void add_to(OutputFiles& files, const std::vector<std::string>& rows);

 private:
  struct Kind {
    Stage stage;
    std::uint32_t queries = 0;  ///< of all passes so far
    std::uint32_t keys = 0;
    std::vector<std::vector<AttentionWeights>> blocks{};  ///< the passes of each
  };

  void keep(std::uint32_t block, Stage stage, const float* values, std::uint32_t rows);
  void make_room(Kind& kind, std::uint32_t rows) const;
  [[nodiscard]] AttentionMaps joined(const Kind& kind) const;
  [[nodiscard]] std::vector<std::string> notes() const;

  const AttentionFiles& files_;
  std::string name_;
  ModelConfig config_;
  std::uint32_t context_rows_;
  AttentionReplay replay_;
  std::vector<Kind> kinds_;
  std::string failed_;
};

}  // namespace heed::tools
