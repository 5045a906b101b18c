// SPDX-License-Identifier: MIT
//
// One pass of rows through a transformer block, of every kind. What a plain block does not link is a parameter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/add_row.hpp>
#include <kernels/row_shares.hpp>
#include <kernels/wanted_rows.hpp>

#include "heed/block.hpp"
#include "layer/multi_head_call.hpp"
#include "nn/add_rows.hpp"
#include "nn/mlp.hpp"
#include "nn/normalization.hpp"
#include "transformer/row_parts.hpp"

namespace heed::detail {

/// What a plain block adds to its layer's calls; LayerExtras (extended_layer.hpp) is the other.
struct PlainExtras {
  static constexpr bool is_plain = true;
  LayerRotary rotary;
  [[nodiscard]] const LayerRotary& of_call() const noexcept { return rotary; }
};

template <class Extras>
struct BlockPass {
  TransformerBlock& block;
  const BlockPlan& plan;
  float* rows;  ///< [count, model_dim]
  std::uint32_t count;
  CacheUpdate update;
  const BlockOptions& options;  ///< its observer, and the number that it is told
  const Extras& extras;
  const Executor& executor;

  /// Through both branches, or the three of a block with cross-attention. Where the first fails, the rows are as they
  /// were.
  [[gnu::always_inline]] inline Status run() const noexcept;

  /// run() on as many rows at a time as pay, where nothing can fail once it has begun. All of a pass is one frame: its
  /// layers go deep.
  [[gnu::always_inline]] inline Status run_by_parts() const noexcept;

  /// For a caller that reads one row of an encoder without rotary positions: append() the keys and values of all rows,
  /// then run of_row(), which leaves the others as they are.
  [[gnu::noinline]] Status append() const noexcept;
  [[nodiscard]] BlockPass of_row(std::uint32_t row) const noexcept {
    float* const wanted = rows + row * std::size_t{plan.config.model_dim};
    return {block, plan, wanted, 1, CacheUpdate::nothing, options, extras, executor};
  }

  [[nodiscard]] static NormRows norm_of(const TransformerBlock& block, const NormPlan& norm_plan) noexcept {
    return {block.plan().config, norm_plan, block.weights_};
  }

 private:
  [[nodiscard]] NormRows norm(const NormPlan& norm_plan) const noexcept { return norm_of(block, norm_plan); }
  [[nodiscard]] float* branch() const noexcept { return reinterpret_cast<float*>(block.scratch_ + plan.branch.offset); }
  void normalize(const NormPlan& norm_plan, const float* from, float* to) const noexcept {
    norm(norm_plan).run(from, count, plan.config.model_dim, to, executor, plan.memory.workers);
  }
  void add(const float* from) const noexcept {
    add_rows(from, count, plan.config.model_dim, rows, executor, plan.memory.workers);
  }
  void show(Stage stage, const float* values) const noexcept {
    const StageObserver& observer = options.observer;
    if (observer.see != nullptr) {
      observer.see(observer.context, options.number, stage, values, count, plan.config.model_dim);
    }
  }
  /// Never true in a plain block, whose code has nothing of it.
  [[nodiscard]] bool places_norms(NormPlacement placement) const noexcept {
    return !Extras::is_plain && plan.config.norm_placement == placement;
  }

  [[nodiscard]] MultiHeadInputs inputs(const float* from, bool causal) const noexcept {
    MultiHeadInputs inputs;
    if (causal) inputs.causal = Causal::bottom_right;
    inputs.tokens = count;
    inputs.input = dense(from, count, plan.config.model_dim);
    return inputs;
  }
  [[nodiscard]] MultiHeadOutputs outputs(float* to) const noexcept {
    MultiHeadOutputs outputs;
    outputs.output = dense(to, count, plan.config.model_dim);
    return outputs;
  }
  Status attend(const float* from, float* to) const noexcept {
    return block.attention_.run(inputs(from, update == CacheUpdate::append), extras.of_call(), outputs(to), update,
                                executor);
  }
  Status attend_to_context(const float* from, float* to) const noexcept {
    return block.cross_.run(inputs(from, false), LayerRotary{}, outputs(to), CacheUpdate::nothing, executor);
  }

  [[nodiscard]] Mlp mlp_of(const MlpPlan& of) const noexcept {
    auto* const staging = reinterpret_cast<float*>(block.scratch_ + of.staging.offset);
    return {plan.config, of, {block.weights_, block.format_, staging, executor, plan.memory.workers}, block.scratch_};
  }
  /// As many rows at a time as the scratch of the layers has room for. Out of line: attention needs no room for it.
  [[gnu::noinline]] void transform_wide(const float* from, float* to) const noexcept {
    const MlpPlan wide = mlp_in_layer_scratch(plan);
    mlp_of(wide.rows == plan.mlp.rows ? plan.mlp : wide).run(from, count, to);
  }
  Status transform(const float* from, float* to) const noexcept {
    if constexpr (wanted_rows != 0) {
      transform_wide(from, to);
    } else {
      mlp_of(plan.mlp).run(from, count, to);
    }
    return Status::ok;
  }

  /// x + f(norm(x)), norm(x + f(x)) or x + output_norm(f(norm(x))), as the block's placement says; f is branch_of(from,
  /// to) and may write over its own input.
  template <class Branch>
  Status add_branch(const NormPlan& norm_plan, const NormPlan& output_norm, Stage stage,
                    const Branch& branch_of) const noexcept {
    const bool after = plan.config.norm_placement == NormPlacement::after;
    float* const to = branch();
    if (!after) normalize(norm_plan, rows, to);
    const Status status = branch_of(after ? rows : to, to);
    if (status != Status::ok) return status;
    if (places_norms(NormPlacement::both)) normalize(output_norm, to, to);
    show(stage, to);
    add(to);
    if (after) normalize(norm_plan, rows, rows);
    return Status::ok;
  }

