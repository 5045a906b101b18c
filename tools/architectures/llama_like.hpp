// SPDX-License-Identifier: MIT
//
// Decoders whose tensors have Llama's names: what they share, and a function for each.
#pragma once

#include <vector>

#include "architectures/decoder_defaults.hpp"
#include "architectures/published_config.hpp"
#include "architectures/published_model.hpp"

namespace heed::tools {

/// A decoder with all members that these architectures share: sizes, norm, activation, and whether the head is tied.
/// What is left to the architecture are positions, windows, biases and whatever makes it differ.
[[nodiscard]] PublishedModel take_llama_like(PublishedConfig& config, const DecoderDefaults& defaults);

[[nodiscard]] std::uint32_t head_dim_of(const PublishedModel& model);
[[nodiscard]] std::uint32_t blocks_of(const PublishedModel& model);

/// Projections have biases only where a member says so.
void take_biases(PublishedConfig& config, PublishedModel& model, bool of_mlp);

/// Scores are q k * multiplier in place of q k / sqrt(head_dim): it goes into the queries' weights, or, where queries
/// are normed, into those of their norm.
void scale_scores(PublishedModel& model, double multiplier);

[[nodiscard]] PublishedModel read_llama(PublishedConfig& config);
[[nodiscard]] PublishedModel read_mistral(PublishedConfig& config);
[[nodiscard]] PublishedModel read_qwen2(PublishedConfig& config);
[[nodiscard]] PublishedModel read_qwen3(PublishedConfig& config);
[[nodiscard]] PublishedModel read_smollm3(PublishedConfig& config);
[[nodiscard]] PublishedModel read_granite(PublishedConfig& config);
[[nodiscard]] PublishedModel read_phi3(PublishedConfig& config);
[[nodiscard]] PublishedModel read_gemma(PublishedConfig& config);
[[nodiscard]] PublishedModel read_gemma2(PublishedConfig& config);
[[nodiscard]] PublishedModel read_gemma3(PublishedConfig& config);

}  // namespace heed::tools
