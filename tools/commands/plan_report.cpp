// SPDX-License-Identifier: MIT
#include "commands/plan_report.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <utility>

namespace heed::tools {

PlanNode region_node(const Region& region, std::uint32_t base) {
  return {to_string(region.name), base + region.offset, region.bytes};
}

std::vector<PlanNode> region_nodes(std::initializer_list<Region> regions, std::uint32_t base) {
  std::vector<PlanNode> nodes;
  for (const Region& region : regions) {
    if (region.bytes != 0) nodes.push_back(region_node(region, base));
  }
  return nodes;
}

namespace {

PlanNode worker_scratch(const AttentionPlan& plan, std::uint32_t base) {
  return {
      "worker scratch", base, plan.worker_bytes, plan.config.workers,
      region_nodes({plan.queries, plan.keys, plan.scores, plan.block_work, plan.accumulators, plan.statistics}, base)};
}

struct Row {
  std::string name;
  std::string offset;
  std::string bytes;
};

void add_rows(const PlanNode& node, std::size_t depth, std::vector<Row>& rows) {
  std::string name(2 * depth, ' ');
  name += node.name;
  if (node.copies > 1) name += ", first of " + std::to_string(node.copies);
  rows.push_back({name, std::to_string(node.offset), std::to_string(node.bytes)});
  for (const PlanNode& child : node.children) add_rows(child, depth + 1, rows);
}

}  // namespace

PlanNode describe_arena(const AttentionPlan& plan) {
  return {"arena", 0, plan.bytes, 1, {worker_scratch(plan, 0)}};
}

PlanNode describe_arena(const KvCachePlan& plan, std::uint32_t base) {
  return {"arena", base, plan.bytes, 1,
          region_nodes({plan.states, plan.keys, plan.values, plan.key_scales, plan.value_scales}, base)};
}

PlanNode describe_arena(const MultiHeadPlan& plan) {
  PlanNode state = region_node(plan.state);
  state.children = describe_arena(plan.cache, state.offset).children;
  PlanNode scratch = region_node(plan.attention_scratch);
  scratch.children = {worker_scratch(plan.attention, scratch.offset)};
  PlanNode arena{"arena", 0, plan.bytes, 1, {state, scratch}};
  for (PlanNode& node : region_nodes({plan.projected, plan.attention_output, plan.staging})) {
    arena.children.push_back(std::move(node));
  }
  return arena;
}

PlanNode describe_weights(const MultiHeadPlan& plan) {
  PlanNode weights{"packed weights", 0, plan.weights_bytes, 1, {region_node(plan.weights_header, 0)}};
  for (const LinearPlan* projection : {&plan.query, &plan.key, &plan.value, &plan.output}) {
    for (PlanNode& node : region_nodes({projection->weights, projection->scales, projection->bias})) {
      weights.children.push_back(std::move(node));
    }
  }
  return weights;
}

std::string to_text(const PlanTotals& totals) {
  std::ostringstream out;
  const auto line = [&](const char* name, std::uint32_t bytes, const char* text) {
    out << std::left << std::setw(8) << name << std::right << std::setw(14) << bytes << "  " << text << '\n';
  };
  line("state", totals.state, "outlives a call; a byte copy is a snapshot");
  line("scratch", totals.scratch, "free between calls");
  line("weights", totals.weights, "constant");
  line("RAM", totals.state + totals.scratch, "state and scratch");
  line("flash", totals.weights, "weights");
  return out.str();
}

nlohmann::ordered_json to_json(const PlanTotals& totals) {
  return {{"state", totals.state},
          {"scratch", totals.scratch},
          {"weights", totals.weights},
          {"ram", totals.state + totals.scratch},
          {"flash", totals.weights}};
}

std::string to_table(const std::vector<PlanNode>& memories) {
  std::vector<std::vector<Row>> parts;
  std::size_t name_width = 0;
  for (const PlanNode& memory : memories) {
    add_rows(memory, 0, parts.emplace_back());
    for (const Row& row : parts.back()) name_width = std::max(name_width, row.name.size());
  }
  std::ostringstream out;
  const auto line = [&](const Row& row, const std::string& alignment) {
    out << std::left << std::setw(static_cast<int>(name_width)) << row.name << std::right << std::setw(14) << row.offset
        << std::setw(14) << row.bytes << std::setw(11) << alignment << '\n';
  };
  line({"region", "offset", "bytes"}, "alignment");
  for (const std::vector<Row>& rows : parts) {
    out << '\n';
    for (const Row& row : rows) line(row, std::to_string(arena_alignment));
  }
  return out.str();
}

nlohmann::ordered_json to_json(const PlanNode& node) {
  nlohmann::ordered_json json{
      {"name", node.name}, {"offset", node.offset}, {"bytes", node.bytes}, {"alignment", arena_alignment}};
  if (node.copies > 1) json["copies"] = node.copies;
  for (const PlanNode& child : node.children) json["regions"].push_back(to_json(child));
  return json;
}

}  // namespace heed::tools
