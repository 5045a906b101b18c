// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "heed/model.hpp"
#include "support/failure.hpp"
#include "support/planned.hpp"

namespace heed::tools {

/// A number that a model's memory grows with; at least 1.
struct MemoryNumber {
  const char* name;
  std::uint32_t BlockMemory::*place;
};

/// The greatest number in the place of one that is too large.
inline std::uint32_t greatest(const ModelConfig& config, BlockMemory memory, const MemoryNumber& number) {
  ModelPlan plan;
  std::uint32_t good = 1;
  std::uint32_t bad = memory.*number.place;
  while (bad - good > 1) {
    const std::uint32_t middle = good + (bad - good) / 2;
    memory.*number.place = middle;
    (make_plan(config, memory, plan) == Status::ok ? good : bad) = middle;
  }
  return good;
}

/// The plan of a model in this memory. A Failure begins with `what`, and names the number that is too large, or what
/// else is wrong, as `name_of` calls it.
template <class Name>
ModelPlan memory_plan(const ModelConfig& config, const BlockMemory& memory, const std::string& what,
                      const Name& name_of) {
  ModelPlan plan;
  if (make_plan(config, memory, plan) == Status::ok) return plan;
  constexpr MemoryNumber numbers[] = {{"rows", &BlockMemory::rows}, {"max_keys", &BlockMemory::max_keys}};
  for (const MemoryNumber& number : numbers) {
    BlockMemory smaller = memory;
    smaller.*number.place = 1;
    if (make_plan(config, smaller, plan) != Status::ok) continue;
    throw Failure(what + ": " + name_of(number.name) + " " + std::to_string(memory.*number.place) + ": the most is " +
                  std::to_string(greatest(config, memory, number)) + " for this model");
  }
  return planned_as<ModelPlan>(name_of, what + ": this model has no plan", config, memory);
}

}  // namespace heed::tools
