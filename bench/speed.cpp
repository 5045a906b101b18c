// SPDX-License-Identifier: MIT
//
// A short summary of attention's speed on this machine: prefill as a share of the FMA peak in its first line, and
// decode as a share of what the fastest of several loops reaches that only read the same keys and values, in turn with
// it. Of rounds that a neighbour disturbed nothing is counted.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

#include "heed/heed.hpp"
#include "machine/machine.hpp"
#include "machine/quiet.hpp"

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

constexpr double round_seconds = 0.010;

/// Five quiet rounds or more, for about 0.6 s; twice as long where none is quiet.
constexpr bench::Effort effort{.least_rounds = 5, .most_rounds = 500, .seconds = 0.6, .most_seconds = 1.2};

/// The timings of one line. `time` is called at least once per round, of about `round_seconds`, and gives a time.
class Line {
 public:
  Line(bench::QuietRounds& rounds, const std::function<double()>& time) {
    const double start = bench::now();
    std::vector<double> noisy;
    bench::RoundCount count;
    while (bench::needs_another(effort, count, bench::now() - start)) {
      std::vector<double> times;
      rounds.begin();
      const double end = bench::now() + round_seconds;
      do times.push_back(time());
      while (bench::now() < end);
      const bool quiet = rounds.end();
      count.add(quiet, rounds.round_peak());
      std::vector<double>& timings = quiet ? timings_ : noisy;
      timings.insert(timings.end(), times.begin(), times.end());
    }
    was_quiet_ = !timings_.empty();
    if (!was_quiet_) timings_ = std::move(noisy);
  }

  [[nodiscard]] double seconds() const { return median(timings_); }
  [[nodiscard]] const char* remark() const { return was_quiet_ ? "" : ", no quiet round"; }

 private:
  std::vector<double> timings_;  ///< seconds, of quiet rounds; of all if there is none
  bool was_quiet_ = false;
};

void expect_ok(Status status) {
  if (status != Status::ok) {
    std::fprintf(stderr, "heed_speed: %s\n", to_string(status));
    std::exit(1);
  }
}

constexpr std::uint32_t heads = 8;

/// `peak` in FLOP per second.
void prefill(std::uint32_t rows, std::uint32_t dim, Causal causal, double peak, bench::QuietRounds& rounds) {
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
  const Line line(rounds, [&] { return seconds_of(call, 1); });
  const double seconds = line.seconds();
  const double pairs = causal == Causal::none ? 1.0 * rows * rows : 0.5 * rows * (rows + 1);
  const double rate = 4.0 * heads * pairs * dim / seconds;
  std::printf("  %-8s %5u queries and keys, head_dim %3u %10.0f us %8.1f GFLOP/s %5.0f %% of FMA peak%s\n",
              causal == Causal::none ? "prefill" : "causal", rows, dim, seconds * 1e6, rate * 1e-9, 100 * rate / peak,
              line.remark());
}

void decode(std::uint32_t keys, bench::QuietRounds& rounds) {
  constexpr std::uint32_t dim = 64;
  AttentionPlan plan;
  KvCachePlan cache_plan;
  expect_ok(make_plan(AttentionConfig{.heads = heads, .head_dim = dim}, plan));
  expect_ok(make_plan(KvCacheConfig{.kv_heads = heads, .head_dim = dim, .max_keys = keys}, cache_plan));
  Memory arena(plan.bytes);
  Memory memory(cache_plan.bytes);
  KvCache cache;
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
  const bench::Reads reads = bench::reads_of(cache);
  const std::size_t calls = std::max<std::size_t>(1, (std::size_t{1} << 20) / reads.bytes());
  double bandwidth = 0;
  const Line line(rounds, [&] {
    bandwidth = std::max(bandwidth, bench::measure_read_bandwidth(reads, 1, std::size_t{1} << 20));
    return seconds_of(call, calls);
  });
  const double seconds = line.seconds();
  const double rate = static_cast<double>(reads.bytes()) / seconds;
  std::printf("  %-8s     1 query, %5u keys, head_dim %3u %10.1f us %8.1f GB/s    %5.0f %% of the fastest read%s\n",
              "decode", keys, dim, seconds * 1e6, rate * 1e-9, 100 * rate / bandwidth, line.remark());
}

}  // namespace

int main() {
  bench::QuietRounds rounds(bench::sample_fused_multiply_add_peak);
  rounds.listen();
  const double peak = bench::measure_fused_multiply_add_peak();
  std::printf("Speed of attention on one core of this machine, port %s, float32, %u heads; FMA peak %.1f GFLOP/s\n",
              bench::port_name(), heads, peak * 1e-9);
  for (const std::uint32_t rows : {64U, 128U, 512U, 2048U}) prefill(rows, 64, Causal::none, peak, rounds);
  prefill(512, 32, Causal::none, peak, rounds);
  prefill(512, 128, Causal::none, peak, rounds);
  prefill(1024, 64, Causal::top_left, peak, rounds);
  for (const std::uint32_t keys : {128U, 512U, 2048U, 8192U}) decode(keys, rounds);
  std::printf("%d of %d rounds were quiet\n", rounds.count().kept, rounds.count().of);
  return 0;
}
