// SPDX-License-Identifier: MIT
//
// What docs/threads.md allows, under a tool that sees data races: threads with layers of their own, threads that read
// one cache, one layer behind a lock, executors, and a model whose workers share its rows. Every result has the bits of
// one thread alone. With the argument "shared" two threads use one layer without a lock, which the tool must report.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "heed/heed.h"
#include "heed/heed.hpp"
#include "support/storage.hpp"
#include "support/threads.hpp"
#include "transformer/built_model.hpp"
#include "transformer/integer_model.hpp"
#include "transformer/tiny_model.hpp"

namespace {

using heed::Status;

constexpr std::uint32_t dim = 32;
constexpr std::uint32_t heads = 4;
constexpr std::uint32_t tokens = 40;
constexpr heed::MultiHeadPlan layer_plan = heed::plan(heed::MultiHeadConfig{
    .model_dim = dim, .heads = heads, .max_keys = 128, .max_sequences = 2, .workers = 3, .scratch_budget = 4096});
constexpr heed::AttentionPlan plan =
    heed::plan(heed::AttentionConfig{.heads = heads, .head_dim = dim / heads, .max_keys = 128, .workers = 3});

using Rows = std::vector<float>;
using LayerArena = heed::StaticArena<layer_plan.bytes>;
using Arena = heed::StaticArena<plan.bytes>;

int failures = 0;

void expect(bool condition, const char* what) {
  if (condition) return;
  std::printf("not so: %s\n", what);
  ++failures;
}

[[nodiscard]] bool same(const Rows& a, const Rows& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

[[nodiscard]] Rows numbers(std::uint32_t seed, std::size_t count) {
  Rows made(count);
  for (float& value : made) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(static_cast<int>(seed >> 16) - 32768) * 0x1p-16F;
  }
  return made;
}

/// Runs each of the jobs in a thread of its own, at the same time. None begins before all threads are there: the tool
/// takes a thread that was made after another had ended for that one.
void side_by_side(const std::vector<std::function<void()>>& jobs) {
  std::latch all_there(static_cast<std::ptrdiff_t>(jobs.size()));
  std::vector<std::thread> threads;
  for (const auto& job : jobs) {
    threads.emplace_back([&] {
      all_there.arrive_and_wait();
      job();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// All tokens of one sequence through a layer, one by one.
[[nodiscard]] Rows decode(heed::MultiHeadAttention& layer, const Rows& x, std::uint32_t sequence, std::mutex* lock) {
  Rows y(x.size());
  for (std::size_t t = 0; t < tokens; ++t) {
    const std::unique_lock<std::mutex> held =
        lock != nullptr ? std::unique_lock(*lock) : std::unique_lock<std::mutex>();
    if (layer.decode(&x[t * dim], &y[t * dim], sequence) != Status::ok) return {};
  }
  return y;
}

/// The same in one call, with an executor's threads.
[[nodiscard]] Rows prefill(heed::MultiHeadAttention& layer, const Rows& x) {
  Rows y(x.size());
  const heed::MultiHeadInputs inputs{.tokens = tokens, .input = heed::dense(x.data(), tokens, dim)};
  const heed::MultiHeadOutputs outputs{.output = heed::dense(y.data(), tokens, dim)};
  return layer.prefill(inputs, outputs, heed::test::thread_per_task()) == Status::ok ? y : Rows{};
}

/// The same in C.
[[nodiscard]] Rows decode_in_c(const heed_multi_head_plan& c_plan, LayerArena& arena, std::span<const std::byte> packed,
                               const Rows& x) {
  heed_multi_head_attention layer{};
  const heed_packed_weights weights{packed.data(), packed.size(), nullptr};
  Rows y(x.size());
  heed_status status = heed_multi_head_init(&layer, &c_plan, arena.bytes, c_plan.state_bytes,
                                            arena.bytes + c_plan.state_bytes, c_plan.scratch_bytes, &weights, nullptr);
  for (std::size_t t = 0; t < tokens && status == Status::ok; ++t) {
    status = heed_multi_head_decode(&layer, &x[t * dim], &y[t * dim], 0, nullptr);
  }
  return status == Status::ok ? y : Rows{};
}

struct Layers {
  heed::StaticArena<layer_plan.weights_bytes> packed;
  Rows x[2] = {numbers(1, tokens* dim), numbers(2, tokens* dim)};
  Rows expected[2];

  Layers() {
    const Rows weight = numbers(3, dim * dim);
    expect(heed::pack_weights(layer_plan, {weight.data(), weight.data(), weight.data(), weight.data()}, packed) ==
               Status::ok,
           "the weights are packed");
    for (int i = 0; i < 2; ++i) {
      static LayerArena arena;
      heed::MultiHeadAttention layer = made(arena);
      expected[i] = decode(layer, x[i], 0, nullptr);
    }
    expect(!expected[0].empty() && !same(expected[0], expected[1]), "one thread alone");
  }

  [[nodiscard]] heed::MultiHeadAttention made(LayerArena& arena) {
    heed::MultiHeadAttention layer;
    expect(layer.init(layer_plan, arena, packed) == Status::ok, "the layer is made");
    return layer;
  }
};

void layers_of_their_own(Layers& layers) {
  static LayerArena arenas[4];
  heed::MultiHeadAttention first = layers.made(arenas[0]);
  heed::MultiHeadAttention second = layers.made(arenas[1]);
  heed_multi_head_config config{};
  config.model_dim = dim;
  config.heads = heads;
  config.max_keys = 128;
  config.max_sequences = 2;
  config.workers = 3;
  config.scratch_budget = 4096;
  heed_multi_head_plan c_plan{};
  expect(heed_plan_multi_head(&config, &c_plan) == Status::ok, "the plan in C");
  heed::MultiHeadAttention fourth = layers.made(arenas[3]);
  Rows y[4];
  side_by_side({[&] { y[0] = decode(first, layers.x[0], 0, nullptr); }, [&] { y[1] = prefill(second, layers.x[1]); },
                [&] { y[2] = decode_in_c(c_plan, arenas[2], layers.packed, layers.x[0]); },
                [&] { y[3] = decode(fourth, layers.x[1], 1, nullptr); }});
  for (int i = 0; i < 4; ++i) expect(same(y[i], layers.expected[i % 2]), "a layer in each thread");
}

/// Without the lock both take one sequence, too: clang's tool does not see what is read and written in vectors of more
/// than 16 bytes, but the sequence's length is one number.
void one_layer(Layers& layers, bool locked) {
  static LayerArena arena;
  heed::MultiHeadAttention layer = layers.made(arena);
  std::mutex mutex;
  std::mutex* const lock = locked ? &mutex : nullptr;
  const std::uint32_t other = locked ? 1 : 0;
  Rows y[2];
  side_by_side(
      {[&] { y[0] = decode(layer, layers.x[0], 0, lock); }, [&] { y[1] = decode(layer, layers.x[1], other, lock); }});
  for (int i = 0; i < 2; ++i) expect(same(y[i], layers.expected[i]), "one layer in two threads");
}

/// Two threads read one cache, each with an arena of its own and one with an executor, and a third asks for its length.
/// With fewer slots than tokens it is a ring.
void one_cache(heed::DataType type, std::uint32_t slots) {
  const heed::KvCacheConfig config{.kv_heads = heads,
                                   .head_dim = dim / heads,
                                   .max_keys = slots,
                                   .key_type = type,
                                   .value_type = type,
                                   .ring = slots < tokens};
  heed::KvCachePlan cache_plan;
  expect(heed::make_plan(config, cache_plan) == Status::ok, "the plan of a cache");
  static heed::StaticArena<1 << 16> memory;
  static Arena arenas[3];
  const Rows keys = numbers(4, tokens * dim);
  const auto view = heed::bshd<const float>(keys.data(), heads, tokens, dim / heads);
  heed::KvCache cache;
  expect(cache.init(cache_plan, memory, heed::test::storage_of(config)) == Status::ok &&
             cache.append(0, tokens, view, view) == Status::ok,
         "a cache");
  const auto attend = [&](Arena& arena, const heed::Executor& executor) {
    Rows y(keys.size());
    const heed::AttentionInputs inputs{.query_count = tokens, .query = view, .cache = &cache};
    const heed::AttentionOutputs outputs{.output = heed::bshd(y.data(), heads, tokens, dim / heads)};
    return heed::attend(plan, arena, inputs, outputs, executor) == Status::ok ? y : Rows{};
  };
  const Rows expected = attend(arenas[2], {});
  expect(!expected.empty(), "attention over a cache");
  Rows y[2];
  std::uint32_t length = 0;
  side_by_side({[&] { y[0] = attend(arenas[0], {}); }, [&] { y[1] = attend(arenas[1], heed::test::thread_per_task()); },
                [&] { length = cache.length(0); }});
  expect(same(y[0], expected) && same(y[1], expected) && length == std::min(slots, tokens), "one cache read by all");
}

/// A model whose workers have rows of their own, in prefill and in a chunk after it.
void one_model(heed::DataType row_type) {
  heed::ModelConfig config = heed::test::tiny_llama;
  config.max_positions = 2 * tokens;
  if (row_type != heed::DataType::float32) config = heed::test::with_integers(config, {row_type, row_type, row_type});
  heed::test::AlignedMemory file = heed::test::TinyModel(config, true).file();
  const heed::DataType cache = row_type == heed::DataType::float32 ? row_type : heed::DataType::int8_integer;
  const auto logits = [&](std::uint32_t workers, const heed::Executor& executor) {
    heed::test::BuiltModel built(
        file.span(),
        {.rows = tokens, .max_keys = 2 * tokens, .workers = workers, .key_type = cache, .value_type = cache});
    const std::vector<std::uint32_t> text(tokens, 3);
    Rows y(config.outputs);
    const bool ok = built.model.prefill(text, y.data(), executor) == Status::ok &&
                    built.model.prefill(text, y.data(), executor) == Status::ok;
    return ok ? y : Rows{};
  };
  const Rows expected = logits(1, {});
  expect(!expected.empty() && same(logits(2, heed::test::thread_per_task()), expected), "a model's workers");
}

}  // namespace

int main(int count, char** arguments) {
  static Layers layers;
  if (count > 1 && std::strcmp(arguments[1], "shared") == 0) {
    one_layer(layers, false);
    return failures;
  }
  layers_of_their_own(layers);
  one_layer(layers, true);
  using enum heed::DataType;
  for (const heed::DataType type : {float32, int8}) one_model(type);
  for (const heed::DataType type : {float32, bfloat16, int8, int4}) {
    for (const std::uint32_t slots : {128U, 24U}) one_cache(type, slots);
  }
  return failures;
}
