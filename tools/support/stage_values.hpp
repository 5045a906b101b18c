// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/safetensors_writer.hpp"
#include "heed/block.hpp"
#include "support/stage_hashes.hpp"
#include "tensors/float_array.hpp"

namespace heed::tools {

/// What a model had computed at a stage.
struct StageArray {
  std::uint32_t block = 0;
  std::string stage;
  FloatArray array;  ///< [rows, columns]
};

/// Collects the values of every stage of every call, in their order.
class StageValues {
 public:
  void add(std::uint32_t block, Stage stage, const float* values, std::uint32_t rows, std::uint32_t columns);

  /// A safetensors file of float32 [rows, columns] under <number>.<block>.<stage>, such as 00000002.0.mlp. A Failure
  /// that begins with `what` if the values were more than a GiB.
  [[nodiscard]] std::string take_bytes(const std::string& what);

 private:
  SafetensorsWriter tensors_;
  std::uint32_t count_ = 0;
  std::string beyond_;  ///< the stage that no longer had room; none are kept from there on
};

/// Whether bytes begin as a safetensors file does, and neither as JSON of hashes nor as a console's text.
[[nodiscard]] bool holds_stage_values(std::string_view bytes);

/// What take_bytes() wrote. A Failure begins with `name`.
[[nodiscard]] std::vector<StageArray> parse_stage_values(std::string_view bytes, const std::string& name);

/// As an observer that hashes would have seen them.
[[nodiscard]] std::vector<StageHash> to_hashes(const std::vector<StageArray>& stages);

}  // namespace heed::tools
