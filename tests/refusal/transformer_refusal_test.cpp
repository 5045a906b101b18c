// SPDX-License-Identifier: MIT
//
// Everything that blocks and models refuse, and that a refusal changes no byte: no output, no cache, no scratch, not
// the object itself.
#include <gtest/gtest.h>

#include <limits>

#include "refusal/watched_model.hpp"

namespace heed::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

constexpr BlockMemory model_memory{.rows = 3, .max_keys = 6, .max_cross_keys = 4};

constexpr ModelConfig decoder_config{.block = {.model_dim = 12, .heads = 2, .mlp_dim = 20, .cross_dim = 5},
                                     .blocks = 2,
                                     .input_dim = 9,
                                     .max_positions = 7,
                                     .outputs = 4};
constexpr ModelConfig encoder_config{.block = {.model_dim = 12, .heads = 2, .mlp_dim = 20},
                                     .blocks = 2,
                                     .input_dim = 6,
                                     .max_positions = 7,
                                     .outputs = 4,
                                     .input = ModelInput::frames,
                                     .pooling = Pooling::mean,
                                     .class_token = true,
                                     .encoder = true};

using ConfigChange = void (*)(ModelConfig&, BlockMemory&);
struct RefusedConfig {
  const char* what;
  Status expected;
  ConfigChange change;
};

const RefusedConfig refused_configs[] = {
    {"no blocks", Status::zero_dimension, [](ModelConfig& c, BlockMemory&) { c.blocks = 0; }},
    {"no vocabulary", Status::zero_dimension, [](ModelConfig& c, BlockMemory&) { c.input_dim = 0; }},
    {"no positions", Status::zero_dimension, [](ModelConfig& c, BlockMemory&) { c.max_positions = 0; }},
    {"no width", Status::zero_dimension, [](ModelConfig& c, BlockMemory&) { c.block.model_dim = 0; }},
    {"no keys", Status::zero_dimension, [](ModelConfig&, BlockMemory& m) { m.max_keys = 0; }},
    {"no cross keys", Status::zero_dimension, [](ModelConfig&, BlockMemory& m) { m.max_cross_keys = 0; }},
    {"5 heads of 12", Status::heads_not_divisible, [](ModelConfig& c, BlockMemory&) { c.block.heads = 5; }},
    {"65537 blocks", Status::too_large, [](ModelConfig& c, BlockMemory&) { c.blocks = 65537; }},
    {"a wide MLP", Status::too_large, [](ModelConfig& c, BlockMemory&) { c.block.mlp_dim = 65537; }},
    {"wide cross rows", Status::too_large, [](ModelConfig& c, BlockMemory&) { c.block.cross_dim = 65537; }},
    {"a huge vocabulary", Status::too_large, [](ModelConfig& c, BlockMemory&) { c.input_dim = 1U << 31; }},
    {"too many rows", Status::too_large, [](ModelConfig&, BlockMemory& m) { m.rows = 1U << 31; }},
    {"65 workers", Status::bad_workers, [](ModelConfig&, BlockMemory& m) { m.workers = 65; }},
    {"epsilon -1", Status::bad_option, [](ModelConfig& c, BlockMemory&) { c.block.norm_epsilon = -1.0F; }},
    {"epsilon NaN", Status::bad_option,
     [](ModelConfig& c, BlockMemory&) { c.block.norm_epsilon = infinity - infinity; }},
    {"epsilon infinite", Status::bad_option, [](ModelConfig& c, BlockMemory&) { c.block.norm_epsilon = infinity; }},
    {"weights of a type of caches", Status::bad_option,
     [](ModelConfig& c, BlockMemory&) { c.block.weight_type = DataType::int4; }},
    {"an input of a type of caches", Status::bad_option,
     [](ModelConfig& c, BlockMemory&) { c.input_type = DataType::int4; }},
    {"a head of type 7", Status::bad_option,
     [](ModelConfig& c, BlockMemory&) { c.head_type = DataType::int8_channels; }},
    {"norm 2", Status::bad_option, [](ModelConfig& c, BlockMemory&) { c.block.norm = static_cast<Norm>(2); }},
    {"placement 4", Status::bad_option,
     [](ModelConfig& c, BlockMemory&) { c.block.norm_placement = static_cast<NormPlacement>(4); }},
    {"activation 4", Status::bad_option,
     [](ModelConfig& c, BlockMemory&) { c.block.activation = static_cast<Activation>(4); }},
    {"input 4", Status::bad_option, [](ModelConfig& c, BlockMemory&) { c.input = static_cast<ModelInput>(4); }},
    {"positions 4", Status::bad_option, [](ModelConfig& c, BlockMemory&) { c.positions = static_cast<Positions>(4); }},
    {"pooling 5", Status::bad_option, [](ModelConfig& c, BlockMemory&) { c.pooling = static_cast<Pooling>(5); }},
    {"rotary layout 2", Status::bad_option,
     [](ModelConfig& c, BlockMemory&) { c.rotary_layout = static_cast<RotaryLayout>(2); }},
    {"scale NaN", Status::bad_option, [](ModelConfig& c, BlockMemory&) { c.embedding_scale = infinity - infinity; }},
    {"a decoder's mean", Status::bad_option, [](ModelConfig& c, BlockMemory&) { c.pooling = Pooling::mean; }},
    {"a decoder's class token", Status::bad_option, [](ModelConfig& c, BlockMemory&) { c.class_token = true; }},
    {"a tied head of other width", Status::bad_option, [](ModelConfig& c, BlockMemory&) { c.tied_head = true; }},
    {"keys of a type of weights", Status::bad_option,
     [](ModelConfig&, BlockMemory& m) { m.key_type = DataType::int8_groups; }},
    {"values of a type of weights", Status::bad_option,
     [](ModelConfig&, BlockMemory& m) { m.value_type = DataType::int4_groups; }},
    {"a context of type 8", Status::bad_option,
     [](ModelConfig&, BlockMemory& m) { m.cross_type = static_cast<DataType>(8); }},
    {"sink tokens without a ring", Status::bad_option, [](ModelConfig&, BlockMemory& m) { m.sink_tokens = 1; }},
    {"rotary base 1", Status::bad_base,
     [](ModelConfig& c, BlockMemory&) {
       c.positions = Positions::rotary;
       c.rotary_base = 1.0F;
     }},
    {"odd rotary_dim", Status::bad_rotary,
     [](ModelConfig& c, BlockMemory&) {
       c.positions = Positions::rotary;
       c.rotary_dim = 3;
     }},
};

