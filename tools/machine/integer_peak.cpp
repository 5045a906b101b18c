// SPDX-License-Identifier: MIT
#include "machine/integer_peak.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <kernels/integer_matrix.hpp>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_sums.hpp>
#include <utility>

#include "machine/machine.hpp"

namespace heed::bench {
namespace {

thread_local volatile std::int32_t last_sum;

/// Products per second in one round.
using Measure = double (*)(double products);

/// 12 KiB of weights, and as much of rows as a call takes: fewer inputs have more of their time in sums' ends.
constexpr std::uint32_t inputs = 384;
constexpr std::uint32_t outputs = 32;
constexpr std::size_t row_bytes =
    detail::row_numbers_at + inputs * sizeof(std::int16_t) + inputs / scale_group_size * sizeof(std::int32_t);

struct Operands {
  alignas(64) std::byte weights[std::size_t{inputs} * outputs]{};
  alignas(64) std::byte rows[row_bytes * detail::integer_rows]{};
  alignas(64) std::int8_t multipliers[std::size_t{inputs} / scale_group_size * 16]{};
  alignas(64) std::int32_t sums[std::size_t{detail::integer_rows} * 16]{};
  alignas(64) float scales[outputs]{};
  alignas(64) float y[std::size_t{detail::integer_rows} * outputs]{};
};

/// As the port's layers do: in its kernel of a matrix, or else in sums panel by panel.
template <DataType weights, DataType rows>
void multiply_rows_near(Operands& operands) {
  if constexpr (weights == DataType::int8) {
    const detail::MatrixProduct whole{.weights = operands.weights,
                                      .scales = operands.scales,
                                      .bias = nullptr,
                                      .rows = operands.rows,
                                      .row_bytes = row_bytes,
                                      .count = detail::integer_rows,
                                      .inputs = inputs,
                                      .outputs = outputs,
                                      .y = operands.y,
                                      .y_row = outputs};
    if (detail::multiply_matrix<rows>(whole) == detail::integer_rows) return;
  }
  constexpr std::size_t weights_of_a_byte = weights == DataType::int4_multipliers ? 2 : 1;
  for (std::size_t first = 0; first < outputs; first += panel_width) {
    detail::integer_sums<weights, rows>({.weights = operands.weights + first * inputs / weights_of_a_byte,
                                         .multipliers = operands.multipliers,
                                         .first_row = operands.rows,
                                         .row_bytes = row_bytes,
                                         .rows = detail::integer_rows,
                                         .first = 0,
                                         .inputs = inputs,
                                         .sums = operands.sums});
  }
}

template <DataType weights, DataType rows>
[[nodiscard]] double kernel_products_per_second(double products) {
  Operands operands;
  constexpr double products_of_a_call = 1.0 * outputs * inputs * detail::integer_rows;
  const int calls = static_cast<int>(products / products_of_a_call) + 1;
  const double start = thread_seconds();
  for (int i = 0; i < calls; ++i) {
    multiply_rows_near<weights, rows>(operands);
    last_sum = operands.sums[0] + static_cast<std::int32_t>(operands.y[0]);
  }
  return calls * products_of_a_call / (thread_seconds() - start);
}

/// 28 KiB of weights, which fill the nearest cache, so that a row's outputs take little of its time.
constexpr std::uint32_t row_inputs = 448;
constexpr std::uint32_t row_outputs = 64;
constexpr std::size_t long_row_bytes =
    detail::row_numbers_at + row_inputs * sizeof(std::int16_t) + row_inputs / scale_group_size * sizeof(std::int32_t);

struct RowOperands {
  alignas(64) std::byte weights[std::size_t{row_inputs} * row_outputs]{};
  alignas(64) std::byte row[long_row_bytes]{};
  alignas(64) float scales[row_outputs]{};
  alignas(64) float y[row_outputs]{};
};

/// As the port's layers do: in its kernel of a matrix, or else in sums that become outputs panel by panel.
template <DataType rows>
void multiply_near(RowOperands& operands) {
  const detail::MatrixProduct whole{operands.weights, operands.scales, nullptr,    operands.row, long_row_bytes, 1,
                                    row_inputs,       row_outputs,     operands.y, row_outputs};
  if (detail::multiply_matrix<rows>(whole) == 1) return;
  for (std::uint32_t first = 0; first < row_outputs; first += panel_width) {
    alignas(64) std::int32_t sums[panel_width];
    detail::integer_sums<DataType::int8, rows>({.weights = operands.weights + std::size_t{first} * row_inputs,
                                                .multipliers = nullptr,
                                                .first_row = operands.row,
                                                .row_bytes = long_row_bytes,
                                                .rows = 1,
                                                .first = 0,
                                                .inputs = row_inputs,
                                                .sums = sums});
    float* const y = operands.y + first;
    detail::add_sums(sums, operands.scales + first, 1.0F, y, y);
  }
}

template <DataType rows>
[[nodiscard]] double row_products_per_second(double products) {
  RowOperands operands;
  constexpr double products_of_a_call = 1.0 * row_inputs * row_outputs;
  const int calls = static_cast<int>(products / products_of_a_call) + 1;
  const double start = thread_seconds();
  for (int i = 0; i < calls; ++i) multiply_near<rows>(operands);
  last_sum = static_cast<std::int32_t>(operands.y[0]);
  return calls * products_of_a_call / (thread_seconds() - start);
}

// Chains on registers, where the port's products are an operation on registers.
#if __has_include(<detail/integer_products.hpp>)

constexpr std::size_t most_chains = 12;
constexpr std::size_t register_bytes = 64;

/// Chains of the operation that adds products to sixteen sums. Each multiplies what it has come to, so that no product
/// is that of another step.
template <class Dots, std::size_t... Chain>
[[gnu::noinline]] std::int32_t run_chains(std::index_sequence<Chain...> /*chains*/, const std::byte* starts,
                                          int steps) {
  Dots chains[] = {{detail::load_lanes(starts + register_bytes * Chain)}...};
  const detail::IntegerLanes factors = detail::load_lanes(starts + register_bytes * most_chains);
  for (int i = 0; i < steps; ++i) {
    ((chains[Chain] = detail::add_dots(chains[Chain], chains[Chain].sums, factors)), ...);
  }
  detail::IntegerLanes total = factors;
  ((total = detail::add(total, detail::sums_of(chains[Chain]))), ...);
  alignas(register_bytes) std::int32_t lanes[16];
  detail::store_lanes(lanes, total);
  return lanes[0];
}

/// The best of six chains and of twelve, as of fused multiply-adds.
template <DataType weights, DataType rows>
[[nodiscard]] double chain_products_per_second(double products) {
  using Steps = detail::IntegerSteps<weights, rows>;
  constexpr double products_of_a_step = 16.0 * (Steps::bytes ? 4 : 2);
  alignas(register_bytes) std::byte starts[register_bytes * (most_chains + 1)];
  for (std::size_t i = 0; i < sizeof starts; ++i) starts[i] = static_cast<std::byte>(i * 37 % 128);
  double best = 0;
  const auto run = [&]<std::size_t... Chain>(std::index_sequence<Chain...> chains) {
    const int steps = static_cast<int>(products / (products_of_a_step * sizeof...(Chain))) + 1;
    const double start = thread_seconds();
    last_sum = run_chains<typename Steps::Dots>(chains, starts, steps);
    best = std::max(best, products_of_a_step * sizeof...(Chain) * steps / (thread_seconds() - start));
  };
  run(std::make_index_sequence<6>());
  run(std::make_index_sequence<most_chains>());
  return best;
}

#else

template <DataType, DataType>
[[nodiscard]] double chain_products_per_second(double /*products*/) {
  return 0.0;
}

#endif

template <DataType weights, DataType rows>
[[nodiscard]] double products_per_second(double products) {
  return std::max(kernel_products_per_second<weights, rows>(products),
                  chain_products_per_second<weights, rows>(products));
}

/// With the kernel alone, and with the faster of it and of chains.
struct Measures {
  Measure kernel = nullptr;
  Measure peak = nullptr;
};

template <DataType weights, DataType rows>
constexpr Measures measures{kernel_products_per_second<weights, rows>, products_per_second<weights, rows>};

template <DataType weights>
[[nodiscard]] Measures measures_of(DataType rows) {
  if (rows == DataType::int8) return measures<weights, DataType::int8>;
  return rows == DataType::int16 ? measures<weights, DataType::int16> : Measures{};
}

[[nodiscard]] Measures measures_of(DataType weights, DataType rows) {
  switch (weights) {
    case DataType::int8: return measures_of<DataType::int8>(rows);
    case DataType::int8_multipliers: return measures_of<DataType::int8_multipliers>(rows);
    case DataType::int4_multipliers: return measures_of<DataType::int4_multipliers>(rows);
    default: return {};
  }
}

[[nodiscard]] double best_of(Measure measure, int repeats, double products) {
  if (measure == nullptr) return 0.0;
  double best = 0.0;
  const double end = thread_seconds() + 0.1;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    best = std::max(best, measure(products));
    if (thread_seconds() > end) break;
  }
  return best;
}

}  // namespace

double measure_integer_peak(DataType weights, DataType rows, int repeats, double products) {
  return best_of(measures_of(weights, rows).peak, repeats, products);
}

double measure_integer_kernel(DataType weights, DataType rows, int repeats, double products) {
  return best_of(measures_of(weights, rows).kernel, repeats, products);
}

double measure_integer_row(DataType rows, int repeats, double products) {
  if (rows == DataType::int8) return best_of(row_products_per_second<DataType::int8>, repeats, products);
  return best_of(rows == DataType::int16 ? row_products_per_second<DataType::int16> : nullptr, repeats, products);
}

}  // namespace heed::bench
