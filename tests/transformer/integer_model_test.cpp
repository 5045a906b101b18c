// SPDX-License-Identifier: MIT
//
// Blocks and models whose rows are rounded to integers: what may not change a bit of them, how far they are from the
// floats that they stand for, their plans, their files, and what is refused.
#include "transformer/integer_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "heed/detail/model_members.hpp"
#include "support/hash.hpp"
#include "support/threads.hpp"
#include "transformer/tiny_model.hpp"

namespace heed::test {
namespace {

constexpr DataType int8 = DataType::int8;
constexpr DataType int16 = DataType::int16;

std::vector<float> run(AlignedMemory& file, const BlockMemory& memory, std::uint32_t split,
                       const Executor& executor = {}) {
  return run_in_parts(file, memory, split, 12, executor);
}

TEST(IntegerModel, NothingButTheNumbersChangesABit) {
  for (const ModelConfig& shape : {tiny_llama, tiny_gpt2, tiny_vit}) {
    for (const IntegerTypes& types : all_integer_types) {
      const TinyModel model(with_integers(shape, types), true);
      AlignedMemory file = model.file();
      BlockMemory memory{.rows = 12, .max_keys = 16};
      const std::vector<float> expected = run(file, memory, 12);
      for (const float number : expected) ASSERT_TRUE(std::isfinite(number));
      memory.scratch_budget = 512;
      memory.workers = 3;
      EXPECT_EQ(run(file, memory, 12, thread_per_task()), expected);
      if (shape.encoder) continue;
      memory.rows = 2;
      EXPECT_EQ(run(file, memory, 12), expected) << "two rows at a time";
      EXPECT_EQ(run(file, memory, 5), expected) << "chunks";
      memory.rows = 1;
      EXPECT_EQ(run(file, memory, 1), expected) << "token by token";
    }
  }
}

TEST(IntegerModel, IsCloseToTheFloatsOfItsWeights) {
  for (const ModelConfig& shape : {tiny_llama, tiny_gpt2, tiny_vit}) {
    for (const IntegerTypes& types : all_integer_types) {
      const TinyModel model(with_integers(shape, types), true);
      AlignedMemory file = model.file();
      const DequantizedWeights floats(model.config, model.ends, model.blocks, file.span());
      AlignedMemory exact = packed_model(with_floats(model.config), floats.ends, floats.blocks);
      const BlockMemory memory{.rows = 12, .max_keys = 16};
      const std::vector<float> expected = run(exact, memory, 12);
      const std::vector<float> found = run(file, memory, 12);
      double error = 0.0;
      double size = 0.0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        error += std::pow(double{found[i]} - expected[i], 2);
        size += std::pow(double{expected[i]}, 2);
      }
      // Rows of int16 leave the error of the activations, at most 1.6e-3 of one.
      const bool coarse = types.rows == int8 || types.down_rows == int8;
      EXPECT_LT(std::sqrt(error / size), coarse ? 0.15 : 2e-3);
      EXPECT_GT(error, 0.0);
    }
  }
}

TEST(IntegerModel, ScratchHoldsRoundedRows) {
  ModelPlan plan;
  const ModelConfig config = with_integers(tiny_llama, all_integer_types[0]);
  ASSERT_EQ(make_plan(config, {.rows = 5, .max_keys = 16, .workers = 4}, plan), Status::ok);
  const std::uint32_t row = plan.file.head.row_bytes;
  EXPECT_EQ(row, detail::rounded_row_bytes(12));
  EXPECT_EQ(plan.staging.name, RegionName::rounded_rows);
  EXPECT_EQ(plan.block.mlp.staging.name, RegionName::rounded_rows);
  EXPECT_EQ(plan.block.attention.staging.name, RegionName::rounded_rows);
  EXPECT_EQ(plan.block.mlp.staging.bytes, plan.block.mlp.rows * plan.block.mlp.down.row_bytes);
  EXPECT_STREQ(to_string(plan.staging.name), "rounded rows");
  ModelPlan floats;
  ASSERT_EQ(make_plan(tiny_llama, {.rows = 5, .max_keys = 16, .workers = 4}, floats), Status::ok);
  EXPECT_EQ(plan.state_bytes, floats.state_bytes);
  EXPECT_EQ(floats.staging.bytes, 0U);
}

const char* refused_member(const ModelConfig& config) {
  static std::string member;
  const Explanation why = explain<ModelPlan>(config, BlockMemory{.rows = 1, .max_keys = 1});
  EXPECT_EQ(why.status, Status::bad_option);
  ModelPlan plan;
  EXPECT_EQ(make_plan(config, {.rows = 1, .max_keys = 1}, plan), Status::bad_option);
  member = why.member;
  return member.c_str();
}

TEST(IntegerModel, TypesThatDoNotGoTogetherAreRefused) {
  const ModelConfig good = with_integers(tiny_llama, all_integer_types[0]);
  ModelConfig config = good;
  config.block.down_row_type = DataType::int4;
  EXPECT_STREQ(refused_member(config), "down_row_type");
  config = good;
  config.block.output_row_type = DataType::int8_groups;
  EXPECT_STREQ(refused_member(config), "output_row_type");
  config = good;
  config.block.mlp_row_type = DataType::float16;
  EXPECT_STREQ(refused_member(config), "mlp_row_type");
  config = good;
  config.block.weight_type = DataType::int4_groups;
  EXPECT_STREQ(refused_member(config), "mlp_row_type");
  config = good;
  config.head_type = DataType::float32;
  EXPECT_STREQ(refused_member(config), "head_row_type");
  config = good;
  config.input_row_type = int8;
  EXPECT_STREQ(refused_member(config), "input_row_type") << "of tokens";
  config = good;
  config.outputs = 0;
  EXPECT_STREQ(refused_member(config), "head_row_type") << "without a head";
  config = tiny_llama;
  config.block.weight_type = DataType::int8_multipliers;
  EXPECT_EQ(explain<ModelPlan>(config, BlockMemory{.rows = 1, .max_keys = 1}).status, Status::bad_option);
  config = tiny_vit;
  config.input_type = int8;
  config.input_row_type = int16;
  EXPECT_EQ(explain<ModelPlan>(config, BlockMemory{.rows = 5, .max_keys = 5}).status, Status::ok) << "one part alone";
}

TEST(IntegerModel, FormatsAreNamedAndWeightsAreThoseOfThePlan) {
  const TinyModel integers(with_integers(tiny_gpt2, all_integer_types[0]), true);
  ModelConfig floats = integers.config;
  floats.block.row_type = floats.block.output_row_type = DataType::float32;
  floats.block.mlp_row_type = floats.block.down_row_type = floats.head_row_type = DataType::float32;
  const TinyModel others(floats, true);
  AlignedMemory file = integers.file();
  AlignedMemory other = others.file();
  BuiltModel built(file.span(), {.rows = 2, .max_keys = 8});
  Model model;
  const auto status = [&](std::span<const std::byte> bytes, std::span<const Format* const> formats) {
    return model.init(built.plan, built.state.span(), built.scratch.span(), {bytes, formats});
  };
  const Format* const wrong[] = {&int8_weights, &int8_multiplier_weights, nullptr};
  EXPECT_EQ(status(file.span(), {}), Status::missing_format);
  EXPECT_EQ(status(file.span(), wrong), Status::missing_format);
  EXPECT_EQ(status(other.span(), all_formats),
            other.span().size() < file.span().size() ? Status::arena_too_small : Status::wrong_weights);
  EXPECT_EQ(status(file.span(), all_formats), Status::ok);

  // The same bytes, but those that say for which rows.
  AlignedMemory changed(file.span());
  changed[4] = std::byte{1};
  EXPECT_EQ(read_model(changed.span()).status, Status::bad_file);
}

TEST(IntegerModel, AFileSaysItsTypesAndAFileOfFloatsIsOfTheFirstVersion) {
  for (const IntegerTypes& types : all_integer_types) {
    for (const ModelConfig& shape : {tiny_llama, tiny_gpt2, tiny_vit}) {
      const TinyModel model(with_integers(shape, types), true);
      AlignedMemory file = model.file();
      const ModelFile read = read_model(file.span());
      ASSERT_EQ(read.status, Status::ok) << read.field;
      EXPECT_EQ(read.config, model.config);
      EXPECT_EQ(file[4], std::byte{2});
    }
  }
  AlignedMemory floats = TinyModel(tiny_llama, true).file();
  EXPECT_EQ(floats[4], std::byte{1});
}

TEST(IntegerModel, HasTheBitsOfEveryMachine) {
  Hash hash;
  for (const ModelConfig& shape : {tiny_llama, tiny_gpt2, tiny_vit}) {
    for (const IntegerTypes& types : all_integer_types) {
      AlignedMemory file = TinyModel(with_integers(shape, types), true).file();
      hash.add(run(file, {.rows = 12, .max_keys = 16}, 12));
    }
  }
  EXPECT_EQ(hash.value(), 0x62555291409ED1F9U) << std::hex << hash.value();
}

}  // namespace
}  // namespace heed::test
