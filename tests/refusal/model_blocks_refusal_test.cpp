// SPDX-License-Identifier: MIT
//
// What the blocks of extended models refuse, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include <limits>

#include "heed/detail/extended_model.hpp"
#include "refusal/refusals.hpp"
#include "transformer/random_model.hpp"

namespace heed::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// A decoder with every member that goes with the others.
constexpr ModelConfig decoder{.block = {.model_dim = 12,
                                        .heads = 2,
                                        .mlp_dim = 20,
                                        .norm_placement = NormPlacement::both,
                                        .qk_norm = QkNorm::heads,
                                        .score_softcap = 2.0F},
                              .blocks = 2,
                              .input_dim = 9,
                              .max_positions = 7,
                              .positions = Positions::rotary,
                              .window = 3,
                              .full_every = 2,
                              .local_rotary_base = 100.0F,
                              .rotary_skip_every = 2,
                              .rotary_scaling = RotaryScaling::yarn,
                              .rotary_factor = 2.0F,
                              .rotary_original_positions = 8,
                              .relative_buckets = 8,
                              .relative_distance = 9};
constexpr BlockMemory memory{.rows = 3, .max_keys = 6};

struct RefusedConfig {
  const char* what;
  const char* member;  ///< that explain() names
  void (*change)(ModelConfig&);
  Status expected = Status::bad_option;
};

constexpr RefusedConfig refused_configs[] = {
    {"a placement that is none", "norm_placement",
     [](ModelConfig& c) { c.block.norm_placement = static_cast<NormPlacement>(4); }},
    {"both norms with a context", "norm_placement",
     [](ModelConfig& c) {
       c.block.cross_dim = 5;
       c.block.score_softcap = 0.0F;
     }},
    {"branches in parallel with a context", "norm_placement",
     [](ModelConfig& c) {
       c.block.cross_dim = 5;
       c.block.norm_placement = NormPlacement::parallel;
     }},
    {"a cap with a context", "score_softcap",
     [](ModelConfig& c) {
       c.block.cross_dim = 5;
       c.block.norm_placement = NormPlacement::before;
     }},
    {"norms of what", "qk_norm", [](ModelConfig& c) { c.block.qk_norm = static_cast<QkNorm>(2); }},
    {"a cap below 0", "score_softcap", [](ModelConfig& c) { c.block.score_softcap = -1.0F; }},
    {"a cap of 1e-31", "score_softcap", [](ModelConfig& c) { c.block.score_softcap = 1e-31F; }},
    {"an infinite cap", "score_softcap", [](ModelConfig& c) { c.block.score_softcap = infinity; }},
    {"a cap NaN", "score_softcap", [](ModelConfig& c) { c.block.score_softcap = infinity - infinity; }},
    {"a window of 2^30 + 1", "window", [](ModelConfig& c) { c.window = max_rows + 1; }, Status::too_large},
    {"an encoder's window", "window",
     [](ModelConfig& c) {
       c.encoder = true;
       c.pooling = Pooling::mean;
     }},
    {"blocks without a window that there is not", "full_every",
     [](ModelConfig& c) {
       c.window = 0;
       c.local_rotary_base = 0.0F;
     }},
    {"a window in no block", "full_every", [](ModelConfig& c) { c.full_every = 1; }},
    {"a base of no window", "local_rotary_base",
     [](ModelConfig& c) {
       c.window = 0;
       c.full_every = 0;
     }},
    {"a local base of 1", "local_rotary_base", [](ModelConfig& c) { c.local_rotary_base = 1.0F; }, Status::bad_base},
    {"no positions to leave out", "rotary_skip_every",
     [](ModelConfig& c) {
       c.positions = Positions::none;
       c.rotary_scaling = RotaryScaling::none;
       c.rotary_factor = 0.0F;
       c.rotary_original_positions = 0;
       c.local_rotary_base = 0.0F;
     }},
    {"no positions to scale", "rotary_scaling",
     [](ModelConfig& c) {
       c.positions = Positions::learned;
       c.rotary_skip_every = 0;
       c.local_rotary_base = 0.0F;
     }},
    {"no positions to multiply", "rotary_attention_factor",
     [](ModelConfig& c) {
       c = {.block = {.model_dim = 12}, .blocks = 1, .input_dim = 9, .max_positions = 7};
       c.rotary_attention_factor = 2.0F;
     }},
    {"a scaling that is none", "rotary_scaling",
     [](ModelConfig& c) { c.rotary_scaling = static_cast<RotaryScaling>(5); }},
    {"a factor below 1", "rotary_factor", [](ModelConfig& c) { c.rotary_factor = 0.5F; }, Status::bad_rotary},
    {"a factor of nothing", "rotary_factor", [](ModelConfig& c) { c.rotary_scaling = RotaryScaling::none; }},
    {"an original length of nothing", "rotary_original_positions",
     [](ModelConfig& c) {
       c.rotary_scaling = RotaryScaling::none;
       c.rotary_factor = 0.0F;
     }},
    {"no original length", "rotary_original_positions", [](ModelConfig& c) { c.rotary_original_positions = 0; },
     Status::zero_dimension},
    {"3 buckets", "relative_buckets", [](ModelConfig& c) { c.relative_buckets = 3; }},
    {"129 buckets", "relative_buckets", [](ModelConfig& c) { c.relative_buckets = 129; }},
    {"a distance within the exact ones", "relative_distance", [](ModelConfig& c) { c.relative_distance = 4; }},
    {"a distance of 2^30", "relative_distance", [](ModelConfig& c) { c.relative_distance = max_rows; }},
    {"a distance without buckets", "relative_distance", [](ModelConfig& c) { c.relative_buckets = 0; }},
};