TEST(TransformerRefusal, Plans) {
  for (const RefusedConfig& refused : refused_configs) {
    ModelConfig config = decoder_config;
    BlockMemory memory = model_memory;
    ModelPlan plan;
    ASSERT_EQ(make_plan(config, memory, plan), Status::ok);
    refused.change(config, memory);
    Witness witness;
    witness.watch_object("the plan", plan);
    witness.expect(refused.expected, refused.what, [&] { return make_plan(config, memory, plan); });
  }
}

TEST(TransformerRefusal, MemoriesAndFiles) {
  WatchedModel model(decoder_config, model_memory);
  const ModelPlan& plan = model.built.plan;
  const auto state = model.built.state.span();
  const auto scratch = model.built.scratch.span();
  const auto file = model.file.span();
  Model& m = model.built.model;
  const ModelPlan none;
  model.expect(Status::not_initialised, "an empty plan", [&] { return m.init(none, state, scratch, file); });
  model.expect(Status::null_pointer, "no state", [&] { return m.init(plan, {}, scratch, file); });
  model.expect(Status::null_pointer, "no file", [&] { return m.init(plan, state, scratch, {}); });
  model.expect(Status::arena_too_small, "a short state",
               [&] { return m.init(plan, state.first(plan.state_bytes - 1), scratch, file); });
  model.expect(Status::arena_too_small, "a short scratch",
               [&] { return m.init(plan, state, scratch.first(plan.scratch_bytes - 1), file); });
  model.expect(Status::arena_too_small, "a short file",
               [&] { return m.bind(plan, state, scratch, file.first(plan.file.bytes - 1)); });
  AlignedMemory shifted(plan.scratch_bytes + 64);
  model.expect(Status::arena_misaligned, "a scratch off its boundary",
               [&] { return m.init(plan, state, shifted.span().subspan(4), file); });
  AlignedMemory other(file.size());
  std::memcpy(other.span().data(), file.data(), file.size());
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{16}, std::size_t{80}, std::size_t{191},
        std::size_t{plan.file.block_weights.offset + plan.block.weights_bytes + plan.block.attention_weights.offset}}) {
    other.span()[at] ^= std::byte{1};
    model.expect(Status::wrong_weights, "another configuration",
                 [&] { return m.init(plan, state, scratch, other.span()); });
    other.span()[at] ^= std::byte{1};
  }
  state[plan.block.state_bytes] = std::byte{7};
  model.expect(Status::bad_state, "a block with 7 of 6 tokens", [&] { return m.bind(plan, state, scratch, file); });
}

