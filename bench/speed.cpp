// SPDX-License-Identifier: MIT
//
// A short summary of attention's speed on this machine: prefill as a share of the FMA peak, and decode as a share of
// what the fastest of several loops reaches that only read the same keys and values, in turn with it.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

#include "heed/heed.hpp"
#include "machine.hpp"

namespace {

using namespace heed;

/// Memory on a cache line, where a firmware's static buffers lie too.
struct Memory {
  struct alignas(arena_alignment) Line {
    std::byte bytes[arena_alignment];
  };

  explicit Memory(std::size_t bytes) : lines(bytes / sizeof(Line) + 1) {}
  [[nodiscard]] std::span<std::byte> span() { return std::as_writable_bytes(std::span(lines)); }
  [[nodiscard]] float* floats() { return reinterpret_cast<float*>(lines.data()); }

  std::vector<Line> lines;
};

Memory some_floats(std::size_t count) {
  Memory memory(count * sizeof(float));
  std::uint32_t state = 12345;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    memory.floats()[i] = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31F;
  }
  return memory;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The thread's own seconds of `calls` calls, divided by their number.
double seconds_of(const std::function<void()>& call, std::size_t calls) {
  const double start = bench::thread_seconds();
  for (std::size_t i = 0; i < calls; ++i) call();
  return (bench::thread_seconds() - start) / static_cast<double>(calls);
}

/// Calls `round` at least five times, for about `budget` seconds.
void repeat(const std::function<void()>& round, double budget) {
  const double end = bench::now() + budget;
  for (int i = 0; i < 5 || bench::now() < end; ++i) round();
}

void expect_ok(Status status) {
  if (status != Status::ok) {
    std::fprintf(stderr, "heed_speed: %s\n", to_string(status));
    std::exit(1);
  }
}

constexpr std::uint32_t heads = 8;

void prefill(std::uint32_t rows, std::uint32_t dim, Causal causal, double peak) {
  AttentionPlan plan;
  expect_ok(make_plan(AttentionConfig{.heads = heads, .head_dim = dim}, plan));
  Memory arena(plan.bytes);
  const std::size_t size = std::size_t{heads} * rows * dim;
  Memory data = some_floats(3 * size);
  Memory output(size * sizeof(float));
  AttentionInputs in;
  in.query_count = rows;
  in.key_count = rows;
  in.query = bhsd<const float>(data.floats(), heads, rows, dim);
  in.key = bhsd<const float>(data.floats() + size, heads, rows, dim);
  in.value = bhsd<const float>(data.floats() + 2 * size, heads, rows, dim);
  in.causal = causal;
  AttentionOutputs out;
  out.output = bhsd(output.floats(), heads, rows, dim);
  const auto call = [&] { expect_ok(attend(plan, arena.span(), in, out)); };
  call();
  std::vector<double> times;
  repeat([&] { times.push_back(seconds_of(call, 1)); }, 0.6);
  const double seconds = median(times);
  const double pairs = causal == Causal::none ? 1.0 * rows * rows : 0.5 * rows * (rows + 1);
  const double rate = 4.0 * heads * pairs * dim / seconds;
  std::printf("  %-8s %5u queries and keys, head_dim %3u %10.0f us %8.1f GFLOP/s %5.0f %% of FMA peak\n",
              causal == Causal::none ? "prefill" : "causal", rows, dim, seconds * 1e6, rate * 1e-9, 100 * rate / peak);
}

void decode(std::uint32_t keys) {
  constexpr std::uint32_t dim = 64;
  AttentionPlan plan;
  FloatKvCachePlan cache_plan;
  expect_ok(make_plan(AttentionConfig{.heads = heads, .head_dim = dim}, plan));
  expect_ok(make_plan(FloatKvCacheConfig{.kv_heads = heads, .head_dim = dim, .max_keys = keys}, cache_plan));
  Memory arena(plan.bytes);
  Memory memory(cache_plan.bytes);
  FloatKvCache cache;
  expect_ok(cache.init(cache_plan, memory.span()));
  const std::size_t size = std::size_t{heads} * keys * dim;
  Memory data = some_floats(2 * size);
  expect_ok(cache.append(0, keys, bhsd<const float>(data.floats(), heads, keys, dim),
                         bhsd<const float>(data.floats() + size, heads, keys, dim)));
  Memory output(std::size_t{heads} * dim * sizeof(float));
  AttentionInputs in;
  in.query_count = 1;
  in.query = bhsd<const float>(data.floats(), heads, 1, dim);
  in.cache = &cache;
  AttentionOutputs out;
  out.output = bhsd(output.floats(), heads, 1, dim);
  const auto call = [&] { expect_ok(attend(plan, arena.span(), in, out)); };
  const bench::Reads reads{
      .first = {cache.key_panels(0, 0), size}, .second = {cache.values(0, 0), size}, .block = block_keys * dim};
  const std::size_t calls = std::max<std::size_t>(1, (std::size_t{1} << 20) / reads.bytes());
  double bandwidth = 0;
  std::vector<double> times;
  repeat(
      [&] {
        bandwidth = std::max(bandwidth, bench::measure_read_bandwidth(reads, 1, std::size_t{1} << 20));
        times.push_back(seconds_of(call, calls));
      },
      0.6);
  const double seconds = median(times);
  const double rate = static_cast<double>(reads.bytes()) / seconds;
  std::printf("  %-8s     1 query, %5u keys, head_dim %3u %10.1f us %8.1f GB/s    %5.0f %% of the fastest read\n",
              "decode", keys, dim, seconds * 1e6, rate * 1e-9, 100 * rate / bandwidth);
}

}  // namespace

int main() {
  const double peak = bench::measure_fused_multiply_add_peak();
  std::printf("Speed of attention on one core of this machine, float32, %u heads; FMA peak %.1f GFLOP/s\n", heads,
              peak * 1e-9);
  for (const std::uint32_t rows : {64U, 128U, 512U, 2048U}) prefill(rows, 64, heed::Causal::none, peak);
  prefill(512, 32, heed::Causal::none, peak);
  prefill(512, 128, heed::Causal::none, peak);
  prefill(1024, 64, heed::Causal::top_left, peak);
  for (const std::uint32_t keys : {128U, 512U, 2048U, 8192U}) decode(keys);
  return 0;
}
