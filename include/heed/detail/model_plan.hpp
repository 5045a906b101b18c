// SPDX-License-Identifier: MIT
//
// How the plan of a model follows from its configuration.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/arena.hpp"
#include "heed/block.hpp"
#include "heed/detail/extended_model.hpp"
#include "heed/heed_model.h"
#include "heed/positions.hpp"
#include "heed/types.hpp"

namespace heed::detail {

[[nodiscard]] constexpr RotaryConfig rotary_config(const ModelConfig& config, std::uint32_t head_dim) noexcept {
  return {.head_dim = head_dim,
          .rotary_dim = config.rotary_dim,
          .base = config.rotary_base,
          .layout = config.rotary_layout,
          .scaling = config.rotary_scaling,
          .scaling_factor = config.rotary_factor,
          .original_max_position = config.rotary_original_positions,
          .beta_fast = config.rotary_beta_fast,
          .beta_slow = config.rotary_beta_slow,
          .high_freq_factor = config.rotary_high_factor,
          .low_freq_factor = config.rotary_low_factor,
          .attention_factor = config.rotary_attention_factor};
}

/// The same of blocks with the window.
[[nodiscard]] constexpr RotaryConfig local_rotary_config(const ModelConfig& config, std::uint32_t head_dim) noexcept {
  return {.head_dim = head_dim,
          .rotary_dim = config.rotary_dim,
          .base = config.local_rotary_base,
          .layout = config.rotary_layout};
}

/// How many blocks have a state of their own. An encoder's keys and values are needed in their block alone, those of
/// cross-attention in every call.
[[nodiscard]] constexpr std::uint32_t block_states(const ModelConfig& config) noexcept {
  return !config.encoder || config.block.cross_dim != 0 ? config.blocks : 1;
}

/// What is wrong with the types of the input and of the head.
template <class Say>
[[nodiscard]] constexpr Status check_end_types(const ModelConfig& config, Say say) noexcept {
  if (config.input == ModelInput::tokens && config.input_row_type != DataType::float32) {
    return say(Status::bad_option, "input_row_type", config.input_row_type, 0, 0, "must be float32 for tokens");
  }
  if (config.outputs == 0 && config.head_row_type != DataType::float32) {
    return say(Status::bad_option, "head_row_type", config.head_row_type, 0, 0, "must be float32 without a head");
  }
  const Status input =
      check_types("input_type", config.input_type, config.tied_head ? "head_row_type" : "input_row_type",
                  config.tied_head ? config.head_row_type : config.input_row_type, say);
  if (input != Status::ok || config.outputs == 0 || config.tied_head) return input;
  return check_types("head_type", config.head_type, "head_row_type", config.head_row_type, say);
}

/// What is wrong with the parts of a configuration that are not its blocks'.
template <class Say>
[[nodiscard]] constexpr Status complete(ModelConfig& config, Say say) noexcept {
  if (config.embedding_scale == 0.0F) config.embedding_scale = 1.0F;
  if (config.rotary_base == 0.0F) config.rotary_base = 10000.0F;
  if (config.tied_head && config.outputs == 0) config.outputs = config.input_dim;
  if (config.tied_head || config.outputs == 0) config.head_type = config.input_type;
  const std::uint32_t most_inputs = config.input == ModelInput::tokens ? max_rows : max_dimension;
  if (config.blocks == 0) return say(Status::zero_dimension, "blocks", 0, 1, max_dimension);
  if (config.input_dim == 0) return say(Status::zero_dimension, "input_dim", 0, 1, most_inputs);
  if (config.max_positions == 0) return say(Status::zero_dimension, "max_positions", 0, 1, max_rows);
  if (config.blocks > max_dimension) return say(Status::too_large, "blocks", config.blocks, 1, max_dimension);
  if (config.max_positions > max_rows) {
    return say(Status::too_large, "max_positions", config.max_positions, 1, max_rows);
  }
  if (config.outputs > max_rows) return say(Status::too_large, "outputs", config.outputs, 0, max_rows);
  if (config.input_dim > most_inputs) return say(Status::too_large, "input_dim", config.input_dim, 1, most_inputs);
  const auto refuse = [&](const char* member, auto value, auto most, const char* rule = "") {
    return say(Status::bad_option, member, value, 0, most, rule);
  };
  if (config.input > ModelInput::none) return refuse("input", config.input, 3);
  if (config.positions > Positions::rotary) return refuse("positions", config.positions, 3);
  if (config.pooling > Pooling::mean_of_rest) return refuse("pooling", config.pooling, 4);
  if (config.rotary_layout > RotaryLayout::interleaved) return refuse("rotary_layout", config.rotary_layout, 1);
  const bool tokens = config.input == ModelInput::tokens;
  const Status types = check_end_types(config, say);
  if (types != Status::ok) return types;
  const bool typed = config.input_type != DataType::float32 || config.input_row_type != DataType::float32;
  if (config.input == ModelInput::none && (!config.encoder || config.input_dim != config.block.model_dim || typed)) {
    return refuse("input", config.input, 2, "none is for encoders whose input_dim is model_dim, with types of float32");
  }
  if (config.class_token && (tokens || !config.encoder)) {
    return refuse("class_token", 1, 0, "is for encoders of frames alone");
  }
  if (config.tied_head && (!tokens || config.outputs != config.input_dim)) {
    return refuse("tied_head", 1, 0, "needs tokens, and outputs that are input_dim");
  }
  if (!config.encoder && config.pooling != Pooling::last && config.pooling != Pooling::every) {
    return refuse("pooling", config.pooling, 3, "of a decoder is last or every");
  }
  if (!is_positive_finite(config.embedding_scale)) {
    return refuse("embedding_scale", config.embedding_scale, 0x1.fffffep127F, "must be positive");
  }
  return check_extension(config, say);
}

/// The row types of the embedding table, or of the projection of frames, and of the head: a tied head's are one.
[[nodiscard]] constexpr DataType table_row_type(const ModelConfig& config) noexcept {
  return config.tied_head ? config.head_row_type : config.input_row_type;
}
[[nodiscard]] constexpr DataType head_row_type(const ModelConfig& config) noexcept {
  return config.outputs == 0 ? config.input_row_type : config.head_row_type;
}

constexpr ModelFilePlan lay_out_file(const ModelConfig& config, std::uint32_t block_bytes, Layout& layout) noexcept {
  ModelFilePlan plan;
  const std::uint32_t dim = config.block.model_dim;
  const Norm norm = config.block.norm;
  plan.header =
      layout.add(RegionName::model_header, has_long_header(config) ? extended_header_bytes : model_header_bytes, 1, 1);
  const bool tokens = config.input == ModelInput::tokens;
  const LinearNames table{RegionName::embedding, RegionName::embedding_scales, RegionName::none};
  const LinearNames projection{RegionName::input_weight, RegionName::input_scales, RegionName::input_bias};
  const DataType row_type = table_row_type(config);
  const bool convolved = config.input == ModelInput::convolutions;
  const std::uint64_t frame = std::uint64_t{config.input_dim} * (convolved ? 3 : 1);
  if (config.input != ModelInput::none) {
    plan.input = tokens ? lay_out_linear(layout, dim, config.input_dim, config.input_type, row_type, false, table)
                        : lay_out_linear(layout, frame, dim, config.input_type, row_type, true, projection);
  }
  if (convolved) {
    const LinearNames second{RegionName::second_input_weight, RegionName::second_input_scales,
                             RegionName::second_input_bias};
    plan.second_input = lay_out_linear(layout, std::uint64_t{3} * dim, dim, config.input_type, row_type, true, second);
  }
  if (config.class_token) plan.class_token = layout.add(RegionName::class_token, dim, 1, sizeof(float));
  if (config.positions == Positions::learned) {
    plan.positions = layout.add(RegionName::positions, config.max_positions, dim, sizeof(float));
  }
  if (config.registers != 0) plan.registers = layout.add(RegionName::registers, config.registers, dim, sizeof(float));
  if (config.token_types != 0) {
    plan.token_types = layout.add(RegionName::token_types, config.token_types, dim, sizeof(float));
  }
  if (config.relative_buckets != 0) {
    plan.relative_left = relative_left(config);
    plan.relative_bias =
        layout.add(RegionName::relative_bias, config.block.heads, relative_columns(plan, config), sizeof(float));
  }
  if (config.embedding_norm) plan.embedding_norm = lay_out_norm(layout, norm, dim);
  plan.block_weights = layout.add(RegionName::block_weights, config.blocks, block_bytes, 1);
  if (!config.without_final_norm) plan.final_norm = lay_out_norm(layout, norm, dim);
  if (config.pooler != Pooler::none) {
    const LinearNames pooler{RegionName::pooler_weight, RegionName::pooler_scales, RegionName::pooler_bias};
    plan.pooler = lay_out_linear(layout, dim, dim, config.head_type, head_row_type(config), true, pooler);
  }
  plan.head = plan.input;
  if (config.outputs != 0 && !config.tied_head) {
    const LinearNames head{RegionName::head_weight, RegionName::head_scales, RegionName::head_bias};
    plan.head = lay_out_linear(layout, dim, config.outputs, config.head_type, config.head_row_type, true, head);
  }
  plan.bytes = layout.bytes();
  return plan;
}

/// make_plan() in place: `made` is empty before, and means nothing where there is no plan.
template <class Say>
[[nodiscard]] constexpr Status fill_model_plan(const ModelConfig& config, const BlockMemory& memory, ModelPlan& made,
                                               Say say) noexcept {
  made.config = config;
  Status status = complete(made.config, say);
  if (status == Status::ok) status = fill_block_plan(made.config.block, memory, made.block, say);
  if (status != Status::ok) return status;
  if (memory.key_type == DataType::int8_channels) {
    return say(Status::bad_option, "key_type", memory.key_type, 0, 6, "needs scales, which a model does not take");
  }
  made.config.block = made.block.config;
  if (config.positions == Positions::rotary) {
    status = make_plan(rotary_config(made.config, made.config.block.head_dim), made.rotary, say);
    say.rename("base", "rotary_base");
    say.rename("scaling", "rotary_scaling");
    say.rename("scaling_factor", "rotary_factor");
    say.rename("original_max_position", "rotary_original_positions");
    say.rename("beta_fast", "rotary_beta_fast");
    say.rename("beta_slow", "rotary_beta_slow");
    say.rename("high_freq_factor", "rotary_high_factor");
    say.rename("low_freq_factor", "rotary_low_factor");
    say.rename("attention_factor", "rotary_attention_factor");
    if (status != Status::ok) return status;
  }
  if (config.local_rotary_base != 0.0F) {
    status = make_plan(local_rotary_config(made.config, made.config.block.head_dim), made.local_rotary, say);
    say.rename("base", "local_rotary_base");
    if (status != Status::ok) return status;
  }
  Layout state;
  made.block_state = state.add(RegionName::key_value_cache, block_states(config), made.block.state_bytes, 1);
  made.state_bytes = state.bytes();
  Layout file;
  made.file = lay_out_file(made.config, made.block.weights_bytes, file);
  Layout scratch;
  made.rows = scratch.add(RegionName::model_rows, made.block.memory.rows, config.block.model_dim, sizeof(float));
  const std::uint64_t convolutions = convolution_bytes(made.config);
  const bool larger = convolutions > made.block.scratch_bytes;
  made.block_scratch = scratch.add(RegionName::block_scratch, larger ? convolutions : made.block.scratch_bytes, 1, 1);
  const std::uint32_t most_rows = made.block.memory.rows;
  made.staging =
      lay_out_staging(scratch, {&made.file.input, &made.file.second_input, &made.file.pooler, &made.file.head},
                      made.block.memory.workers,
                      convolutions != 0 && most_rows < once_convolved_rows ? once_convolved_rows : most_rows);
  made.scratch_bytes = scratch.bytes();
  return state.fits() && scratch.fits() && file.fits() ? Status::ok : sizes_too_large(say);
}

}  // namespace heed::detail
