// SPDX-License-Identifier: MIT
#include "heed/block.hpp"

#include <cstddef>
#include <cstdint>
#include <kernels/add_row.hpp>
#include <kernels/row_shares.hpp>
#include <kernels/wanted_rows.hpp>

#include "common/validation.hpp"
#include "layer/multi_head_call.hpp"
#include "nn/add_rows.hpp"
#include "nn/mlp.hpp"
#include "nn/normalization.hpp"
#include "transformer/model_check.hpp"
#include "transformer/row_parts.hpp"

namespace heed {
namespace detail {

/// One pass of rows [count, model_dim] through a transformer block.
struct BlockPass {
  const BlockPlan& plan;
  const std::byte* weights;
  const Format* format;
  std::byte* scratch;
  float* rows;
  std::uint32_t count;
  const BlockOptions& options;
  const Executor& executor;

  /// x + f(norm(x)), or norm(x + f(x)); f is branch(from, to) and may write over its own input. Where it fails, the
  /// rows are as they were.
  template <class Branch>
  Status add_branch(const NormPlan& norm_plan, Stage stage, const Branch& branch) const noexcept {
    const std::uint32_t dim = plan.config.model_dim;
    const NormRows norm(plan.config, norm_plan, weights);
    auto* const to = reinterpret_cast<float*>(scratch + plan.branch.offset);
    const bool norm_before = plan.config.norm_placement == NormPlacement::before;
    if (norm_before) norm.run(rows, count, dim, to, executor, plan.memory.workers);
    const Status status = branch(norm_before ? to : rows, to);
    if (status != Status::ok) return status;
    show(stage, to);
    add_rows(to, count, dim, rows, executor, plan.memory.workers);
    if (!norm_before) norm.run(rows, count, dim, rows, executor, plan.memory.workers);
    return Status::ok;
  }

  /// Whether the cache and the rotary positions take all rows, so that what refuses one part refuses the first.
  [[nodiscard]] bool takes_every_row(const KvCache& cache) const noexcept {
    const std::uint32_t before = cache.tokens(0);
    if (before > plan.memory.max_keys || count > plan.memory.max_keys - before) return false;
    if (options.rotary == nullptr) return true;
    const std::uint32_t end = before + count - options.rotary_begin;
    return options.rotary_begin <= before &&
           (options.rotary->table == nullptr || end <= options.rotary->plan.config.max_position);
  }

  /// Whether add_branches() takes the place of add_branch() twice: where products read floats, the rest of the rows
  /// goes out of the caches before them.
  [[nodiscard]] bool takes_rows_by_parts(const Mlp& mlp) const noexcept {
    const bool alone = plan.config.cross_dim == 0 && options.observer.see == nullptr && !mlp.linear.has_workers();
    return alone && plan.mlp.up.row_bytes != 0 && plan.config.norm_placement == NormPlacement::before;
  }

  /// Both branches of norms before them, from where the attention's is added on as many rows at a time as the MLP
  /// takes: they stay in the nearest caches.
  template <class Attention>
  Status add_branches(const Attention& attention, const Mlp& mlp) const noexcept {
    const std::size_t dim = plan.config.model_dim;
    auto* to = reinterpret_cast<float*>(scratch + plan.branch.offset);
    NormRows(plan.config, plan.attention_norm, weights).run(rows, count, plan.config.model_dim, to);
    const Status status = attention(to, to);
    if (status != Status::ok) return status;
    const NormRows norm(plan.config, plan.mlp_norm, weights);
    float* sum = rows;
    for (std::uint32_t left = count; left != 0;) {
      const std::uint32_t part = left < mlp.plan.rows ? left : mlp.plan.rows;
      for (std::size_t row = 0; row < part; ++row) {
        add_row(to + row * dim, dim, sum + row * dim);
        norm.run(sum + row * dim, 1, plan.config.model_dim, to + row * dim);
      }
      mlp.run(to, part, to);
      add_row(to, part * dim, sum);
      to += part * dim;
      sum += part * dim;
      left -= part;
    }
    return Status::ok;
  }

  /// As many rows at a time as the scratch of the layers has room for. Out of line: attention needs no room for it.
  [[gnu::noinline]] void run_mlp(const Mlp& mlp, const float* from, float* to) const noexcept {
    const MlpPlan wide = mlp_in_layer_scratch(plan);
    if (wide.rows == plan.mlp.rows) return mlp.run(from, count, to);
    Linear products = mlp.linear;
    products.staging = reinterpret_cast<float*>(scratch + wide.staging.offset);
    Mlp{plan.config, wide, products, scratch}.run(from, count, to);
  }

  void show(Stage stage, const float* values) const noexcept {
    const StageObserver& observer = options.observer;
    if (observer.see != nullptr) {
      observer.see(observer.context, options.number, stage, values, count, plan.config.model_dim);
    }
  }

  /// The keys and values of the rows, without their queries.
  Status append(MultiHeadAttention& attention) const noexcept {
    if (plan.config.norm_placement == NormPlacement::after)
      return attention.append_in_block(inputs(rows, false), executor);
    auto* const to = reinterpret_cast<float*>(scratch + plan.branch.offset);
    NormRows(plan.config, plan.attention_norm, weights)
        .run(rows, count, plan.config.model_dim, to, executor, plan.memory.workers);
    return attention.append_in_block(inputs(to, false), executor);
  }

