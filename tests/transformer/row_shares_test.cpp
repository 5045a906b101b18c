// SPDX-License-Identifier: MIT
//
// Rows enough for every worker to have a share of them, which no number of workers divides: what a model shows at every
// stage, and what it stores, for any number of workers, in prefill, in chunks and token by token; and how often a token
// asks for the workers.
#include <gtest/gtest.h>

#include <cstring>
#include <kernels/row_shares.hpp>

#include "support/effort.hpp"
#include "support/threads.hpp"
#include "transformer/integer_model.hpp"
#include "transformer/tiny_model.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t token_count = 101;

/// The values of every stage up to the last block, by block, in the order of the rows.
struct StageValues {
  std::vector<float> of[8][4];

  static void see(void* context, std::uint32_t number, Stage stage, const float* values, std::uint32_t rows,
                  std::uint32_t columns) {
    if (stage > Stage::block) return;  // after the blocks, of the last row of a call
    std::vector<float>& kept = static_cast<StageValues*>(context)->of[static_cast<std::size_t>(stage)][number];
    kept.insert(kept.end(), values, values + std::size_t{rows} * columns);
  }
};

/// All stages of a model's tokens, `split` at a time, if they are `observed`, and then its state.
std::vector<float> run(AlignedMemory& file, const BlockMemory& memory, std::uint32_t split, bool observed = true) {
  BuiltModel built(file.span(), memory);
  const ModelConfig& config = built.plan.config;
  std::vector<float> output(std::size_t{token_count} * config.outputs);
  std::vector<std::uint32_t> tokens(token_count);
  for (std::uint32_t i = 0; i < token_count; ++i) tokens[i] = i * i % config.input_dim;
  StageValues stages;
  if (observed) built.model.observe({&stages, &StageValues::see});
  const Executor executor = memory.workers > 1 ? thread_per_task() : Executor{};
  for (std::uint32_t first = 0; first < token_count; first += split) {
    const auto part = std::span(tokens).subspan(first, std::min(split, token_count - first));
    EXPECT_EQ(config.encoder ? built.model.encode(part, output.data(), executor)
                             : built.model.prefill(part, output.data(), executor),
              Status::ok);
  }
  for (const auto& blocks : stages.of) {
    for (const std::vector<float>& values : blocks) output.insert(output.end(), values.begin(), values.end());
  }
  const std::size_t end = output.size();
  output.resize(end + built.state.span().size() / sizeof(float));
  std::memcpy(output.data() + end, built.state.span().data(), (output.size() - end) * sizeof(float));
  return output;
}

[[nodiscard]] bool same(const std::vector<float>& one, const std::vector<float>& other) {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0;
}

[[nodiscard]] ModelConfig with_positions(ModelConfig config) {
  config.max_positions = token_count;
  config.block.kv_heads = 2;
  return config;
}

void expect_same_bits(const ModelConfig& config, DataType cache) {
  AlignedMemory file = TinyModel(config, true).file();
  BlockMemory memory{.rows = token_count, .max_keys = token_count, .key_type = cache, .value_type = cache};
  const std::vector<float> expected = run(file, memory, token_count);
  for (const std::uint32_t workers : {2U, 3U, 5U}) {
    memory.workers = workers;
    memory.scratch_budget = workers == 3 ? 2048 : 0;
    EXPECT_TRUE(same(run(file, memory, token_count), expected)) << workers << " workers";
    if (config.encoder) continue;
    EXPECT_TRUE(same(run(file, memory, 37), expected)) << workers << " workers, chunks";
  }
  if (config.encoder) return;
  EXPECT_TRUE(same(run(file, memory, 1), expected)) << "token by token";
}

/// Prefill of a model whose rows and cache are in integers, whole and in chunks, has the bits of one token at a time:
/// rows that nobody observes go through a block some at a time, with a table of positions and hidden rows where the
/// branches of others would be, or not. Budgets differ in how many and in what there is room for.
void expect_bits_of_tokens(const ModelConfig& config, std::uint32_t max_keys) {
  AlignedMemory file = TinyModel(config, true).file();
  BlockMemory memory{.rows = token_count,
                     .max_keys = max_keys,
                     .key_type = DataType::int8_integer,
                     .value_type = DataType::int8_integer};
  const std::vector<float> expected = run(file, memory, 1, false);
  for (const std::uint32_t budget : {0U, 12000U, 4096U}) {
    memory.scratch_budget = budget;
    EXPECT_TRUE(same(run(file, memory, token_count, false), expected)) << budget;
    EXPECT_TRUE(same(run(file, memory, 70, false), expected)) << budget << ", chunks";
  }
  // Workers share the rows of one branch after the other.
  memory.workers = 2;
  EXPECT_TRUE(same(run(file, memory, token_count, false), expected)) << "two workers";
}

ModelConfig wide_llama(const IntegerTypes& types) {
  ModelConfig config = with_integers(with_positions(tiny_llama), types);
  config.block.model_dim = 64;
  config.block.heads = 4;
  return config;
}

TEST(RowParts, HaveTheSameBits) {
  for (const IntegerTypes& types : all_integer_types) {
    ModelConfig config = wide_llama(types);
    for (const std::uint32_t mlp_dim : {20U, 80U}) {
      SCOPED_TRACE(mlp_dim);
      config.block.mlp_dim = mlp_dim;
      expect_bits_of_tokens(config, token_count);
    }
  }
}

