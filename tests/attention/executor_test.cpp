// SPDX-License-Identifier: MIT
//
// Executors that run the tasks of a call in any order and on any thread: the bits are those of a call without one.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "layer/layer_case.hpp"
#include "options/options_random.hpp"
#include "support/effort.hpp"
#include "support/threads.hpp"

namespace heed::test {
namespace {

/// Calls task(argument, i) for every i below `count`, in some way.
using Way = void (*)(Random& random, std::uint32_t count, Executor::Task task, void* argument);

void backwards(Random&, std::uint32_t count, Executor::Task task, void* argument) {
  for (std::uint32_t i = count; i-- > 0;) task(argument, i);
}

std::vector<std::uint32_t> shuffled(Random& random, std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.between(0, i - 1)]);
  return order;
}

void in_any_order(Random& random, std::uint32_t count, Executor::Task task, void* argument) {
  for (const std::uint32_t i : shuffled(random, count)) task(argument, i);
}

/// A new thread for every task, which begins when the last one has ended.
void on_other_threads(Random& random, std::uint32_t count, Executor::Task task, void* argument) {
  for (const std::uint32_t i : shuffled(random, count)) std::thread(task, argument, i).join();
}

/// The caller and another thread take whichever task is next.
void by_two_threads(Random& random, std::uint32_t count, Executor::Task task, void* argument) {
  const std::vector<std::uint32_t> order = shuffled(random, count);
  std::atomic<std::uint32_t> next{0};
  const auto work = [&] {
    for (std::uint32_t i = next++; i < count; i = next++) task(argument, order[i]);
  };
  std::thread other(work);
  work();
  other.join();
}

void at_once(Random&, std::uint32_t count, Executor::Task task, void* argument) {
  thread_per_task().parallel_for(nullptr, count, task, argument);
}

constexpr Way ways[] = {backwards, in_any_order, on_other_threads, by_two_threads, at_once};

/// An executor of one of these kinds, which keeps count of what it was asked for.
struct Watched {
  Way way;
  Random random;
  std::uint32_t most_tasks = 0;

  [[nodiscard]] Executor executor() {
    return {this, [](void* context, std::uint32_t count, Executor::Task task, void* argument) {
              auto& self = *static_cast<Watched*>(context);
              self.most_tasks = std::max(self.most_tasks, count);
              self.way(self.random, count, task, argument);
            }};
  }
};

TEST(AnyExecutor, GivesTheBitsOfNone) {
  const std::uint32_t divisor = case_divisor();
  std::uint32_t parallel = 0;
  std::uint32_t ran = 0;
  for (std::uint32_t number = 0; number < 400; number += divisor, ++ran) {
    Random random(61000 + number);
    const OptionsCase c = any_options(random, number % 20 == 3 ? Size::medium : Size::small);
    SCOPED_TRACE(std::to_string(number) + ": " + describe(c));
    OptionsManner manner = any_options_manner(random, c.base.shape);
    manner.base.scratch_budget = 1;  // many tasks
    const Result alone = run(c, manner);
    manner.base.workers = random.between(2, 6);
    Watched watched{ways[number % std::size(ways)], Random(number)};
    manner.base.executor = watched.executor();
    const Result together = run(c, manner);
    ASSERT_LE(watched.most_tasks, manner.base.workers);
    if (watched.most_tasks > 1) ++parallel;
    ASSERT_TRUE(same_bits(alone.output, together.output));
    ASSERT_TRUE(same_bits(alone.scores, together.scores));
    ASSERT_TRUE(same_bits(alone.log_sum_exp, together.log_sum_exp));
  }
  EXPECT_GT(parallel, ran / 2);
}

TEST(AnyExecutor, GivesALayerTheBitsOfNone) {
  constexpr std::uint32_t tokens = 37;
  MultiHeadConfig config{.model_dim = 24, .heads = 4, .kv_heads = 2, .head_dim = 8, .max_keys = tokens};
  config.scratch_budget = 2048;
  Random random(5);
  const MultiHeadConfig complete = completed(config);
  const LayerWeights weights(random, complete, true);
  const std::vector<float> input = random.normals(std::size_t{tokens} * config.model_dim);
  const auto output_of = [&](std::uint32_t workers, const Executor& executor) {
    config.workers = workers;
    std::vector<float> outputs;
    for (const DataType key : {DataType::float32, DataType::int8}) {
      config.key_type = key;
      Layer layer(config, weights.view());
      const MultiHeadInputs in{.tokens = tokens, .input = dense(input.data(), tokens, config.model_dim)};
      std::vector<float> output(input.size());
      EXPECT_EQ(layer.layer.prefill(in, {.output = dense(output.data(), tokens, config.model_dim)}, executor),
                Status::ok);
      outputs.insert(outputs.end(), output.begin(), output.end());
    }
    return outputs;
  };
  const std::vector<float> alone = output_of(1, {});
  for (const Way way : ways) {
    for (const std::uint32_t workers : {2U, 3U, 5U}) {
      Watched watched{way, Random(workers)};
      const std::vector<float> together = output_of(workers, watched.executor());
      EXPECT_EQ(watched.most_tasks, workers);
      EXPECT_TRUE(same_bits(alone, together)) << workers << " workers";
    }
  }
}

}  // namespace
}  // namespace heed::test
