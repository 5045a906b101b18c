// SPDX-License-Identifier: MIT
//
// The members of a MultiHeadConfig by name, in the order of their declaration, and the words of enumerations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/model.hpp"
#include "support/data_types.hpp"

namespace heed::tools {

/// Calls visit(name, member) for each that weights depend on, but for their type; Config is MultiHeadConfig or const
/// MultiHeadConfig.
template <class Config, class Visit>
void for_each_layer_size(Config& config, const Visit& visit) {
  visit("model_dim", config.model_dim);
  visit("heads", config.heads);
  visit("kv_heads", config.kv_heads);
  visit("head_dim", config.head_dim);
  visit("value_dim", config.value_dim);
  visit("kv_input_dim", config.kv_input_dim);
  visit("output_dim", config.output_dim);
}

/// How much a layer holds and takes.
template <class Config, class Visit>
void for_each_layer_count(Config& config, const Visit& visit) {
  visit("max_keys", config.max_keys);
  visit("max_sequences", config.max_sequences);
  visit("workers", config.workers);
  visit("scratch_budget", config.scratch_budget);
}

/// How it is stored; 0 is the usual.
template <class Config, class Visit>
void for_each_layer_storage(Config& config, const Visit& visit) {
  visit("weight_type", config.weight_type);
  visit("key_type", config.key_type);
  visit("value_type", config.value_type);
  visit("ring", config.ring);
  visit("sink_tokens", config.sink_tokens);
  visit("max_pages", config.max_pages);
}

/// The enumerators of a type, in their order, and its name.
struct Enumerators {
  const char* type;
  std::vector<std::string_view> names;
};

inline Enumerators enumerators(Norm) {
  return {"Norm", {"layer_norm", "rms_norm"}};
}
inline Enumerators enumerators(NormPlacement) {
  return {"NormPlacement", {"before", "after", "both", "parallel"}};
}
inline Enumerators enumerators(Activation) {
  return {"Activation", {"gelu_erf", "gelu_tanh", "relu", "silu"}};
}
inline Enumerators enumerators(RotaryLayout) {
  return {"RotaryLayout", {"halves", "interleaved"}};
}
inline Enumerators enumerators(RotaryScaling) {
  return {"RotaryScaling", {"none", "linear", "ntk", "yarn", "llama3"}};
}
inline Enumerators enumerators(DataType) {
  return {"DataType", {data_type_words.begin(), data_type_words.end()}};
}
inline Enumerators enumerators(ModelInput) {
  return {"ModelInput", {"tokens", "frames", "convolutions", "none"}};
}
inline Enumerators enumerators(Positions) {
  return {"Positions", {"learned", "none", "sinusoidal", "rotary"}};
}
inline Enumerators enumerators(QkNorm) {
  return {"QkNorm", {"none", "heads"}};
}
inline Enumerators enumerators(Pooler) {
  return {"Pooler", {"none", "tanh", "relu"}};
}
inline Enumerators enumerators(Pooling) {
  return {"Pooling", {"last", "first", "mean", "every", "mean_of_rest"}};
}

}  // namespace heed::tools
