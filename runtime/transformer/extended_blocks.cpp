// SPDX-License-Identifier: MIT
#include "transformer/extended_blocks.hpp"

#include <cstddef>

#include "cache/ring.hpp"
#include "nn/normalization.hpp"
#include "transformer/block_pass.hpp"
#include "transformer/extended_layer.hpp"
#include "transformer/model_check.hpp"
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

Status ExtendedPass::run(std::uint32_t number, const LayerExtras& extras) const noexcept {
  TransformerBlock block = model.block_at(number);
  const BlockPlan& block_plan = plan.block;
  LayerExtras added = extras;
  const NormRows query_norm = BlockPass<LayerExtras>::norm_of(block, block_plan.query_norm);
  const NormRows key_norm = BlockPass<LayerExtras>::norm_of(block, block_plan.key_norm);
  const bool plain_heads = block_plan.config.qk_norm == QkNorm::none;
  if (!plain_heads) {
    added.query_norm = &query_norm;
    added.key_norm = &key_norm;
  }
  BlockOptions options;
  options.observer = model.observer_;
  options.number = number;
  const CacheUpdate update = plan.config.encoder ? CacheUpdate::replace : CacheUpdate::append;
  const BlockPass<LayerExtras> pass{block, block_plan, rows, count, update, options, added, executor};
  const bool one_row = plain_heads && extras.attention == nullptr && plan.config.encoder &&
                       one_row_leaves(plan.config, number) && model.observer_.see == nullptr;
  if (one_row) {
    const Status status = pass.append();
    if (status != Status::ok) return status;
  }
  // One call, so that one frame has what a pass keeps on the stack.
  const std::uint32_t row = plan.config.pooling == Pooling::first ? 0 : count - 1;
  return (one_row ? pass.of_row(row) : pass).run_by_parts();
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
  const bool has_local = config.local_rotary_base != 0.0F;
  // The table that most blocks read is as long as the rows where there is room for it.
  float* rooms[2] = {};
  const RotaryPlan& longest = has_local ? plan.local_rotary : plan.rotary;
  rooms[has_local ? 1 : 0] = room_of_table(plan, longest, model.scratch_, count, model.observer_, executor);
  if (config.positions == Positions::rotary) {
    rotary = rotary_of_rows(plan.rotary, first, count, tables[0], everywhere.begin, rooms[0]);
    everywhere.rotary = &rotary;
    local = everywhere;
  }
  if (has_local) {
    local.begin = 0;
    local_rotary = rotary_of_rows(plan.local_rotary, first, count, tables[1], local.begin, rooms[1]);
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
