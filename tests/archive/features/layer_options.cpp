// SPDX-License-Identifier: MIT
#include "heed/multi_head_options.hpp"

extern "C" heed::Status probe(heed::MultiHeadAttention& layer, const heed::MultiHeadInputs& inputs,
                              const heed::MultiHeadOptions& options, const heed::MultiHeadOutputs& outputs) {
  return layer.prefill(inputs, options, outputs);
}
