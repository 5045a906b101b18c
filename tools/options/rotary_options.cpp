// SPDX-License-Identifier: MIT
#include "options/rotary_options.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>

#include "formats/npy.hpp"
#include "heed/rotary.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && behind == end;
}

/// "10000", "10000,interleaved", "10000,interleaved,32" or "10000,32".
RotaryConfig parse_rope(const std::string& text, std::uint32_t head_dim) {
  std::vector<std::string_view> words(1, text);
  while (words.back().find(',') != std::string_view::npos) {
    const std::string_view last = words.back();
    words.back() = last.substr(0, last.find(','));
    words.push_back(last.substr(last.find(',') + 1));
  }
  RotaryConfig config{.head_dim = head_dim};
  bool good = parse_number(words.front(), config.base);
  std::size_t next = 1;
  if (next < words.size() && words[next] == "interleaved") {
    config.layout = RotaryLayout::interleaved;
    ++next;
  }
  if (next < words.size()) good = good && parse_number(words[next++], config.rotary_dim) && config.rotary_dim != 0;
  if (!good || next != words.size()) {
    throw Failure("--rope " + text + ": BASE, BASE,DIMS, BASE,interleaved or BASE,interleaved,DIMS is needed");
  }
  return config;
}

std::uint32_t to_position(std::int64_t position, const std::string& name) {
  if (position < 0 || position > std::numeric_limits<std::uint32_t>::max()) {
    throw Failure(name + ": position " + std::to_string(position) + " is not within 0..4294967295");
  }
  return static_cast<std::uint32_t>(position);
}

/// Positions [batch, rows] of a file [batch, rows] or [rows].
std::vector<std::uint32_t> read_positions(const std::string& option, const std::string& file, const Operand& operand) {
  const IntegerArray array = read_npy_integers(file);
  const std::string name = option + " " + file + " " + describe(array.shape);
  if (array.shape != Shape{operand.rows} && array.shape != Shape{operand.batch, operand.rows}) {
    throw Failure(name + ": " + describe({operand.rows}) + " or " + describe({operand.batch, operand.rows}) +
                  " is needed for " + operand.name);
  }
  std::vector<std::uint32_t> positions;
  for (std::size_t i = 0; i < std::size_t{operand.batch} * operand.rows; ++i) {
    positions.push_back(to_position(array.values[i % array.values.size()], name));
  }
  return positions;
}

void rotate_operand(const RotaryPlan& plan, const std::vector<std::uint32_t>& positions, Operand& operand) {
  if (operand.rows == 0 || operand.batch == 0) return;
  const RotaryPositions tokens{
      .batch = operand.batch, .heads = operand.heads, .tokens = operand.rows, .positions = positions.data()};
  require_ok(apply_rotary({.plan = plan}, tokens, operand.tensor(), operand.tensor()), "--rope, " + operand.name);
}

/// Positions offset + 0, 1, ... of each batch entry.
std::vector<std::uint32_t> count_positions(const std::vector<std::int64_t>& offsets, const Operand& operand) {
  std::vector<std::uint32_t> positions;
  for (const std::int64_t offset : offsets) {
    for (std::uint32_t row = 0; row < operand.rows; ++row) {
      positions.push_back(to_position(offset + row, "--rope, " + operand.name));
    }
  }
  return positions;
}

}  // namespace

void add_rotary_options(CLI::App& command, RotaryOptions& options) {
  command
      .add_option(
          "--rope", options.rope,
          "rotary positions for queries and new keys; pairs are halves of the first DIMS columns, or neighbours "
          "if interleaved")
      ->type_name("BASE[,interleaved][,DIMS]");
  command
      .add_option("--positions", options.positions,
                  "of the queries, int32 or int64 [batch, queries] or [queries]; unless given those of --causal or "
                  "--query-position")
      ->type_name("FILE");
  command
      .add_option("--key-positions", options.key_positions,
                  "of the new keys, [batch, keys] or [keys]; 0, 1, ... behind the past unless given")
      ->type_name("FILE");
}

void rotate_operands(const RotaryOptions& options, const std::vector<std::int32_t>& offsets, std::uint32_t past,
                     Operands& operands) {
  if (options.rope.empty()) {
    if (!options.positions.empty()) throw Failure("--positions " + options.positions + " means nothing without --rope");
    if (!options.key_positions.empty()) {
      throw Failure("--key-positions " + options.key_positions + " means nothing without --rope");
    }
    return;
  }
  Operand& query = operands.query;
  Operand& key = operands.key;
  const std::string where = "--rope " + options.rope + ", " + query.name;
  const RotaryConfig config = parse_rope(options.rope, query.dim);
  if (!(config.base > 1.0F) || std::isinf(config.base)) throw Failure(where + ": the base must be finite and above 1");
  RotaryPlan plan;
  require_ok(make_plan(config, plan), where);
  const std::vector<std::uint32_t> of_queries = options.positions.empty()
                                                    ? count_positions({offsets.begin(), offsets.end()}, query)
                                                    : read_positions("--positions", options.positions, query);
  const std::vector<std::uint32_t> of_keys = options.key_positions.empty()
                                                 ? count_positions(std::vector<std::int64_t>(key.batch, past), key)
                                                 : read_positions("--key-positions", options.key_positions, key);
  rotate_operand(plan, of_queries, query);
  rotate_operand(plan, of_keys, key);
}

}  // namespace heed::tools
