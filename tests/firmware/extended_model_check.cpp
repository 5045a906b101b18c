// SPDX-License-Identifier: MIT
#include <cstddef>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"
#include "model_check.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t dim = 20;
constexpr std::uint32_t hidden = 28;
constexpr std::uint32_t words = 24;
constexpr std::uint32_t blocks = 3;
constexpr std::uint32_t tokens = 11;

struct Member {
  ModelConfig config;
  BlockMemory memory;
};

/// A decoder of tokens, gated, with rotary positions.
constexpr Member decoder() {
  Member of;
  BlockConfig& block = of.config.block;
  block.model_dim = dim;
  block.heads = 4;
  block.kv_heads = 2;
  block.head_dim = 6;
  block.mlp_dim = hidden;
  block.norm = Norm::rms_norm;
  block.activation = Activation::gelu_tanh;
  block.gated = true;
  of.config.blocks = blocks;
  of.config.input_dim = words;
  of.config.max_positions = tokens;
  of.config.positions = Positions::rotary;
  of.config.tied_head = true;
  of.memory.rows = tokens - 2;
  of.memory.max_keys = tokens;
  of.memory.scratch_budget = 2048;
  return of;
}

/// As in Gemma: norms on both sides and of heads, softcaps, windows in two blocks of three with rotary positions of
/// their own, the others' scaled.
constexpr Member both_norms() {
  Member of = decoder();
  of.config.block.qk_norm = QkNorm::heads;
  of.config.block.score_softcap = 1.5F;
  of.config.block.norm_placement = NormPlacement::both;
  of.config.window = 4;
  of.config.full_every = 3;
  of.config.local_rotary_base = 100.0F;
  of.config.rotary_scaling = RotaryScaling::llama3;
  of.config.rotary_factor = 8.0F;
  of.config.rotary_original_positions = 40;
  return of;
}

/// As in GPT-NeoX, but in a ring of bytes, with a window and blocks without positions.
constexpr Member parallel_branches() {
  Member of = decoder();
  of.config.block.norm = Norm::layer_norm;
  of.config.block.activation = Activation::gelu_erf;
  of.config.block.gated = false;
  of.config.block.norm_placement = NormPlacement::parallel;
  of.config.rotary_dim = 4;
  of.config.rotary_scaling = RotaryScaling::yarn;
  of.config.rotary_factor = 2.0F;
  of.config.rotary_original_positions = 16;
  of.config.rotary_skip_every = 2;
  of.config.window = 5;
  of.memory.max_keys = 8;
  of.memory.ring = 1;
  of.memory.sink_tokens = 1;
  of.memory.key_type = of.memory.value_type = DataType::int8;
  return of;
}

/// As in T5, and its decoder with rows and attention in integers.
constexpr Member relative_encoder() {
  Member of = decoder();
  of.config.positions = Positions::none;
  of.config.block.activation = Activation::relu;
  of.config.relative_buckets = 8;
  of.config.relative_distance = 9;
  of.config.encoder = true;
  of.config.pooling = Pooling::mean;
  of.memory.rows = tokens;
  return of;
}
constexpr Member relative_decoder() {
  Member of = relative_encoder();
  of.config.encoder = false;
  of.config.pooling = Pooling::last;
  BlockConfig& block = of.config.block;
  block.qk_norm = QkNorm::heads;
  block.weight_type = of.config.input_type = DataType::int8;
  block.row_type = block.mlp_row_type = of.config.head_row_type = DataType::int8;
  block.output_row_type = block.down_row_type = DataType::int16;
  of.memory.rows = tokens - 2;
  of.memory.key_type = of.memory.value_type = DataType::int8_integer;
  return of;
}

consteval ModelPlans plans_of(Member of) {
  const ModelPlan together = plan(of.config, of.memory);
  if (!of.config.encoder) of.memory.rows = 1;
  return {together, plan(of.config, of.memory)};
}
constexpr ModelPlans plans[] = {plans_of(both_norms()), plans_of(parallel_branches()), plans_of(relative_encoder()),
                                plans_of(relative_decoder())};

struct Weights {
  Pool<float>& pool;
  Numbers random{9100};

  const float* take(std::uint32_t count, float spread) {
    const std::span<float> taken = pool.take(count);
    random.fill(taken, spread);
    return taken.data();
  }
  NormWeights norm(const BlockConfig& config, std::uint32_t of) {
    return {take(of, 1.0F), config.norm == Norm::layer_norm ? take(of, 0.5F) : nullptr};
  }
  BlockWeights block(const BlockConfig& config) {
    const std::uint32_t queries = config.heads * config.head_dim;
    const std::uint32_t keys = config.kv_heads * config.head_dim;
    BlockWeights weights;
    weights.attention_norm = norm(config, dim);
    weights.attention.query = take(queries * dim, 0.5F);
    weights.attention.key = take(keys * dim, 0.5F);
    weights.attention.value = take(keys * dim, 0.5F);
    weights.attention.output = take(dim * queries, 0.5F);
    weights.mlp_norm = norm(config, dim);
    if (config.gated) weights.gate = take(hidden * dim, 0.5F);
    weights.up = take(hidden * dim, 0.5F);
    weights.down = take(dim * hidden, 0.25F);
    if (config.qk_norm != QkNorm::none) {
      weights.query_norm = norm(config, config.head_dim);
      weights.key_norm = norm(config, config.head_dim);
    }
    if (config.norm_placement == NormPlacement::both) {
      weights.attention_output_norm = norm(config, dim);
      weights.mlp_output_norm = norm(config, dim);
    }
    return weights;
  }
};

bool pack(const ModelPlan& plan, Pool<float>& pool, std::span<std::byte> file) {
  const ModelConfig& config = plan.config;
  Weights weights{pool};
  ModelWeights ends;
  ends.input = weights.take(words * dim, 1.0F);
  ends.final_norm = weights.norm(config.block, dim);
  ends.relative_bias = weights.take(config.block.heads * config.relative_buckets, 1.0F);
  BlockWeights all[blocks];
  for (BlockWeights& block : all) block = weights.block(config.block);
  return pack_model(plan, ends, all, file) == Status::ok;
}

constexpr const Format* formats[] = {&int8_integer_weights};

/// A prompt and tokens one by one, or all one by one: the logits after the last. An encoder reads all at once.
bool run(const ModelPlan& plan, bool one_by_one, Pool<float> pool, std::span<float> logits) {
  const auto file = std::span(first_memory).first(plan.file.bytes);
  if (!pack(plan, pool, file)) return false;
  const auto state = std::span(second_memory).first(plan.state_bytes);
  const auto scratch = std::span(second_memory).subspan(plan.state_bytes, plan.scratch_bytes);
  const bool integers = plan.block.memory.key_type == DataType::int8_integer;
  const KvStorage storage{.formats = {integers ? &int8_integer_cache : &int8_cache}, .ring = &kv_ring_with_positions};
  Model model;
  if (model.init(plan, state, scratch, {file, formats}, storage) != Status::missing_format) return false;
  if (model.init(plan, state, scratch, {file, formats, &extended_model}, storage) != Status::ok) return false;
  std::uint32_t said[tokens];
  for (std::uint32_t i = 0; i < tokens; ++i) said[i] = i * 7 % words;
  if (plan.config.encoder) return model.encode(said, logits.data()) == Status::ok;
  return read_tokens(model, said, one_by_one, logits.data());
}

}  // namespace

Outcome check_extended_models() {
  return check_model_plans(plans, words, run);
}

}  // namespace heed::test
