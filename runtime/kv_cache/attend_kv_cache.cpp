// SPDX-License-Identifier: MIT
#include "attention/attention_check.hpp"
#include "attention/attention_run.hpp"
#include "attention/query_tile.hpp"
#include "common/as_made.hpp"
#include "common/parallel_for.hpp"
#include "common/validation.hpp"
#include "heed/options.hpp"
#include "kv_cache/kv_cache_keys.hpp"
#include "kv_cache/ring_policy.hpp"
#include "options/options_check.hpp"

namespace heed {

void detail::run_attention(const AttentionPlan& plan, std::byte* arena, const AttentionInputs& inputs,
                           const KvCacheView& keys, const AttentionOptions& options, const AttentionOutputs& outputs,
                           std::size_t log_sum_exp_head, const Executor& executor) noexcept {
  AttentionRun run = make_run(plan, inputs, outputs, log_sum_exp_head);
  run.options = &options;
  run.kv_cache = &keys;
  parallel_for_each(executor, plan.config.workers, run.tiles, QueryTiles<RingPolicy, KvCacheKeys>{run, arena});
}

Status attend(const AttentionPlan& plan, std::span<std::byte> arena, const AttentionInputs& inputs,
              const KvCacheView& keys, const AttentionOptions& options, const AttentionOutputs& outputs,
              const Executor& executor) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  std::uint32_t most_keys = 0;
  Status status = detail::check_queries(plan.config, inputs);
  if (status == Status::ok) status = detail::check_kv_cache_keys(plan, inputs, keys, most_keys);
  if (status == Status::ok) status = detail::check_options(plan.config, inputs, options);
  if (status == Status::ok) {
    status = detail::check_selected_outputs(plan.config, inputs, options, outputs, most_keys);
  }
  if (status == Status::ok) status = detail::check_memory(arena, plan.bytes);
  if (status != Status::ok) return status;
  detail::expect_as_made(plan);
  detail::run_attention(plan, arena.data(), inputs, keys, options, outputs, inputs.query_count, executor);
  return Status::ok;
}

}  // namespace heed
