// SPDX-License-Identifier: MIT
#include "attention_check.hpp"
#include "check.hpp"
#include "heed/options.hpp"
#include "launch.hpp"
#include "option_rules.hpp"
#include "options_check.hpp"

namespace heed {

Status attend(const AttentionPlan& plan, std::span<std::byte> arena, const AttentionInputs& inputs,
              const AttentionOptions& options, const AttentionOutputs& outputs, const Executor& executor) noexcept {
  Status status = detail::check_attention(plan, inputs, outputs);
  if (status == Status::ok) status = detail::check_options(plan.config, inputs, options);
  if (status == Status::ok) status = detail::check_memory(arena, plan.bytes);
  if (status != Status::ok) return status;
  const detail::AttentionRun run = detail::make_run(plan, inputs, outputs, inputs.queries);
  detail::launch(
      run, arena.data(), executor,
      [&](std::uint32_t batch, std::uint32_t length) noexcept {
        return detail::OptionRules(run, options, batch, length);
      },
      [&](std::uint32_t batch, std::uint32_t kv_head) noexcept { return detail::FloatKeys(run, batch, kv_head); });
  return Status::ok;
}

}  // namespace heed
