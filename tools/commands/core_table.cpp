// SPDX-License-Identifier: MIT
#include "commands/core_table.hpp"

#include <charconv>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// The part of a text before a mark; the text then begins after it.
std::string_view take(std::string_view& text, char mark) {
  const std::size_t end = text.find(mark);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

std::optional<double> look_up(std::string_view table, std::string_view column, std::string_view name) {
  std::string_view head = take(table, '\n');
  std::size_t place = 0;
  for (;; ++place) {
    if (head.empty()) return {};
    if (take(head, '\t') == column) break;
  }
  while (!table.empty()) {
    std::string_view line = take(table, '\n');
    std::string_view cell = take(line, '\t');
    if (cell != name) continue;
    for (std::size_t i = 0; i < place; ++i) cell = take(line, '\t');
    double value = 0.0;
    const auto [rest, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{}) return {};
    return value;
  }
  return {};
}

}  // namespace

std::span<const Core> cores() {
  static constexpr Core all[] = {
      {"cortex-m0plus", "cortex-m0plus-gcc", true},     {"cortex-m3", "cortex-m3-gcc", true},
      {"cortex-m4f", "cortex-m4f-gcc", true},           {"cortex-m7", "cortex-m7-gcc", true, true},
      {"cortex-m33", "cortex-m33-gcc", true},           {"cortex-m55", "cortex-m55-gcc", true},
      {"cortex-m85", "cortex-m55-gcc", false, true},    {"riscv32imc", "riscv32imc-bare-gcc", true},
      {"riscv32imafc", "riscv32-bare-gcc", true},       {"cortex-a7", "armv7-linux-gcc", false, true},
      {"cortex-a53", "aarch64-linux-gcc", false, true}, {"cortex-a55", "aarch64-linux-gcc", false, true},
      {"cortex-a72", "aarch64-linux-gcc", false, true},
  };
  return all;
}

const Core& core_of(const std::string& name) {
  std::string counted;
  std::string others;
  for (const Core& core : cores()) {
    if (core.name == name) return core;
    std::string& list = core.has_costs ? counted : others;
    list += (list.empty() ? "" : ", ") + std::string(core.name);
  }
  throw Failure("--core " + name + ": not known; with a table of instructions: " + counted +
                "; without one: " + others);
}

std::optional<double> figure(const Core& core, std::string_view name) {
  return look_up(figures_table(), core.preset, name);
}

std::optional<double> cost(const Core& core, std::string_view name) {
  return core.has_costs ? look_up(costs_table(), core.preset, name) : std::nullopt;
}

}  // namespace heed::tools
