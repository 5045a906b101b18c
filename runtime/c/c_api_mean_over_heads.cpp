// SPDX-License-Identifier: MIT
//
// The C interface of the mean over heads, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_options.h"
#include "heed/options.hpp"

heed_status heed_mean_over_heads(uint32_t batch, uint32_t heads, uint32_t queries, uint32_t keys,
                                 heed_const_tensor scores, heed_matrix mean) {
  return heed::detail::answer(heed::mean_over_heads(batch, heads, queries, keys, heed::detail::view_of(scores),
                                                    std::bit_cast<heed::MutableMatrix>(mean)));
}
