// SPDX-License-Identifier: MIT
#include "cases/data.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace heed::bench {
namespace {

/// Floats between the end of one tensor and the start of the next: an odd number of cache lines.
constexpr std::size_t gap = 17 * 16;

[[nodiscard]] std::size_t step_over(std::size_t count) {
  return round_up(count, 16) + gap;
}

}  // namespace

void fail(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "heed benchmark: %s\n", message.c_str());
  std::exit(1);
}

void expect(Status status, const std::string& what) {
  if (status != Status::ok) fail(what + ": " + to_string(status));
}

Floats some_floats(std::size_t count, std::uint32_t seed) {
  constexpr float root_of_three = 1.7320508F;
  Floats values(count);
  std::uint32_t state = seed;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31F * root_of_three;
  }
  return values;
}

Tensors place_tensors(std::size_t query, std::size_t key, std::size_t value, std::size_t output,
                      std::size_t misalignment) {
  constexpr std::size_t most_inputs = 14U << 20;
  constexpr std::size_t most_outputs = 5U << 20;
  static const Floats inputs = some_floats(most_inputs, 12345);
  static Floats outputs(most_outputs);
  const std::size_t key_at = step_over(query);
  const std::size_t value_at = key_at + step_over(key);
  if (value_at + step_over(value) + misalignment > most_inputs || output + misalignment > most_outputs) {
    fail("the tensors of a case do not fit the pool");
  }
  const float* start = inputs.data() + misalignment;
  return {start, start + key_at, start + value_at, outputs.data() + misalignment};
}

std::span<const float> floats_to_read(std::size_t count) {
  static Floats pool;
  const std::size_t wanted = std::max<std::size_t>(round_up(count, 64), 64);
  if (pool.size() < wanted) pool = some_floats(wanted, 99);
  return std::span(pool).first(wanted);
}

}  // namespace heed::bench
