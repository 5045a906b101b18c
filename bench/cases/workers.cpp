// SPDX-License-Identifier: MIT
//
// Two workers beside one. The figure holds only where both cores really ran at once: cores_used is CPU time over wall
// time, and two_core_bandwidth what both cores together read from memory, as a multiple of what one does.
#include <ctime>

#include "cases/attention_case.hpp"
#include "cases/model_case.hpp"
#include "cases/topics.hpp"
#include "machine/machine.hpp"
#include "machine/two_cores.hpp"

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
template <class Case>
struct Workers {
  std::unique_ptr<TwoCores> cores;
  std::unique_ptr<Case> one;
  std::unique_ptr<Case> two;
  double cpu = 0;
  double wall = 0;

  /// The pool changes with every repetition, so that it is asked for when it is needed.
  [[nodiscard]] Executor executor() {
    return {this, [](void* context, std::uint32_t count, Executor::Task task, void* argument) {
              const Executor current = static_cast<Workers*>(context)->cores->executor();
              current.parallel_for(current.context, count, task, argument);
            }};
  }
};

/// Both cases are made and checked. `bytes`: what one call reads.
template <class Case>
[[nodiscard]] Subject beside_one(const std::shared_ptr<Workers<Case>>& workers, std::size_t bytes) {
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
                     [workers, bytes](benchmark::State& state) {
                       state.counters["cores_used"] = (cpu_seconds() - workers->cpu) / (now() - workers->wall);
                       state.counters["pinned"] = workers->cores->pinned() ? 1 : 0;
                       state.counters["two_core_bandwidth"] =
                           bandwidth_ratio(floats_to_read(bytes / sizeof(float)), workers->cores->executor());
                     }};
}

void add_case(const std::string& name, const AttentionShape& shape) {
  const Work work = work_of(shape);
  add_benchmark(name, {.flop = work.flop}, [=] {
    const auto workers = std::make_shared<Workers<AttentionCase>>();
    workers->cores = std::make_unique<TwoCores>();
    workers->one = std::make_unique<AttentionCase>(shape);
    AttentionShape shared = shape;
    shared.workers = 2;
    workers->two = std::make_unique<AttentionCase>(shared, workers->executor());
    workers->two->run();
    workers->two->check(name);
    return beside_one(workers, static_cast<std::size_t>(work.bytes));
  });
}

void add_case(const std::string& name, const ModelShape& shape) {
  add_benchmark(name, work_of(shape), [=] {
    static const ModelWeightsFile weights;
    const auto workers = std::make_shared<Workers<ModelCase>>();
    workers->cores = std::make_unique<TwoCores>();
    workers->one = std::make_unique<ModelCase>(weights, shape);
    ModelShape shared = shape;
    shared.workers = 2;
    workers->two = std::make_unique<ModelCase>(weights, shared, workers->executor());
    workers->one->run();
    workers->two->run();
    if (workers->one->logits() != workers->two->logits()) fail(name + ": two workers compute other logits than one");
    return beside_one(workers, weights.file.size());
  });
}

}  // namespace

void add_workers() {
  for (const std::uint32_t rows : {256U, 512U, 1024U}) {
    add_case("workers/prefill/n:" + std::to_string(rows), AttentionShape{.queries = rows, .keys = rows});
  }
  for (const std::uint32_t keys : {2048U, 8192U}) {
    add_case("workers/decode/keys:" + std::to_string(keys), AttentionShape{.queries = 1, .keys = keys, .cached = true});
  }
  add_case("workers/model/prefill/n:256", ModelShape{.tokens = 256});
  add_case("workers/model/decode/keys:128", ModelShape{.tokens = 128, .decode = true});
}

}  // namespace heed::bench