TEST(ModelBlocksRefusal, Plans) {
  for (const RefusedConfig& refused : refused_configs) {
    ModelConfig config = decoder;
    ModelPlan plan;
    ASSERT_EQ(make_plan(config, memory, plan), Status::ok);
    refused.change(config);
    BlockMemory with_context = memory;
    with_context.max_cross_keys = 4;
    Witness witness;
    witness.watch_object("the plan", plan);
    const Explanation why = explain<ModelPlan>(config, with_context);
    EXPECT_STREQ(why.member, refused.member) << refused.what << ": " << why.rule;
    witness.expect(refused.expected, refused.what, [&] { return make_plan(config, with_context, plan); });
  }
}

/// A file, and init() of a model of it.
struct Start {
  ModelConfig config;
  AlignedMemory file;

  explicit Start(const ModelConfig& of) : config(completed(of)), file(packed(config)) {}

  static AlignedMemory packed(const ModelConfig& config) {
    const RandomWeights weights(7, config);
    return packed_model(config, weights.ends, weights.blocks);
  }

  [[nodiscard]] Status init(const BlockMemory& given, const ModelExtension* extension,
                            const KvStorage& storage = {}) const {
    ModelPlan plan;
    EXPECT_EQ(make_plan(config, given, plan), Status::ok);
    const AlignedMemory state(plan.state_bytes);
    const AlignedMemory scratch(plan.scratch_bytes);
    Model model;
    return model.init(plan, state.span(), scratch.span(), {file.span(), {}, extension}, storage);
  }
};

TEST(ModelBlocksRefusal, AProgramNamesTheExtension) {
  const auto with = [](auto change) {
    ModelConfig config{
        .block = {.model_dim = 12, .heads = 2, .mlp_dim = 20}, .blocks = 2, .input_dim = 9, .max_positions = 7};
    config.positions = Positions::rotary;
    change(config);
    return Start(config);
  };
  EXPECT_EQ(with([](ModelConfig&) {}).init(memory, nullptr), Status::ok);
  EXPECT_EQ(with([](ModelConfig&) {}).init(memory, &extended_model), Status::ok);
  // How positions are scaled is a matter of their plan.
  const Start scaled = with([](ModelConfig& c) {
    c.rotary_scaling = RotaryScaling::linear;
    c.rotary_factor = 2.0F;
  });
  EXPECT_EQ(scaled.init(memory, nullptr), Status::ok);
  for (const Start& start :
       {with([](ModelConfig& c) { c.block.qk_norm = QkNorm::heads; }),
        with([](ModelConfig& c) { c.block.score_softcap = 1.0F; }),
        with([](ModelConfig& c) { c.block.norm_placement = NormPlacement::both; }),
        with([](ModelConfig& c) { c.block.norm_placement = NormPlacement::parallel; }),
        with([](ModelConfig& c) { c.window = 2; }), with([](ModelConfig& c) { c.rotary_skip_every = 2; }),
        with([](ModelConfig& c) { c.relative_buckets = 4, c.relative_distance = 5; })}) {
    EXPECT_EQ(start.init(memory, nullptr), Status::missing_format);
    EXPECT_EQ(start.init(memory, &extended_model), Status::ok);
  }
}

