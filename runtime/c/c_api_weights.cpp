// SPDX-License-Identifier: MIT
//
// The formats of weights in the C interface.
#include "c/c_api_weights.hpp"

#include "heed/heed_weights.h"
#include "heed/linear.hpp"

using heed::detail::twin_of;

const heed_weight_format* heed_float16_weights(void) {
  return twin_of(heed::float16_weights);
}

const heed_weight_format* heed_bfloat16_weights(void) {
  return twin_of(heed::bfloat16_weights);
}

const heed_weight_format* heed_int8_weights(void) {
  return twin_of(heed::int8_weights);
}

const heed_weight_format* heed_int8_group_weights(void) {
  return twin_of(heed::int8_group_weights);
}

const heed_weight_format* heed_int4_group_weights(void) {
  return twin_of(heed::int4_group_weights);
}
