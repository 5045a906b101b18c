// SPDX-License-Identifier: MIT
//
// What a model's parts cost on a core: small models of random weights, packed here, of every type of weights and rows,
// run token by token and as an encoder. Prints a line for each run, of what was counted and of what it did;
// model_costs.py makes of them the table from which `heed plan --core` estimates.
#include <board.h>

#include <array>
#include <cstdint>
#include <span>

#include "heed/heed.hpp"

namespace {

using heed::DataType;

/// Of the 512 KiB that the smallest board has.
constexpr std::size_t most_file = 198 * 1024;
constexpr std::size_t most_state = 62 * 1024;
constexpr std::size_t most_scratch = 92 * 1024;
constexpr std::uint32_t most_weights = 128 * 256;
constexpr std::uint32_t most_tokens = 160;

/// Without floats in hardware, long texts of rows of floats would take the emulator too long.
constexpr bool has_floats = HEED_FIGURES_FLOATS != 0;

heed::StaticArena<most_file> file;
heed::StaticArena<most_state> state;
heed::StaticArena<most_scratch> scratch;
float numbers[most_weights];
float logits[256];
heed::ModelPlan plan;
heed::Model model;

struct Types {
  DataType weights;
  DataType rows;
  const heed::Format* format;
};

constexpr Types all_types[] = {
    {DataType::float32, DataType::float32, nullptr},
    {DataType::float16, DataType::float32, &heed::float16_weights},
    {DataType::bfloat16, DataType::float32, &heed::bfloat16_weights},
    {DataType::int8, DataType::float32, &heed::int8_weights},
    {DataType::int8_groups, DataType::float32, &heed::int8_group_weights},
    {DataType::int4_groups, DataType::float32, &heed::int4_group_weights},
    {DataType::int8, DataType::int8, &heed::int8_integer_weights},
    {DataType::int8_multipliers, DataType::int8, &heed::int8_multiplier_weights},
    {DataType::int4_multipliers, DataType::int8, &heed::int4_multiplier_weights},
    {DataType::int8, DataType::int16, &heed::int8_integer_weights},
    {DataType::int8_multipliers, DataType::int16, &heed::int8_multiplier_weights},
    {DataType::int4_multipliers, DataType::int16, &heed::int4_multiplier_weights},
};

struct Cache {
  DataType type;
  heed::KvStorage storage;
};

const Cache caches[] = {
    {DataType::int8, {.formats = {&heed::int8_cache}}},
    {DataType::float32, {}},
    {DataType::float16, {.formats = {&heed::float16_cache}}},
    {DataType::bfloat16, {.formats = {&heed::bfloat16_cache}}},
    {DataType::int4, {.formats = {&heed::int4_cache}}},
    {DataType::int8_integer, {.formats = {&heed::int8_integer_cache}}},
};

struct Shape {
  std::uint32_t model_dim;
  std::uint32_t heads;
  std::uint32_t kv_heads;
  std::uint32_t mlp_dim;
  std::uint32_t blocks;
  std::uint32_t vocabulary;
};

constexpr Shape small_shapes[] = {{64, 2, 1, 144, 1, 128}, {32, 4, 2, 96, 2, 64},   {24, 3, 1, 64, 2, 32},
                                  {96, 3, 1, 48, 1, 16},   {16, 1, 1, 192, 2, 256}, {48, 1, 1, 32, 1, 128}};
constexpr Shape large_shapes[] = {{128, 4, 4, 256, 1, 128}, {64, 4, 2, 176, 3, 256}, {48, 3, 1, 128, 2, 64},
                                  {176, 11, 1, 96, 1, 32},  {32, 1, 1, 320, 2, 256}, {128, 2, 1, 64, 1, 256}};

heed::ModelConfig config_of(const Shape& shape, const Types& types, bool encoder) {
  heed::ModelConfig config;
  config.block.model_dim = shape.model_dim;
  config.block.heads = shape.heads;
  config.block.kv_heads = shape.kv_heads;
  config.block.mlp_dim = shape.mlp_dim;
  config.block.weight_type = types.weights;
  config.block.row_type = config.block.output_row_type = types.rows;
  config.block.mlp_row_type = config.block.down_row_type = types.rows;
  config.block.norm = encoder ? heed::Norm::layer_norm : heed::Norm::rms_norm;
  config.block.activation = encoder ? heed::Activation::gelu_tanh : heed::Activation::silu;
  config.block.gated = !encoder;
  config.blocks = shape.blocks;
  config.input_dim = shape.vocabulary;
  config.max_positions = most_tokens;
  config.outputs = shape.vocabulary;
  config.input_type = config.head_type = types.weights;
  config.head_row_type = types.rows;
  config.input = heed::ModelInput::tokens;
  config.positions = encoder ? heed::Positions::none : heed::Positions::rotary;
  config.pooling = encoder ? heed::Pooling::mean : heed::Pooling::last;
  config.encoder = encoder;
  config.tied_head = true;
  return config;
}

heed::Status pack() {
  const heed::NormWeights norm{numbers, nullptr};
  const heed::MultiHeadWeights attention{
      .query = numbers, .key = numbers + 1, .value = numbers + 2, .output = numbers + 3};
  heed::BlockWeights block;
  block.attention_norm = block.mlp_norm = norm;
  block.attention = attention;
  block.gate = numbers;
  block.up = numbers + 5;
  block.down = numbers + 7;
  std::array<heed::BlockWeights, 4> blocks;
  blocks.fill(block);
  heed::ModelWeights weights;
  weights.input = numbers;
  weights.final_norm = norm;
  return pack_model(plan, weights, std::span(blocks).first(plan.config.blocks), file);
}

/// `weights rows cache rows-at-once blocks`, the widths, the keys that a row saw in the mean, and what was counted.
void report(const Shape& shape, const Types& types, DataType cache, std::uint32_t rows, std::uint32_t keys,
            std::uint64_t count) {
  const std::uint64_t all[] = {static_cast<std::uint64_t>(types.weights),
                               static_cast<std::uint64_t>(types.rows),
                               static_cast<std::uint64_t>(cache),
                               rows,
                               shape.blocks,
                               shape.model_dim,
                               shape.heads,
                               shape.kv_heads,
                               shape.mlp_dim,
                               shape.vocabulary,
                               keys,
                               plan.block.attention.token_rows,
                               plan.block.mlp.rows,
                               count};
  board_print("run");
  for (const std::uint64_t number : all) {
    board_print(" ");
    board_print_number(number);
  }
  board_print("\n");
}

bool start(const Shape& shape, const Types& types, const Cache& cache, bool encoder, std::uint32_t tokens,
           std::uint32_t budget) {
  heed::BlockMemory memory;
  memory.rows = encoder ? tokens : 1;
  memory.max_keys = tokens;
  memory.scratch_budget = budget;
  memory.key_type = memory.value_type = cache.type;
  heed::Status status = make_plan(config_of(shape, types, encoder), memory, plan);
  if (status == heed::Status::ok) status = pack();
  const std::array<const heed::Format*, 1> formats{types.format};
  if (status == heed::Status::ok) {
    status =
        model.init(plan, state, scratch, heed::PackedModel(std::span<const std::byte>(file), formats), cache.storage);
  }
  if (status != heed::Status::ok) {
    board_print(heed::to_string(status));
    board_print("\n");
  }
  return status == heed::Status::ok;
}

bool decode(const Shape& shape, const Types& types, const Cache& cache) {
  const std::uint32_t tokens = has_floats || types.rows != DataType::float32 ? most_tokens : 32;
  if (!start(shape, types, cache, false, tokens, 4096)) return false;
  std::uint64_t count = 0;
  for (std::uint32_t token = 1; token <= tokens; ++token) {
    const std::uint64_t before = board_count();
    if (model.decode(token * 7 % shape.vocabulary, logits) != heed::Status::ok) return false;
    // Keys lie in panels of sixteen, so that a row's cost is the mean over as many.
    count += board_count() - before;
    if (token % 16 != 0) continue;
    if (token == 16 || token == tokens) report(shape, types, cache.type, 1, token - 8, count / 16);
    count = 0;
  }
  return true;
}

bool encode(const Shape& shape, const Types& types, const Cache& cache, std::uint32_t tokens, std::uint32_t budget) {
  if (!start(shape, types, cache, true, tokens, budget)) return false;
  static std::uint32_t text[most_tokens];
  for (std::uint32_t i = 0; i < tokens; ++i) text[i] = i * 7 % shape.vocabulary;
  const std::uint64_t before = board_count();
  if (model.encode(std::span<const std::uint32_t>(text, tokens), logits) != heed::Status::ok) return false;
  report(shape, types, cache.type, tokens, tokens, (board_count() - before) / tokens);
  return true;
}

}  // namespace

int main() {
  std::uint32_t bits = 1;
  for (float& number : numbers) {
    bits = bits * 1664525U + 1013904223U;
    number = static_cast<float>(static_cast<std::int32_t>(bits >> 16) - 32768) * 0x1p-18F;
  }
  bool good = true;
  for (const Types& types : all_types) {
    // Keys and values are in integers where rows are; four bytes a weight leave room for small models alone.
    const Cache& cache = types.rows == DataType::float32 ? caches[0] : caches[5];
    const bool wide = types.weights <= DataType::bfloat16;
    const auto& shapes = wide ? small_shapes : large_shapes;
    for (const Shape& shape : shapes) {
      good = good && decode(shape, types, cache) && encode(shape, types, cache, 16, 2048) &&
             encode(shape, types, cache, 32, 8192);
    }
    if (types.weights != DataType::int8 || types.rows != DataType::float32) continue;
    for (const Cache& other : std::span(caches).subspan(1, 4)) {
      for (const Shape& shape : small_shapes) {
        good = good && decode(shape, types, other) && encode(shape, types, other, 32, 8192);
      }
    }
  }
  return good ? 0 : 1;
}
