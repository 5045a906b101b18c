// SPDX-License-Identifier: MIT
#include "cases/attention_case.hpp"

#include <algorithm>

#include "cases/reference.hpp"

namespace heed::bench {

Work work_of(const AttentionShape& shape) {
  const double keys = shape.visible_keys != 0 ? shape.visible_keys : shape.keys;
  const double queries = shape.queries;
  const double pairs = shape.causal == Causal::none ? queries * keys : queries * (queries + 1) / 2;
  return {.flop = 4.0 * shape.heads * pairs * shape.head_dim,
          .bytes = 2.0 * shape.kv_heads * keys * shape.head_dim * sizeof(float)};
}

AttentionCase::AttentionCase(const AttentionShape& shape, const Executor& executor)
    : shape_(shape), executor_(executor) {
  const AttentionShape& s = shape_;
  expect(make_plan(AttentionConfig{.heads = s.heads,
                                   .kv_heads = s.kv_heads,
                                   .head_dim = s.head_dim,
                                   .max_keys = s.keys,
                                   .workers = s.workers},
                   plan_),
         "attention plan");
  arena_.resize(plan_.bytes);
  const std::size_t query_size = std::size_t{s.heads} * s.queries * s.head_dim;
  const std::size_t key_size = std::size_t{s.kv_heads} * s.keys * s.head_dim;
  tensors_ = place_tensors(query_size, key_size, key_size, query_size, s.misalignment);
  inputs_.query_count = s.queries;
  inputs_.key_count = s.keys;
  inputs_.query = bhsd(tensors_.query, s.heads, s.queries, s.head_dim);
  inputs_.key = bhsd(tensors_.key, s.kv_heads, s.keys, s.head_dim);
  inputs_.value = bhsd(tensors_.value, s.kv_heads, s.keys, s.head_dim);
  inputs_.causal = s.causal;
  if (s.visible_keys != 0) inputs_.key_lengths = &shape_.visible_keys;
  outputs_.output = bhsd(tensors_.output, s.heads, s.queries, s.head_dim);
  if (s.weights_returned) {
    weights_.resize(std::size_t{s.heads} * s.queries * s.keys);
    outputs_.scores = bhsd(weights_.data(), s.heads, s.queries, s.keys);
  }
  if (s.log_sum_exp_returned) {
    log_sum_exp_.resize(std::size_t{s.heads} * s.queries);
    outputs_.log_sum_exp = log_sum_exp_.data();
  }
  if (s.cached) fill_cache();
}

void AttentionCase::fill_cache() {
  const AttentionShape& s = shape_;
  expect(make_plan(KvCacheConfig{.kv_heads = s.kv_heads, .head_dim = s.head_dim, .max_keys = s.keys}, cache_plan_),
         "cache plan");
  cache_memory_.resize(cache_plan_.bytes);
  expect(cache_.init(cache_plan_, cache_memory_), "cache");
  expect(cache_.append(0, s.keys, inputs_.key, inputs_.value), "cache");
  inputs_.cache = &cache_;
}

void AttentionCase::run() const {
  const Status status = attend(plan_, arena_, inputs_, outputs_, executor_);
  if (status != Status::ok) expect(status, "attend()");
}

void AttentionCase::check(const std::string& what) const {
  const AttentionShape& s = shape_;
  const std::uint32_t row_step = std::max(1U, s.queries / 7);
  for (std::uint32_t head = 0; head<s.heads; head += s.heads> 4 ? 3 : 1) {
    const std::uint32_t kv_head = head / (s.heads / s.kv_heads);
    // Counted from the last row: it is the one that a wrong tail spoils.
    for (std::int64_t query = s.queries - 1; query >= 0; query -= row_step) {
      const auto row = static_cast<std::size_t>(query);
      std::uint32_t count = s.visible_keys != 0 ? s.visible_keys : s.keys;
      if (s.causal != Causal::none) count = std::min(count, static_cast<std::uint32_t>(row) + 1);
      check_attention_row({.query = inputs_.query.row(0, head, row),
                           .keys = {inputs_.key.row(0, kv_head, 0), inputs_.key.row_stride},
                           .values = {inputs_.value.row(0, kv_head, 0), inputs_.value.row_stride},
                           .count = count,
                           .head_dim = s.head_dim,
                           .value_dim = s.head_dim},
                          outputs_.output.row(0, head, row), what);
    }
  }
}

}  // namespace heed::bench
