// SPDX-License-Identifier: MIT
//
// The entries of model_families(), by what their models read.
#pragma once

#include "tensors/model_families.hpp"

namespace heed::tools {

[[nodiscard]] ModelFamily llama_family();
[[nodiscard]] ModelFamily gpt2_family();
[[nodiscard]] ModelFamily nanogpt_family();
[[nodiscard]] ModelFamily bert_family();
[[nodiscard]] ModelFamily roberta_family();

[[nodiscard]] ModelFamily vit_family();
[[nodiscard]] ModelFamily timm_vit_family();
[[nodiscard]] ModelFamily kwt_family();

[[nodiscard]] ModelFamily torch_encoder_family();
[[nodiscard]] ModelFamily torch_layer_family();
[[nodiscard]] ModelFamily torch_decoder_family();

}  // namespace heed::tools
