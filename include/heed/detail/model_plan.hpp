// SPDX-License-Identifier: MIT
//
// How the plan of a model follows from its configuration.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/arena.hpp"
#include "heed/block.hpp"
#include "heed/heed_model.h"
#include "heed/options.hpp"
#include "heed/positions.hpp"
#include "heed/types.hpp"

namespace heed::detail {

/// Of plain models, and of extended ones.
inline constexpr std::uint32_t model_header_bytes = 192;
inline constexpr std::uint32_t extended_header_bytes = 384;

/// Whether something is not as in GPT-2, BERT, Llama and ViT, so that a program has to name the extension. How rotary
/// positions are scaled is a matter of their plan alone.
[[nodiscard]] constexpr bool is_extended(const BlockConfig& block) noexcept {
  return block.qk_norm != QkNorm::none || block.score_softcap != 0.0F || block.norm_placement > NormPlacement::after;
}
[[nodiscard]] constexpr bool is_extended(const ModelConfig& config) noexcept {
  return is_extended(config.block) || config.window != 0 || config.rotary_skip_every != 0 ||
         config.relative_buckets != 0 || config.registers != 0 || config.token_types != 0 ||
         config.output_softcap != 0.0F || config.pooler != Pooler::none || config.norm_after_pooling ||
         config.unit_output || config.pooling == Pooling::mean_of_rest || config.input == ModelInput::convolutions;
}

/// The rows of an encoder that stand before those of its frames.
[[nodiscard]] constexpr std::uint32_t first_of_rest(const ModelConfig& config) noexcept {
  return (config.class_token ? 1 : 0) + config.registers;
}

[[nodiscard]] constexpr RelativeBucketsConfig buckets_of(const ModelConfig& config) noexcept {
  return {.num_buckets = config.relative_buckets,
          .max_distance = config.relative_distance,
          .directions = config.encoder ? RelativeDirections::bidirectional : RelativeDirections::causal};
}

/// Keys before a query that have a number of their own in the table of a relative bias, which has check_extension()
/// behind it. Out of line, for its numbers of many words are on nobody's stack for long.
[[nodiscard, gnu::noinline]] constexpr std::uint32_t relative_left(const ModelConfig& config) noexcept {
  RelativeBucketsPlan buckets;
  return make_plan(buckets_of(config), buckets) == Status::ok ? buckets.left : 0;
}

/// Numbers of a head in that table; an encoder's has as many for the keys after a query.
[[nodiscard]] constexpr std::uint32_t relative_columns(const ModelFilePlan& plan, const ModelConfig& config) noexcept {
  return (config.encoder ? 2 : 1) * plan.relative_left + 1;
}

/// The rows of an encoder's blocks for so many tokens or frames.
[[nodiscard]] constexpr std::size_t encoder_rows(const ModelConfig& config, std::size_t count) noexcept {
  return first_of_rest(config) + (config.input == ModelInput::convolutions ? count / 2 + count % 2 : count);
}

/// Rows that the second of two convolutions makes at a time, those of the first that it reads, and the frames that
/// these read: as few as keep a product busy.
inline constexpr std::uint32_t convolved_rows = 8;
inline constexpr std::uint32_t once_convolved_rows = 2 * convolved_rows + 1;
inline constexpr std::uint32_t convolved_frames = once_convolved_rows + 2;

/// Floats of these frames, after which the rows lie.
[[nodiscard]] constexpr std::uint64_t convolved_frame_floats(const ModelConfig& config) noexcept {
  return round_up(std::uint64_t{convolved_frames} * config.input_dim, panel_width);
}

/// What the input needs of a block's scratch, in bytes.
[[nodiscard]] constexpr std::uint64_t convolution_bytes(const ModelConfig& config) noexcept {
  if (config.input != ModelInput::convolutions) return 0;
  return (convolved_frame_floats(config) + std::uint64_t{once_convolved_rows} * config.block.model_dim) * sizeof(float);
}

/// Whether a file has the long header.
[[nodiscard]] constexpr bool has_long_header(const ModelConfig& config) noexcept {
  return is_extended(config) || config.rotary_scaling != RotaryScaling::none || config.rotary_attention_factor != 0.0F;
}

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

/// What is wrong with the members of extended models, as far as it is not their rotary positions.
template <class Say>
[[nodiscard]] constexpr Status check_extension(const ModelConfig& config, Say say) noexcept {
  const auto refuse = [&](const char* member, auto value, const char* rule) {
    return say(Status::bad_option, member, value, 0, 0, rule);
  };
  const bool rotary = config.positions == Positions::rotary;
  const bool tokens = config.input == ModelInput::tokens;
  const bool pooled = config.encoder && config.pooling != Pooling::every;
  if (config.window > max_rows) return say(Status::too_large, "window", config.window, 0, max_rows);
  if (config.window != 0 && config.encoder) return refuse("window", config.window, "is for decoders alone");
  if (config.window == 0 && config.full_every != 0) return refuse("full_every", config.full_every, "needs a window");
  if (config.full_every == 1) return refuse("full_every", 1, "would leave no block with the window");
  if (config.local_rotary_base != 0.0F && (config.window == 0 || !rotary)) {
    return refuse("local_rotary_base", config.local_rotary_base, "needs a window and rotary positions");
  }
  if (config.rotary_skip_every != 0 && !rotary) {
    return refuse("rotary_skip_every", config.rotary_skip_every, "needs rotary positions");
  }
  if (config.rotary_scaling != RotaryScaling::none && !rotary) {
    return refuse("rotary_scaling", config.rotary_scaling, "needs rotary positions");
  }
  const std::uint32_t most_buckets = config.encoder ? 256 : 128;
  if (config.relative_buckets > most_buckets || (config.relative_buckets != 0 && config.relative_buckets < 4)) {
    return say(Status::bad_option, "relative_buckets", config.relative_buckets, 4, most_buckets);
  }
  const std::uint32_t exact = config.relative_buckets / (config.encoder ? 4 : 2);
  if (config.relative_buckets != 0 && (config.relative_distance <= exact || config.relative_distance >= max_rows)) {
    return say(Status::bad_option, "relative_distance", config.relative_distance, exact + 1, max_rows - 1);
  }
  if (config.relative_buckets == 0 && config.relative_distance != 0) {
    return refuse("relative_distance", config.relative_distance, "needs relative_buckets");
  }
  if (config.registers > max_dimension) return say(Status::too_large, "registers", config.registers, 0, max_dimension);
  if (config.registers != 0 && (tokens || !config.encoder)) {
    return refuse("registers", config.registers, "are for encoders of frames alone");
  }
  if (config.token_types > max_dimension) {
    return say(Status::too_large, "token_types", config.token_types, 0, max_dimension);
  }
  if (config.token_types != 0 && (!tokens || !config.encoder)) {
    return refuse("token_types", config.token_types, "are for encoders of tokens alone");
  }
  if (config.output_softcap != 0.0F &&
      !(config.output_softcap >= least_softcap && config.output_softcap <= most_softcap)) {
    return say(Status::bad_option, "output_softcap", config.output_softcap, least_softcap, most_softcap);
  }
  if (config.pooler > Pooler::relu) return say(Status::bad_option, "pooler", config.pooler, 0, 2);
  if (config.pooler != Pooler::none && !pooled) return refuse("pooler", config.pooler, "needs a pooled row");
  if (config.norm_after_pooling && (!pooled || config.without_final_norm)) {
    return refuse("norm_after_pooling", 1, "needs a pooled row and a final norm");
  }
  return Status::ok;
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
  if (config.input > ModelInput::convolutions) return refuse("input", config.input, 2);
  if (config.positions > Positions::rotary) return refuse("positions", config.positions, 3);
  if (config.pooling > Pooling::mean_of_rest) return refuse("pooling", config.pooling, 4);
  if (config.rotary_layout > RotaryLayout::interleaved) return refuse("rotary_layout", config.rotary_layout, 1);
  const bool tokens = config.input == ModelInput::tokens;
  const Status types = check_end_types(config, say);
  if (types != Status::ok) return types;
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
  plan.input = tokens ? lay_out_linear(layout, dim, config.input_dim, config.input_type, row_type, false, table)
                      : lay_out_linear(layout, frame, dim, config.input_type, row_type, true, projection);
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
