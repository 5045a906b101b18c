// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/attention.hpp"
#include "heed/cache.hpp"
#include "heed/layer.hpp"

namespace heed::tools {

/// A region with the regions inside it. Offsets count from the start of the memory that the tree describes.
struct PlanNode {
  std::string name;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  std::uint32_t copies = 1;  ///< as many, one after the other; the children are those of the first
  std::vector<PlanNode> children{};
};

/// A region without regions inside it; base is added to its offset.
[[nodiscard]] PlanNode region_node(const Region& region, std::uint32_t base = 0);

/// Those that have bytes.
[[nodiscard]] std::vector<PlanNode> region_nodes(std::initializer_list<Region> regions, std::uint32_t base = 0);

/// The arena of a plan, and a layer's packed weights.
[[nodiscard]] PlanNode describe_arena(const AttentionPlan& plan);
[[nodiscard]] PlanNode describe_arena(const KvCachePlan& plan, std::uint32_t base = 0);
[[nodiscard]] PlanNode describe_arena(const MultiHeadPlan& plan);
[[nodiscard]] PlanNode describe_weights(const MultiHeadPlan& plan);

/// What a plan's memories are for, in bytes.
struct PlanTotals {
  std::uint32_t state = 0;    ///< outlives a call
  std::uint32_t scratch = 0;  ///< free between calls, for whatever else the firmware does then
  std::uint32_t weights = 0;  ///< constant, so that they may lie in flash; the others lie in RAM
};

/// A line for each total, and one for RAM and for flash.
[[nodiscard]] std::string to_text(const PlanTotals& totals);
[[nodiscard]] nlohmann::ordered_json to_json(const PlanTotals& totals);

/// Aligned columns: region, offset, bytes, alignment. A line each, the nested ones indented.
[[nodiscard]] std::string to_table(const std::vector<PlanNode>& memories);

[[nodiscard]] nlohmann::ordered_json to_json(const PlanNode& node);

}  // namespace heed::tools
