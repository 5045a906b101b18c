// SPDX-License-Identifier: MIT
//
// attend() in integers, over keys of one block and for its output alone.
#include <cstddef>
#include <span>

#include "attention/attention_check.hpp"
#include "attention/attention_run.hpp"
#include "attention/causal_masking.hpp"
#include "attention/query_tile.hpp"
#include "common/validation.hpp"
#include "heed/attention.hpp"

namespace heed::detail {
namespace {

/// Everything that attend_one_block() refuses, apart from the arena.
[[nodiscard]] Status check_one_block(const AttentionPlan& plan, const AttentionInputs& inputs,
                                     const AttentionOutputs& outputs) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  Status status = check_queries(plan.config, inputs);
  if (status != Status::ok) return status;
  if (inputs.cache == nullptr) return Status::plan_mismatch;
  const KeyReader* const reader = CacheAccess::reader(*inputs.cache);
  if (reader == nullptr) return Status::not_initialised;
  std::uint32_t most = 0;
  status = reader->check(plan, inputs, nullptr, most);
  return status != Status::ok ? status : check_outputs(plan.config, inputs, outputs, most);
}

}  // namespace

Status attend_one_block(const AttentionPlan& plan, std::span<std::byte> arena, const AttentionInputs& inputs,
                        const AttentionOutputs& outputs) noexcept {
  Status status = check_one_block(plan, inputs, outputs);
  if (status == Status::ok) status = check_memory(arena, plan.bytes);
  if (status != Status::ok) return status;
  assert_plan_unchanged(plan);
  const AttentionRun run = make_run(plan, CacheAccess::reader(*inputs.cache), inputs, outputs, inputs.query_count);
  if (attends_in_ring(run, arena.data(), {})) return Status::ok;
  const QueryTiles<OneIntegerBlock> tiles{run, arena.data()};
  for (std::uint32_t tile = 0; tile < run.tiles; ++tile) tiles(0, tile);
  return Status::ok;
}

}  // namespace heed::detail
