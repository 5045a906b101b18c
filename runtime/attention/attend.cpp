// SPDX-License-Identifier: MIT
//
// attend(): over tensors, or over a cache.
#include <cstddef>
#include <span>

#include "attention/attention_check.hpp"
#include "attention/attention_run.hpp"
#include "common/validation.hpp"
#include "heed/attention.hpp"
#include "heed/detail/linked_code.hpp"

namespace heed {

namespace {

/// What a call attends to is known only when it runs: this reference makes the linker include the code for floats.
[[gnu::used]] constexpr const detail::LinkedCode* attended_floats = &detail::float_attention_code;

}  // namespace

Status attend(const AttentionPlan& plan, std::span<std::byte> arena, const AttentionInputs& inputs,
              const AttentionOutputs& outputs, const Executor& executor) noexcept {
  Status status = detail::check_attention(plan, inputs, outputs);
  if (status != Status::ok) return status;
  status = detail::check_memory(arena, plan.bytes);
  if (status != Status::ok) return status;
  detail::assert_plan_unchanged(plan);
  detail::run_attention(plan, arena.data(), detail::reader_of(inputs), inputs, outputs, inputs.query_count, executor);
  return Status::ok;
}

}  // namespace heed
