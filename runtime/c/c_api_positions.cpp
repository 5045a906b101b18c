// SPDX-License-Identifier: MIT
//
// The C interface of positions and embeddings, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_positions.h"
#include "heed/positions.hpp"
#include "heed/tensor.hpp"

namespace heed::detail {

static_assert(same_size<heed_sinusoid_layout, SinusoidLayout>);
static_assert(HEED_SINUSOID_INTERLEAVED == value_of(SinusoidLayout::interleaved));
static_assert(HEED_SINUSOID_HALVES == value_of(SinusoidLayout::halves));

}  // namespace heed::detail

using heed::detail::answer;

heed_status heed_add_sinusoidal_positions(heed_matrix x, uint32_t rows, uint32_t dim, uint32_t first_position,
                                          heed_sinusoid_layout order, float base) {
  return answer(heed::add_sinusoidal_positions(std::bit_cast<heed::MutableMatrix>(x), rows, dim, first_position,
                                               static_cast<heed::SinusoidLayout>(order), base));
}

heed_status heed_embedding_lookup(const float* table, size_t table_elements, uint32_t dim, const uint32_t* tokens,
                                  size_t token_count, heed_matrix x) {
  return answer(heed::embedding_lookup({table, table_elements}, dim, {tokens, token_count},
                                       std::bit_cast<heed::MutableMatrix>(x)));
}

heed_status heed_add_learned_positions(const float* table, size_t table_elements, heed_matrix x, uint32_t rows,
                                       uint32_t dim, uint32_t first_position) {
  return answer(heed::add_learned_positions({table, table_elements}, std::bit_cast<heed::MutableMatrix>(x), rows, dim,
                                            first_position));
}