  Status run(MultiHeadAttention& attention, MultiHeadAttention& cross, CacheUpdate update) const noexcept {
    const auto self = [&](const float* from, float* to) noexcept {
      const LayerRotary rotary{options.rotary, nullptr, options.rotary_begin};
      return attention.run(inputs(from, update == CacheUpdate::append), rotary, outputs(to), update, executor);
    };
    const auto other = [&](const float* from, float* to) noexcept {
      return cross.run(inputs(from, false), LayerRotary{}, outputs(to), CacheUpdate::nothing, executor);
    };
    auto* const staging = reinterpret_cast<float*>(scratch + plan.mlp.staging.offset);
    const Mlp mlp{plan.config, plan.mlp, {weights, format, staging, executor, plan.memory.workers}, scratch};
    if constexpr (least_row_share != 0) {
      if (takes_rows_by_parts(mlp)) {
        const MlpPlan wide = mlp_beside_part(plan, count);
        Linear products = mlp.linear;
        products.staging = reinterpret_cast<float*>(scratch + wide.staging.offset);
        return add_branches(self, {plan.config, wide, products, scratch});
      }
    }
    const auto transform = [&](const float* from, float* to) noexcept {
      if constexpr (wanted_rows != 0) {
        run_mlp(mlp, from, to);
      } else {
        mlp.run(from, count, to);
      }
      return Status::ok;
    };
    Status status = add_branch(plan.attention_norm, Stage::attention, self);
    if (status == Status::ok && plan.config.cross_dim != 0) {
      status = add_branch(plan.cross_norm, Stage::cross_attention, other);
    }
    if (status == Status::ok) status = add_branch(plan.mlp_norm, Stage::mlp, transform);
    if (status == Status::ok) show(Stage::block, rows);
    return status;
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
};

}  // namespace detail

void TransformerBlock::place(const BlockPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                             const PackedWeights& weights, const KvStorage& storage) noexcept {
  plan_ = &plan;
  scratch_ = scratch.data();
  weights_ = weights.span().data();
  format_ = weights.format;
  std::byte* const shared = scratch_ + plan.layer_scratch.offset;
  attention_.place(plan.attention, state.data() + plan.attention_state.offset, shared,
                   detail::part(weights, plan.attention_weights), storage);
  if (plan.config.cross_dim == 0) return;
  cross_.place(plan.cross, state.data() + plan.cross_state.offset, shared, detail::part(weights, plan.cross_weights),
               storage);
}

Status TransformerBlock::run(float* rows, std::uint32_t count, detail::CacheUpdate update, const BlockOptions& options,
                             const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const Status status = detail::check_rows(*plan_, rows, count);
  if (status != Status::ok) return status;
  if (plan_->config.cross_dim != 0 && !has_context()) return Status::not_initialised;
  detail::BlockPass pass{*plan_, weights_, format_, scratch_, rows, count, options, executor};
  if constexpr (detail::least_row_share != 0) {
    if (update == detail::CacheUpdate::append && pass.takes_every_row(attention_.cache())) {
      for (; count != 0; count -= pass.count) {
        pass.count = detail::rows_of_part(*plan_, count, options.observer, executor);
        const Status part = pass.run(attention_, cross_, update);
        if (part != Status::ok) return part;
        pass.rows += std::size_t{pass.count} * plan_->config.model_dim;
      }
      return Status::ok;
    }
  }
  return pass.run(attention_, cross_, update);
}

Status TransformerBlock::encode_row(float* rows, std::uint32_t count, std::uint32_t row, const BlockOptions& options,
                                    const Executor& executor) noexcept {
  const detail::BlockPass all{*plan_, weights_, format_, scratch_, rows, count, options, executor};
  Status status = attention_.cache().reset(0);
  if (status == Status::ok) status = all.append(attention_);
  if (status != Status::ok) return status;
  float* const wanted = rows + row * std::size_t{plan_->config.model_dim};
  return run(wanted, 1, detail::CacheUpdate::nothing, options, executor);
}

Status TransformerBlock::encode(float* rows, std::uint32_t count, const BlockOptions& options,
                                const Executor& executor) noexcept {
  return run(rows, count, detail::CacheUpdate::replace, options, executor);
}

Status TransformerBlock::prefill(float* rows, std::uint32_t count, const BlockOptions& options,
                                 const Executor& executor) noexcept {
  return run(rows, count, detail::CacheUpdate::append, options, executor);
}

Status TransformerBlock::set_context(ConstMatrix rows, std::uint32_t count, const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  if (plan_->config.cross_dim == 0) return Status::plan_mismatch;
  if (count > plan_->memory.max_cross_keys) return Status::cache_full;
  MultiHeadInputs inputs;
  inputs.tokens = count;
  inputs.input = rows;
  KvCache& cache = cross_.cache();
  const std::uint32_t before = cache.length(0);
  Status status = count == 0 ? Status::zero_dimension : detail::check_input(rows, 1, count, plan_->config.cross_dim);
  if (status == Status::ok && before != 0) status = cache.reset(0);
  return status == Status::ok ? cross_.append_in_block(inputs, executor) : status;
}

}  // namespace heed
