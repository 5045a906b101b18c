// SPDX-License-Identifier: MIT
#include "layer/multi_head_check.hpp"

#include "common/validation.hpp"

namespace heed::detail {
namespace {

[[nodiscard]] Status check_outputs(const MultiHeadConfig& config, const MultiHeadInputs& inputs,
                                   const MultiHeadOutputs& outputs, std::uint32_t keys) noexcept {
  Status status = check_output(outputs.output, inputs.batch, inputs.tokens, config.output_dim);
  if (status == Status::ok && outputs.head_outputs.data != nullptr) {
    status = check_output(outputs.head_outputs, inputs.batch, config.heads, inputs.tokens, config.value_dim);
  }
  if (status == Status::ok && outputs.scores.data != nullptr) {
    if (outputs.score_stage > ScoreStage::masked) return Status::bad_option;
    status = check_output(outputs.scores, inputs.batch, config.heads, inputs.tokens, keys);
  }
  return status;
}

/// Keys of a batch entry's sequence when its queries look at it.
[[nodiscard]] std::uint32_t key_count(const FloatKvCache& cache, const MultiHeadInputs& inputs, std::uint32_t batch,
                                      CacheUpdate update) noexcept {
  const std::uint32_t held = update == CacheUpdate::replace ? 0 : cache.length(sequence_of(inputs.sequence_ids, batch));
  return held + (update == CacheUpdate::nothing ? 0 : inputs.tokens);
}

}  // namespace

Status check_sequences(const FloatKvCache& cache, std::uint32_t batch, const std::uint32_t* sequences,
                       std::uint32_t tokens, CacheUpdate update) noexcept {
  const FloatKvCacheConfig& config = cache.plan().config;
  for (std::uint32_t b = 0; b < batch; ++b) {
    const std::uint32_t sequence = sequence_of(sequences, b);
    if (sequence >= config.max_sequences) return Status::bad_sequence;
    if (update == CacheUpdate::nothing) continue;
    const std::uint32_t held = update == CacheUpdate::append ? cache.length(sequence) : 0;
    if (tokens > config.max_keys - held) return Status::cache_full;
    for (std::uint32_t other = 0; sequences != nullptr && other < b; ++other) {
      if (sequences[other] == sequence) return Status::bad_sequence;
    }
  }
  return Status::ok;
}

Status check_counts(std::uint32_t batch, std::uint32_t tokens) noexcept {
  if (batch == 0 || tokens == 0) return Status::zero_dimension;
  return batch > max_rows || tokens > max_rows ? Status::too_large : Status::ok;
}

Status check_append(const MultiHeadPlan& plan, const FloatKvCache& cache, std::uint32_t batch,
                    const std::uint32_t* sequences, std::uint32_t tokens, ConstMatrix memory) noexcept {
  Status status = check_counts(batch, tokens);
  if (status == Status::ok) status = check_sequences(cache, batch, sequences, tokens, CacheUpdate::append);
  return status != Status::ok ? status : check_input(memory, batch, tokens, plan.config.kv_input_dim);
}

std::uint32_t most_keys(const FloatKvCache& cache, const MultiHeadInputs& inputs, CacheUpdate update) noexcept {
  std::uint32_t most = 0;
  for (std::uint32_t b = 0; b < inputs.batch; ++b) {
    const std::uint32_t keys = key_count(cache, inputs, b, update);
    if (keys > most) most = keys;
  }
  return most;
}

Status check_call(const MultiHeadPlan& plan, const FloatKvCache& cache, const MultiHeadInputs& inputs,
                  const MultiHeadOutputs& outputs, CacheUpdate update) noexcept {
  if (!cache.initialised()) return Status::not_initialised;
  const MultiHeadConfig& config = plan.config;
  if (update != CacheUpdate::nothing && config.kv_input_dim != config.model_dim) return Status::plan_mismatch;
  Status status = check_counts(inputs.batch, inputs.tokens);
  if (status != Status::ok) return status;
  if (!is_scale(inputs.scale)) return Status::bad_scale;
  if (inputs.causal > Causal::offset) return Status::bad_option;
  status = check_sequences(cache, inputs.batch, inputs.sequence_ids, inputs.tokens, update);
  if (status != Status::ok) return status;
  for (std::uint32_t b = 0; inputs.key_lengths != nullptr && b < inputs.batch; ++b) {
    if (inputs.key_lengths[b] > key_count(cache, inputs, b, update)) return Status::bad_length;
  }
  status = check_input(inputs.input, inputs.batch, inputs.tokens, config.model_dim);
  return status != Status::ok ? status : check_outputs(config, inputs, outputs, most_keys(cache, inputs, update));
}

}  // namespace heed::detail
