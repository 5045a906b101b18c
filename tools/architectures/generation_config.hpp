// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "architectures/published_config.hpp"

namespace heed::tools {

/// What tells a sampler how to choose from the logits, or what to do beside it. Earlier releases have it in
/// config.json.
inline constexpr const char* sampling_members[] = {"do_sample",
                                                   "temperature",
                                                   "top_k",
                                                   "top_p",
                                                   "min_p",
                                                   "typical_p",
                                                   "epsilon_cutoff",
                                                   "eta_cutoff",
                                                   "repetition_penalty",
                                                   "length_penalty",
                                                   "exponential_decay_length_penalty",
                                                   "no_repeat_ngram_size",
                                                   "encoder_no_repeat_ngram_size",
                                                   "encoder_repetition_penalty",
                                                   "bad_words_ids",
                                                   "suppress_tokens",
                                                   "begin_suppress_tokens",
                                                   "forced_bos_token_id",
                                                   "forced_eos_token_id",
                                                   "forced_decoder_ids",
                                                   "num_beams",
                                                   "num_beam_groups",
                                                   "diversity_penalty",
                                                   "early_stopping",
                                                   "max_length",
                                                   "max_new_tokens",
                                                   "min_length",
                                                   "min_new_tokens",
                                                   "max_time",
                                                   "penalty_alpha",
                                                   "guidance_scale",
                                                   "stop_strings",
                                                   "num_return_sequences",
                                                   "return_dict_in_generate",
                                                   "output_scores",
                                                   "renormalize_logits",
                                                   "remove_invalid_values"};

/// The tokens by which texts begin, end and are filled, "bos 1, eos 2 3", taken out of a configuration; empty if it has
/// none.
[[nodiscard]] std::string take_token_ids(PublishedConfig& config);

/// What generation_config.json says, a line each: its tokens, and what it asks of sampling. None of it changes logits.
[[nodiscard]] std::vector<std::string> describe_generation(PublishedConfig config);

}  // namespace heed::tools
