// SPDX-License-Identifier: MIT
//
// The C interface of positions, embeddings and rotary positions.
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_positions.h"
#include "heed/positions.hpp"

using heed::Status;

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

heed_status heed_plan_rotary(const heed_rotary_config* config, heed_rotary_plan* plan) {
  return heed::detail::write_plan(config, plan);
}

heed_status heed_make_rotary_table(const heed_rotary_plan* plan, void* memory, size_t memory_bytes,
                                   heed_rotary* rotary) {
  if (plan == nullptr || rotary == nullptr) return Status::null_pointer;
  return heed::make_rotary_table(*plan, heed::detail::memory_of(memory, memory_bytes), *rotary);
}

heed_status heed_apply_rotary(const heed_rotary* rotary, const heed_rotary_positions* tokens, heed_const_tensor from,
                              heed_tensor to) {
  if (rotary == nullptr || tokens == nullptr) return Status::null_pointer;
  return heed::apply_rotary(*rotary, *tokens, from, to);
}

heed_status heed_kv_cache_append_rotated(heed_kv_cache* cache, uint32_t sequence, uint32_t tokens,
                                         heed_const_tensor key, heed_const_tensor value, const heed_rotary* rotary,
                                         const uint32_t* positions) {
  if (cache == nullptr || rotary == nullptr) return Status::null_pointer;
  return heed::append_rotated(*cache, sequence, tokens, key, value, *rotary, positions);
}
