// SPDX-License-Identifier: MIT
#include "transformer/extended_blocks.hpp"

#include <cstddef>

#include "cache/ring.hpp"
#include "nn/add_rows.hpp"
#include "nn/mlp.hpp"
#include "nn/normalization.hpp"
#include "transformer/extended_layer.hpp"
#include "transformer/model_rotary.hpp"

namespace heed::detail {
namespace {

/// Keys that a window leaves to a row; 0: it hides none of those that are held.
[[nodiscard]] std::uint32_t hiding_window(const ModelPlan& plan) noexcept {
  const BlockMemory& memory = plan.block.memory;
  // The first tokens of a ring stay in it, however far back they are.
  return plan.config.window < memory.max_keys || memory.sink_tokens != 0 ? plan.config.window : 0;
}

[[nodiscard]] bool caches_are_named(const ModelPlan& plan, const KvStorage& storage) noexcept {
  const bool ordered = hiding_window(plan) != 0 || plan.config.relative_buckets != 0;
  return plan.block.memory.ring == 0 || !ordered || (storage.ring != nullptr && storage.ring->attend != nullptr);
}

[[nodiscard]] bool has_window(const ModelConfig& config, std::uint32_t block) noexcept {
  return config.window != 0 && (config.full_every == 0 || (block + 1) % config.full_every != 0);
}

[[nodiscard]] bool is_rotated(const ModelConfig& config, std::uint32_t block) noexcept {
  return config.positions == Positions::rotary &&
         (config.rotary_skip_every == 0 || (block + 1) % config.rotary_skip_every != 0);
}

}  // namespace

/// One pass of rows through the blocks.
struct ExtendedPass {
  Model& model;
  const ModelPlan& plan;
  float* rows;
  std::uint32_t count;
  const Executor& executor;

  [[nodiscard]] AttentionOptions options_of(std::uint32_t block) const noexcept;
  Status run(std::uint32_t number, const LayerExtras& extras) const noexcept;

  static Status run_all(Model& model, float* rows, std::uint32_t first, std::uint32_t count,
                        const Executor& executor) noexcept;

 private:
  struct OneBlock;
};

AttentionOptions ExtendedPass::options_of(std::uint32_t block) const noexcept {
  const ModelConfig& config = plan.config;
  AttentionOptions options;
  if (has_window(config, block)) options.left_window = hiding_window(plan);
  options.softcap = config.block.score_softcap;
  if (config.relative_buckets != 0) {
    const std::uint32_t left = plan.file.relative_left;
    options.relative_bias = {reinterpret_cast<const float*>(model.file_ + plan.file.relative_bias.offset),
                             static_cast<std::ptrdiff_t>(relative_columns(plan.file, config)), left,
                             config.encoder ? left : 0};
  }
  return options;
}

/// What is one block's of a pass.
struct ExtendedPass::OneBlock {
  const ExtendedPass& pass;
  const BlockPlan& plan;
  TransformerBlock& block;
  std::uint32_t number;

  [[nodiscard]] float* branch() const noexcept { return reinterpret_cast<float*>(block.scratch_ + plan.branch.offset); }
  [[nodiscard]] NormRows norm(const NormPlan& norm_plan) const noexcept {
    return {plan.config, norm_plan, block.weights_};
  }
  void normalize(const NormPlan& norm_plan, const float* from, float* to) const noexcept {
    norm(norm_plan).run(from, pass.count, plan.config.model_dim, to, pass.executor, plan.memory.workers);
  }
  void add(const float* from) const noexcept {
    add_rows(from, pass.count, plan.config.model_dim, pass.rows, pass.executor, plan.memory.workers);
  }
  void show(Stage stage, const float* values) const noexcept {
    const StageObserver& observer = pass.model.observer_;
    if (observer.see != nullptr) {
      observer.see(observer.context, number, stage, values, pass.count, plan.config.model_dim);
    }
  }

  [[nodiscard]] MultiHeadInputs inputs(const float* from, bool causal) const noexcept {
    MultiHeadInputs inputs;
    if (causal) inputs.causal = Causal::bottom_right;
    inputs.tokens = pass.count;
    inputs.input = dense(from, pass.count, plan.config.model_dim);
    return inputs;
  }
  [[nodiscard]] MultiHeadOutputs outputs(float* to) const noexcept {
    MultiHeadOutputs outputs;
    outputs.output = dense(to, pass.count, plan.config.model_dim);
    return outputs;
  }

  Status attend(const LayerExtras& extras, const float* from, float* to) const noexcept {
    const bool decoder = !pass.plan.config.encoder;
    return block.attention_.run(inputs(from, decoder), extras, outputs(to),
                                decoder ? CacheUpdate::append : CacheUpdate::replace, pass.executor);
  }
  Status attend_to_context(const float* from, float* to) const noexcept {
    return block.cross_.run(inputs(from, false), LayerRotary{}, outputs(to), CacheUpdate::nothing, pass.executor);
  }
  Status transform(const float* from, float* to) const noexcept {
    auto* const staging = reinterpret_cast<float*>(block.scratch_ + plan.mlp.staging.offset);
    const Mlp mlp{plan.config,
                  plan.mlp,
                  {block.weights_, block.format_, staging, pass.executor, plan.memory.workers},
                  block.scratch_};
    mlp.run(from, pass.count, to);
    return Status::ok;
  }

