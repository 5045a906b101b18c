// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heed::tools {

/// What the classes of Hugging Face's transformers take for members that config.json does not have, of a decoder with
/// Llama's names; 0 is none.
struct DecoderDefaults {
  const char* type;  ///< `model_type`
  const char* name;  ///< the class that computes it
  std::uint32_t vocab_size = 32000;
  std::uint32_t hidden_size = 4096;
  std::uint32_t intermediate_size = 11008;
  std::uint32_t num_hidden_layers = 32;
  std::uint32_t num_attention_heads = 32;
  std::uint32_t num_key_value_heads = 0;  ///< 0: as many as heads
  std::uint32_t head_dim = 0;             ///< 0: hidden_size / num_attention_heads
  std::uint32_t max_position_embeddings = 2048;
  double rms_norm_eps = 1e-6;
  double rope_theta = 10000.0;
  bool tie_word_embeddings = false;
  const char* activation_member = "hidden_act";
  const char* activation = "silu";
};

}  // namespace heed::tools
