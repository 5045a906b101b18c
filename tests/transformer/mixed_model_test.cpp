// SPDX-License-Identifier: MIT
//
// Blocks some of whose rows are rounded to integers while others are floats: what each product is, what may not change
// a bit, how far they are from their twins in double precision, their files, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "nn/activation.hpp"
#include "support/hash.hpp"
#include "support/threads.hpp"
#include "transformer/integer_model.hpp"
#include "transformer/reference_model.hpp"
#include "transformer/tiny_model.hpp"

namespace heed::test {
namespace {

constexpr DataType float32 = DataType::float32;
constexpr DataType int8 = DataType::int8;
constexpr DataType int16 = DataType::int16;
constexpr std::uint32_t mixes = 14;

/// Each of row_type, output_row_type, mlp_row_type and down_row_type is `integers` or float32, and not all are one.
ModelConfig with_mix(ModelConfig config, std::uint32_t number, DataType integers) {
  BlockConfig& block = config.block;
  DataType* const types[] = {&block.row_type, &block.output_row_type, &block.mlp_row_type, &block.down_row_type};
  for (std::uint32_t i = 0; i < 4; ++i) *types[i] = ((number + 1) >> i & 1) != 0 ? integers : float32;
  block.weight_type = int8;
  return config;
}

std::vector<float> run(AlignedMemory& file, const BlockMemory& memory, std::uint32_t split,
                       const Executor& executor = {}) {
  return run_in_parts(file, memory, split, 1, executor);
}

TEST(MixedModel, NothingButTheNumbersChangesABit) {
  Hash hash;
  for (const ModelConfig& shape : {tiny_llama, tiny_gpt2, tiny_vit}) {
    for (std::uint32_t mix = 0; mix < 2 * mixes; ++mix) {
      AlignedMemory file = TinyModel(with_mix(shape, mix % mixes, mix < mixes ? int8 : int16), true).file();
      BlockMemory memory{.rows = 12, .max_keys = 16};
      const std::vector<float> expected = run(file, memory, 12);
      for (const float number : expected) ASSERT_TRUE(std::isfinite(number));
      hash.add(expected);
      memory.scratch_budget = 512;
      memory.workers = 3;
      EXPECT_EQ(run(file, memory, 12, thread_per_task()), expected) << mix;
      if (shape.encoder) continue;
      memory.rows = 2;
      EXPECT_EQ(run(file, memory, 12), expected) << mix << ", two rows at a time";
      EXPECT_EQ(run(file, memory, 5), expected) << mix << ", chunks";
      memory.rows = 1;
      EXPECT_EQ(run(file, memory, 1), expected) << mix << ", token by token";
    }
  }
  EXPECT_EQ(hash.value(), 0x32201DF665D95B8EU) << std::hex << hash.value();
}

/// What an observer saw of a block.
struct Seen {
  std::vector<float> attention, mlp;

  static void see(void* context, std::uint32_t, Stage stage, const float* values, std::uint32_t rows,
                  std::uint32_t columns) {
    Seen& seen = *static_cast<Seen*>(context);
    const std::vector<float> kept(values, values + std::size_t{rows} * columns);
    if (stage == Stage::attention) seen.attention = kept;
    if (stage == Stage::mlp) seen.mlp = kept;
  }
};

/// The first block of a model file, over rows of its own.
struct FirstBlock {
  static constexpr std::uint32_t rows = 5;

  ModelPlan plan;
  std::span<const std::byte> packed;  ///< the block's
  std::vector<float> x;
  Seen seen;

  FirstBlock(const ModelConfig& config, std::span<const std::byte> file) {
    EXPECT_EQ(make_plan(config, {.rows = rows, .max_keys = rows}, plan), Status::ok);
    packed = file.subspan(plan.file.block_weights.offset, plan.block.weights_bytes);
    Random random(9);
    x = random.normals(std::size_t{rows} * config.block.model_dim);
  }

