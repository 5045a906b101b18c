// SPDX-License-Identifier: MIT
#include "common/validation.hpp"
#include "heed/model.hpp"
#include "layer/packed_weights.hpp"
#include "product/pack_linear.hpp"
#include "transformer/model_file.hpp"

namespace heed {
namespace {

void copy_floats(const float* from, std::uint32_t count, const Region& region, std::byte* packed) noexcept {
  auto* const to = reinterpret_cast<float*>(packed + region.offset);
  for (std::uint32_t i = 0; i < region.bytes / sizeof(float); ++i)
    to[i] = from != nullptr && i < count ? from[i] : 0.0F;
}

void pack_norm(const NormPlan& plan, const NormWeights& weights, std::uint32_t dim, std::byte* packed) noexcept {
  copy_floats(weights.weight, dim, plan.weight, packed);
  copy_floats(weights.bias, dim, plan.bias, packed);
}

[[nodiscard]] bool complete(const MultiHeadWeights& weights) noexcept {
  return weights.query != nullptr && weights.key != nullptr && weights.value != nullptr && weights.output != nullptr;
}

[[nodiscard]] bool complete(const BlockPlan& plan, const BlockWeights& weights) noexcept {
  const bool cross = plan.config.cross_dim == 0 || (weights.cross_norm.weight != nullptr && complete(weights.cross));
  const bool gate = !plan.config.gated || weights.gate != nullptr;
  const bool heads = plan.config.qk_norm == QkNorm::none ||
                     (weights.query_norm.weight != nullptr && weights.key_norm.weight != nullptr);
  const bool outputs = plan.config.norm_placement != NormPlacement::both ||
                       (weights.attention_output_norm.weight != nullptr && weights.mlp_output_norm.weight != nullptr);
  return cross && gate && heads && outputs && complete(weights.attention) && weights.attention_norm.weight != nullptr &&
         weights.mlp_norm.weight != nullptr && weights.up != nullptr && weights.down != nullptr;
}

[[nodiscard]] bool complete(const ModelPlan& plan, const ModelWeights& weights) noexcept {
  const ModelConfig& config = plan.config;
  const bool head = config.outputs == 0 || config.tied_head || weights.head != nullptr;
  return head && (config.input == ModelInput::none || weights.input != nullptr) &&
         (!config.class_token || weights.class_token != nullptr) &&
         (config.positions != Positions::learned || weights.positions != nullptr) &&
         (config.input != ModelInput::convolutions || weights.second_input != nullptr) &&
         (config.registers == 0 || weights.registers != nullptr) &&
         (config.token_types == 0 || weights.token_types != nullptr) &&
         (config.relative_buckets == 0 || weights.relative_bias != nullptr) &&
         (config.pooler == Pooler::none || weights.pooler != nullptr) &&
         (!config.embedding_norm || weights.embedding_norm.weight != nullptr) &&
         (config.without_final_norm || weights.final_norm.weight != nullptr);
}

void pack_matrix(const LinearPlan& plan, const float* weight, const float* bias, std::byte* packed) noexcept {
  if (plan.type == DataType::float32) {
    detail::pack_floats(plan, weight, bias, packed);
  } else {
    detail::pack_rounded(plan, weight, bias, packed);
  }
}

[[nodiscard]] bool is_lost(const BlockPlan& plan, const BlockWeights& weights) noexcept {
  using detail::is_lost;
  return is_lost(plan.attention, weights.attention) ||
         (plan.config.cross_dim != 0 && is_lost(plan.cross, weights.cross)) ||
         (plan.config.gated && is_lost(plan.mlp.gate, weights.gate)) || is_lost(plan.mlp.up, weights.up) ||
         is_lost(plan.mlp.down, weights.down);
}

/// Whether one of the matrices that a model has would be lost.
[[nodiscard]] bool is_lost(const ModelPlan& plan, const ModelWeights& weights,
                           std::span<const BlockWeights> blocks) noexcept {
  using detail::is_lost;
  const ModelConfig& config = plan.config;
  const ModelFilePlan& parts = plan.file;
  for (const BlockWeights& block : blocks) {
    if (heed::is_lost(plan.block, block)) return true;
  }
  return is_lost(parts.input, weights.input) ||
         (config.input == ModelInput::convolutions && is_lost(parts.second_input, weights.second_input)) ||
         (config.pooler != Pooler::none && is_lost(parts.pooler, weights.pooler)) ||
         (config.outputs != 0 && !config.tied_head && is_lost(parts.head, weights.head));
}

/// The status is dropped: what is refused has been.
void pack_attention(const MultiHeadPlan& plan, const MultiHeadWeights& weights, const Region& region,
                    std::byte* packed) noexcept {
  static_cast<void>(pack_weights(plan, weights, {packed + region.offset, region.bytes}));
}

void pack_checked_block(const BlockPlan& plan, const BlockWeights& weights, std::byte* packed) noexcept {
  const std::uint32_t dim = plan.config.model_dim;
  pack_norm(plan.attention_norm, weights.attention_norm, dim, packed);
  pack_attention(plan.attention, weights.attention, plan.attention_weights, packed);
  if (plan.config.cross_dim != 0) {
    pack_norm(plan.cross_norm, weights.cross_norm, dim, packed);
    pack_attention(plan.cross, weights.cross, plan.cross_weights, packed);
  }
  pack_norm(plan.mlp_norm, weights.mlp_norm, dim, packed);
  const MlpPlan& mlp = plan.mlp;
  if (plan.config.gated) pack_matrix(mlp.gate, weights.gate, weights.gate_bias, packed);
  pack_matrix(mlp.up, weights.up, weights.up_bias, packed);
  pack_matrix(mlp.down, weights.down, weights.down_bias, packed);
  pack_norm(plan.query_norm, weights.query_norm, plan.config.head_dim, packed);
  pack_norm(plan.key_norm, weights.key_norm, plan.config.head_dim, packed);
  pack_norm(plan.attention_output_norm, weights.attention_output_norm, dim, packed);
  pack_norm(plan.mlp_output_norm, weights.mlp_output_norm, dim, packed);
}

void write_file_header(const ModelPlan& plan, std::byte* packed) noexcept {
  detail::write_header(plan, packed);
  reinterpret_cast<std::uint32_t*>(packed)[3] =
      detail::crc32(packed + detail::checked_from, plan.file.bytes - detail::checked_from);
}

/// The buckets' numbers [heads, relative_buckets], one for every distance that has one of its own.
[[gnu::noinline]] void pack_relative_bias(const ModelPlan& plan, const float* bias, std::byte* packed) noexcept {
  RelativeBucketsPlan buckets;
  if (make_plan(detail::buckets_of(plan.config), buckets) != Status::ok) return;  // which a plan has refused
  auto* to = reinterpret_cast<float*>(packed + plan.file.relative_bias.offset);
  for (std::uint32_t head = 0; head < plan.config.block.heads; ++head, bias += plan.config.relative_buckets) {
    for (std::uint32_t column = 0; column < buckets.columns; ++column) {
      *to++ = bias[relative_bucket(buckets, static_cast<std::int32_t>(column - buckets.left))];
    }
  }
  while (to < reinterpret_cast<float*>(packed + plan.file.relative_bias.offset + plan.file.relative_bias.bytes))
    *to++ = 0.0F;
}

}  // namespace

Status pack_block(const BlockPlan& plan, const BlockWeights& weights, std::span<std::byte> packed) noexcept {
  if (plan.weights_bytes == 0) return Status::not_initialised;
  if (!complete(plan, weights)) return Status::null_pointer;
  const Status status = detail::check_memory(packed, plan.weights_bytes);
  if (status != Status::ok) return status;
  if (is_lost(plan, weights)) return Status::bad_scale;
  pack_checked_block(plan, weights, packed.data());
  return Status::ok;
}

Status pack_model(const ModelPlan& plan, const ModelWeights& weights, std::span<const BlockWeights> blocks,
                  std::span<std::byte> file) noexcept {
  if (plan.file.bytes == 0) return Status::not_initialised;
  if (blocks.size() != plan.config.blocks) return Status::bad_length;
  bool all = complete(plan, weights);
  for (const BlockWeights& block : blocks) all = all && complete(plan.block, block);
  if (!all) return Status::null_pointer;
  const Status status = detail::check_memory(file, plan.file.bytes);
  if (status != Status::ok) return status;
  if (is_lost(plan, weights, blocks)) return Status::bad_scale;

  const ModelConfig& config = plan.config;
  const ModelFilePlan& parts = plan.file;
  const std::uint32_t dim = config.block.model_dim;
  std::byte* const packed = file.data();
  if (config.input != ModelInput::none) pack_matrix(parts.input, weights.input, weights.input_bias, packed);
  if (config.input == ModelInput::convolutions) {
    pack_matrix(parts.second_input, weights.second_input, weights.second_input_bias, packed);
  }
  copy_floats(weights.class_token, dim, parts.class_token, packed);
  copy_floats(weights.positions, config.max_positions * dim, parts.positions, packed);
  copy_floats(weights.registers, config.registers * dim, parts.registers, packed);
  copy_floats(weights.token_types, config.token_types * dim, parts.token_types, packed);
  if (config.relative_buckets != 0) pack_relative_bias(plan, weights.relative_bias, packed);
  pack_norm(parts.embedding_norm, weights.embedding_norm, dim, packed);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    pack_checked_block(plan.block, blocks[i], packed + parts.block_weights.offset + i * plan.block.weights_bytes);
  }
  pack_norm(parts.final_norm, weights.final_norm, dim, packed);
  if (config.pooler != Pooler::none) pack_matrix(parts.pooler, weights.pooler, weights.pooler_bias, packed);
  if (config.outputs != 0 && !config.tied_head) {
    pack_matrix(parts.head, weights.head, weights.head_bias, packed);
  }
  write_file_header(plan, packed);
  return Status::ok;
}

Status finish_model(const ModelPlan& plan, std::span<std::byte> file) noexcept {
  if (plan.file.bytes == 0) return Status::not_initialised;
  const Status status = detail::check_memory(file, plan.file.bytes);
  if (status != Status::ok) return status;
  std::byte* block = file.data() + plan.file.block_weights.offset;
  for (std::uint32_t i = 0; i < plan.config.blocks; ++i, block += plan.block.weights_bytes) {
    detail::write_weights_header(plan.block.attention, block + plan.block.attention_weights.offset);
    if (plan.config.block.cross_dim == 0) continue;
    detail::write_weights_header(plan.block.cross, block + plan.block.cross_weights.offset);
  }
  write_file_header(plan, file.data());
  return Status::ok;
}

}  // namespace heed
