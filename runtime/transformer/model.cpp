// SPDX-License-Identifier: MIT
#include "heed/model.hpp"

#include <cstddef>
#include <cstdint>

#include "common/validation.hpp"
#include "positions/named_positions.hpp"
#include "transformer/model_check.hpp"
#include "transformer/model_ends.hpp"
#include "transformer/model_extension.hpp"
#include "transformer/model_rotary.hpp"
#include "transformer/row_parts.hpp"

namespace heed {

detail::ModelEnds Model::ends(const Executor& executor) const noexcept {
  auto* const staging = reinterpret_cast<float*>(scratch_ + plan_->staging.offset);
  return {plan_->config, plan_->file, file_,    input_format_,
          head_format_,  staging,     executor, plan_->block.memory.workers};
}

float* Model::spare() const noexcept {
  return reinterpret_cast<float*>(scratch_ + plan_->block_scratch.offset);
}

/// A view of one block, for a model that is bound. Out of line, so that what it takes is on no call's stack for long.
[[gnu::noinline]] TransformerBlock Model::block_at(std::uint32_t number) const noexcept {
  const BlockPlan& plan = plan_->block;
  const std::size_t state = number < detail::block_states(plan_->config) ? number * plan.state_bytes : 0;
  TransformerBlock block;
  block.place(plan, {state_ + plan_->block_state.offset + state, plan.state_bytes},
              {scratch_ + plan_->block_scratch.offset, plan.scratch_bytes},
              {file_ + plan_->file.block_weights.offset + std::size_t{number} * plan.weights_bytes, plan.weights_bytes,
               block_format_},
              storage_);
  return block;
}

/// Whether cross-attention has something to attend to. Out of line, likewise.
[[gnu::noinline]] Status Model::check_context() const noexcept {
  return plan_->block.config.cross_dim != 0 && !block_at(0).has_context() ? Status::not_initialised : Status::ok;
}

Status Model::bind(const ModelPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                   const PackedModel& file, const KvStorage& storage, detail::ModelCode /*code*/) noexcept {
  Status status = detail::check_model(plan, state, scratch, file, storage);
  if (status == Status::ok) status = detail::each_cache<false>(plan, state, storage);
  if (status != Status::ok) return status;
  plan_ = &plan;
  state_ = state.data();
  scratch_ = scratch.data();
  file_ = file.span().data();
  block_format_ = detail::format_of(file, plan.block.products);
  input_format_ = detail::format_of(file, detail::input_products(plan.config));
  head_format_ = detail::format_of(file, detail::head_products(plan.config));
  extension_ = detail::is_extended(plan.config) ? file.extension : nullptr;
  storage_ = storage;
  return Status::ok;
}

Status Model::init(const ModelPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                   const PackedModel& file, const KvStorage& storage, detail::ModelCode code) noexcept {
  Status status = detail::check_model(plan, state, scratch, file, storage);
  if (status == Status::ok) status = detail::each_cache<true>(plan, state, storage);
  return status == Status::ok ? bind(plan, state, scratch, file, storage, code) : status;
}

Status Model::run_blocks(float* rows, std::uint32_t first, std::uint32_t count, const Executor& executor) noexcept {
  if (extension_ != nullptr) return extension_->blocks.run(*this, rows, first, count, executor);
  Rotary rotary;
  float table[detail::rotary_floats];
  BlockOptions options;
  if (plan_->config.positions == Positions::rotary) {
    float* const room = detail::room_of_table(*plan_, plan_->rotary, scratch_, count, observer_, executor);
    rotary = detail::rotary_of_rows(plan_->rotary, first, count, table, options.rotary_begin, room);
    options.rotary = &rotary;
  }
  options.observer = observer_;
  show(Stage::embedding, rows, count, plan_->config.block.model_dim);
  Status status = Status::ok;
  for (std::uint32_t block = 0; block < plan_->config.blocks && status == Status::ok; ++block) {
    options.number = block;
    TransformerBlock at = block_at(block);
    if (!plan_->config.encoder) {
      status = at.prefill(rows, count, options, executor);
    } else if (observer_.see == nullptr && detail::one_row_leaves(plan_->config, block)) {
      const std::uint32_t row = plan_->config.pooling == Pooling::first ? 0 : count - 1;
      status = at.encode_row(rows, count, row, options, executor);
    } else {
      status = at.encode(rows, count, options, executor);
    }
  }
  return status;
}

void Model::apply_head(const detail::ModelEnds& ends, float* rows, std::uint32_t count, float* logits) const noexcept {
  extension_ == nullptr ? ends.head(rows, count, logits) : extension_->ends.head(ends, rows, count, logits);
}

Status Model::prefill(std::span<const std::uint32_t> tokens, float* logits, const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const ModelConfig& config = plan_->config;
  Status status = detail::check_tokens(*plan_, true, tokens, logits);
  if (status != Status::ok) return status;
  std::uint32_t position = this->tokens();
  status = detail::check_room(*plan_, position, tokens.size());
  if (status == Status::ok) status = check_context();
  if (status != Status::ok) return status;

  const detail::ModelEnds ends = this->ends(executor);
  const std::uint32_t dim = config.block.model_dim;
  const std::uint32_t width = detail::output_width(config);
  auto* const rows = reinterpret_cast<float*>(scratch_ + plan_->rows.offset);
  while (!tokens.empty() && status == Status::ok) {
    const std::size_t most = plan_->block.memory.rows;
    const auto count = static_cast<std::uint32_t>(tokens.size() < most ? tokens.size() : most);
    ends.embed(tokens.first(count), position, rows);
    status = run_blocks(rows, position, count, executor);
    if (status != Status::ok) return status;
    tokens = tokens.subspan(count);
    position += count;
    if (config.pooling == Pooling::every) {
      apply_head(ends, rows, count, logits);
      show(Stage::output, logits, count, width);
      logits += std::size_t{count} * width;
    } else if (tokens.empty()) {
      apply_head(ends, rows + (count - 1) * std::size_t{dim}, 1, logits);
      show(Stage::output, logits, 1, width);
    }
  }
  return status;
}

Status Model::encode_rows(std::uint32_t count, float* logits, const Executor& executor) noexcept {
  auto* const rows = reinterpret_cast<float*>(scratch_ + plan_->rows.offset);
  const Status status = run_blocks(rows, 0, count, executor);
  if (status != Status::ok) return status;
  const detail::ModelEnds ends = this->ends(executor);
  extension_ == nullptr ? ends.pool(rows, count, logits) : extension_->ends.pool(ends, rows, count, spare(), logits);
  show(Stage::output, logits, plan_->config.pooling == Pooling::every ? count : 1, detail::output_width(plan_->config));
  return status;
}

Status Model::check_encode(std::span<const std::uint32_t> tokens, const float* logits) const noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  Status status = detail::check_tokens(*plan_, false, tokens, logits);
  if (status == Status::ok) status = detail::check_encoder_rows(*plan_, tokens.size());
  return status == Status::ok ? check_context() : status;
}

