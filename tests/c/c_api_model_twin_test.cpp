// SPDX-License-Identifier: MIT
//
// Models of the C interface against those of C++, to the bit: random models, random calls, good ones and bad ones, with
// every intermediate result; and what the C interface refuses by itself.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "c/model_twins.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

/// A model and what it reads. Every tenth token is outside of the vocabulary.
struct RandomCalls {
  Random& random;
  ModelConfig config;
  AlignedMemory file;
  std::vector<float> frames = random.normals(std::size_t{30} * config.input_dim);
  std::vector<float> context = random.normals(std::size_t{20} * (config.block.cross_dim + 1));
  std::set<Status> seen;

  RandomCalls(Random& from, bool causal) : RandomCalls(from, random_config(from, causal)) {}
  RandomCalls(Random& from, const ModelConfig& some) : random(from), config(some), file(packed(from.bits(), config)) {}

  static AlignedMemory packed(std::uint64_t seed, const ModelConfig& config) {
    RandomWeights weights(seed, config);
    const RandomEnds more_weights(seed + 1, config, weights.ends);
    return packed_model(config, weights.ends, weights.blocks);
  }

  [[nodiscard]] std::vector<std::uint32_t> tokens(std::uint32_t most) const {
    std::vector<std::uint32_t> some(random.between(0, most));
    for (std::uint32_t& token : some) token = random.between(0, config.input_dim - 1);
    if (!some.empty() && random.between(0, 9) == 0) some.back() = config.input_dim;
    return some;
  }

  /// Of every tenth call one is not in the model.
  [[nodiscard]] std::vector<std::uint32_t> types(std::size_t count) const {
    std::vector<std::uint32_t> some(count);
    for (std::uint32_t& type : some) type = random.between(0, std::max(config.token_types, 1U) - 1);
    if (count != 0 && random.between(0, 9) == 0) some.back() = config.token_types;
    return some;
  }

  void call_some(ModelTwins& twins) {
    const bool output = random.between(0, 14) != 0;
    switch (random.between(0, 7)) {
      case 0:
      case 1: seen.insert(twins.prefill(tokens(5), output)); break;
      case 2: seen.insert(twins.decode(random.between(0, config.input_dim - 1), output)); break;
      case 3: seen.insert(twins.encode(tokens(15), output)); break;
      case 4: {
        const std::uint32_t count = random.between(0, 15);
        seen.insert(twins.encode(dense<const float>(frames.data(), count, config.input_dim), count, output));
        break;
      }
      case 5: {
        const std::uint32_t count = random.between(0, 11);
        seen.insert(twins.set_context(dense<const float>(context.data(), count, config.block.cross_dim), count));
        break;
      }
      case 6: {
        const std::vector<std::uint32_t> some = tokens(15);
        seen.insert(twins.encode(some, types(some.size()), output));
        break;
      }
      default: seen.insert(twins.truncate(random.between(0, 14)));
    }
  }
};

void expect_twins(Random& random, const BlockMemory& memory, std::set<Status>& seen, const KvStorage& storage = {}) {
  for (int i = 0; i < 60 / static_cast<int>(case_divisor()) + 2; ++i) {
    SCOPED_TRACE(i);
    RandomCalls calls(random, i % 2 == 0);
    ModelTwins twins(calls.file, memory, storage);
    for (int call = 0; call < 40; ++call) calls.call_some(twins);
    // A restored snapshot goes on where the model was.
    ASSERT_EQ(twins.start(heed_model_bind), Status::ok);
    for (int call = 0; call < 5; ++call) calls.call_some(twins);
    seen.insert(calls.seen.begin(), calls.seen.end());
  }
}

TEST(CModelTwin, RandomCalls) {
  Random random(31);
  std::set<Status> seen;
  expect_twins(random, {.rows = 12, .max_keys = 12, .max_cross_keys = 9}, seen);
  expect_twins(random, {.rows = 12, .max_keys = 12, .max_cross_keys = 9, .workers = 3, .scratch_budget = 4096}, seen);
  expect_twins(random,
               {.rows = 12,
                .max_keys = 13,
                .max_cross_keys = 9,
                .key_type = DataType::int8,
                .value_type = DataType::int8,
                .cross_type = DataType::float16},
               seen, {.formats = {&int8_cache, &float16_cache}});
  for (const Status status :
       {Status::ok, Status::zero_dimension, Status::null_pointer, Status::plan_mismatch, Status::bad_token,
        Status::cache_full, Status::too_large, Status::bad_length, Status::not_initialised}) {
    EXPECT_TRUE(seen.contains(status)) << to_string(status);
  }
}

TEST(CModelTwin, ExtendedModels) {
  Random random(34);
  std::set<Status> seen;
  for (int i = 0; i < 80 / static_cast<int>(case_divisor()) + 2; ++i) {
    SCOPED_TRACE(i);
    ModelConfig config = random_extended_blocks(random, i % 2 == 0);
    extend_ends(random, config);
    RandomCalls calls(random, completed(config));
    BlockMemory memory{.rows = 16, .max_keys = 16, .max_cross_keys = 9, .workers = 1 + random.between(0, 2)};
    memory.ring = i % 4 == 0 ? 1 : 0;
    ModelTwins twins(calls.file, memory, {.ring = &kv_ring_with_positions});
    for (int call = 0; call < 40; ++call) calls.call_some(twins);
    ASSERT_EQ(twins.start(heed_model_bind), Status::ok);
    for (int call = 0; call < 5; ++call) calls.call_some(twins);
    seen.insert(calls.seen.begin(), calls.seen.end());
  }
  for (const Status status : {Status::ok, Status::plan_mismatch, Status::bad_token, Status::null_pointer}) {
    EXPECT_TRUE(seen.contains(status)) << to_string(status);
  }
}