  /// Whether add_branches() takes the place of add_branch() twice: where products read floats, the rest of the rows
  /// goes out of the caches before them.
  [[nodiscard]] bool adds_row_by_row(const Linear& products) const noexcept {
    const bool alone = plan.config.cross_dim == 0 && options.observer.see == nullptr && !products.has_workers();
    return alone && plan.mlp.up.row_bytes != 0 &&
           (plan.config.norm_placement == NormPlacement::before || places_norms(NormPlacement::both));
  }

  /// Both branches of norms before them, from where the attention's is added on as many rows at a time as the MLP
  /// takes: they stay in the nearest caches.
  Status add_branches(const Mlp& mlp) const noexcept {
    const std::uint32_t dim = plan.config.model_dim;
    float* to = branch();
    norm(plan.attention_norm).run(rows, count, dim, to);
    const Status status = attend(to, to);
    if (status != Status::ok) return status;
    const NormRows norm_before = norm(plan.mlp_norm);
    const bool both = places_norms(NormPlacement::both);
    float* sum = rows;
    for (std::uint32_t left = count; left != 0;) {
      const std::uint32_t part = left < mlp.plan.rows ? left : mlp.plan.rows;
      for (std::uint32_t row = 0; row < part; ++row) {
        const std::size_t at = std::size_t{row} * dim;
        if (both) norm(plan.attention_output_norm).run(to + at, 1, dim, to + at);
        add_row(to + at, dim, sum + at);
        norm_before.run(sum + at, 1, dim, to + at);
      }
      mlp.run(to, part, to);
      if (both) norm(plan.mlp_output_norm).run(to, part, dim, to);
      const std::size_t floats = std::size_t{part} * dim;
      add_row(to, floats, sum);
      to += floats;
      sum += floats;
      left -= part;
    }
    return Status::ok;
  }

  /// (x + attention(norm1(x))) + mlp(norm2(x)). The branch rows are twice as many, so that the MLP reads what the
  /// attention read.
  [[gnu::always_inline]] inline Status run_in_parallel() const noexcept {
    float* const attended = branch();
    float* const transformed = attended + std::size_t{count} * plan.config.model_dim;
    normalize(plan.attention_norm, rows, attended);
    const Status status = attend(attended, attended);
    if (status != Status::ok) return status;
    show(Stage::attention, attended);
    normalize(plan.mlp_norm, rows, transformed);
    static_cast<void>(transform(transformed, transformed));
    show(Stage::mlp, transformed);
    add(attended);
    add(transformed);
    return Status::ok;
  }

  [[gnu::always_inline]] inline Status run_in_turn() const noexcept {
    Status status = add_branch(plan.attention_norm, plan.attention_output_norm, Stage::attention,
                               [this](const float* from, float* to) noexcept { return attend(from, to); });
    if (status == Status::ok && plan.config.cross_dim != 0) {
      status = add_branch(plan.cross_norm, {}, Stage::cross_attention,
                          [this](const float* from, float* to) noexcept { return attend_to_context(from, to); });
    }
    if (status != Status::ok) return status;
    return add_branch(plan.mlp_norm, plan.mlp_output_norm, Stage::mlp,
                      [this](const float* from, float* to) noexcept { return transform(from, to); });
  }

  /// Whether the cache and the rotary positions take all rows, so that what refuses one part refuses the first.
  [[nodiscard]] bool takes_every_row() const noexcept {
    const std::uint32_t before = block.attention_.cache().tokens(0);
    if (before > plan.memory.max_keys || count > plan.memory.max_keys - before) return false;
    const LayerRotary& positions = extras.rotary;
    if (positions.rotary == nullptr) return true;
    const std::uint32_t end = before + count - positions.begin;
    return positions.begin <= before &&
           (positions.rotary->table == nullptr || end <= positions.rotary->plan.config.max_position);
  }
};

template <class Extras>
Status BlockPass<Extras>::run() const noexcept {
  if constexpr (least_row_share != 0) {
    const Mlp mlp = mlp_of(plan.mlp);
    if (adds_row_by_row(mlp.linear)) {
      const MlpPlan wide = mlp_beside_part(plan, count);
      return add_branches(mlp_of(wide));
    }
  }
  const Status status = places_norms(NormPlacement::parallel) ? run_in_parallel() : run_in_turn();
  if (status == Status::ok) show(Stage::block, rows);
  return status;
}

template <class Extras>
Status BlockPass<Extras>::run_by_parts() const noexcept {
  if constexpr (least_row_share == 0) return run();
  const bool by_parts = update == CacheUpdate::append && takes_every_row();
  BlockPass part = *this;
  for (std::uint32_t left = count; left != 0; left -= part.count) {
    part.count = by_parts ? rows_of_part(plan, left, options.observer, executor) : left;
    const Status status = part.run();
    if (status != Status::ok) return status;
    part.rows += std::size_t{part.count} * plan.config.model_dim;
  }
  return Status::ok;
}

template <class Extras>
Status BlockPass<Extras>::append() const noexcept {
  const Status status = block.attention_.cache().reset(0);
  if (status != Status::ok) return status;
  const bool after = plan.config.norm_placement == NormPlacement::after;
  if (!after) normalize(plan.attention_norm, rows, branch());
  return block.attention_.append_in_block(inputs(after ? rows : branch(), false), executor);
}

}  // namespace heed::detail
