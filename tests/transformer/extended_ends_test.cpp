// SPDX-License-Identifier: MIT
//
// Models with token types, registers, poolers and what else comes before and after their blocks, against their twin in
// double precision; and what may not change a bit of them.
#include <gtest/gtest.h>

#include "support/effort.hpp"
#include "support/threads.hpp"
#include "transformer/integer_model.hpp"
#include "transformer/model_case.hpp"
#include "transformer/tiny_model.hpp"

namespace heed::test {
namespace {

/// What the longer header of an extended model takes beside a plain one.
constexpr std::size_t extra_header = detail::extended_header_bytes - detail::model_header_bytes;

/// A decoder in every fourth case.
[[nodiscard]] ModelConfig some_config(Random& random, int number) {
  ModelConfig config = random_config(random, number % 4 == 0);
  extend_ends(random, config);
  return completed(config);
}

TEST(ExtendedEnds, AgreeWithTheirTwin) {
  Random random(51);
  double worst = 0.0;
  std::uint32_t extended = 0;
  for (int i = 0; i < 600 / static_cast<int>(case_divisor()); ++i) {
    ModelCase c(random, some_config(random, i));
    extended += detail::is_extended(c.config) ? 1 : 0;
    const double apart = difference(run(c, c.file, memory_of(c)), c.expected());
    ASSERT_LE(apart, 2e-5) << "case " << i;
    worst = std::max(worst, apart);
  }
  EXPECT_GT(extended, 300U / case_divisor());
  std::printf("largest difference, relative to the largest output: %.1e\n", worst);
}

TEST(ExtendedEnds, NothingButTheNumbersChangesABit) {
  Random random(52);
  for (int i = 0; i < 60 / static_cast<int>(case_divisor()) + 1; ++i) {
    ModelCase c(random, some_config(random, i));
    AlignedMemory floats = packed_model(with_floats(c.config), c.dequantized.ends, c.dequantized.blocks);
    const std::vector<float> expected = run(c, floats, memory_of(c));
    EXPECT_EQ(run(c, c.file, memory_of(c)), expected) << "few bits, case " << i;
    BlockMemory memory = memory_of(c);
    memory.scratch_budget = 2048;
    memory.workers = 3;
    memory.rows = c.config.encoder ? memory.rows : 2;
    EXPECT_EQ(run(c, c.file, memory, 0, thread_per_task()), expected) << "little scratch, case " << i;
  }
}

/// Of every number of frames, beyond the rows that are made at a time, whose rows are not one after the other; in
/// integers as well.
TEST(ExtendedEnds, ConvolutionsOfAnyLength) {
  Random random(54);
  ModelConfig config = tiny_vit;
  config.input = ModelInput::convolutions;
  config.max_positions = 40;
  config.pooling = Pooling::every;
  for (std::uint32_t count = 1; count <= 75; ++count) {
    SCOPED_TRACE(count);
    const bool floats = count % 2 == 0;
    const IntegerTypes& types = all_integer_types[count % std::size(all_integer_types)];
    ModelCase c(random, floats ? completed(config) : with_integers(completed(config), types));
    c.count = count;
    c.frames = random.normals(std::size_t{count} * 6);
    const std::vector<float> output = run(c, c.file, memory_of(c));
    EXPECT_LE(difference(output, c.expected()), floats ? 2e-5 : 0.2);
    BuiltModel built(c.file.span(), memory_of(c));
    std::vector<float> apart(std::size_t{count} * 11, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < c.frames.size(); ++i) apart[i / 6 * 11 + i % 6] = c.frames[i];
    std::vector<float> strided(output.size());
    ASSERT_EQ(built.model.encode({apart.data(), 0, 11}, count, strided.data()), Status::ok);
    EXPECT_EQ(strided, output);
  }
}

/// A pooler whose rows are integers is a product like the others.
TEST(ExtendedEnds, PoolersInIntegers) {
  Random random(53);
  for (const IntegerTypes& types : all_integer_types) {
    ModelConfig config = tiny_vit;
    config.pooler = Pooler::tanh;
    config.registers = 2;
    config.max_positions = 30;
    ModelCase c(random, with_integers(completed(config), types));
    const std::vector<float> output = run(c, c.file, memory_of(c));
    EXPECT_LE(difference(output, c.expected()), 0.1);
    BlockMemory memory = memory_of(c);
    memory.workers = 2;
    EXPECT_EQ(run(c, c.file, memory, 0, thread_per_task()), output);
  }
}

/// A model whose rows are those of its table, and its output the first of them.
struct BareModel {
  ModelConfig config;
  RandomWeights weights;
  std::vector<float> table;
  std::vector<float> types;