TEST(RowParts, OfExtendedBlocksHaveTheSameBits) {
  for (const NormPlacement placement : {NormPlacement::before, NormPlacement::both, NormPlacement::parallel}) {
    for (const bool windows : {false, true}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(placement) << (windows ? " with windows" : ""));
      ModelConfig config = wide_llama(all_integer_types[windows ? 1 : 0]);
      config.block.norm_placement = placement;
      config.block.qk_norm = windows ? QkNorm::none : QkNorm::heads;
      config.block.mlp_dim = 80;
      if (windows) {
        config.window = 24;
        config.full_every = 2;
        config.local_rotary_base = 100.0F;
      }
      expect_bits_of_tokens(config, token_count);
    }
  }
}

TEST(RowParts, AreRefusedWhole) {
  ModelConfig config = with_integers(with_positions(tiny_llama), all_integer_types[0]);
  AlignedMemory file = TinyModel(config, true).file();
  BuiltModel built(file.span(), {.rows = token_count,
                                 .max_keys = token_count - 1,
                                 .key_type = DataType::int8_integer,
                                 .value_type = DataType::int8_integer});
  const std::vector<std::uint32_t> tokens(token_count, 1);
  std::vector<float> output(config.outputs);
  EXPECT_EQ(built.model.prefill(tokens, output.data()), Status::cache_full);
  EXPECT_EQ(built.model.tokens(), 0U);
}

TEST(RowShares, FloatsHaveTheSameBits) {
  const std::uint32_t step = case_divisor();
  std::uint32_t number = 0;
  for (const ModelConfig& shape : {tiny_llama, tiny_gpt2, tiny_bert}) {
    for (const DataType weights : {DataType::float32, DataType::int8, DataType::int4_groups}) {
      ModelConfig config = with_positions(shape);
      config.block.weight_type = weights;
      for (const DataType cache : {DataType::float32, DataType::int8, DataType::int4}) {
        if (number++ % step == 0) expect_same_bits(config, cache);
        if (config.encoder) break;  // it has no cache
      }
    }
  }
}

TEST(RowShares, IntegersHaveTheSameBits) {
  const std::uint32_t step = case_divisor();
  std::uint32_t number = 0;
  for (const ModelConfig& shape : {tiny_llama, tiny_gpt2, tiny_bert}) {
    for (const IntegerTypes& types : all_integer_types) {
      if (number++ % step != 0) continue;
      expect_same_bits(with_integers(with_positions(shape), types), DataType::int8_integer);
    }
  }
}

TEST(RowShares, MixedRowsHaveTheSameBits) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t mix = 1; mix < 15; mix += step) {
    ModelConfig config = with_positions(tiny_llama);
    BlockConfig& block = config.block;
    block.weight_type = DataType::int8;
    DataType* const types[] = {&block.row_type, &block.output_row_type, &block.mlp_row_type, &block.down_row_type};
    for (std::uint32_t i = 0; i < 4; ++i) *types[i] = (mix >> i & 1) != 0 ? DataType::int8 : DataType::float32;
    expect_same_bits(config, DataType::float32);
  }
}

TEST(RowShares, RingsOfOldTokensHaveTheSameBits) {
  AlignedMemory file = TinyModel(with_positions(tiny_llama), true).file();
  BlockMemory memory{.rows = token_count, .max_keys = 60, .sink_tokens = 3, .ring = 1};
  const std::vector<float> expected = run(file, memory, token_count);
  memory.workers = 2;
  EXPECT_TRUE(same(run(file, memory, token_count), expected));
  EXPECT_TRUE(same(run(file, memory, 40), expected));
}

/// Runs what it is given, and counts how often.
struct Counter {
  std::uint32_t calls = 0;

  [[nodiscard]] Executor executor() {
    return {this, [](void* context, std::uint32_t count, Executor::Task task, void* argument) {
              ++static_cast<Counter*>(context)->calls;
              for (std::uint32_t i = count; i-- > 0;) task(argument, i);
            }};
  }
};

TEST(RowShares, RegionsAreFew) {
  ModelConfig config = with_positions(tiny_llama);
  config.block.model_dim = 64;
  config.block.mlp_dim = 80;
  config.block.head_dim = 32;
  config.outputs = 40;
  AlignedMemory file = TinyModel(config, false).file();
  BuiltModel built(file.span(), {.rows = 64, .max_keys = 101, .workers = 2});
  std::vector<float> logits(config.outputs);
  const std::vector<std::uint32_t> tokens(64, 1);
  Counter prefill;
  EXPECT_EQ(built.model.prefill(tokens, logits.data(), prefill.executor()), Status::ok);
  Counter decode;
  EXPECT_EQ(built.model.prefill(std::span(tokens).first(1), logits.data(), decode.executor()), Status::ok);
  // A block's products of keys and values, of queries, attention, output, gate with up, and down; and the head.
  EXPECT_EQ(decode.calls, detail::least_row_share != 0 ? config.blocks * 6 + 1 : config.blocks * 8 + 1);
  // Norm, keys and values, their storing, queries, attention, output, sum; norm, MLP, sum; and the head.
  EXPECT_EQ(prefill.calls, detail::least_row_share != 0 ? config.blocks * 10 + 1 : config.blocks * 8 + 1);
}

}  // namespace
}  // namespace heed::test
