// SPDX-License-Identifier: MIT
#include "tensors/model_families.hpp"

#include "tensors/family_tables.hpp"

namespace heed::tools {

std::span<const ModelFamily> model_families() {
  static const std::vector<ModelFamily> families{llama_family(),       gpt2_family(),         bert_family(),
                                                 roberta_family(),     nanogpt_family(),      vit_family(),
                                                 timm_vit_family(),    kwt_family(),          torch_encoder_family(),
                                                 torch_layer_family(), torch_decoder_family()};
  return families;
}

std::string known_families() {
  std::string text;
  for (const ModelFamily& family : model_families()) text += (text.empty() ? "" : ", ") + std::string(family.name);
  return text;
}

}  // namespace heed::tools