  explicit BareModel(std::uint32_t dim)
      : config(completed({.block = {.model_dim = dim, .heads = 1, .mlp_dim = 1},
                          .blocks = 1,
                          .input_dim = 2,
                          .max_positions = 4,
                          .positions = Positions::none,
                          .pooling = Pooling::first,
                          .encoder = true,
                          .without_final_norm = true,
                          .token_types = 2})),
        weights(7, config),
        table(std::size_t{2} * dim),
        types(std::size_t{2} * dim) {
    const auto zeros = [&](const float*& matrix, std::size_t count) { matrix = nothing_.emplace_back(count).data(); };
    zeros(weights.blocks[0].attention.output, std::size_t{dim} * dim);
    zeros(weights.blocks[0].down, dim);
    weights.blocks[0].attention.output_bias = weights.blocks[0].down_bias = nullptr;
    weights.ends.input = table.data();
    weights.ends.token_types = types.data();
  }

  [[nodiscard]] std::vector<float> encode(const std::vector<std::uint32_t>& of_tokens = {}) {
    AlignedMemory file = packed_model(config, weights.ends, weights.blocks);
    BuiltModel built(file.span(), {.rows = 2, .max_keys = 2});
    std::vector<float> output(config.block.model_dim);
    const std::vector<std::uint32_t> tokens(of_tokens.empty() ? 1 : of_tokens.size());
    const Status status = of_tokens.empty() ? built.model.encode(tokens, output.data())
                                            : built.model.encode(tokens, of_tokens, output.data());
    EXPECT_EQ(status, Status::ok) << to_string(status);
    return output;
  }