TEST(ModelBlocksRefusal, ARingThatKnowsPositions) {
  const Start start(decoder);
  BlockMemory ring = memory;
  ring.ring = 1;
  EXPECT_EQ(start.init(ring, &extended_model), Status::missing_format);
  EXPECT_EQ(start.init(ring, &extended_model, {.ring = &kv_ring}), Status::missing_format);
  EXPECT_EQ(start.init(ring, &extended_model, {.ring = &kv_ring_with_positions}), Status::ok);
  // A window of as many keys as there are slots hides none of them; sink tokens it may hide.
  ModelConfig config = decoder;
  config.relative_buckets = config.relative_distance = 0;
  config.window = 6;
  EXPECT_EQ(Start(config).init(ring, &extended_model, {.ring = &kv_ring}), Status::ok);
  ring.sink_tokens = 1;
  EXPECT_EQ(Start(config).init(ring, &extended_model, {.ring = &kv_ring}), Status::missing_format);
  ring.sink_tokens = 0;
  config.window = 5;
  EXPECT_EQ(Start(config).init(ring, &extended_model, {.ring = &kv_ring}), Status::missing_format);
}

/// One by itself has no extension to go through.
TEST(ModelBlocksRefusal, ABlockByItself) {
  for (const BlockConfig& config : {BlockConfig{.model_dim = 12, .heads = 2, .qk_norm = QkNorm::heads},
                                    BlockConfig{.model_dim = 12, .heads = 2, .score_softcap = 1.0F},
                                    BlockConfig{.model_dim = 12, .norm_placement = NormPlacement::both},
                                    BlockConfig{.model_dim = 12, .norm_placement = NormPlacement::parallel}}) {
    const ModelConfig whole = completed({.block = config, .blocks = 1, .input_dim = 3, .max_positions = 4});
    const RandomWeights weights(8, whole);
    BlockPlan plan;
    ASSERT_EQ(make_plan(whole.block, memory, plan), Status::ok);
    AlignedMemory packed(plan.weights_bytes);
    ASSERT_EQ(pack_block(plan, weights.blocks[0], packed.span()), Status::ok);
    const AlignedMemory state(plan.state_bytes);
    const AlignedMemory scratch(plan.scratch_bytes);
    TransformerBlock block;
    EXPECT_EQ(block.init(plan, state.span(), scratch.span(), packed.span()), Status::missing_format);
    EXPECT_EQ(block.bind(plan, state.span(), scratch.span(), packed.span()), Status::missing_format);
  }
}

TEST(ModelBlocksRefusal, WeightsThatAreNotThere) {
  const ModelConfig config = completed(decoder);
  ModelPlan plan;
  ASSERT_EQ(make_plan(config, memory, plan), Status::ok);
  AlignedMemory file(plan.file.bytes);
  const auto pack = [&](auto change) {
    RandomWeights weights(9, config);
    change(weights);
    return pack_model(plan, weights.ends, weights.blocks, file.span());
  };
  EXPECT_EQ(pack([](RandomWeights&) {}), Status::ok);
  EXPECT_EQ(pack([](RandomWeights& w) { w.blocks[1].query_norm.weight = nullptr; }), Status::null_pointer);
  EXPECT_EQ(pack([](RandomWeights& w) { w.blocks[1].key_norm.weight = nullptr; }), Status::null_pointer);
  EXPECT_EQ(pack([](RandomWeights& w) { w.blocks[0].attention_output_norm.weight = nullptr; }), Status::null_pointer);
  EXPECT_EQ(pack([](RandomWeights& w) { w.blocks[0].mlp_output_norm.weight = nullptr; }), Status::null_pointer);
  EXPECT_EQ(pack([](RandomWeights& w) { w.ends.relative_bias = nullptr; }), Status::null_pointer);
}

}  // namespace
}  // namespace heed::test
