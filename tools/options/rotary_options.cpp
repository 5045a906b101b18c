// SPDX-License-Identifier: MIT
#include "options/rotary_options.hpp"

#include <limits>

#include "formats/npy.hpp"
#include "options/rotary_text.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

std::uint32_t to_position(std::int64_t position, const std::string& name) {
  if (position < 0 || position > std::numeric_limits<std::uint32_t>::max()) {
    throw Failure(name + ": position " + std::to_string(position) + " is not within 0..4294967295");
  }
  return static_cast<std::uint32_t>(position);
}

/// Positions [batch, rows] of a file [batch, rows] or [rows].
std::vector<std::uint32_t> read_positions(const std::string& option, const std::string& file, const RotaryRows& rows) {
  const IntegerArray array = with_option(option, [&] { return read_npy_integers(file); });
  const std::string name = option + " " + file + " " + describe(array.shape);
  if (array.shape != Shape{rows.count} && array.shape != Shape{rows.batch, rows.count}) {
    throw Failure(name + ": " + describe({rows.count}) + " or " + describe({rows.batch, rows.count}) +
                  " is needed for " + rows.name);
  }
  std::vector<std::uint32_t> positions;
  for (std::size_t i = 0; i < std::size_t{rows.batch} * rows.count; ++i) {
    positions.push_back(to_position(array.values[i % array.values.size()], name));
  }
  return positions;
}

/// Positions offset + 0, 1, ... of each batch entry.
std::vector<std::uint32_t> count_positions(const std::vector<std::int64_t>& offsets, const RotaryRows& rows) {
  std::vector<std::uint32_t> positions;
  for (const std::int64_t offset : offsets) {
    for (std::uint32_t row = 0; row < rows.count; ++row) {
      positions.push_back(to_position(offset + row, "--rope, " + rows.name));
    }
  }
  return positions;
}

void rotate_operand(const RotaryPlan& plan, const std::vector<std::uint32_t>& positions, Operand& operand) {
  if (operand.rows == 0 || operand.batch == 0) return;
  const RotaryPositions tokens{
      .batch = operand.batch, .heads = operand.heads, .tokens = operand.rows, .positions = positions.data()};
  require_ok(apply_rotary({.plan = plan}, tokens, operand.tensor(), operand.tensor()), "--rope, " + operand.name);
}

}  // namespace

void add_rotary_options(CLI::App& command, RotaryOptions& options, const RotaryTexts& texts) {
  command
      .add_option("--rope", options.rope,
                  "rotary positions for queries and new keys; a pair is columns i and i + DIMS / 2, or neighbours if "
                  "interleaved; DIMS is head_dim unless given")
      ->type_name("BASE[,interleaved][,DIMS]");
  command
      .add_option("--rope-scaling", options.scaling,
                  "linear:FACTOR, ntk:FACTOR, yarn:FACTOR:ORIGINAL or llama3:FACTOR:ORIGINAL[:LOW:HIGH], as in "
                  "transformers; ORIGINAL is original_max_position_embeddings")
      ->type_name("KIND:FACTOR[...]");
  command.add_option("--positions", options.positions, texts.positions)->type_name("FILE");
  command.add_option("--key-positions", options.key_positions, texts.key_positions)->type_name("FILE");
}

std::optional<RotaryPlan> rotary_plan(const RotaryOptions& options, std::uint32_t head_dim, const std::string& rows) {
  if (!options.rope.empty()) return parse_rope(options.rope, options.scaling, head_dim, rows);
  const auto refuse = [](const char* option, const std::string& value) {
    if (!value.empty()) throw Failure(std::string(option) + " " + value + " means nothing without --rope");
  };
  refuse("--rope-scaling", options.scaling);
  refuse("--positions", options.positions);
  refuse("--key-positions", options.key_positions);
  return {};
}

std::vector<std::uint32_t> query_positions(const RotaryOptions& options, const RotaryRows& rows,
                                           const std::vector<std::int32_t>& offsets) {
  if (!options.positions.empty()) return read_positions("--positions", options.positions, rows);
  return count_positions({offsets.begin(), offsets.end()}, rows);
}

std::vector<std::uint32_t> key_positions(const RotaryOptions& options, const RotaryRows& rows, std::uint32_t past) {
  if (!options.key_positions.empty()) return read_positions("--key-positions", options.key_positions, rows);
  return count_positions(std::vector<std::int64_t>(rows.batch, past), rows);
}

void rotate_operands(const RotaryOptions& options, const std::vector<std::int32_t>& offsets, std::uint32_t past,
                     Operands& operands) {
  Operand& query = operands.query;
  Operand& key = operands.key;
  const std::optional<RotaryPlan> plan = rotary_plan(options, query.dim, query.name);
  if (!plan) return;
  const std::vector<std::uint32_t> of_queries =
      query_positions(options, {query.batch, query.rows, query.name}, offsets);
  const std::vector<std::uint32_t> of_keys = key_positions(options, {key.batch, key.rows, key.name}, past);
  rotate_operand(*plan, of_queries, query);
  rotate_operand(*plan, of_keys, key);
}

}  // namespace heed::tools
