// SPDX-License-Identifier: MIT
#include "heed/layer.hpp"

extern "C" heed::Status probe(heed::MultiHeadAttention& layer, const heed::MultiHeadInputs& inputs,
                              const heed::MultiHeadOptions& options, const heed::MultiHeadOutputs& outputs) {
  return layer.prefill(inputs, options, outputs);
}
