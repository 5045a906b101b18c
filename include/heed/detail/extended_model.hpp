// SPDX-License-Identifier: MIT
//
// The members of extended models: who has them, and which go together.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "heed/arena.hpp"
#include "heed/block.hpp"
#include "heed/heed_model.h"
#include "heed/options.hpp"
#include "heed/types.hpp"

namespace heed::detail {

inline constexpr std::uint32_t model_magic = 0x4D454548U;  // "HEEM"
/// Of plain models, and of extended ones.
inline constexpr std::uint32_t model_header_bytes = 192;
inline constexpr std::uint32_t extended_header_bytes = 384;

/// Not 0, asked of the bits: comparing floats may be a call.
[[nodiscard]] constexpr bool is_set(float x) noexcept {
  return std::bit_cast<std::uint32_t>(x) << 1 != 0;
}

/// Whether something is not as in GPT-2, BERT, Llama and ViT, so that a program has to name the extension. How rotary
/// positions are scaled is a matter of their plan alone.
[[nodiscard]] constexpr bool is_extended(const BlockConfig& block) noexcept {
  return block.qk_norm != QkNorm::none || is_set(block.score_softcap) || block.norm_placement > NormPlacement::after;
}
[[nodiscard]] constexpr bool is_extended(const ModelConfig& config) noexcept {
  return is_extended(config.block) || config.window != 0 || config.rotary_skip_every != 0 ||
         config.relative_buckets != 0 || config.registers != 0 || config.token_types != 0 ||
         is_set(config.output_softcap) || config.pooler != Pooler::none || config.norm_after_pooling ||
         config.unit_output || config.pooling == Pooling::mean_of_rest || config.input >= ModelInput::convolutions;
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
/// after it. Out of line, for its numbers of many words are on nobody's stack for long.
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
  return is_extended(config) || config.rotary_scaling != RotaryScaling::none ||
         is_set(config.rotary_attention_factor) || config.excluded_token != 0;
}

/// What is wrong with how rotary positions are scaled and left out, as far as it is not their plan.
template <class Say>
[[nodiscard]] constexpr Status check_rotary_members(const ModelConfig& config, Say say) noexcept {
  const auto refuse = [&](const char* member, auto value, const char* rule) {
    return say(Status::bad_option, member, value, 0, 0, rule);
  };
  const bool rotary = config.positions == Positions::rotary;
  if (config.rotary_skip_every != 0 && !rotary) {
    return refuse("rotary_skip_every", config.rotary_skip_every, "needs rotary positions");
  }
  if (config.rotary_scaling != RotaryScaling::none && !rotary) {
    return refuse("rotary_scaling", config.rotary_scaling, "needs rotary positions");
  }
  if (config.rotary_scaling == RotaryScaling::none) {
    constexpr const char* rule = "needs a rotary_scaling";
    if (config.rotary_factor != 0.0F) return refuse("rotary_factor", config.rotary_factor, rule);
    if (config.rotary_original_positions != 0) {
      return refuse("rotary_original_positions", config.rotary_original_positions, rule);
    }
    if (config.rotary_beta_fast != 0.0F) return refuse("rotary_beta_fast", config.rotary_beta_fast, rule);
    if (config.rotary_beta_slow != 0.0F) return refuse("rotary_beta_slow", config.rotary_beta_slow, rule);
    if (config.rotary_high_factor != 0.0F) return refuse("rotary_high_factor", config.rotary_high_factor, rule);
    if (config.rotary_low_factor != 0.0F) return refuse("rotary_low_factor", config.rotary_low_factor, rule);
  }
  if (config.rotary_attention_factor != 0.0F && !rotary) {
    return refuse("rotary_attention_factor", config.rotary_attention_factor, "needs rotary positions");
  }
  return Status::ok;
}

/// What is wrong with the relative bias.
template <class Say>
[[nodiscard]] constexpr Status check_relative_members(const ModelConfig& config, Say say) noexcept {
  const std::uint32_t most_buckets = config.encoder ? 256 : 128;
  if (config.relative_buckets > most_buckets || (config.relative_buckets != 0 && config.relative_buckets < 4)) {
    return say(Status::bad_option, "relative_buckets", config.relative_buckets, 4, most_buckets);
  }
  const std::uint32_t exact = config.relative_buckets / (config.encoder ? 4 : 2);
  if (config.relative_buckets != 0 && (config.relative_distance <= exact || config.relative_distance >= max_rows)) {
    return say(Status::bad_option, "relative_distance", config.relative_distance, exact + 1, max_rows - 1);
  }
  if (config.relative_buckets == 0 && config.relative_distance != 0) {
    return say(Status::bad_option, "relative_distance", config.relative_distance, 0, 0, "needs relative_buckets");
  }
  return Status::ok;
}

/// What is wrong with the members of extended models, as far as it is not the plan of their rotary positions.
template <class Say>
[[nodiscard]] constexpr Status check_extension(const ModelConfig& config, Say say) noexcept {
  const auto refuse = [&](const char* member, auto value, const char* rule) {
    return say(Status::bad_option, member, value, 0, 0, rule);
  };
  const bool rotary = config.positions == Positions::rotary;
  const bool tokens = config.input == ModelInput::tokens;
  const bool pooled = config.encoder && config.pooling != Pooling::every;
  Status status = check_rotary_members(config, say);
  if (status == Status::ok) status = check_relative_members(config, say);
  if (status != Status::ok) return status;
  if (config.window > max_rows) return say(Status::too_large, "window", config.window, 0, max_rows);
  if (config.window != 0 && config.encoder) return refuse("window", config.window, "is for decoders alone");
  if (config.window == 0 && config.full_every != 0) return refuse("full_every", config.full_every, "needs a window");
  if (config.full_every == 1) return refuse("full_every", 1, "would leave no block with the window");
  if (config.local_rotary_base != 0.0F && (config.window == 0 || !rotary)) {
    return refuse("local_rotary_base", config.local_rotary_base, "needs a window and rotary positions");
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
  if (config.excluded_token != 0 && (!tokens || !config.encoder || config.excluded_token > config.input_dim)) {
    return refuse("excluded_token", config.excluded_token, "is 1 + a token, of an encoder of tokens");
  }
  if (config.output_softcap != 0.0F &&
      !(config.output_softcap >= least_softcap && config.output_softcap <= greatest_softcap)) {
    return say(Status::bad_option, "output_softcap", config.output_softcap, least_softcap, greatest_softcap);
  }
  if (config.pooler > Pooler::relu) return say(Status::bad_option, "pooler", config.pooler, 0, 2);
  if (config.pooler != Pooler::none && !pooled) return refuse("pooler", config.pooler, "needs a pooled row");
  if (config.norm_after_pooling && (!pooled || config.without_final_norm)) {
    return refuse("norm_after_pooling", 1, "needs a pooled row and a final norm");
  }
  return Status::ok;
}

}  // namespace heed::detail
