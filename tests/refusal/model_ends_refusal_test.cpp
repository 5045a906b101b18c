// SPDX-License-Identifier: MIT
//
// What the ends of extended models refuse, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include <limits>

#include "refusal/watched_model.hpp"

namespace heed::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

constexpr BlockMemory model_memory{.rows = 5, .max_keys = 6};

constexpr ModelConfig of_tokens{.block = {.model_dim = 12, .heads = 2, .mlp_dim = 20},
                                .blocks = 2,
                                .input_dim = 9,
                                .max_positions = 7,
                                .outputs = 4,
                                .pooling = Pooling::first,
                                .encoder = true,
                                .token_types = 2,
                                .pooler = Pooler::tanh};
constexpr ModelConfig of_frames{.block = {.model_dim = 12, .heads = 2, .mlp_dim = 20},
                                .blocks = 2,
                                .input_dim = 6,
                                .max_positions = 7,
                                .outputs = 4,
                                .input = ModelInput::frames,
                                .pooling = Pooling::mean_of_rest,
                                .class_token = true,
                                .encoder = true,
                                .registers = 2,
                                .norm_after_pooling = true};

struct RefusedConfig {
  const char* what;
  Status expected;
  const ModelConfig& from;
  void (*change)(ModelConfig&);
};

const RefusedConfig refused_configs[] = {
    {"pooling 5", Status::bad_option, of_tokens, [](ModelConfig& c) { c.pooling = static_cast<Pooling>(5); }},
    {"pooler 3", Status::bad_option, of_tokens, [](ModelConfig& c) { c.pooler = static_cast<Pooler>(3); }},
    {"a pooler of every row", Status::bad_option, of_tokens, [](ModelConfig& c) { c.pooling = Pooling::every; }},
    {"a decoder's pooler", Status::bad_option, of_tokens,
     [](ModelConfig& c) {
       c.encoder = false;
       c.token_types = 0;
       c.pooling = Pooling::last;
     }},
    {"a decoder's mean of the rest", Status::bad_option, of_tokens,
     [](ModelConfig& c) {
       c.encoder = false;
       c.token_types = 0;
       c.pooler = Pooler::none;
       c.pooling = Pooling::mean_of_rest;
     }},
    {"a decoder's types", Status::bad_option, of_tokens,
     [](ModelConfig& c) {
       c.encoder = false;
       c.pooler = Pooler::none;
       c.pooling = Pooling::last;
     }},
    {"types of frames", Status::bad_option, of_frames, [](ModelConfig& c) { c.token_types = 1; }},
    {"65537 types", Status::too_large, of_tokens, [](ModelConfig& c) { c.token_types = 65537; }},
    {"registers of tokens", Status::bad_option, of_tokens, [](ModelConfig& c) { c.registers = 1; }},
    {"65537 registers", Status::too_large, of_frames, [](ModelConfig& c) { c.registers = 65537; }},
    {"a cap below 0", Status::bad_option, of_tokens, [](ModelConfig& c) { c.output_softcap = -1.0F; }},
    {"a cap of 1e-31", Status::bad_option, of_tokens, [](ModelConfig& c) { c.output_softcap = 1e-31F; }},
    {"no cap", Status::bad_option, of_tokens, [](ModelConfig& c) { c.output_softcap = infinity; }},
    {"a cap NaN", Status::bad_option, of_tokens, [](ModelConfig& c) { c.output_softcap = infinity - infinity; }},
    {"a norm after no pooling", Status::bad_option, of_frames, [](ModelConfig& c) { c.pooling = Pooling::every; }},
    {"no norm after pooling", Status::bad_option, of_frames, [](ModelConfig& c) { c.without_final_norm = true; }},
};

TEST(ModelEndsRefusal, Plans) {
  for (const RefusedConfig& refused : refused_configs) {
    ModelConfig config = refused.from;
    const BlockMemory memory{.rows = 5, .max_keys = 6};
    ModelPlan plan;
    ASSERT_EQ(make_plan(config, memory, plan), Status::ok);
    refused.change(config);
    Witness witness;
    witness.watch_object("the plan", plan);
    witness.expect(refused.expected, refused.what, [&] { return make_plan(config, memory, plan); });
  }
}

