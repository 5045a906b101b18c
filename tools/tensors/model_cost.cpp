// SPDX-License-Identifier: MIT
#include "tensors/model_cost.hpp"

#include <algorithm>
#include <initializer_list>

#include "support/data_types.hpp"

namespace heed::tools {

namespace {

std::string rows_of(DataType row_type) {
  return row_type == DataType::float32 ? "floats" : "integers";
}

/// The parts of a model, for rows that go through one by one or many at once.
class Parts {
 public:
  Parts(const ModelPlan& plan, const PartCost& cost, bool many)
      : plan_(plan), cost_(cost), kind_(many ? "many, " : "one, "), many_(many) {}

  /// A row's share of a product, of which `at_once` rows read a weight together.
  [[nodiscard]] double product(const LinearPlan& linear, std::uint32_t at_once) const {
    const double weights = static_cast<double>(linear.inputs) * linear.outputs;
    if (weights == 0.0) return 0.0;
    const std::string types = to_word(linear.type) + " by " + to_word(linear.row_type);
    double sum = weights * of("product, " + types) + linear.outputs * of("output, " + rows_of(linear.row_type));
    if (many_) sum += weights * of("weight, " + types) / std::max(at_once, std::uint32_t{1});
    return sum;
  }

  /// Of a query row that sees so many keys.
  [[nodiscard]] double attention(const MultiHeadPlan& layer, double keys) const {
    const MultiHeadConfig& config = layer.config;
    const double scores = keys * config.heads;
    const std::string key = to_word(config.key_type);
    const std::string value = to_word(config.value_type);
    return scores * config.head_dim * of("key number, " + key) +
           scores * config.value_dim * of("key number, " + value) +
           scores * (of("key, " + key) + of("key, " + value)) / 2;
  }

  /// All of a block's row but attention over its keys; of a row that is read for its key and value alone if not
  /// `whole`.
  [[nodiscard]] double block(bool whole) const {
    const BlockPlan& block = plan_.block;
    const BlockConfig& config = block.config;
    const MultiHeadPlan& layer = block.attention;
    double sum = product(layer.key, layer.token_rows) + product(layer.value, layer.token_rows);
    if (!whole) return sum;
    for (const LinearPlan* linear : {&layer.query, &layer.output}) sum += product(*linear, layer.token_rows);
    for (const LinearPlan* linear : {&block.cross.query, &block.cross.output}) {
      sum += product(*linear, block.cross.token_rows);
    }
    for (const LinearPlan* linear : {&block.mlp.gate, &block.mlp.up, &block.mlp.down}) {
      sum += product(*linear, block.mlp.rows);
    }
    const std::string rows = rows_of(config.row_type);
    return sum + config.mlp_dim * of("activation, " + rows_of(config.down_row_type)) +
           config.model_dim * of("width, " + rows) + config.heads * of("head, " + rows) + of("block, " + rows);
  }

 private:
  [[nodiscard]] double of(const std::string& part) const { return cost_(kind_ + part); }

  const ModelPlan& plan_;
  const PartCost& cost_;
  std::string kind_;
  bool many_;
};

double head(const ModelPlan& plan, const PartCost& cost) {
  return plan.config.outputs == 0 ? 0.0 : Parts(plan, cost, false).product(plan.file.head, 1);
}

/// Blocks that see all keys, and those with the window.
struct Windows {
  double full;
  double windowed;
};

Windows windows_of(const ModelConfig& config) {
  if (config.window == 0) return {static_cast<double>(config.blocks), 0.0};
  const std::uint32_t full = config.full_every == 0 ? 0 : config.blocks / config.full_every;
  return {static_cast<double>(full), static_cast<double>(config.blocks - full)};
}

double decoded(const ModelPlan& plan, const PartCost& cost, double keys, double window_keys) {
  const Parts parts(plan, cost, false);
  const auto [full, windowed] = windows_of(plan.config);
  const BlockPlan& block = plan.block;
  double sum = parts.block(true) * plan.config.blocks + head(plan, cost);
  sum += full * parts.attention(block.attention, keys);
  if (windowed != 0.0) sum += windowed * parts.attention(block.attention, window_keys);
  if (block.config.cross_dim != 0) {
    sum += plan.config.blocks * parts.attention(block.cross, block.memory.max_cross_keys);
  }
  return sum;
}

}  // namespace

double token_instructions(const ModelPlan& plan, const PartCost& cost, double keys) {
  return decoded(plan, cost, keys, std::min(keys, static_cast<double>(plan.config.window)));
}

double text_instructions(const ModelPlan& plan, const PartCost& cost, std::uint32_t tokens) {
  const double all = tokens;
  const double window = std::min(all, static_cast<double>(plan.config.window));
  // Tokens up to the window see all before them, those after it as many as the window has.
  const double seen = all == 0.0 ? 0.0 : (window * (window + 1) / 2 + (all - window) * window) / all;
  return decoded(plan, cost, (all + 1) / 2, seen);
}

double call_instructions(const ModelPlan& plan, const PartCost& cost) {
  const ModelConfig& config = plan.config;
  const Parts many(plan, cost, true);
  const Parts one(plan, cost, false);
  const double rows = plan.block.memory.rows;
  const bool one_is_read = config.pooling == Pooling::first || config.pooling == Pooling::last;
  const double attention = many.attention(plan.block.attention, rows);
  const double whole = rows * (many.block(true) + attention);
  // Of the last block, rows that no head reads give their keys and values alone.
  const double last =
      one_is_read ? rows * many.block(false) + one.block(true) + one.attention(plan.block.attention, rows) : whole;
  double sum = whole * (config.blocks - 1) + last;
  if (config.input != ModelInput::tokens) {
    sum += rows * (many.product(plan.file.input, plan.block.memory.rows) +
                   many.product(plan.file.second_input, plan.block.memory.rows));
  }
  return sum + head(plan, cost) * (config.pooling == Pooling::every ? rows : 1.0);
}

}  // namespace heed::tools
