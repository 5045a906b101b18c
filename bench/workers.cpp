// SPDX-License-Identifier: MIT
//
// Two workers beside one. The figure holds only where both cores really ran at once: cores_used is CPU time over wall
// time, and two_core_bandwidth what both cores together read from memory, as a multiple of what one does.
#include <ctime>

#include "attention_case.hpp"
#include "machine.hpp"
#include "topics.hpp"
#include "two_cores.hpp"

namespace heed::bench {
namespace {

[[nodiscard]] double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// What two cores read per second of halves of `data`, over what one reads of the whole.
[[nodiscard]] double bandwidth_ratio(std::span<const float> data, const Executor& executor) {
  const auto read_half = [](void* argument, std::uint32_t half) {
    const auto& whole = *static_cast<std::span<const float>*>(argument);
    read_once(whole.subspan(half * (whole.size() / 2), whole.size() / 2));
  };
  const int passes = std::max(2, static_cast<int>((std::size_t{1} << 24) / data.size_bytes()));
  const double one = seconds_per_call([&] { read_once(data); }, passes, now);
  const double two =
      seconds_per_call([&] { executor.parallel_for(executor.context, 2, read_half, &data); }, passes, now);
  return one / two;
}

/// The second core is only busy while a repetition of this topic runs.
struct Workers {
  std::unique_ptr<TwoCores> cores;
  std::unique_ptr<AttentionCase> one;
  std::unique_ptr<AttentionCase> two;
  double cpu = 0;
  double wall = 0;
};

void add_case(const std::string& name, const AttentionShape& shape) {
  const Work work = work_of(shape);
  add_benchmark(name, {.flop = work.flop}, [=] {
    const auto workers = std::make_shared<Workers>();
    workers->cores = std::make_unique<TwoCores>();
    workers->one = std::make_unique<AttentionCase>(shape);
    AttentionShape shared = shape;
    shared.workers = 2;
    // The executor's context changes with every repetition, so the case asks for it when it runs.
    const Executor late{workers.get(), [](void* context, std::uint32_t count, Executor::Task task, void* argument) {
                          const Executor current = static_cast<Workers*>(context)->cores->executor();
                          current.parallel_for(current.context, count, task, argument);
                        }};
    workers->two = std::make_unique<AttentionCase>(shared, late);
    workers->two->run();
    workers->two->check(name);
    workers->cores.reset();
    return Subject{.call = [workers] { workers->two->run(); },
                   .beside = {.counter = "speedup", .call = [workers] { workers->one->run(); }, .speedup = true},
                   .clock = now,
                   .before_repetition =
                       [workers] {
                         workers->cores = std::make_unique<TwoCores>();
                         workers->wall = now();
                         workers->cpu = cpu_seconds();
                       },
                   .after_repetition = [workers] { workers->cores.reset(); },
                   .count_more =
                       [workers, work](benchmark::State& state) {
                         state.counters["cores_used"] = (cpu_seconds() - workers->cpu) / (now() - workers->wall);
                         state.counters["pinned"] = workers->cores->pinned() ? 1 : 0;
                         const auto bytes = static_cast<std::size_t>(work.bytes);
                         state.counters["two_core_bandwidth"] =
                             bandwidth_ratio(floats_to_read(bytes / sizeof(float)), workers->cores->executor());
                       }};
  });
}

}  // namespace

void add_workers() {
  for (const std::uint32_t rows : {256U, 512U, 1024U}) {
    add_case("workers/prefill/n:" + std::to_string(rows), {.queries = rows, .keys = rows});
  }
  for (const std::uint32_t keys : {2048U, 8192U}) {
    add_case("workers/decode/keys:" + std::to_string(keys), {.queries = 1, .keys = keys, .cached = true});
  }
}

}  // namespace heed::bench
