// SPDX-License-Identifier: MIT
//
// Models whose file, state, scratch, input and output lie between pages that may not be touched.
#include <gtest/gtest.h>

#include <cstring>

#include "guard/guarded.hpp"
#include "support/effort.hpp"
#include "transformer/random_ends.hpp"

namespace heed::test {
namespace {

constexpr std::size_t plenty = std::size_t{1} << 20;

struct Memories {
  GuardedMemory file{plenty}, state{plenty}, scratch{plenty}, input{plenty}, types{plenty}, context{plenty},
      output{plenty};
};

/// Sets a model up between the pages and runs `count` tokens or frames through it.
void run_guarded(const ModelConfig& config, BlockMemory memory, Random& random, std::uint32_t count, Memories& memories,
                 Edge edge) {
  RandomWeights weights(random.bits(), config);
  const RandomEnds more_weights(random.bits(), config, weights.ends);
  AlignedMemory packed = packed_model(config, weights.ends, weights.blocks);
  const std::span<std::byte> file = memories.file.place(packed.span().size(), edge);
  std::memcpy(file.data(), packed.span().data(), file.size());
  const auto rows = static_cast<std::uint32_t>(detail::encoder_rows(config, count));
  ModelPlan plan;
  memory.rows = memory.max_keys = rows;
  memory.max_cross_keys = 3;
  memory.scratch_budget = 4096;
  ASSERT_EQ(make_plan(config, memory, plan), Status::ok);
  Model model;
  ASSERT_EQ(
      model.init(plan, memories.state.place(plan.state_bytes, edge), memories.scratch.place(plan.scratch_bytes, edge),
                 {file, all_formats, &extended_model}, storage_of(memory)),
      Status::ok);
  const std::uint32_t cross_dim = config.block.cross_dim;
  const std::vector<float> numbers = random.normals(std::size_t{40} * 64);
  if (cross_dim != 0) {
    const std::span<const float> context = memories.context.copy(numbers, std::size_t{3} * cross_dim, edge);
    ASSERT_EQ(model.set_context(dense(context.data(), 3, cross_dim), 3), Status::ok);
  }
  const std::size_t width = config.outputs != 0 ? config.outputs : config.block.model_dim;
  float* const output = memories.output.floats((config.pooling == Pooling::every ? rows : 1) * width, edge).data();
  if (config.input != ModelInput::tokens) {
    const std::span<const float> frames = memories.input.copy(numbers, std::size_t{count} * config.input_dim, edge);
    ASSERT_EQ(model.encode(dense(frames.data(), count, config.input_dim), count, output), Status::ok);
    return;
  }
  const auto numbers_below = [&](GuardedMemory& at, std::uint32_t end) {
    const std::span<std::byte> place = at.place(count * sizeof(std::uint32_t), edge);
    const std::span<std::uint32_t> all{reinterpret_cast<std::uint32_t*>(place.data()), count};
    for (std::uint32_t& number : all) number = random.between(0, end - 1);
    return all;
  };
  const std::span<std::uint32_t> tokens = numbers_below(memories.input, config.input_dim);
  if (config.token_types != 0) {
    ASSERT_EQ(model.encode(tokens, numbers_below(memories.types, config.token_types), output), Status::ok);
    return;
  }
  ASSERT_EQ(config.encoder ? model.encode(tokens, output) : model.prefill(tokens, output), Status::ok);
}

TEST(GuardTransformer, NothingOutsideOfWhatIsGivenIsTouched) {
  FaultReport report;
  Memories memories;
  Random random(5);
  for (int i = 0; i < 200 / static_cast<int>(case_divisor()) + 1; ++i) {
    ModelConfig config = random_config(random, i % 2 == 0);
    if (i % 4 > 1) extend_ends(random, config);
    config = completed(config);
    const std::uint32_t count = random.between(1, 20);
    for (const BlockMemory& memory : {BlockMemory{}, any_cache_types(random)}) {
      for (const Edge edge : {Edge::front, Edge::back}) {
        report.running("model %d, %s", i, edge == Edge::front ? "front" : "back");
        run_guarded(config, memory, random, count, memories, edge);
      }
    }
  }
}

}  // namespace
}  // namespace heed::test
