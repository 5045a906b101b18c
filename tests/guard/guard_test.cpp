// SPDX-License-Identifier: MIT
//
// No buffer of attend() or of the cache is touched outside its bounds, at any length and head dimension, and where a
// buffer lies does not change a bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "guard/guarded.hpp"
#include "heed/heed.hpp"
#include "support/effort.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t dims[] = {1, 3, 16, 31, 32, 64, 80, 96, 128};
constexpr std::uint32_t most_rows = 257;
constexpr std::uint32_t most_heads = 4;
constexpr std::uint32_t most_dim = 128;

struct GuardCase {
  std::uint32_t heads, kv_heads, queries, keys, head_dim, value_dim, scratch_budget;
  Causal causal;
  bool from_cache, want_scores;
};

/// What a case wrote, to compare the bits of its two placements.
struct Written {
  std::vector<float> output, scores, log_sum_exp;
};

class GuardedAttend : public testing::Test {
 protected:
  /// Appends the case's keys and values to a cache between forbidden pages.
  void fill_cache(const GuardCase& c, ConstTensor key, ConstTensor value, Edge edge, KvCachePlan& plan,
                  KvCache& cache) {
    ASSERT_EQ(make_plan(KvCacheConfig{1, c.kv_heads, c.head_dim, c.value_dim, c.keys}, plan), Status::ok);
    const std::span<std::byte> memory = cache_memory.place(plan.bytes, edge);
    std::memset(memory.data(), 0xFF, memory.size());
    ASSERT_EQ(cache.init(plan, memory), Status::ok);
    ASSERT_EQ(cache.append(0, c.keys, key, value), Status::ok);
  }

  void run(const GuardCase& c, Edge edge, Written& written) {
    const auto copy = [&](const GuardedMemory& to, const std::vector<float>& from, std::uint32_t heads,
                          std::uint32_t rows, std::uint32_t dim) {
      return bhsd(to.copy(from, std::size_t{heads} * rows * dim, edge).data(), heads, rows, dim);
    };
    AttentionPlan plan;
    ASSERT_EQ(
        make_plan(AttentionConfig{c.heads, c.kv_heads, c.head_dim, c.value_dim, c.keys, 1, c.scratch_budget}, plan),
        Status::ok);
    AttentionInputs in;
    in.query_count = c.queries;
    in.causal = c.causal;
    in.query = copy(query, query_values, c.heads, c.queries, c.head_dim);
    const ConstTensor keys = copy(key, key_values, c.kv_heads, c.keys, c.head_dim);
    const ConstTensor values = copy(value, value_values, c.kv_heads, c.keys, c.value_dim);
    KvCachePlan cache_plan;
    KvCache cache;
    if (c.from_cache) {
      fill_cache(c, keys, values, edge, cache_plan, cache);
      in.cache = &cache;
    } else {
      in.key_count = c.keys;
      in.key = keys;
      in.value = values;
    }
    const std::size_t rows = std::size_t{c.heads} * c.queries;
    const std::span<float> out = output.floats(rows * c.value_dim, edge);
    const std::span<float> lse = log_sum_exp.floats(rows, edge);
    const std::span<float> score = scores.floats(c.want_scores ? rows * c.keys : 0, edge);
    AttentionOutputs outputs;
    outputs.output = bhsd(out.data(), c.heads, c.queries, c.value_dim);
    outputs.log_sum_exp = lse.data();
    if (c.want_scores) outputs.scores = bhsd(score.data(), c.heads, c.queries, c.keys);
    ASSERT_EQ(attend(plan, arena.place(plan.bytes, edge), in, outputs), Status::ok);
    written = {{out.begin(), out.end()}, {score.begin(), score.end()}, {lse.begin(), lse.end()}};
  }

