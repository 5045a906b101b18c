/* SPDX-License-Identifier: MIT
 *
 * Positions added to embeddings, and embeddings; positions.hpp says more.
 */
#ifndef HEED_HEED_POSITIONS_H
#define HEED_HEED_POSITIONS_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_types.h"

/* Order of the sines and cosines in an encoding of `dim` columns, with angle_i = position / base^(2 i / dim). */
HEED_ENUM(heed_sinusoid_layout, SinusoidLayout, uint8_t){
    /* column 2i = sin(angle_i), column 2i + 1 = cos(angle_i), arXiv:1706.03762, section 3.5 */
    HEED_VALUE(HEED_SINUSOID_INTERLEAVED, interleaved),
    /* column i = sin(angle_i), column i + ceil(dim / 2) = cos(angle_i) */
    HEED_VALUE(HEED_SINUSOID_HALVES, halves)};

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the sines and cosines of (first_position + row) / base^(2 i / dim) to x [1, rows, dim], in place, each within
 * 2^-24 of the exact one. base is finite and above 1, 10000 as a rule.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_BAD_STRIDE, HEED_BAD_BASE, HEED_BAD_OPTION. */
HEED_MUST_USE heed_status heed_add_sinusoidal_positions(heed_matrix x, uint32_t rows, uint32_t dim,
                                                        uint32_t first_position, heed_sinusoid_layout order,
                                                        float base);

/* Copies table row tokens[t] into row t of x [1, token_count, dim]. table is dense [vocabulary, dim] and holds
 * table_elements floats, a multiple of dim.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_BAD_STRIDE, HEED_BAD_LENGTH (the table),
 * HEED_BAD_TOKEN. */
HEED_MUST_USE heed_status heed_embedding_lookup(const float* table, size_t table_elements, uint32_t dim,
                                                const uint32_t* tokens, size_t token_count, heed_matrix x);

/* Adds row first_position + r of the table, dense [positions, dim] with table_elements floats, to row r of x [1, rows,
 * dim], in place.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_BAD_STRIDE, HEED_BAD_LENGTH (the table),
 * HEED_BAD_POSITION. */
HEED_MUST_USE heed_status heed_add_learned_positions(const float* table, size_t table_elements, heed_matrix x,
                                                     uint32_t rows, uint32_t dim, uint32_t first_position);

#ifdef __cplusplus
}
#endif
#endif