TEST(ModelEndsRefusal, TypesOfTokens) {
  WatchedModel model(of_tokens, model_memory);
  Model& m = model.built.model;
  float* const to = model.logits.data();
  const std::vector<std::uint32_t> tokens{1, 2, 3}, types{0, 1, 1}, others{0, 1, 2}, outside{1, 9, 0};
  const std::vector<std::uint32_t> many(6);
  Witness& witness = model.witness;
  Model none;
  witness.expect(Status::not_initialised, "no model", [&] { return none.encode(tokens, types, to); });
  witness.expect(Status::bad_token, "type 2 of 2", [&] { return m.encode(tokens, others, to); });
  witness.expect(Status::bad_token, "token 9 of 9", [&] { return m.encode(outside, types, to); });
  witness.expect(Status::bad_length, "two types of three",
                 [&] { return m.encode(tokens, std::span(types).first(2), to); });
  witness.expect(Status::null_pointer, "no types",
                 [&] { return m.encode(tokens, std::span<const std::uint32_t>{}, to); });
  witness.expect(Status::null_pointer, "no logits", [&] { return m.encode(tokens, types, nullptr); });
  witness.expect(Status::zero_dimension, "no tokens", [&] { return m.encode({}, types, to); });
  witness.expect(Status::too_large, "6 tokens for 5 rows", [&] { return m.encode(many, many, to); });
  EXPECT_EQ(m.encode(tokens, types, to), Status::ok);

  ModelConfig untyped = of_tokens;
  untyped.token_types = 0;
  WatchedModel other(untyped, model_memory);
  other.witness.expect(Status::plan_mismatch, "types of a model without them",
                       [&] { return other.built.model.encode(tokens, types, other.logits.data()); });
}

TEST(ModelEndsRefusal, RegistersAreRows) {
  WatchedModel model(of_frames, model_memory);
  const std::vector<float> frames(100, 1.0F);
  const auto encode = [&](std::uint32_t count) {
    return model.built.model.encode(dense(frames.data(), count, 6), count, model.logits.data());
  };
  model.witness.expect(Status::too_large, "three frames, two registers and a class token for 5 rows",
                       [&] { return encode(3); });
  EXPECT_EQ(encode(2), Status::ok);
}

TEST(ModelEndsRefusal, ExtensionsThatAreNotNamed) {
  for (const ModelConfig& config : {of_tokens, of_frames}) {
    WatchedModel model(config, model_memory);
    BuiltModel& built = model.built;
    model.witness.expect(Status::missing_format, "init", [&] {
      return built.model.init(built.plan, built.state.span(), built.scratch.span(), model.file.span());
    });
    model.witness.expect(Status::missing_format, "bind", [&] {
      return built.model.bind(built.plan, built.state.span(), built.scratch.span(), model.file.span());
    });
  }
}

TEST(ModelEndsRefusal, Packing) {
  const auto without = [](const ModelConfig& from, const float* ModelWeights::*member) {
    const ModelConfig config = completed(from);
    ModelPlan plan;
    ASSERT_EQ(make_plan(config, {.rows = 1, .max_keys = 1}, plan), Status::ok);
    RandomWeights weights(4, config);
    const RandomEnds more(5, config, weights.ends);
    AlignedMemory file(plan.file.bytes);
    const auto pack = [&] { return pack_model(plan, weights.ends, weights.blocks, file.span()); };
    EXPECT_EQ(pack(), Status::ok);
    weights.ends.*member = nullptr;
    Witness witness;
    witness.watch("file", file.span());
    witness.expect(Status::null_pointer, "a weight that is not there", pack);
  };
  without(of_tokens, &ModelWeights::token_types);
  without(of_tokens, &ModelWeights::pooler);
  without(of_frames, &ModelWeights::registers);
}

}  // namespace
}  // namespace heed::test