  void run_at_both_edges(const GuardCase& c) {
    report.running(
        "%u/%u heads, %u queries, %u keys, head_dim %u, value_dim %u, budget %u, causal %d, cache %d, scores %d",
        c.heads, c.kv_heads, c.queries, c.keys, c.head_dim, c.value_dim, c.scratch_budget, static_cast<int>(c.causal),
        c.from_cache, c.want_scores);
    Written front;
    Written back;
    run(c, Edge::front, front);
    run(c, Edge::back, back);
    const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
      return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
    };
    ASSERT_TRUE(same(front.output, back.output) && same(front.scores, back.scores) &&
                same(front.log_sum_exp, back.log_sum_exp));
    ++cases;
  }

  /// All ways to run one size.
  void run_all(std::uint32_t queries, std::uint32_t keys, std::size_t dim) {
    for (const std::uint32_t heads : {1U, most_heads}) {
      for (const bool causal : {false, true}) {
        for (const bool from_cache : {false, true}) {
          for (const std::uint32_t budget : {1U, 0U}) {
            const std::uint32_t value_dim = causal ? dims[dim] : dims[(dim + 4) % std::size(dims)];
            run_at_both_edges({heads, 1, queries, keys, dims[dim], value_dim, budget,
                               causal ? Causal::bottom_right : Causal::none, from_cache, from_cache == (budget == 0)});
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }

  static constexpr std::size_t row_bytes = std::size_t{most_rows} * most_dim * sizeof(float);
  Random random{9};
  std::vector<float> query_values = random.normals(std::size_t{most_heads} * most_rows * most_dim);
  std::vector<float> key_values = random.normals(std::size_t{2} * most_rows * most_dim);
  std::vector<float> value_values = random.normals(std::size_t{2} * most_rows * most_dim);
  GuardedMemory query{most_heads * row_bytes}, key{2 * row_bytes}, value{2 * row_bytes};
  GuardedMemory output{most_heads * row_bytes}, log_sum_exp{most_heads * most_rows * sizeof(float)};
  GuardedMemory scores{std::size_t{most_heads} * most_rows * most_rows * sizeof(float)};
  GuardedMemory arena{std::size_t{1} << 18}, cache_memory{std::size_t{1} << 20};
  FaultReport report;
  int cases = 0;
};

/// The length tried after n. 41, 48, ... 251: steps of 7 meet every residue mod 16 and mod 6 again after the sizes
/// that are all tried.
std::uint32_t next_length(std::uint32_t n, std::uint32_t divisor) {
  if (divisor != 1) return n + 2 * divisor + 1;
  if (n == 251) return 255;
  return n + (n <= 40 || n >= 255 ? 1 : 7);
}

TEST_F(GuardedAttend, StaysInsideItsBuffersAtEveryLength) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t n = 1; n <= most_rows; n = next_length(n, divisor)) {
    const std::size_t first = n % std::min<std::size_t>(divisor, std::size(dims));
    for (std::size_t dim = first; dim < std::size(dims); dim += divisor) {
      run_all(n, n, dim);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
  std::printf("%d cases, each at both edges\n", cases);
}

TEST_F(GuardedAttend, StaysInsideItsBuffersWithFewQueriesOrFewKeys) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t n = 1; n <= most_rows; n += divisor) {
    const std::size_t dim = n % std::size(dims);
    run_all(1 + n % 3, n, dim);
    run_all(n, 1 + n % 5, dim);
    ASSERT_FALSE(HasFatalFailure());
  }
  std::printf("%d cases, each at both edges\n", cases);
}

TEST_F(GuardedAttend, StaysInsideItsBuffersWithSeveralKeyHeads) {
  for (std::uint32_t n = 1; n <= 40; n += std::min(case_divisor(), 3U)) {
    for (const std::uint32_t dim : dims) {
      run_at_both_edges({4, 2, n, n, dim, dim, 1, Causal::top_left, false, true});
      run_at_both_edges({2, 2, n, n + 16, dim, dim, 0, Causal::none, true, false});
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

// The guard itself: one element before and one after each buffer end the process.
TEST(GuardedMemoryDeathTest, EndsTheProcessOneByteOutside) {
  const GuardedMemory memory(100);
  FaultReport report;
  report.running("the test of the guard");
  const volatile float* front = memory.floats(25, Edge::front).data();
  const volatile float* back = memory.floats(25, Edge::back).data();
  EXPECT_EQ(front[0] + front[24] + back[0] + back[24], 0.0F);
  EXPECT_DEATH(static_cast<void>(front[-1]), "touched memory outside a buffer in: the test of the guard");
  EXPECT_DEATH(static_cast<void>(back[25]), "touched memory outside a buffer in: the test of the guard");
}

}  // namespace
}  // namespace heed::test