TEST(CModelTwin, ARingRunsForever) {
  Random random(32);
  RandomCalls calls(random, true);
  calls.config = completed({.block = {.model_dim = 8, .heads = 2, .cross_dim = 0},
                            .blocks = 2,
                            .input_dim = 11,
                            .max_positions = 9,
                            .positions = Positions::rotary});
  calls.file = RandomCalls::packed(5, calls.config);
  ModelTwins twins(
      calls.file,
      {.max_keys = 6, .sink_tokens = 2, .key_type = DataType::int8, .value_type = DataType::int8, .ring = true},
      {.formats = {&int8_cache}, .ring = &kv_ring});
  for (std::uint32_t token = 0; token < 20; ++token) ASSERT_EQ(twins.decode(token % 11), Status::ok);
  EXPECT_EQ(heed_model_tokens(&twins.c), 20U);
  EXPECT_EQ(twins.truncate(3), Status::bad_length);
  EXPECT_EQ(twins.truncate(2), Status::ok);
}

TEST(CModelTwin, MemoriesAndFormatsAreChecked) {
  ModelConfig config = completed({.block = {.model_dim = 8, .heads = 2, .weight_type = DataType::bfloat16},
                                  .blocks = 2,
                                  .input_dim = 11,
                                  .max_positions = 9,
                                  .outputs = 5});
  AlignedMemory file = RandomCalls::packed(6, config);
  ModelTwins twins(file, {.max_keys = 6, .key_type = DataType::int8}, {.formats = {&int8_cache}});
  for (auto* const call : {heed_model_init, heed_model_bind}) {
    EXPECT_EQ(twins.start(call, 1), Status::arena_too_small);
    EXPECT_EQ(twins.start(call, 0, 1), Status::arena_too_small);
    EXPECT_EQ(twins.start(call, 0, 0, 1), Status::arena_too_small);
    EXPECT_EQ(twins.start(call, 0, 0, 0, 0), Status::missing_format);  // no formats
    EXPECT_EQ(twins.start(call, 0, 0, 0, 1), Status::missing_format);  // others
    EXPECT_EQ(twins.start(call, 0, 0, 0, 2), Status::ok);
    EXPECT_EQ(twins.start(call, 0, 0, 0, 5, false), Status::missing_format);  // no storage
  }
  // What was refused has changed nothing.
  EXPECT_EQ(twins.decode(1), Status::ok);
}

TEST(CModelTwin, DamagedFilesAreRefusedAlike) {
  Random random(33);
  const ModelConfig config = random_config(random, true);
  AlignedMemory file = RandomCalls::packed(7, config);
  const auto expect_same = [&](std::size_t bytes) {
    const ModelFile expected = read_model(file.span().first(bytes));
    ModelConfig got{};
    const char* field = nullptr;
    const heed_status status = heed_read_model(file.span().data(), bytes, &got, &field);
    EXPECT_EQ(status, expected.status);
    EXPECT_STREQ(field, expected.field);
    EXPECT_EQ(got.blocks, expected.status == Status::ok ? config.blocks : 0U);
    return status;
  };
  EXPECT_EQ(expect_same(file.span().size()), Status::ok);
  EXPECT_EQ(expect_same(file.span().size() - 1), Status::bad_file);
  for (std::size_t i = 0; i < 200; ++i) {
    file.span()[i] ^= std::byte{4};
    EXPECT_EQ(expect_same(file.span().size()), Status::bad_file) << i;
    file.span()[i] ^= std::byte{4};
  }
  ModelConfig unchanged{};
  EXPECT_EQ(heed_read_model(nullptr, 1, &unchanged, nullptr), Status::null_pointer);
  EXPECT_EQ(heed_read_model(file.span().data(), 1, nullptr, nullptr), Status::null_pointer);
  EXPECT_EQ(heed_read_model(file.span().data() + 4, 192, &unchanged, nullptr), Status::arena_misaligned);
}

TEST(CModelTwin, PlansAreThoseOfCpp) {
  for (std::uint32_t stage = 0; stage < 8; ++stage) {
    EXPECT_STREQ(heed_stage_to_string(Stage{stage}), to_string(Stage{stage}));
  }
  ModelConfig config{.block = {.model_dim = 8}, .blocks = 1, .input_dim = 3, .max_positions = 4};
  const BlockMemory memory{.max_keys = 4, .ring = 7};
  ModelPlan plan, expected;
  ASSERT_EQ(heed_plan_model(&config, &memory, &plan), Status::ok);
  ASSERT_EQ(make_plan(config, memory, expected), Status::ok);
  EXPECT_TRUE(plan == expected);
  config.block.activation = Activation{4};
  EXPECT_EQ(heed_plan_model(&config, &memory, &plan), Status::bad_option);
  EXPECT_EQ(heed_plan_model(nullptr, &memory, &plan), Status::null_pointer);
  EXPECT_EQ(heed_plan_model(&config, nullptr, &plan), Status::null_pointer);
  EXPECT_EQ(heed_plan_model(&config, &memory, nullptr), Status::null_pointer);
  EXPECT_TRUE(plan == expected);
}

}  // namespace
}  // namespace heed::test
