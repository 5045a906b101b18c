// SPDX-License-Identifier: MIT
#include "machine/limits.hpp"

#include <algorithm>
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

#include "machine/integer_peak.hpp"
#include "machine/machine.hpp"

namespace heed::tools {

namespace {

/// What the loops read at a time, in bytes, of both halves of a share: these come faster at once.
constexpr std::size_t read_step = 512;
/// Long enough that the start of a thread is nothing beside it.
constexpr std::size_t round_bytes = std::size_t{1} << 25;

/// The sum of what measure(worker) finds in so many threads at once.
double sum_over_threads(std::uint32_t workers, const std::function<double(std::uint32_t)>& measure) {
  std::barrier start(workers);
  std::vector<double> found(workers);
  const auto run = [&](std::uint32_t worker) {
    start.arrive_and_wait();
    found[worker] = measure(worker);
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t worker = 1; worker < workers; ++worker) threads.emplace_back(run, worker);
    run(0);
  }
  double sum = 0.0;
  for (const double one : found) sum += one;
  return sum;
}

}  // namespace

double measure_products(std::uint32_t workers, DataType weights, DataType rows) {
  return sum_over_threads(workers, [&](std::uint32_t /*worker*/) {
    if (rows == DataType::float32) return bench::measure_fused_multiply_add_peak() / 2;
    return bench::measure_integer_peak(weights, rows);
  });
}

double measure_reads(std::uint32_t workers, std::span<const std::byte> bytes) {
  const std::size_t share = bytes.size() / workers / read_step * read_step;
  if (share == 0) return 0.0;
  return sum_over_threads(workers, [&](std::uint32_t worker) {
    const auto* const first = reinterpret_cast<const float*>(bytes.data() + worker * share);
    const std::size_t half = share / sizeof(float) / 2;
    return bench::measure_read_bandwidth(
        {.first = std::span(first, half), .second = std::span(first + half, half), .block = half}, 3,
        std::max(share, round_bytes));
  });
}

}  // namespace heed::tools
