// SPDX-License-Identifier: MIT
//
// Layers whose projections are products of integers: their bits for any split of the tokens and any workers, and what
// is refused.
#include <cstring>

#include "layer/layer_case.hpp"
#include "product/integer_twin.hpp"
#include "support/threads.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t tokens = 75;
constexpr MultiHeadConfig config{.model_dim = 40,
                                 .heads = 4,
                                 .kv_heads = 2,
                                 .head_dim = 9,
                                 .value_dim = 11,
                                 .kv_input_dim = 40,
                                 .output_dim = 37,
                                 .max_keys = 90};

[[nodiscard]] MultiHeadConfig with_integers(MultiHeadConfig made, DataType weights, DataType rows,
                                            DataType output_rows) {
  made.weight_type = weights;
  made.row_type = rows;
  made.output_row_type = output_rows;
  return made;
}

/// Prompts of `split` tokens, or one by one.
std::vector<float> outputs_of(const MultiHeadPlan& plan, const PackedWeights& weights, const std::vector<float>& x,
                              std::uint32_t split, const Executor& executor = {}) {
  const AlignedMemory arena(plan.bytes);
  MultiHeadAttention layer;
  EXPECT_EQ(layer.init(plan, arena.span(), weights), Status::ok);
  std::vector<float> y(std::size_t{tokens} * config.output_dim);
  for (std::size_t t = 0; t < tokens; t += split) {
    if (split == 1) {
      EXPECT_EQ(layer.decode(&x[t * config.model_dim], &y[t * config.output_dim], 0, executor), Status::ok);
      continue;
    }
    MultiHeadInputs in;
    in.tokens = std::min(split, tokens - static_cast<std::uint32_t>(t));
    in.input = dense(&x[t * config.model_dim], in.tokens, config.model_dim);
    MultiHeadOutputs out;
    out.output = dense(&y[t * config.output_dim], in.tokens, config.output_dim);
    EXPECT_EQ(layer.prefill(in, out, executor), Status::ok);
  }
  return y;
}

TEST(IntegerLayer, HasTheSameBitsForAnySplitWorkersAndScratch) {
  Random random(11);
  const LayerWeights weights(random, config, true);
  const std::vector<float> x = random.normals(std::size_t{tokens} * config.model_dim);
  for (const IntegerType& type : integer_types) {
    for (const DataType output_rows : {DataType::int8, DataType::int16}) {
      MultiHeadConfig typed = with_integers(config, type.weights, type.rows, output_rows);
      const MultiHeadPlan plan = Layer::plan_for(typed);
      const AlignedMemory packed(plan.weights_bytes);
      ASSERT_EQ(pack_weights(plan, weights.view(), packed.span()), Status::ok);
      const PackedWeights bytes(packed.span(), type.format);
      const std::vector<float> expected = outputs_of(plan, bytes, x, tokens);
      EXPECT_EQ(outputs_of(plan, bytes, x, 7), expected) << type.name;
      EXPECT_EQ(outputs_of(plan, bytes, x, 1), expected) << type.name;
      typed.workers = 3;
      typed.scratch_budget = 2048;
      const MultiHeadPlan small = Layer::plan_for(typed);
      EXPECT_LT(small.token_rows, plan.token_rows);
      EXPECT_EQ(outputs_of(small, bytes, x, tokens, thread_per_task()), expected) << type.name;
    }
  }
}

TEST(IntegerLayer, IsCloseToTheLayerOfItsFloats) {
  Random random(12);
  const LayerWeights weights(random, config, true);
  const std::vector<float> x = random.normals(std::size_t{tokens} * config.model_dim);
  for (const IntegerType& type : integer_types) {
    const MultiHeadPlan plan = Layer::plan_for(with_integers(config, type.weights, type.rows, type.rows));
    const AlignedMemory packed(plan.weights_bytes);
    ASSERT_EQ(pack_weights(plan, weights.view(), packed.span()), Status::ok);
    const PackedWeights bytes(packed.span(), type.format);
    LayerWeights floats = weights;
    for (const auto& [linear, matrix] :
         {std::pair{&plan.query, &floats.query}, std::pair{&plan.key, &floats.key},
          std::pair{&plan.value, &floats.value}, std::pair{&plan.output, &floats.output}}) {
      ASSERT_EQ(unpack_linear(*linear, bytes, matrix->data()), Status::ok);
    }
    const MultiHeadPlan float_plan = Layer::plan_for(config);
    const AlignedMemory float_packed(float_plan.weights_bytes);
    ASSERT_EQ(pack_weights(float_plan, floats.view(), float_packed.span()), Status::ok);
    const std::vector<float> expected = outputs_of(float_plan, {float_packed.span(), nullptr}, x, tokens);
    const std::vector<float> found = outputs_of(plan, bytes, x, tokens);
    double error = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      error += std::pow(double{found[i]} - expected[i], 2);
      size += std::pow(double{expected[i]}, 2);
    }
    EXPECT_LT(std::sqrt(error / size), type.rows == DataType::int8 ? 0.02 : 2e-4) << type.name;
  }
}