TEST(TransformerRefusal, FormatsThatAreNotNamed) {
  for (DataType ModelConfig::*const type : {&ModelConfig::input_type, &ModelConfig::head_type}) {
    ModelConfig config = decoder_config;
    config.*type = DataType::int8;
    WatchedModel model(config, model_memory);
    const Format* const others[] = {&int4_group_weights, nullptr, &float16_weights, &int8_cache};
    model.expect(Status::missing_format, "no int8", [&] {
      return model.built.model.init(model.built.plan, model.built.state.span(), model.built.scratch.span(),
                                    {model.file.span(), others});
    });
  }
  ModelConfig config = decoder_config;
  config.block.weight_type = DataType::int4_groups;
  WatchedModel model(config, model_memory);
  model.expect(Status::missing_format, "no formats", [&] {
    return model.built.model.bind(model.built.plan, model.built.state.span(), model.built.scratch.span(),
                                  model.file.span());
  });
}

TEST(TransformerRefusal, CallsOfADecoder) {
  WatchedModel model(decoder_config, model_memory);
  Model& m = model.built.model;
  float* const to = model.logits.data();
  const std::vector<float> rows(100, 1.0F);
  const std::uint32_t tokens[] = {1, 2, 3, 4, 5, 6, 7};
  const std::uint32_t outside[] = {1, 9};
  const auto first = [&](std::size_t count) { return std::span(tokens).first(count); };
  Model none;
  model.expect(Status::not_initialised, "no model", [&] { return none.prefill(first(1), to); });
  model.expect(Status::not_initialised, "no context", [&] { return m.prefill(first(1), to); });
  model.expect(Status::cache_full, "5 rows for 4", [&] { return m.set_context(dense(rows.data(), 5, 5), 5); });
  model.expect(Status::zero_dimension, "no rows", [&] { return m.set_context(dense(rows.data(), 5, 5), 0); });
  model.expect(Status::null_pointer, "null rows", [&] { return m.set_context(ConstMatrix{}, 1); });
  ASSERT_EQ(m.set_context(dense(rows.data(), 2, 5), 2), Status::ok);
  model.expect(Status::cache_full, "7 tokens for 6", [&] { return m.prefill(first(7), to); });
  ASSERT_EQ(m.prefill(first(4), to), Status::ok);
  model.expect(Status::zero_dimension, "no tokens", [&] { return m.prefill({}, to); });
  model.expect(Status::null_pointer, "no logits", [&] { return m.prefill(first(1), nullptr); });
  model.expect(Status::bad_token, "token 9 of 9", [&] { return m.prefill(outside, to); });
  model.expect(Status::cache_full, "3 tokens after 4 for 6", [&] { return m.prefill(first(3), to); });
  model.expect(Status::plan_mismatch, "an encoder's call", [&] { return m.encode(first(1), to); });
  model.expect(Status::plan_mismatch, "frames", [&] { return m.encode(dense(rows.data(), 1, 9), 1, to); });
  model.expect(Status::bad_length, "5 of 4 tokens", [&] { return m.truncate(5); });
  EXPECT_EQ(m.tokens(), 4);
}

TEST(TransformerRefusal, PositionsEnd) {
  ModelConfig config = decoder_config;
  config.block.cross_dim = 0;
  config.max_positions = 5;
  WatchedModel model(config, model_memory);
  const std::uint32_t tokens[] = {1, 2, 3, 4, 5, 6};
  model.expect(Status::bad_position, "6 of 5 positions",
               [&] { return model.built.model.prefill(tokens, model.logits.data()); });
  model.expect(Status::plan_mismatch, "a context without cross-attention",
               [&] { return model.built.model.set_context(dense(model.weights.ends.input, 1, 5), 1); });
}

TEST(TransformerRefusal, CallsOfAnEncoder) {
  WatchedModel model(encoder_config, model_memory);
  Model& m = model.built.model;
  float* const to = model.logits.data();
  const std::vector<float> frames(100, 1.0F);
  const std::uint32_t tokens[] = {1};
  model.expect(Status::too_large, "3 frames and a class token for 3 rows",
               [&] { return m.encode(dense(frames.data(), 3, 6), 3, to); });
  model.expect(Status::zero_dimension, "no frames", [&] { return m.encode(dense(frames.data(), 3, 6), 0, to); });
  model.expect(Status::null_pointer, "null frames", [&] { return m.encode(ConstMatrix{}, 2, to); });
  model.expect(Status::null_pointer, "no logits", [&] { return m.encode(dense(frames.data(), 2, 6), 2, nullptr); });
  model.expect(Status::plan_mismatch, "tokens", [&] { return m.encode(tokens, to); });
  model.expect(Status::plan_mismatch, "a decoder's call", [&] { return m.prefill(tokens, to); });
}

