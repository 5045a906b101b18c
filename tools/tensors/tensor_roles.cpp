// SPDX-License-Identifier: MIT
#include "tensors/tensor_roles.hpp"

namespace heed::tools {

namespace {

constexpr const char* role_names[] = {"input",
                                      "input_bias",
                                      "second_input",
                                      "second_input_bias",
                                      "class_token",
                                      "positions",
                                      "token_types",
                                      "embedding_norm",
                                      "final_norm",
                                      "embedding_norm_bias",
                                      "head",
                                      "head_bias",
                                      "final_norm_bias",
                                      "attention_norm",
                                      "query",
                                      "attention_norm_bias",
                                      "key",
                                      "value",
                                      "output",
                                      "qkv",
                                      "query_bias",
                                      "key_bias",
                                      "value_bias",
                                      "output_bias",
                                      "qkv_bias",
                                      "cross_norm",
                                      "cross_query",
                                      "cross_norm_bias",
                                      "cross_key",
                                      "cross_value",
                                      "cross_output",
                                      "cross_qkv",
                                      "cross_key_bias",
                                      "cross_query_bias",
                                      "mlp_norm",
                                      "gate",
                                      "up",
                                      "cross_value_bias",
                                      "cross_qkv_bias",
                                      "cross_output_bias",
                                      "down",
                                      "gate_bias",
                                      "up_bias",
                                      "mlp_norm_bias",
                                      "down_bias",
                                      "query_norm",
                                      "query_norm_bias",
                                      "key_norm",
                                      "key_norm_bias",
                                      "attention_output_norm",
                                      "attention_output_norm_bias",
                                      "mlp_output_norm",
                                      "mlp_output_norm_bias",
                                      "register_tokens",
                                      "relative_bias",
                                      "pooler",
                                      "gate_up",
                                      "pooler_bias"};

}  // namespace

std::span<const char* const> tensor_roles() {
  return role_names;
}

}  // namespace heed::tools
