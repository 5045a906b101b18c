// SPDX-License-Identifier: MIT
#include "attention/attention_check.hpp"
#include "attention/attention_run.hpp"
#include "attention/query_tile.hpp"
#include "common/parallel_for.hpp"
#include "common/validation.hpp"
#include "heed/options.hpp"
#include "options/option_policy.hpp"
#include "options/options_check.hpp"

namespace heed {
namespace detail {

void run_attention(const AttentionPlan& plan, std::byte* arena, const KeyReader* reader, const AttentionInputs& inputs,
                   const AttentionOptions& options, const AttentionOutputs& outputs, std::size_t log_sum_exp_head,
                   const Executor& executor) noexcept {
  AttentionRun run = make_run(plan, reader, inputs, outputs, log_sum_exp_head);
  run.options = &options;
  if (attends_in_ring(run, arena, executor)) return;
  parallel_for_each(executor, plan.config.workers, run.tiles, QueryTiles<OptionPolicy>{run, arena});
}

}  // namespace detail

Status attend(const AttentionPlan& plan, std::span<std::byte> arena, const AttentionInputs& inputs,
              const AttentionOptions& options, const AttentionOutputs& outputs, const Executor& executor) noexcept {
  Status status = detail::check_attention(plan, inputs, options, outputs);
  if (status == Status::ok) status = detail::check_memory(arena, plan.bytes);
  if (status != Status::ok) return status;
  detail::assert_plan_unchanged(plan);
  detail::run_attention(plan, arena.data(), detail::reader_of(inputs), inputs, options, outputs, inputs.query_count,
                        executor);
  return Status::ok;
}

}  // namespace heed