TEST(TransformerRefusal, EncodersWithoutAContext) {
  ModelConfig config = encoder_config;
  config.block.cross_dim = 5;
  WatchedModel of_frames(config, model_memory);
  const std::vector<float> frames(100, 1.0F);
  of_frames.expect(Status::not_initialised, "frames", [&] {
    return of_frames.built.model.encode(dense(frames.data(), 2, 6), 2, of_frames.logits.data());
  });
  config.input = ModelInput::tokens;
  config.class_token = false;
  WatchedModel of_tokens(config, model_memory);
  const std::uint32_t tokens[] = {1, 2};
  of_tokens.expect(Status::not_initialised, "tokens",
                   [&] { return of_tokens.built.model.encode(tokens, of_tokens.logits.data()); });
}

/// Each matrix in turn is too small for its type.
TEST(TransformerRefusal, PackingOfWhatIsLost) {
  ModelConfig config = decoder_config;
  config.block.weight_type = config.input_type = config.head_type = DataType::float16;
  config.block.gated = 1;
  config = completed(config);
  ModelPlan plan;
  ASSERT_EQ(make_plan(config, {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, plan), Status::ok);
  const AlignedMemory file(plan.file.bytes);
  const AlignedMemory block(plan.block.weights_bytes);
  Witness witness;
  witness.watch("file", file.span());
  witness.watch("block", block.span());
  const std::vector<float> little(65536, 0x1p-25F);
  for (int matrix = 0; matrix < 7; ++matrix) {
    RandomWeights w(4, config);
    BlockWeights& last = w.blocks[1];
    const float** const matrices[] = {&w.ends.input, &w.ends.head, &last.attention.key, &last.cross.output,
                                      &last.gate,    &last.up,     &last.down};
    *matrices[matrix] = little.data();
    witness.expect(Status::bad_scale, "a matrix", [&] { return pack_model(plan, w.ends, w.blocks, file.span()); });
    if (matrix < 2) continue;
    witness.expect(Status::bad_scale, "a matrix of a block",
                   [&] { return pack_block(plan.block, last, block.span()); });
  }
  const RandomWeights good(4, config);
  EXPECT_EQ(pack_model(plan, good.ends, good.blocks, file.span()), Status::ok);
}

TEST(TransformerRefusal, Packing) {
  const ModelConfig config = completed(decoder_config);
  RandomWeights weights(4, config);
  ModelPlan plan;
  ASSERT_EQ(make_plan(config, {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, plan), Status::ok);
  AlignedMemory file(plan.file.bytes);
  Witness witness;
  witness.watch("file", file.span());
  const auto pack = [&](const RandomWeights& from) { return pack_model(plan, from.ends, from.blocks, file.span()); };
  const auto without = [&](const char* what, auto remove) {
    RandomWeights less(4, config);
    remove(less);
    witness.expect(Status::null_pointer, what, [&] { return pack(less); });
  };
  without("input", [](RandomWeights& w) { w.ends.input = nullptr; });
  without("positions", [](RandomWeights& w) { w.ends.positions = nullptr; });
  without("final norm", [](RandomWeights& w) { w.ends.final_norm.weight = nullptr; });
  without("head", [](RandomWeights& w) { w.ends.head = nullptr; });
  without("a query", [](RandomWeights& w) { w.blocks[1].attention.query = nullptr; });
  without("a cross value", [](RandomWeights& w) { w.blocks[1].cross.value = nullptr; });
  without("a cross norm", [](RandomWeights& w) { w.blocks[0].cross_norm.weight = nullptr; });
  without("a down projection", [](RandomWeights& w) { w.blocks[0].down = nullptr; });
  RandomWeights short_of(4, config);
  short_of.blocks.pop_back();
  witness.expect(Status::bad_length, "one block of two", [&] { return pack(short_of); });
  witness.expect(Status::arena_too_small, "a short file", [&] {
    return pack_model(plan, weights.ends, weights.blocks, file.span().first(plan.file.bytes - 1));
  });
  witness.expect(Status::not_initialised, "an empty plan",
                 [&] { return pack_model({}, weights.ends, weights.blocks, file.span()); });
}

TEST(TransformerRefusal, Finishing) {
  ModelPlan plan;
  ASSERT_EQ(make_plan(completed(decoder_config), {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, plan), Status::ok);
  AlignedMemory file(plan.file.bytes + 64);
  Witness witness;
  witness.watch("file", file.span());
  const auto bytes = [&](std::size_t from, std::size_t count) { return file.span().subspan(from, count); };
  witness.expect(Status::not_initialised, "an empty plan", [&] { return finish_model({}, bytes(0, plan.file.bytes)); });
  witness.expect(Status::arena_too_small, "a short file",
                 [&] { return finish_model(plan, bytes(0, plan.file.bytes - 1)); });
  witness.expect(Status::arena_misaligned, "a file elsewhere",
                 [&] { return finish_model(plan, bytes(4, plan.file.bytes)); });
  witness.expect(Status::null_pointer, "no file", [&] { return finish_model(plan, {}); });
}

}  // namespace
}  // namespace heed::test
