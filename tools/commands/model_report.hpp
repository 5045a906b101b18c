// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "commands/plan_report.hpp"
#include "heed/model.hpp"

namespace heed::tools {

/// A tensor of a model file, or of a layer's packed weights.
struct ModelPart {
  std::string where;  ///< "embedding", "block 3 attention", ...
  std::string name;
  std::string type;
  std::vector<std::uint32_t> shape;
  std::uint64_t parameters = 0;  ///< numbers that were trained
  std::uint32_t bytes = 0;       ///< in the file, with the zeros that fill panels and lines
};

/// Every tensor, in the order of the file. Biases that are all 0 have the type "zeros" and count as no parameters: that
/// is how a model without them is stored.
[[nodiscard]] std::vector<ModelPart> parts_of(const ModelPlan& plan, std::span<const std::byte> file);
[[nodiscard]] std::vector<ModelPart> parts_of(const MultiHeadPlan& plan, std::span<const std::byte> packed);

/// The file, the state and the scratch.
[[nodiscard]] std::vector<PlanNode> describe_memories(const ModelPlan& plan);

}  // namespace heed::tools
