// SPDX-License-Identifier: MIT
//
// The parts of the firmware check. Each answers a hash or a verdict; none prints.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/format.hpp"

namespace heed::test {

/// What the parts work in, one after the other. On 64-byte boundaries.
extern std::byte first_memory[96 * 1024];
extern std::byte second_memory[96 * 1024];
extern float numbers[32 * 1024];

struct Outcome {
  std::uint64_t hash = 0;
  std::uint32_t failures = 0;  ///< statuses, bits or guard bytes that were not as they should be
  std::uint32_t cases = 0;
};

/// Attention over 320 shapes: masks, lengths, grouped heads, every score stage; each run again from a cache in the
/// smallest scratch, which gives the same bits. Queries are uniform on [-spread, spread).
Outcome check_attention(float spread);

/// Layers, token by token; a prefill of the same tokens gives the same bits.
Outcome check_layers();

/// The same over a KvCache: rings of int8 and other types, which the tokens wrap around, windows and rotary positions.
Outcome check_ring_layers();

/// Linear layers with weights of every type, rounded here; over their dequantized floats, float32 gives the same bits.
Outcome check_linear();

/// Linear layers with rows of integers, of every type, rounded here.
Outcome check_integers();

/// Layers in integers: their attention, rows and weights; some in rings. A prefill gives the bits of single tokens.
Outcome check_integer_layers();

/// Models with rows of integers, of every type of weights; token by token they have the same bits.
Outcome check_integer_models();

/// Models whose blocks ask for an extension: norms on both sides, branches in parallel, a relative bias; in floats, in
/// a ring of bytes and in integers. Token by token they have the same bits.
Outcome check_extended_models();

/// What comes before and after the blocks of encoders: types of tokens, registers, convolutions, poolers, lengths of 1.
/// Two shares of the work, in little scratch, have the same bits.
Outcome check_extended_ends();

/// Rotary positions: computed, from a table and in a cache they have the same bits.
Outcome check_rotary();

/// Attention with options, each on in many of 100 shapes. Over `stored` caches of every pair of types: a float32 one
/// gives the bits of the tensors, and pages in the smallest scratch those of a sequence each.
Outcome check_options(bool stored);

/// Causal masks, windows, ALiBi and relative biases over rings that have wrapped around, of every pair of types; the
/// smallest scratch gives the same bits.
Outcome check_rings();

/// Rows whose scores are all -inf, and NaNs of any sign and payload: 0 and NaN in just the places where they should be.
Outcome check_special();

/// exp2 of the softmax, over floats at a stride.
Outcome check_exp2();

/// Normalizations, activations, gates, softmax and top-k of rows of many lengths.
Outcome check_model();

/// Plans that the compiler made, against the ones made at run time.
Outcome check_plans();

/// What board_count() counted for one head of head_dim 32.
struct Cost {
  std::uint64_t prefill = 0;  ///< 64 queries, 64 keys
  std::uint64_t decode = 0;   ///< 1 query, 64 keys in a cache
};
inline constexpr std::uint32_t prefill_products = 64 * 64 * 32 * 2;
inline constexpr std::uint32_t decode_products = 64 * 32 * 2;
Cost measure_cost();

/// What board_count() counted for a linear layer with 256 inputs, and the multiplications of weights that it did: a
/// power of two. 0 and 1 if it failed.
struct LinearCost {
  std::uint64_t count = 0;
  std::uint32_t products = 1;
};
LinearCost measure_linear_cost(DataType weights, DataType row_type, const Format* format, std::uint32_t row_count);

}  // namespace heed::test
