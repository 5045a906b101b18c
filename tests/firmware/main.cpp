// SPDX-License-Identifier: MIT
//
// The firmware check: the same bits as on every other machine, plans and arenas exact to the byte, on a board with
// nothing but the library. Prints what it found; ends with 0 if all of it is right.
#include <board.h>

#include "checks.hpp"
#include "golden.hpp"
#include "heed/arena.hpp"
#include "heed/types.hpp"

namespace heed::test {

alignas(arena_alignment) std::byte first_memory[96 * 1024];
alignas(arena_alignment) std::byte second_memory[96 * 1024];
float numbers[32 * 1024];

namespace {

bool report(const char* name, const Outcome& outcome, std::uint64_t golden) {
  const bool good = outcome.failures == 0 && outcome.hash == golden;
  board_print(name);
  board_print(": ");
  board_print_number(outcome.cases);
  board_print(" cases, ");
  board_print_number(outcome.failures);
  board_print(" failures, hash ");
  board_print_hexadecimal(outcome.hash);
  board_print(good ? "\n" : "  WRONG\n");
  return good;
}

/// Counts, and counts per multiplication in hundredths; `products` is a power of two, so that nothing is divided.
void report_cost(const char* name, std::uint64_t count, std::uint32_t products) {
  int shift = 0;
  while (products >> shift != 1) ++shift;
  const std::uint64_t hundredths = (count * 100) >> shift;
  board_print(name);
  board_print(": ");
  board_print_number(count);
  board_print(" instructions, in hundredths per multiplication ");
  board_print_number(hundredths);
  board_print("\n");
}

void report_linear_costs() {
  struct Product {
    const char* name;
    DataType weights;
    DataType rows;
    const Format* format;
    std::uint32_t row_count;
  };
  using enum DataType;
  constexpr Product products[] = {
      {"float32 by one row of float32", float32, float32, nullptr, 1},
      {"int8 by one row of float32", int8, float32, &int8_weights, 1},
      {"int4_groups by one row of float32", int4_groups, float32, &int4_group_weights, 1},
      {"int8 by one row of int16", int8, int16, &int8_integer_weights, 1},
      {"int8 by one row of int8", int8, int8, &int8_integer_weights, 1},
      {"int8_multipliers by one row of int16", int8_multipliers, int16, &int8_multiplier_weights, 1},
      {"int8_multipliers by one row of int8", int8_multipliers, int8, &int8_multiplier_weights, 1},
      {"int4_multipliers by one row of int16", int4_multipliers, int16, &int4_multiplier_weights, 1},
      {"int4_multipliers by one row of int8", int4_multipliers, int8, &int4_multiplier_weights, 1},
      {"float32 by 16 rows of float32", float32, float32, nullptr, 16},
      {"int8 by 16 rows of float32", int8, float32, &int8_weights, 16},
      {"int8 by 16 rows of int16", int8, int16, &int8_integer_weights, 16},
      {"int8 by 16 rows of int8", int8, int8, &int8_integer_weights, 16},
  };
  for (const Product& product : products) {
    const LinearCost cost = measure_linear_cost(product.weights, product.rows, product.format, product.row_count);
    report_cost(product.name, cost.count, cost.products);
  }
}

bool check() {
  if (!float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return false;
  }
  bool good = report("plans", check_plans(), 0);
  good = report("exp2", check_exp2(), golden_exp2) && good;
  good = report("attention", check_attention(1.0F), golden_attention) && good;
  good = report("attention, wide scores", check_attention(16.0F), golden_attention_wide) && good;
  good = report("layers", check_layers(), golden_layers) && good;
  good = report("layers, rings", check_ring_layers(), golden_ring_layers) && good;
  good = report("linear layers", check_linear(), golden_linear) && good;
  good = report("linear layers in integers", check_integers(), golden_integers) && good;
  good = report("layers in integers", check_integer_layers(), golden_integer_layers) && good;
  good = report("models in integers", check_integer_models(), golden_integer_models) && good;
  good = report("extended models", check_extended_models(), golden_extended_models) && good;
  good = report("ends of extended models", check_extended_ends(), golden_extended_ends) && good;
  good = report("rotary positions", check_rotary(), golden_rotary) && good;
  good = report("options", check_options(false), golden_options) && good;
  good = report("options, stored caches", check_options(true), golden_stored) && good;
  good = report("options, rings", check_rings(), golden_rings) && good;
  good = report("infinite scores and NaN", check_special(), golden_special) && good;
  good = report("normalizations, activations, logits", check_model(), golden_model) && good;
  const Cost cost = measure_cost();
  report_cost("prefill, 64 queries and keys, head_dim 32", cost.prefill, prefill_products);
  report_cost("decode, 64 keys, head_dim 32", cost.decode, decode_products);
  report_linear_costs();
  board_print("stack: ");
  board_print_number(board_stack_used());
  board_print(" bytes at most\n");
  return good;
}

}  // namespace
}  // namespace heed::test

int main() {
  return heed::test::check() ? 0 : 1;
}
