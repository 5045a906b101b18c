// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "attention/attention_run.hpp"
#include "attention/unit.hpp"
#include "common/parallel_for.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// One unit of a call. Out of line, so that its frame is there once, with an executor and without.
template <class MakeRules, class MakeSource>
[[gnu::noinline]] void run_unit(const AttentionRun& run, std::byte* scratch, std::uint32_t unit,
                                const MakeRules& make_rules, const MakeSource& make_source) noexcept {
  const std::uint32_t stream = unit / run.row_units;
  const std::uint32_t batch = stream / run.plan->config.kv_heads;
  const auto source = make_source(batch, stream % run.plan->config.kv_heads);
  const auto rules = make_rules(batch, source.length);
  Unit(run, rules, source, unit, scratch).run();
}

/// Runs every unit of a call. `make_rules(batch, length)` and `make_source(batch, kv_head)` give what a unit works
/// with.
template <class MakeRules, class MakeSource>
void launch(const AttentionRun& run, std::byte* arena, const Executor& executor, const MakeRules& make_rules,
            const MakeSource& make_source) noexcept {
  const AttentionConfig& config = run.plan->config;
  const std::uint32_t units = run.inputs->batch * config.kv_heads * run.row_units;
  parallel_for_each(executor, config.workers, units, [&](std::uint32_t worker, std::uint32_t unit) noexcept {
    run_unit(run, arena + std::size_t{worker} * run.plan->worker_bytes, unit, make_rules, make_source);
  });
}

}  // namespace heed_own_code
}  // namespace heed::detail
