// SPDX-License-Identifier: MIT
#include "heed/block.hpp"

#include "common/validation.hpp"
#include "transformer/block_pass.hpp"
#include "transformer/model_check.hpp"

namespace heed {

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
  const detail::PlainExtras extras{{options.rotary, nullptr, options.rotary_begin}};
  return detail::BlockPass<detail::PlainExtras>{*this, *plan_, rows, count, update, options, extras, executor}
      .run_by_parts();
}

Status TransformerBlock::encode_row(float* rows, std::uint32_t count, std::uint32_t row, const BlockOptions& options,
                                    const Executor& executor) noexcept {
  const detail::PlainExtras extras;
  const detail::BlockPass<detail::PlainExtras> all{*this,   *plan_, rows,    count, detail::CacheUpdate::replace,
                                                   options, extras, executor};
  const Status status = all.append();
  return status == Status::ok ? run(all.of_row(row).rows, 1, detail::CacheUpdate::nothing, options, executor) : status;
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