TEST(IntegerLayer, RoundedRowsAreScratchOfItsPlan) {
  const MultiHeadPlan floats = Layer::plan_for(config);
  const MultiHeadPlan plan = Layer::plan_for(with_integers(config, DataType::int8, DataType::int8, DataType::int16));
  EXPECT_EQ(plan.staging.name, RegionName::rounded_rows);
  EXPECT_EQ(plan.staging.bytes, plan.token_rows * plan.output.row_bytes);
  EXPECT_EQ(plan.query.row_type, DataType::int8);
  EXPECT_EQ(plan.key.row_type, DataType::int8);
  EXPECT_EQ(plan.value.row_type, DataType::int8);
  EXPECT_EQ(plan.output.row_type, DataType::int16);
  EXPECT_EQ(plan.state_bytes, floats.state_bytes);
}

TEST(IntegerLayer, RefusesTypesThatDoNotGoTogether) {
  const struct {
    DataType weights, rows, output_rows;
    const char* member;
  } cases[] = {
      {DataType::int8_multipliers, DataType::int8, DataType::float32, "output_row_type"},
      {DataType::int8_groups, DataType::float32, DataType::int16, "output_row_type"},
      {DataType::int8, DataType::int4, DataType::int8, "row_type"},
      {DataType::int8, DataType::int8, DataType::float16, "output_row_type"},
      {DataType::float32, DataType::int8, DataType::int8, "row_type"},
      {DataType::int4_groups, DataType::int16, DataType::int16, "row_type"},
      {DataType::int4_multipliers, DataType::float32, DataType::float32, "row_type"},
      {DataType::int16, DataType::int16, DataType::int16, "weight_type"},
  };
  for (const auto& wrong : cases) {
    const MultiHeadConfig typed = with_integers(config, wrong.weights, wrong.rows, wrong.output_rows);
    MultiHeadPlan plan;
    EXPECT_EQ(make_plan(typed, plan), Status::bad_option);
    EXPECT_STREQ(explain<MultiHeadPlan>(typed).member, wrong.member);
  }
}

// The output's rows are floats, or those of query, key and value are, beside integers.
TEST(IntegerLayer, MixedRowsAreThoseOfTheProductsOneByOne) {
  Random random(14);
  const LayerWeights weights(random, config, true);
  const std::vector<float> x = random.normals(std::size_t{tokens} * config.model_dim);
  constexpr std::pair<DataType, DataType> mixes[] = {{DataType::int8, DataType::float32},
                                                     {DataType::int16, DataType::float32},
                                                     {DataType::float32, DataType::int8},
                                                     {DataType::float32, DataType::int16}};
  for (const auto& [rows, output_rows] : mixes) {
    MultiHeadConfig typed = with_integers(config, DataType::int8, rows, output_rows);
    const MultiHeadPlan plan = Layer::plan_for(typed);
    const AlignedMemory packed(plan.weights_bytes);
    ASSERT_EQ(pack_weights(plan, weights.view(), packed.span()), Status::ok);
    const PackedWeights bytes(packed.span(), &int8_mixed_weights);
    const std::vector<float> expected = outputs_of(plan, bytes, x, tokens);
    EXPECT_EQ(outputs_of(plan, bytes, x, 7), expected);
    EXPECT_EQ(outputs_of(plan, bytes, x, 1), expected);
    typed.workers = 3;
    typed.scratch_budget = 2048;
    EXPECT_EQ(outputs_of(Layer::plan_for(typed), bytes, x, tokens, thread_per_task()), expected);

    // The heads' outputs of a layer all of whose rows are as those of query, key and value are here.
    const MultiHeadPlan pure = Layer::plan_for(with_integers(config, DataType::int8, rows, rows));
    const AlignedMemory pure_packed(pure.weights_bytes);
    ASSERT_EQ(pack_weights(pure, weights.view(), pure_packed.span()), Status::ok);
    const bool integers = rows != DataType::float32;
    const AlignedMemory arena(pure.bytes);
    MultiHeadAttention layer;
    ASSERT_EQ(layer.init(pure, arena.span(), {pure_packed.span(), integers ? &int8_integer_weights : &int8_weights}),
              Status::ok);
    const std::uint32_t width = config.heads * config.value_dim;
    std::vector<float> y(std::size_t{tokens} * config.output_dim);
    std::vector<float> heads(std::size_t{tokens} * width);
    MultiHeadInputs in;
    in.tokens = tokens;
    in.input = dense<const float>(x.data(), tokens, config.model_dim);
    MultiHeadOutputs out;
    out.output = dense(y.data(), tokens, config.output_dim);
    out.head_outputs = bshd(heads.data(), config.heads, tokens, config.value_dim);
    ASSERT_EQ(layer.prefill(in, out), Status::ok);
    const AlignedMemory scratch(std::size_t{64} * plan.output.row_bytes + plan.output.staging_bytes);
    ASSERT_EQ(linear(plan.output, {packed.span(), integers ? &int8_weights : &int8_integer_weights}, tokens,
                     dense<const float>(heads.data(), tokens, width), out.output, scratch.span()),
              Status::ok);
    EXPECT_EQ(y, expected);
  }
}

