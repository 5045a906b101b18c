// SPDX-License-Identifier: MIT
#include "heed/attention.hpp"

#include "attention/attention_check.hpp"
#include "attention/attention_run.hpp"
#include "attention/causal_masking.hpp"
#include "attention/few_rows_tile.hpp"
#include "attention/query_tile.hpp"
#include "common/constants.hpp"
#include "common/parallel_for.hpp"
#include "common/validation.hpp"
#include "math/functions.hpp"

namespace heed::detail {

#ifdef __ELF__
/// The code for floats, null in a program that does not name it (heed/detail/linked_code.hpp).
// NOLINTBEGIN(readability-redundant-declaration)
[[gnu::weak]] void multiply(Gemm& product) noexcept;
[[gnu::weak]] void weigh_keys(const KeyBlock& block, bool hidden, float* maxima, float* sums,
                              float* block_work) noexcept;
#ifdef __OPTIMIZE_SIZE__
[[gnu::weak]] void multiply_rows(const KeyBlock& block, const KeySource& source, float* result, const KeyRange& keys,
                                 std::uint32_t row) noexcept;
#endif
// NOLINTEND(readability-redundant-declaration)
#endif

AttentionRun make_run(const AttentionPlan& plan, const KeyReader* reader, const AttentionInputs& inputs,
                      const AttentionOutputs& outputs, std::size_t log_sum_exp_head) noexcept {
  const AttentionConfig& config = plan.config;
  const float scale = !port::is_zero(inputs.scale)
                          ? inputs.scale
                          : port::compact_quotient(1.0F, square_root(port::as_float(config.head_dim)));
  const std::uint32_t heads_per_kv_head = port::whole_quotient(config.heads, config.kv_heads);
  const std::uint32_t rows = inputs.query_count * heads_per_kv_head;
  const std::uint32_t head_tiles = port::whole_quotient(rows + tile_rows_of(plan) - 1, tile_rows_of(plan));
  return {.plan = &plan,
          .reader = reader,
          .inputs = &inputs,
          .outputs = &outputs,
          .query_factor = port::compact_product(scale, log2_e),
          .log_sum_exp_head = log_sum_exp_head,
          .heads_per_kv_head = heads_per_kv_head,
          .rows = rows,
          .head_tiles = head_tiles,
          .tiles = inputs.entries() * config.kv_heads * head_tiles};
}

void run_attention(const AttentionPlan& plan, std::byte* arena, const KeyReader* reader, const AttentionInputs& inputs,
                   const AttentionOutputs& outputs, std::size_t log_sum_exp_head, const Executor& executor) noexcept {
  const AttentionRun run = make_run(plan, reader, inputs, outputs, log_sum_exp_head);
  if (attends_in_ring(run, arena, executor)) return;
  if constexpr (has_few_rows) {
    if (FewRowsTiles::take(run)) {
      const std::uint32_t tasks = least(run.tiles, executor.parallel_for == nullptr ? 1 : plan.config.workers);
      parallel_for_each(executor, plan.config.workers, tasks, FewRowsTiles{run, arena, tasks});
      return;
    }
  }
  parallel_for_each(executor, plan.config.workers, run.tiles, QueryTiles<CausalMasking>{run, arena});
}

}  // namespace heed::detail
