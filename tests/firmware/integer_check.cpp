// SPDX-License-Identifier: MIT
#include <board.h>

#include <cstddef>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/linear.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t sizes = 12;

struct Type {
  DataType weights;
  DataType rows;
  const Format* format;
};
constexpr Type types[] = {
    {DataType::int8, DataType::int8, &int8_integer_weights},
    {DataType::int8, DataType::int16, &int8_integer_weights},
    {DataType::int8_multipliers, DataType::int8, &int8_multiplier_weights},
    {DataType::int8_multipliers, DataType::int16, &int8_multiplier_weights},
    {DataType::int4_multipliers, DataType::int8, &int4_multiplier_weights},
    {DataType::int4_multipliers, DataType::int16, &int4_multiplier_weights},
};

/// A layer of random weights, rounded here; false if something failed.
bool run(std::uint32_t number, const Type& type, Hash& all) {
  Numbers random(7000 + number);
  LinearConfig config;
  config.inputs = number % 6 == 0 ? random.between(1000, 1100) : random.between(1, 100);
  config.outputs = random.between(1, number % 6 == 0 ? 20 : 60);
  config.bias = number % 2 == 0;
  config.type = type.weights;
  config.row_type = type.rows;
  const std::uint32_t rows = number % 3 == 0 ? 1 : random.between(2, 9);
  LinearPlan plan;
  if (make_plan(config, plan) != Status::ok) return false;
  const auto packed = std::span(first_memory).first(plan.bytes);
  Pool<float> pool(numbers);
  const std::span<float> bias = pool.take(config.outputs);
  const std::span<float> x = pool.take(std::size_t{rows} * config.inputs);
  const std::span<float> y = pool.take(std::size_t{rows} * config.outputs);
  const std::span<float> matrix = pool.take(std::size_t{config.inputs} * config.outputs);
  if (matrix.empty()) return false;
  random.fill(matrix, 0.25F);
  random.fill(bias, 1.0F);
  random.fill(x, 1.0F);
  if (pack_linear(plan, matrix.data(), config.bias ? bias.data() : nullptr, packed) != Status::ok) return false;
  if (linear(plan, {packed, type.format}, rows, dense<const float>(x.data(), rows, config.inputs),
             dense(y.data(), rows, config.outputs),
             std::span(second_memory).first(std::size_t{rows} * plan.row_bytes)) != Status::ok) {
    return false;
  }
  all.add(y);
  if (unpack_linear(plan, {packed, type.format}, matrix.data()) != Status::ok) return false;
  all.add(matrix);
  return true;
}

}  // namespace

Outcome check_integers() {
  Outcome outcome;
  Hash all;
  for (std::uint32_t number = 0; number < sizes; ++number) {
    for (const Type& type : types) {
      if (run(number, type, all)) {
        ++outcome.cases;
      } else {
        ++outcome.failures;
      }
    }
  }
  outcome.hash = all.value();
  return outcome;
}

}  // namespace heed::test
