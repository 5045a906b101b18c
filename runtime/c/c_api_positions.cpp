// SPDX-License-Identifier: MIT
//
// The C interface of positions and embeddings.
#include <cstddef>
#include <cstdint>

#include "heed/heed_positions.h"
#include "heed/positions.hpp"

heed_status heed_add_sinusoidal_positions(heed_matrix x, uint32_t rows, uint32_t dim, uint32_t first_position,
                                          heed_sinusoid_layout order, float base) {
  return heed::add_sinusoidal_positions(x, rows, dim, first_position, order, base);
}

heed_status heed_embedding_lookup(const float* table, size_t table_elements, uint32_t dim, const uint32_t* tokens,
                                  size_t token_count, heed_matrix x) {
  return heed::embedding_lookup({table, table_elements}, dim, {tokens, token_count}, x);
}

heed_status heed_add_learned_positions(const float* table, size_t table_elements, heed_matrix x, uint32_t rows,
                                       uint32_t dim, uint32_t first_position) {
  return heed::add_learned_positions({table, table_elements}, x, rows, dim, first_position);
}
