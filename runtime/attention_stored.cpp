// SPDX-License-Identifier: MIT
#include "attention_check.hpp"
#include "check.hpp"
#include "heed/options.hpp"
#include "launch.hpp"
#include "option_rules.hpp"
#include "options_check.hpp"
#include "stored_keys.hpp"

namespace heed {

Status attend(const AttentionPlan& plan, std::span<std::byte> arena, const AttentionInputs& inputs,
              const StoredKeyView& keys, const AttentionOptions& options, const AttentionOutputs& outputs,
              const Executor& executor) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  std::uint32_t most_keys = 0;
  Status status = detail::check_queries(plan.config, inputs);
  if (status == Status::ok) status = detail::check_stored_keys(plan, inputs, keys, options, most_keys);
  if (status == Status::ok) status = detail::check_options(plan.config, inputs, options);
  if (status == Status::ok) {
    status = detail::check_selected_outputs(plan.config, inputs, options, outputs, most_keys);
  }
  if (status == Status::ok) status = detail::check_memory(arena, plan.bytes);
  if (status != Status::ok) return status;
  const detail::AttentionRun run = detail::make_run(plan, inputs, outputs, inputs.queries);
  detail::launch(
      run, arena.data(), executor,
      [&](std::uint32_t batch, std::uint32_t length) noexcept {
        return detail::OptionRules(run, options, batch, length);
      },
      [&](std::uint32_t batch, std::uint32_t kv_head) noexcept {
        return detail::StoredKeys(run, keys, batch, kv_head);
      });
  return Status::ok;
}

}  // namespace heed
