// SPDX-License-Identifier: MIT
//
// Nothing that options, stored caches and merging add reaches the heap.
#include <gtest/gtest.h>

#include <vector>

#include "heap/heap_trap.hpp"
#include "layer/layer_options_case.hpp"

namespace heed::test {
namespace {

/// Runs every task at once in the caller: an executor that itself allocates nothing.
constexpr Executor one_after_the_other{nullptr, [](void*, std::uint32_t count, Executor::Task task, void* argument) {
                                         for (std::uint32_t i = 0; i < count; ++i) task(argument, i);
                                       }};

/// Every option but the smooth softmax, which excludes the sinks.
OptionsCase every_option(Random& random, OptionsCase c) {
  for (std::uint32_t option = 0; option < option_count - 1; ++option) {
    add_option(random, c, static_cast<Option>(option));
  }
  return c;
}

TEST(HeapTrapOptions, AttentionAllocatesNothing) {
  for (const Size size : {Size::small, Size::medium, Size::large}) {
    Random random(51 + static_cast<std::uint32_t>(size));
    const OptionsCase c = every_option(random, plain_case(random, size));
    const LaidOutOptions laid_out(c, {});
    Status status[2];
    int calls = 0;
    for (const bool cached : {false, true}) {
      const Result result = run_by(c.base, {.scratch_budget = 4096, .workers = 3, .from_cache = cached},
                                   [&](const auto& plan, auto arena, const auto& in, const auto& out, const auto&) {
                                     const HeapForbidden guard;
                                     ++calls;
                                     status[0] = attend(plan, arena, in, laid_out.options, out);
                                     status[1] = attend(plan, arena, in, laid_out.options, out, one_after_the_other);
                                     return status[0];
                                   });
      EXPECT_EQ(result.status, Status::ok);
      EXPECT_EQ(status[1], Status::ok);
    }
    EXPECT_EQ(calls, 2);
  }
}

TEST(HeapTrapOptions, StoredCachesAllocateNothing) {
  constexpr std::uint32_t table[] = {3, 1, 2, 0};
  constexpr std::uint32_t length[] = {50};
  Random random(52);
  const std::vector<float> rows = random.normals(4 * 64 * 33);
  const ConstTensor keys = bhsd(rows.data(), 2, 16, 33);
  std::vector<float> output(4 * 9 * 33);
  AttentionOptions options;
  options.softcap = 20.0F;
  for (const DataType type :
       {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8, DataType::int4}) {
    AttentionPlan plan;
    KvCachePlan stored;
    ASSERT_EQ(make_plan(AttentionConfig{4, 2, 33, 33, 0, 2, 8192}, plan), Status::ok);
    ASSERT_EQ(make_plan(KvCacheConfig{4, 2, 33, 33, 16, 0, type, type}, stored), Status::ok);
    const AlignedMemory arena(plan.bytes);
    const AlignedMemory memory(stored.bytes);
    const KvStorage storage{.formats = {cache_format(type)}, .pages = &kv_pages};
    AttentionInputs in;
    in.query_count = 9;
    in.query = bhsd(rows.data(), 4, 9, 33);
    AttentionOutputs out;
    out.output = bhsd(output.data(), 4, 9, 33);
    Status status[8];
    {
      const HeapForbidden guard;
      KvCache cache;
      status[0] = cache.init(stored, memory.span(), storage);
      for (std::uint32_t page = 0; page < 4; ++page) status[1 + page] = cache.append(page, 16, keys, keys);
      in.cache = &cache;
      status[5] = attend(plan, arena.span(), in, options, out, one_after_the_other);
      status[6] = attend(plan, arena.span(), in, out);
      in.key_lengths = length;
      in.page_table = table;
      in.max_pages = 4;
      status[7] = attend(plan, arena.span(), in, options, out);
    }
    for (const Status one : status) EXPECT_EQ(one, Status::ok);
  }
}

TEST(HeapTrapOptions, MergingAndMeansAllocateNothing) {
  Random random(53);
  const std::vector<float> values = random.normals(2 * 3 * 5 * 33);
  const std::vector<float> exponents = random.normals(2 * 3 * 5);
  std::vector<float> output(values.size());
  std::vector<float> mean(2 * 5 * 33);
  const PartialAttention part{bhsd(values.data(), 3, 5, 33), exponents.data()};
  const PartialAttention parts[] = {part, part, part};
  Status status[2];
  {
    const HeapForbidden guard;
    status[0] = merge(2, 3, 5, 33, parts, bhsd(output.data(), 3, 5, 33), nullptr);
    status[1] = mean_over_heads(2, 3, 5, 33, part.output, dense(mean.data(), 5, 33));
  }
  EXPECT_EQ(status[0], Status::ok);
  EXPECT_EQ(status[1], Status::ok);
}

TEST(HeapTrapOptions, TheLayerAllocatesNothing) {
  for (const bool with_table : {false, true}) {
    Random random(54);
    LayerOptionsCase c = plain_layer_case(random, LayerMethod::encode);
    while (c.shape().head_dim < 2) c = plain_layer_case(random, LayerMethod::encode);
    c.options = every_option(random, c.options);
    const LayerWeights weights(random, c.config, true);
    Layer layer(c.config, weights.view());
    RotaryPlan plan;
    const RotaryConfig config{.head_dim = c.config.head_dim, .rotary_dim = 2, .max_position = c.config.max_keys};
    ASSERT_EQ(make_plan(config, plan), Status::ok);
    const AlignedMemory table(plan.bytes);
    const LaidOutOptions laid_out(c.options, {});
    const AttentionShape& s = c.shape();
    std::vector<float> y(std::size_t{s.batch} * s.queries * c.config.output_dim);
    MultiHeadInputs in;
    in.batch = s.batch;
    in.tokens = s.queries;
    in.input = dense(c.x.data(), s.queries, c.config.model_dim);
    in.sequence_ids = c.sequences.data();
    in.key_lengths = c.options.base.lengths.data();
    MultiHeadOutputs out;
    out.output = dense(y.data(), s.queries, c.config.output_dim);
    Status status[6];
    {
      const HeapForbidden guard;
      Rotary rotary{plan};
      status[0] = with_table ? make_rotary_table(plan, table.span(), rotary) : Status::ok;
      const MultiHeadOptions options{.attention = laid_out.options, .rotary = &rotary};
      status[1] = layer.layer.encode(in, options, out, one_after_the_other);
      status[2] = layer.layer.attend(in, options, out);
      for (std::uint32_t b = 0; b < s.batch; ++b) {
        if (layer.layer.cache().reset(c.sequences[b]) != Status::ok) std::abort();
      }
      status[3] = layer.layer.prefill(in, options, out);
      if (layer.layer.cache().reset(c.sequences[0]) != Status::ok) std::abort();
      status[4] = layer.layer.append(1, in.sequence_ids, s.queries, in.input, options, one_after_the_other);
      status[5] = layer.layer.attend(in, options, out, one_after_the_other);
    }
    for (const Status one : status) EXPECT_EQ(one, Status::ok);
  }
}

TEST(HeapTrapOptions, RingsAndPagesOfALayerAllocateNothing) {
  Random random(22);
  const LayerWeights weights(random, completed({.model_dim = 20, .heads = 4, .kv_heads = 2, .max_keys = 1}), true);
  const std::vector<float> x = random.normals(2 * 30 * 20);
  std::vector<float> y(x.size());
  const std::uint32_t table[] = {3, 0, 1, 2};
  std::uint32_t past[] = {0, 0};
  for (const bool paged : {false, true}) {
    MultiHeadConfig config{.model_dim = 20, .heads = 4, .kv_heads = 2, .max_keys = 16, .max_sequences = 4};
    config.workers = 3;
    config.key_type = DataType::int8;
    config.value_type = DataType::int4;
    config.ring = !paged;
    config.max_pages = paged ? 2 : 0;
    const KvStorage storage = storage_of(config);
    MultiHeadPlan plan;
    ASSERT_EQ(make_plan(config, plan), Status::ok);
    const AlignedMemory state(plan.state_bytes), scratch(plan.scratch_bytes), packed(plan.weights_bytes);
    RotaryPlan rotation;
    ASSERT_EQ(make_plan(RotaryConfig{.head_dim = 5, .rotary_dim = 4}, rotation), Status::ok);
    Status status[8];
    {
      const HeapForbidden guard;
      MultiHeadAttention layer;
      const Rotary rotary{rotation};
      const MultiHeadOptions options{.rotary = &rotary};
      MultiHeadInputs in;
      in.batch = 2;
      in.tokens = paged ? 20 : 30;
      in.input = dense(x.data(), 30, 20);
      if (paged) {
        in.page_table = table;
        in.past_lengths = past;
      }
      const MultiHeadOutputs out{.output = dense(y.data(), 30, 20)};
      status[0] = pack_weights(plan, weights.view(), packed.span());
      status[1] = layer.init(plan, state.span(), scratch.span(), packed.span(), storage);
      status[2] = layer.prefill(in, options, out, one_after_the_other);
      if (paged) past[0] = past[1] = 20;
      in.tokens = 3;
      status[3] = layer.append(in, one_after_the_other);
      if (paged) past[0] = past[1] = 23;
      status[4] = layer.attend(in, out, one_after_the_other);
      status[5] = layer.encode(in, options, out);
      status[6] = layer.decode(x.data(), y.data(), 3, one_after_the_other);
      status[7] = append_rotated(layer.cache(), 3, 1, bhsd(x.data(), 2, 1, 5), bhsd(x.data(), 2, 1, 5), rotary);
    }
    for (const Status one : status) EXPECT_EQ(one, Status::ok);
  }
}

}  // namespace
}  // namespace heed::test