Status Model::encode(std::span<const std::uint32_t> tokens, float* logits, const Executor& executor) noexcept {
  const Status status = check_encode(tokens, logits);
  if (status != Status::ok) return status;
  auto* const rows = reinterpret_cast<float*>(scratch_ + plan_->rows.offset);
  const detail::ModelEnds ends = this->ends(executor);
  extension_ == nullptr ? ends.embed(tokens, 0, rows) : extension_->ends.embed_tokens(ends, tokens, nullptr, rows);
  return encode_rows(static_cast<std::uint32_t>(tokens.size()), logits, executor);
}

Status Model::encode(std::span<const std::uint32_t> tokens, std::span<const std::uint32_t> types, float* logits,
                     const Executor& executor) noexcept {
  const Status status = check_encode(tokens, logits);
  if (status != Status::ok) return status;
  if (plan_->config.token_types == 0) return Status::plan_mismatch;
  if (types.data() == nullptr) return Status::null_pointer;
  if (types.size() != tokens.size()) return Status::bad_length;
  for (const std::uint32_t type : types) {
    if (type >= plan_->config.token_types) return Status::bad_token;
  }
  auto* const rows = reinterpret_cast<float*>(scratch_ + plan_->rows.offset);
  extension_->ends.embed_tokens(ends(executor), tokens, types.data(), rows);
  return encode_rows(static_cast<std::uint32_t>(tokens.size()), logits, executor);
}

Status Model::encode(ConstMatrix frames, std::uint32_t count, float* logits, const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  Status status = detail::check_frames(*plan_, frames, count, logits);
  if (status == Status::ok) status = check_context();
  if (status != Status::ok) return status;
  auto* const rows = reinterpret_cast<float*>(scratch_ + plan_->rows.offset);
  const detail::ModelEnds ends = this->ends(executor);
  extension_ == nullptr ? ends.embed(frames, count, rows)
                        : extension_->ends.embed_frames(ends, frames, count, spare(), rows);
  return encode_rows(static_cast<std::uint32_t>(detail::encoder_rows(plan_->config, count)), logits, executor);
}

Status Model::set_context(ConstMatrix rows, std::uint32_t count, const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  Status status = Status::ok;
  for (std::uint32_t block = 0; block < plan_->config.blocks && status == Status::ok; ++block) {
    status = block_at(block).set_context(rows, count, executor);
  }
  return status;
}

[[gnu::noinline]] std::uint32_t Model::tokens() const noexcept {
  return plan_ == nullptr ? 0 : block_at(0).cache().tokens(0);
}

/// Every block has the same tokens: where one refuses, the first does.
Status Model::truncate(std::uint32_t length) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  if (plan_->config.encoder) return Status::plan_mismatch;
  Status status = Status::ok;
  for (std::uint32_t block = 0; block < plan_->config.blocks && status == Status::ok; ++block) {
    status = block_at(block).cache().truncate(0, length);
  }
  return status;
}

void Model::show(Stage stage, const float* values, std::uint32_t rows, std::uint32_t columns) const noexcept {
  if (observer_.see != nullptr) observer_.see(observer_.context, 0, stage, values, rows, columns);
}

}  // namespace heed