 private:
  std::deque<std::vector<float>> nothing_;
};

TEST(ExtendedEnds, ARowOfZerosHasNoDirection) {
  BareModel model(19);
  model.config.unit_output = true;
  EXPECT_EQ(model.encode(), std::vector<float>(19, 0.0F));
  model.table[18] = -0x1p-60F;  // the square of which is far below the least length
  const std::vector<float> small = model.encode();
  EXPECT_EQ(small[18], -0x1p-60F / 1e-12F);
  model.table[18] = -8.0F;
  model.table[2] = 6.0F;
  const std::vector<float> unit = model.encode();
  EXPECT_EQ(unit[18], -8.0F / 10.0F);
  EXPECT_EQ(unit[2], 6.0F / 10.0F);
}

TEST(ExtendedEnds, TokensHaveTheTypeThatTheCallSays) {
  BareModel model(5);
  model.types = {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 10.0F, 20.0F, 30.0F, 40.0F, 50.0F};
  model.weights.ends.token_types = model.types.data();
  const std::vector<float> first(model.types.begin(), model.types.begin() + 5);
  const std::vector<float> second(model.types.begin() + 5, model.types.end());
  EXPECT_EQ(model.encode(), first);
  EXPECT_EQ(model.encode({0}), first);
  EXPECT_EQ(model.encode({1}), second);
  EXPECT_EQ(model.encode({1, 0}), second);
}

TEST(ExtendedEnds, OutputsStayBelowTheirCap) {
  BareModel model(3);
  model.config.output_softcap = 2.0F;
  model.table = {1000.0F, -1000.0F, 0x1p-20F, 0.0F, 0.0F, 0.0F};
  model.weights.ends.input = model.table.data();
  EXPECT_EQ(model.encode(), (std::vector<float>{2.0F, -2.0F, 0x1p-20F}));
}

/// An extension that a program names does nothing to a model that needs none.
TEST(ExtendedEnds, PlainModelsAreAsTheyWere) {
  TinyModel model(tiny_bert, true);
  AlignedMemory file = model.file();
  BuiltModel with(file.span(), {.rows = 4, .max_keys = 4});
  BuiltModel without(file.span(), {.rows = 4, .max_keys = 4});
  ASSERT_EQ(without.model.init(without.plan, without.state.span(), without.scratch.span(), file.span()), Status::ok);
  const std::vector<std::uint32_t> tokens{3, 1, 4, 1};
  std::vector<float> expected(4 * 19), output(4 * 19);
  ASSERT_EQ(without.model.encode(tokens, expected.data()), Status::ok);
  ASSERT_EQ(with.model.encode(tokens, output.data()), Status::ok);
  EXPECT_EQ(output, expected);
}

/// Its positions do not count the token, so that a text with it would mean something else.
TEST(ExtendedEnds, AnExcludedTokenIsRefused) {
  ModelConfig config = tiny_bert;
  config.excluded_token = 3;
  EXPECT_FALSE(detail::is_extended(config));
  const TinyModel tiny(config, true);
  const AlignedMemory file = packed_model(tiny.config, tiny.ends, tiny.blocks);
  BuiltModel built(file.span(), {.rows = 4, .max_keys = 4});
  const std::vector<float> untouched(4 * 19, 7.0F);
  std::vector<float> output = untouched;
  for (const std::vector<std::uint32_t>& tokens : {std::vector<std::uint32_t>{5, 2, 6}, {2}, {5, 6, 2}}) {
    EXPECT_EQ(built.model.encode(tokens, output.data()), Status::bad_token);
    EXPECT_EQ(output, untouched);
  }
  EXPECT_EQ(built.model.encode(std::vector<std::uint32_t>{5, 1, 6, 3}, output.data()), Status::ok);
  const auto refuses = [](const ModelConfig& wrong) {
    ModelPlan plan;
    return make_plan(wrong, {.rows = 4, .max_keys = 4}, plan) == Status::bad_option;
  };
  config.excluded_token = config.input_dim + 1;
  EXPECT_TRUE(refuses(config));
  config = tiny_gpt2;
  config.excluded_token = 1;
  EXPECT_TRUE(refuses(config));
}

/// What a matrix of ones on its diagonal would make of them, without its bytes.
TEST(ExtendedEnds, FramesCanBeTheRows) {
  ModelConfig config = tiny_vit;
  const std::uint32_t dim = config.block.model_dim;
  config.input_dim = dim;
  config.embedding_scale = 3.0F;
  TinyModel tiny(config, true);
  std::vector<float> ones(std::size_t{dim} * dim);
  for (std::size_t i = 0; i < dim; ++i) ones[i * (dim + 1)] = 1.0F;
  tiny.ends.input = ones.data();
  tiny.ends.input_bias = nullptr;
  const AlignedMemory projected = packed_model(tiny.config, tiny.ends, tiny.blocks);
  tiny.config.input = ModelInput::none;
  tiny.ends.input = nullptr;
  const AlignedMemory as_they_are = packed_model(tiny.config, tiny.ends, tiny.blocks);
  EXPECT_LE(as_they_are.span().size() + ones.size() * sizeof(float), projected.span().size() + extra_header);
  Random random(55);
  const std::vector<float> frames = random.normals(std::size_t{4} * (dim + 2));
  const ConstMatrix apart{frames.data(), 0, static_cast<std::ptrdiff_t>(dim) + 2};
  std::vector<float> expected(tiny.config.outputs);
  std::vector<float> output(tiny.config.outputs);
  BuiltModel with(projected.span(), {.rows = 5, .max_keys = 5});
  BuiltModel without(as_they_are.span(), {.rows = 5, .max_keys = 5});
  ASSERT_EQ(with.model.encode(apart, 4, expected.data()), Status::ok);
  ASSERT_EQ(without.model.encode(apart, 4, output.data()), Status::ok);
  EXPECT_EQ(output, expected);
  ModelPlan plan;
  tiny.config.input_dim = dim + 1;
  EXPECT_EQ(make_plan(tiny.config, {.rows = 5, .max_keys = 5}, plan), Status::bad_option);
  tiny.config.input_dim = dim;
  tiny.config.input_type = DataType::int8;
  EXPECT_EQ(make_plan(tiny.config, {.rows = 5, .max_keys = 5}, plan), Status::bad_option);
}

}  // namespace
}  // namespace heed::test
