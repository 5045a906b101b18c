// SPDX-License-Identifier: MIT
#include "heed/kv_multi_head.hpp"
#include "heed/multi_head_options.hpp"

extern "C" heed::Status probe(heed::KvMultiHeadAttention& layer, const float* x, const heed::MultiHeadOptions& options,
                              float* y) {
  return layer.decode(x, y, 0, options);
}