// Where inputs are multiples of 8, the bytes are as many for rows of floats and of integers.
TEST(IntegerLayer, RefusesWeightsForOtherRowsAndOtherFormats) {
  Random random(13);
  const MultiHeadConfig square = completed({.model_dim = 32, .heads = 4, .max_keys = 8});
  const LayerWeights weights(random, square, true);
  const MultiHeadPlan integers = Layer::plan_for(with_integers(square, DataType::int8, DataType::int8, DataType::int8));
  const MultiHeadPlan finer = Layer::plan_for(with_integers(square, DataType::int8, DataType::int16, DataType::int8));
  const MultiHeadPlan floats =
      Layer::plan_for(with_integers(square, DataType::int8, DataType::float32, DataType::float32));
  ASSERT_EQ(integers.weights_bytes, floats.weights_bytes);
  const AlignedMemory packed(integers.weights_bytes);
  const AlignedMemory of_floats(floats.weights_bytes);
  ASSERT_EQ(pack_weights(integers, weights.view(), packed.span()), Status::ok);
  ASSERT_EQ(pack_weights(floats, weights.view(), of_floats.span()), Status::ok);
  const AlignedMemory arena(std::max({integers.bytes, floats.bytes, finer.bytes}));
  MultiHeadAttention layer;
  const auto init = [&](const MultiHeadPlan& plan, const AlignedMemory& bytes, const Format* format) {
    return layer.init(plan, arena.span(), PackedWeights(bytes.span(), format));
  };
  EXPECT_EQ(init(integers, of_floats, &int8_integer_weights), Status::wrong_weights);
  EXPECT_EQ(init(floats, packed, &int8_weights), Status::wrong_weights);
  EXPECT_EQ(init(integers, packed, &int8_weights), Status::missing_format);
  EXPECT_EQ(init(integers, packed, &int8_multiplier_weights), Status::missing_format);
  EXPECT_EQ(init(integers, packed, nullptr), Status::missing_format);
  EXPECT_EQ(init(floats, of_floats, &int8_integer_weights), Status::missing_format);
  EXPECT_EQ(init(integers, packed, &int8_integer_weights), Status::ok);
  EXPECT_EQ(init(finer, packed, &int8_integer_weights), Status::ok) << "the same weights for rows of int16";
  EXPECT_EQ(init(integers, packed, &int8_mixed_weights), Status::missing_format);
  EXPECT_EQ(init(floats, of_floats, &int8_mixed_weights), Status::missing_format);
  const MultiHeadPlan float_output =
      Layer::plan_for(with_integers(square, DataType::int8, DataType::int8, DataType::float32));
  const MultiHeadPlan float_input =
      Layer::plan_for(with_integers(square, DataType::int8, DataType::float32, DataType::int8));
  const AlignedMemory mixed(float_output.weights_bytes);
  ASSERT_EQ(float_output.weights_bytes, packed.span().size());
  ASSERT_EQ(pack_weights(float_output, weights.view(), mixed.span()), Status::ok);
  EXPECT_EQ(init(float_output, packed, &int8_mixed_weights), Status::wrong_weights);
  EXPECT_EQ(init(integers, mixed, &int8_integer_weights), Status::wrong_weights);
  EXPECT_EQ(init(float_input, mixed, &int8_mixed_weights), Status::wrong_weights);
  EXPECT_EQ(init(float_output, mixed, &int8_integer_weights), Status::missing_format);
  EXPECT_EQ(init(float_output, mixed, &int8_mixed_weights), Status::ok);
}

}  // namespace
}  // namespace heed::test
