// SPDX-License-Identifier: MIT
//
// The executors beside this over stubs of their kernels, of threads (tests/threads/stubs): a layer has one worker's
// bits, and the helper's thread has worked.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

#include "freertos_executor.hpp"
#include "heed/heed.hpp"
#include "zephyr_executor.hpp"

namespace {

constexpr std::uint32_t dim = 48;
constexpr std::uint32_t tokens = 20;
constexpr heed::MultiHeadConfig config{
    .model_dim = dim, .heads = 3, .kv_heads = 3, .head_dim = 16, .max_keys = 32, .workers = 2};
constexpr heed::MultiHeadPlan plan = heed::plan(config);

/// Counts the indices, and those that ran outside of the caller.
struct Counted {
  heed::Executor executor;
  std::thread::id caller = std::this_thread::get_id();
  heed::Executor::Task task = nullptr;
  void* argument = nullptr;
  std::uint32_t asked = 0;
  std::atomic<std::uint32_t> called = 0;
  std::atomic<std::uint32_t> elsewhere = 0;

  static void parallel_for(void* self, std::uint32_t count, heed::Executor::Task task, void* argument) {
    auto& counted = *static_cast<Counted*>(self);
    counted.task = task;
    counted.argument = argument;
    counted.asked += count;
    counted.executor.parallel_for(counted.executor.context, count, &call, self);
  }
  static void call(void* self, std::uint32_t index) {
    auto& counted = *static_cast<Counted*>(self);
    ++counted.called;
    if (std::this_thread::get_id() != counted.caller) ++counted.elsewhere;
    counted.task(counted.argument, index);
  }
};

std::vector<float> numbers(std::size_t count, std::uint32_t seed) {
  std::vector<float> values(count);
  for (float& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(seed >> 16) / 65536.0F - 0.5F;
  }
  return values;
}

std::vector<float> run(const heed::Executor& executor) {
  static heed::StaticArena<plan.bytes> arena;
  static heed::StaticArena<plan.weights_bytes> packed;
  static const std::vector<float> matrices[] = {numbers(dim * dim, 1), numbers(dim * dim, 2), numbers(dim * dim, 3),
                                                numbers(dim * dim, 4)};
  heed::MultiHeadWeights weights;
  weights.query = matrices[0].data();
  weights.key = matrices[1].data();
  weights.value = matrices[2].data();
  weights.output = matrices[3].data();
  const std::vector<float> x = numbers(tokens * dim, 5);
  std::vector<float> y(tokens * dim);
  heed::MultiHeadInputs inputs;
  inputs.tokens = tokens;
  inputs.input = heed::dense<const float>(x.data(), tokens, dim);
  heed::MultiHeadOutputs outputs;
  outputs.output = heed::dense(y.data(), tokens, dim);
  heed::MultiHeadAttention layer;
  const std::span<std::byte> file = packed;
  heed::Status status = heed::pack_weights(plan, weights, file);
  if (status == heed::Status::ok) status = layer.init(plan, arena, file);
  if (status == heed::Status::ok) status = layer.prefill(inputs, outputs, executor);
  if (status != heed::Status::ok) {
    std::printf("%s\n", heed::to_string(status));
    std::exit(1);
  }
  return y;
}

bool same(const char* name, const heed::Executor& executor, const std::vector<float>& expected) {
  Counted counted{executor};
  const std::vector<float> y = run({&counted, &Counted::parallel_for});
  const bool bits = std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)) == 0;
  const std::uint32_t called = counted.called;
  const std::uint32_t elsewhere = counted.elsewhere;
  std::printf("%s: %s bits, %u of %u tasks, %u of them the helper's\n", name, bits ? "same" : "OTHER", called,
              counted.asked, elsewhere);
  return bits && called == counted.asked && elsewhere != 0;
}

FreeRtosExecutor<1024> freertos;
ZephyrExecutor zephyr;
k_thread_stack_t zephyr_stack[4096];
k_thread_stack_t caller_stack[4096];
k_thread caller;
k_sem caller_ends;

/// What a thread of Zephyr does that was pinned to core 0 before it ran.
void call_from_its_core(void* good, void* /*unused*/, void* /*unused*/) {
  *static_cast<bool*>(good) =
      zephyr.start(zephyr_stack, sizeof zephyr_stack, 1, 1, 0) && same("Zephyr", zephyr.executor(), run({}));
  k_sem_give(&caller_ends);
}

bool zephyr_shares() {
  if (zephyr.start(zephyr_stack, sizeof zephyr_stack, 1, 1, 0)) {
    std::printf("Zephyr: a thread that may run on the helper's core passes\n");
    return false;
  }
  bool good = false;
  if (k_sem_init(&caller_ends, 0, 1) != 0) return false;
  k_thread_create(&caller, caller_stack, sizeof caller_stack, &call_from_its_core, &good, nullptr, nullptr, 1, 0,
                  K_FOREVER);
  if (k_thread_cpu_pin(&caller, 0) != 0) return false;
  k_thread_start(&caller);
  return k_sem_take(&caller_ends, K_FOREVER) == 0 && good;
}

}  // namespace

int main() {
  const std::vector<float> expected = run({});
  if (!freertos.start(1, 1)) return 1;
  bool good = same("FreeRTOS", freertos.executor(), expected);
  good = zephyr_shares() && good;
  // The helpers wait for ever, as on a board.
  std::fflush(stdout);
  std::_Exit(good ? 0 : 1);
}