  std::vector<float> run() {
    AlignedMemory state(plan.block.state_bytes);
    AlignedMemory scratch(plan.block.scratch_bytes);
    TransformerBlock block;
    EXPECT_EQ(block.init(plan.block, state.span(), scratch.span(), {packed, &int8_mixed_weights}), Status::ok);
    std::vector<float> y = x;
    BlockOptions options;
    options.observer = {.context = &seen, .see = Seen::see};
    EXPECT_EQ(block.prefill(y.data(), rows, options), Status::ok);
    return y;
  }

  [[nodiscard]] const float* floats(const Region& region) const {
    return reinterpret_cast<const float*>(packed.data() + region.offset);
  }

  /// linear() alone, which has no part in a mix.
  [[nodiscard]] std::vector<float> product(const LinearPlan& linear_plan, const std::vector<float>& from) const {
    std::vector<float> to(std::size_t{rows} * linear_plan.outputs);
    AlignedMemory scratch(linear_plan.staging_bytes + std::size_t{rows} * linear_plan.row_bytes);
    const bool integers = linear_plan.row_type != float32;
    EXPECT_EQ(linear(linear_plan, {packed, integers ? &int8_integer_weights : &int8_weights}, rows,
                     dense(from.data(), rows, linear_plan.inputs), dense(to.data(), rows, linear_plan.outputs),
                     scratch.span()),
              Status::ok);
    return to;
  }
};

TEST(MixedModel, EveryProductOfAnMlpIsThatOfItsRowsAndGeluIsInIntegersWhereTheRowsAfterItAre) {
  for (std::uint32_t mix = 0; mix < 2 * mixes; ++mix) {
    const TinyModel model(with_mix(tiny_gpt2, mix % mixes, mix < mixes ? int8 : int16), true);
    AlignedMemory file = model.file();
    FirstBlock block(model.config, file.span());
    static_cast<void>(block.run());
    const BlockPlan& plan = block.plan.block;
    const std::uint32_t dim = plan.config.model_dim;
    std::vector<float> h = block.x;
    for (std::size_t i = 0; i < h.size(); ++i) h[i] += block.seen.attention[i];
    ASSERT_EQ(layer_norm(dense<const float>(h.data(), FirstBlock::rows, dim), FirstBlock::rows, dim,
                         {block.floats(plan.mlp_norm.weight), dim}, {block.floats(plan.mlp_norm.bias), dim},
                         plan.config.norm_epsilon, dense(h.data(), FirstBlock::rows, dim)),
              Status::ok);
    std::vector<float> hidden = block.product(plan.mlp.up, h);
    auto* const activate =
        plan.config.down_row_type == float32 ? detail::map_activation : detail::map_integer_activation;
    activate(plan.config.activation, hidden.data(), nullptr, static_cast<std::uint32_t>(hidden.size()), hidden.data());
    EXPECT_EQ(block.product(plan.mlp.down, hidden), block.seen.mlp) << mix;
  }
}

TEST(MixedModel, IsCloseToItsTwinInDoublePrecision) {
  for (const ModelConfig& shape : {tiny_llama, tiny_gpt2}) {
    ModelConfig plain = shape;
    plain.positions = Positions::none;
    for (std::uint32_t mix = 0; mix < 2 * mixes; ++mix) {
      const TinyModel model(with_mix(plain, mix % mixes, mix < mixes ? int8 : int16), true);
      AlignedMemory file = model.file();
      const DequantizedWeights exact(model.config, model.ends, model.blocks, file.span());
      FirstBlock block(model.config, file.span());
      Numbers expected(block.x.begin(), block.x.end());
      reference_block(model.config, exact.blocks[0], {}, expected);
      const std::vector<float> found = block.run();
      double error = 0.0;
      double size = 0.0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        error += std::pow(found[i] - expected[i], 2);
        size += std::pow(expected[i], 2);
      }
      EXPECT_LT(std::sqrt(error / size), mix < mixes ? 0.02 : 2e-3) << mix;
    }
  }
}

TEST(MixedModel, NamesItsOwnFormatAndAFileOfTheSecondVersion) {
  const TinyModel model(with_mix(tiny_gpt2, 6, int8), true);
  AlignedMemory file = model.file();
  EXPECT_EQ(file[4], std::byte{2});
  const ModelFile read = read_model(file.span());
  ASSERT_EQ(read.status, Status::ok) << read.field;
  EXPECT_EQ(read.config, model.config);
  BuiltModel built(file.span(), {.rows = 2, .max_keys = 8});
  const auto status = [&](std::span<const Format* const> formats) {
    Model other;
    return other.init(built.plan, built.state.span(), built.scratch.span(), {file.span(), formats});
  };
  const Format* const pure[] = {&int8_weights, &int8_integer_weights};
  EXPECT_EQ(status(pure), Status::missing_format);
  EXPECT_EQ(status(std::span(&all_formats[8], 1)), Status::ok);

  // Of a block without a mix it is no format, and linear() takes none of it.
  FirstBlock block(model.config, file.span());
  const LinearPlan& down = block.plan.block.mlp.down;
  std::vector<float> x(down.inputs);
  std::vector<float> y(down.outputs);
  AlignedMemory scratch(down.staging_bytes + down.row_bytes);
  EXPECT_EQ(linear(down, {block.packed, &int8_mixed_weights}, 1, dense<const float>(x.data(), 1, down.inputs),
                   dense(y.data(), 1, down.outputs), scratch.span()),
            Status::missing_format);
  AlignedMemory integers = TinyModel(with_integers(tiny_gpt2, all_integer_types[0]), true).file();
  BuiltModel of_integers(integers.span(), {.rows = 2, .max_keys = 8});
  Model other;
  EXPECT_EQ(other.init(of_integers.plan, of_integers.state.span(), of_integers.scratch.span(),
                       {integers.span(), std::span(&all_formats[8], 1)}),
            Status::missing_format);

  // A file of floats that says so, but for one product.
  AlignedMemory changed = TinyModel(with_mix(tiny_gpt2, 7, int8), true).file();
  EXPECT_EQ(changed[4], std::byte{2});
  changed[4] = std::byte{1};
  EXPECT_EQ(read_model(changed.span()).status, Status::bad_file);
}

TEST(MixedModel, WeightsWithMultipliersHaveNoFloatRows) {
  for (const DataType weights : {DataType::int8_multipliers, DataType::int4_multipliers, DataType::int8_groups}) {
    for (std::uint32_t mix = 0; mix < mixes; ++mix) {
      ModelConfig config = with_mix(tiny_llama, mix, int16);
      config.block.weight_type = weights;
      const Explanation why = explain<ModelPlan>(config, BlockMemory{.rows = 1, .max_keys = 1});
      EXPECT_EQ(why.status, Status::bad_option);
      EXPECT_TRUE(std::string(why.member).ends_with("row_type")) << why.member;
    }
  }
}

TEST(MixedModel, ScratchHoldsRoundedRowsOrDequantizedWeights) {
  ModelPlan plan;
  const ModelConfig config = with_mix(tiny_llama, 6, int8);  // the MLP's rows are floats, but those of down
  ASSERT_EQ(config.block.down_row_type, float32);
  ASSERT_EQ(config.block.mlp_row_type, int8);
  ASSERT_EQ(make_plan(config, {.rows = 1, .max_keys = 16, .workers = 2}, plan), Status::ok);
  const MlpPlan& mlp = plan.block.mlp;
  EXPECT_EQ(mlp.up.staging_bytes, 0U);
  EXPECT_EQ(mlp.down.row_bytes, 0U);
  EXPECT_EQ(mlp.staging.bytes, std::max(2 * mlp.down.staging_bytes, mlp.rows * mlp.up.row_bytes));
}

}  // namespace
}  // namespace heed::test
