// SPDX-License-Identifier: MIT
//
// Nothing that the runtime does reaches the heap.
#include "heap/heap_trap.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "layer/layer_case.hpp"

namespace heed::test {
namespace {

/// Runs every task at once in the caller: an executor that itself allocates nothing.
constexpr Executor one_after_the_other{nullptr, [](void*, std::uint32_t count, Executor::Task task, void* argument) {
                                         for (std::uint32_t i = 0; i < count; ++i) task(argument, i);
                                       }};

constexpr std::uint32_t budgets[] = {1, 4096, 0};

TEST(HeapTrap, PlansAllocateNothing) {
  AttentionPlan attention;
  KvCachePlan cache;
  MultiHeadPlan layer;
  const HeapForbidden guard;
  const bool made = make_plan(AttentionConfig{.heads = 8, .head_dim = 64}, attention) == Status::ok &&
                    make_plan(KvCacheConfig{.head_dim = 64, .max_keys = 100}, cache) == Status::ok &&
                    make_plan(MultiHeadConfig{.model_dim = 512, .heads = 8, .max_keys = 100}, layer) == Status::ok &&
                    make_plan(MultiHeadConfig{}, layer) == Status::zero_dimension;
  if (!made) std::abort();
}

TEST(HeapTrap, AttentionAllocatesNothing) {
  Random random(13);
  const std::vector<float> query = random.normals(4 * 70 * 33);
  const std::vector<float> key = random.normals(2 * 300 * 33);
  const std::vector<float> value = random.normals(2 * 300 * 33);
  std::vector<float> output(4 * 70 * 33);
  std::vector<float> scores(4 * 70 * 300);
  std::vector<float> log_sum_exp(4 * 70);
  constexpr KvCachePlan cache_plan = plan(KvCacheConfig{1, 2, 33, 33, 300});
  const AlignedMemory cache_memory(cache_plan.bytes);
  for (const std::uint32_t budget : budgets) {
    for (const std::uint32_t queries : {1U, 12U, 70U}) {
      AttentionPlan attention;
      ASSERT_EQ(make_plan(AttentionConfig{4, 2, 33, 33, 300, 3, budget}, attention), Status::ok);
      const AlignedMemory arena(attention.bytes);
      AttentionInputs in;
      in.query_count = queries;
      in.key_count = 300;
      in.causal = Causal::bottom_right;
      in.query = bhsd<const float>(query.data(), 4, queries, 33);
      in.key = bhsd<const float>(key.data(), 2, 300, 33);
      in.value = bhsd<const float>(value.data(), 2, 300, 33);
      AttentionOutputs out;
      out.output = bhsd(output.data(), 4, queries, 33);
      out.scores = bhsd(scores.data(), 4, queries, 300);
      out.log_sum_exp = log_sum_exp.data();
      Status status[5];
      KvCache cache;
      {
        const HeapForbidden guard;
        status[0] = attend(attention, arena.span(), in, out);
        status[1] = attend(attention, arena.span(), in, out, one_after_the_other);
        status[2] = cache.init(cache_plan, cache_memory.span());
        status[3] = cache.append(0, 300, in.key, in.value);
        in.cache = &cache;
        status[4] = attend(attention, arena.span(), in, out, one_after_the_other);
      }
      for (const Status one : status) EXPECT_EQ(one, Status::ok);
    }
  }
}

TEST(HeapTrap, StoredCachesAllocateNothing) {
  Random random(15);
  const std::vector<float> rows = random.normals(2 * 50 * 33);
  const std::vector<float> scales(2 * 33, 0.1F);
  const ConstTensor view = bhsd(rows.data(), 2, 50, 33);
  for (const DataType type : {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8, DataType::int4,
                              DataType::int8_channels}) {
    const bool per_channel = type == DataType::int8_channels;
    const KvCacheConfig config{1, 2, 33, 33, 20, 4, type, per_channel ? DataType::int8 : type, true};
    const KvStorage storage = storage_of(config);
    KvCachePlan made;
    ASSERT_EQ(make_plan(config, made), Status::ok);
    const AlignedMemory memory(made.bytes);
    Status status[4];
    {
      const HeapForbidden guard;
      KvCache cache;
      status[0] = cache.init(made, memory.span(), storage);
      status[1] = per_channel ? cache.set_key_scales(scales) : cache.bind(made, memory.span(), storage);
      status[2] = cache.append(0, 50, view, view);
      status[3] = cache.truncate(0, 4);
    }
    for (const Status one : status) EXPECT_EQ(one, Status::ok);
  }
}

TEST(HeapTrap, TheLayerAllocatesNothing) {
  Random random(14);
  for (const std::uint32_t budget : budgets) {
    const MultiHeadConfig config = completed({.model_dim = 40,
                                              .heads = 4,
                                              .kv_heads = 2,
                                              .head_dim = 9,
                                              .max_keys = 40,
                                              .max_sequences = 2,
                                              .workers = 3,
                                              .scratch_budget = budget});
    const LayerWeights weights(random, config, true);
    const std::vector<float> x = random.normals(2 * 20 * 40);
    std::vector<float> y(2 * 20 * 40);
    Layer layer(config, weights.view());
    const MultiHeadWeights view = weights.view();
    MultiHeadInputs in;
    in.batch = 2;
    in.tokens = 19;
    in.input = dense<const float>(x.data(), 20, 40);
    MultiHeadOutputs out;
    out.output = dense(y.data(), 20, 40);
    Status status[8];
    {
      const HeapForbidden guard;
      status[0] = pack_weights(layer.plan, view, layer.packed.span());
      status[1] = layer.layer.init(layer.plan, layer.arena.span(), layer.packed.span());
      status[2] = layer.layer.encode(in, out, one_after_the_other);
      status[3] = layer.layer.prefill(in, out);
      status[4] = layer.layer.decode(x.data(), y.data(), 1);
      status[5] = layer.layer.append(2, nullptr, 1, in.input, one_after_the_other);
      status[6] = layer.layer.attend(in, out);
      status[7] = layer.layer.cache().reset(0);
    }
    for (const Status one : status) EXPECT_EQ(one, Status::ok);
  }
}

TEST(HeapTrap, EmbeddingsAndPositionsAllocateNothing) {
  const std::vector<float> table(10 * 16, 1.0F);
  const std::vector<std::uint32_t> tokens = {1, 2, 9};
  std::vector<float> x(3 * 16);
  Status status[2];
  {
    const HeapForbidden guard;
    status[0] = embedding_lookup(table, 16, tokens, dense(x.data(), 3, 16));
    status[1] = add_sinusoidal_positions(dense(x.data(), 3, 16), 3, 16, 1000000);
  }
  EXPECT_EQ(status[0], Status::ok);
  EXPECT_EQ(status[1], Status::ok);
}

/// `use` reaches the heap, under a guard, through the function named.
template <class Use>
void expect_trap(const char* function, const Use& use) {
  EXPECT_DEATH(
      {
        const HeapForbidden guard;
        use();
      },
      std::string("the heap is forbidden here, and was reached through ") + function + "\n");
}

TEST(HeapTrapDeathTest, CatchesEveryWayToTheHeap) {
  static void* volatile memory;  // volatile: the compiler may not take the call away
  memory = std::malloc(8);
  expect_trap("malloc", [] { memory = std::malloc(8); });
  expect_trap("calloc", [] { memory = std::calloc(8, 8); });
  expect_trap("realloc", [] { memory = std::realloc(memory, 16); });
  expect_trap("aligned_alloc", [] { memory = std::aligned_alloc(64, 64); });
  expect_trap("posix_memalign", [] {
    void* aligned = nullptr;
    if (posix_memalign(&aligned, 64, 64) == 0) memory = aligned;
  });
  expect_trap("free", [] { std::free(memory); });
  expect_trap("operator new", [] { memory = ::operator new(8); });
  expect_trap("operator new", [] { memory = ::operator new(8, std::nothrow); });
  expect_trap("operator new", [] { memory = ::operator new (64, std::align_val_t{64}); });
  expect_trap("operator new\\[\\]", [] { memory = ::operator new[](8); });
  expect_trap("operator delete", [] { ::operator delete(memory); });
  std::free(memory);
  // Allowed again once the guard is gone.
  { const HeapForbidden guard; }
  EXPECT_EQ(std::vector<int>(3, 1).size(), 3U);
}

}  // namespace
}  // namespace heed::test
