// SPDX-License-Identifier: MIT
#include <bit>
#include <cstddef>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/linear.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t sizes = 12;

struct Type {
  DataType type;
  const Format* format;
};
constexpr Type types[] = {
    {DataType::float32, nullptr},
    {DataType::float16, &float16_weights},
    {DataType::bfloat16, &bfloat16_weights},
    {DataType::int8, &int8_weights},
    {DataType::int8_groups, &int8_group_weights},
    {DataType::int4_groups, &int4_group_weights},
};

struct Case {
  LinearPlan plan;
  LinearPlan dequantized_plan;  ///< of the same layer in float32
  std::uint32_t rows;
  std::span<float> weight, bias, x, dequantized, y, expected;
};

bool make_case(std::uint32_t number, DataType type, Case& c) {
  Numbers random(9000 + number);
  LinearConfig config;
  config.inputs = random.between(1, 100);
  config.outputs = random.between(1, 60);
  config.bias = number % 2 == 0;
  c.rows = number % 3 == 0 ? 1 : random.between(2, 9);
  if (make_plan(config, c.dequantized_plan) != Status::ok) return false;
  config.type = type;
  if (make_plan(config, c.plan) != Status::ok) return false;
  Pool<float> pool(numbers);
  const std::size_t count = std::size_t{config.inputs} * config.outputs;
  c.weight = pool.take(count);
  c.bias = pool.take(config.outputs);
  c.x = pool.take(std::size_t{c.rows} * config.inputs);
  c.dequantized = pool.take(count);
  c.y = pool.take(std::size_t{c.rows} * config.outputs);
  c.expected = pool.take(c.y.size());
  // Some of the weights fall below the least scale of their groups.
  for (std::size_t i = 0; i < count; i += 8) {
    const std::span<float> part = c.weight.subspan(i, count - i < 8 ? count - i : 8);
    random.fill(part, random.between(0, 7) == 0 ? 0x1p-24F : 0.25F);
  }
  random.fill(c.bias, 1.0F);
  random.fill(c.x, 1.0F);
  return !c.expected.empty();
}

bool run(const LinearPlan& plan, const Type& type, Case& c, std::span<const float> weight, std::span<float> y) {
  const auto packed = std::span(first_memory).first(plan.bytes);
  const float* bias = plan.bias.bytes == 0 ? nullptr : c.bias.data();
  if (pack_linear(plan, weight.data(), bias, packed) != Status::ok) return false;
  if (weight.data() == c.weight.data()) {
    if (unpack_linear(plan, {packed, type.format}, c.dequantized.data()) != Status::ok) return false;
  }
  return linear(plan, {packed, type.format}, c.rows, dense<const float>(c.x.data(), c.rows, plan.inputs),
                dense(y.data(), c.rows, plan.outputs),
                std::span(second_memory).first(plan.staging_bytes)) == Status::ok;
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i])) return false;
  }
  return true;
}

}  // namespace

Outcome check_linear() {
  Outcome outcome;
  Hash all;
  for (std::uint32_t number = 0; number < sizes; ++number) {
    for (const Type& type : types) {
      Case c;
      if (!make_case(number, type.type, c) || !run(c.plan, type, c, c.weight, c.y) ||
          !run(c.dequantized_plan, types[0], c, c.dequantized, c.expected) || !same_bits(c.y, c.expected)) {
        ++outcome.failures;
        continue;
      }
      all.add(c.dequantized);
      all.add(c.y);
      ++outcome.cases;
    }
  }
  outcome.hash = all.value();
  return outcome;
}

}  // namespace heed::test