  /// Norm, branch(from, to) and sum, in the order that the block's placement says; output_norm is read with both. Where
  /// a branch fails, the rows are as they were.
  template <class Branch>
  Status add_branch(const NormPlan& norm_plan, const NormPlan& output_norm, Stage stage,
                    const Branch& branch_of) const noexcept {
    const NormPlacement placement = plan.config.norm_placement;
    const bool after = placement == NormPlacement::after;
    float* const to = branch();
    if (!after) normalize(norm_plan, pass.rows, to);
    const Status status = branch_of(after ? pass.rows : to, to);
    if (status != Status::ok) return status;
    if (placement == NormPlacement::both) normalize(output_norm, to, to);
    show(stage, to);
    add(to);
    if (after) normalize(norm_plan, pass.rows, pass.rows);
    return Status::ok;
  }

  /// The branch rows are twice as many, so that the MLP reads what the attention read.
  Status run_in_parallel(const LayerExtras& extras) const noexcept {
    float* const attended = branch();
    float* const transformed = attended + pass.count * std::size_t{plan.config.model_dim};
    normalize(plan.attention_norm, pass.rows, attended);
    const Status status = attend(extras, attended, attended);
    if (status != Status::ok) return status;
    show(Stage::attention, attended);
    normalize(plan.mlp_norm, pass.rows, transformed);
    static_cast<void>(transform(transformed, transformed));
    show(Stage::mlp, transformed);
    add(attended);
    add(transformed);
    return Status::ok;
  }

  Status run_in_turn(const LayerExtras& extras) const noexcept {
    Status status = add_branch(plan.attention_norm, plan.attention_output_norm, Stage::attention,
                               [&](const float* from, float* to) noexcept { return attend(extras, from, to); });
    if (status == Status::ok && plan.config.cross_dim != 0) {
      status = add_branch(plan.cross_norm, {}, Stage::cross_attention,
                          [this](const float* from, float* to) noexcept { return attend_to_context(from, to); });
    }
    if (status != Status::ok) return status;
    return add_branch(plan.mlp_norm, plan.mlp_output_norm, Stage::mlp,
                      [this](const float* from, float* to) noexcept { return transform(from, to); });
  }
};

Status ExtendedPass::run(std::uint32_t number, const LayerExtras& extras) const noexcept {
  TransformerBlock block = model.block_at(number);
  const OneBlock one{*this, plan.block, block, number};
  LayerExtras added = extras;
  const NormRows query_norm = one.norm(plan.block.query_norm);
  const NormRows key_norm = one.norm(plan.block.key_norm);
  if (plan.block.config.qk_norm != QkNorm::none) {
    added.query_norm = &query_norm;
    added.key_norm = &key_norm;
  }
  const bool parallel = plan.block.config.norm_placement == NormPlacement::parallel;
  const Status status = parallel ? one.run_in_parallel(added) : one.run_in_turn(added);
  if (status == Status::ok) one.show(Stage::block, rows);
  return status;
}

Status ExtendedPass::run_all(Model& model, float* rows, std::uint32_t first, std::uint32_t count,
                             const Executor& executor) noexcept {
  const ModelPlan& plan = *model.plan_;
  const ModelConfig& config = plan.config;
  const ExtendedPass pass{model, plan, rows, count, executor};
  float tables[2][rotary_floats];
  LayerRotary everywhere;
  LayerRotary local;
  Rotary rotary;
  Rotary local_rotary;
  if (config.positions == Positions::rotary) {
    rotary = rotary_of_rows(plan.rotary, first, count, tables[0], everywhere.begin);
    everywhere.rotary = &rotary;
    local = everywhere;
  }
  if (config.local_rotary_base != 0.0F) {
    local.begin = 0;
    local_rotary = rotary_of_rows(plan.local_rotary, first, count, tables[1], local.begin);
    local.rotary = &local_rotary;
  }
  model.show(Stage::embedding, rows, count, config.block.model_dim);
  Status status = Status::ok;
  for (std::uint32_t block = 0; block < config.blocks && status == Status::ok; ++block) {
    const AttentionOptions options = pass.options_of(block);
    LayerExtras extras;
    if (is_rotated(config, block)) extras.rotary = has_window(config, block) ? local : everywhere;
    const bool plain = options.left_window == 0 && options.softcap == 0.0F && options.relative_bias.values == nullptr;
    if (!plain) extras.attention = &options;
    status = pass.run(block, extras);
  }
  return status;
}

constinit const ExtendedBlocks extended_blocks = {caches_are_named, ExtendedPass::run_all};

}  // namespace heed::detail
