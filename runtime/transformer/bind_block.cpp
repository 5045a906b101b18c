// SPDX-License-Identifier: MIT
//
// A transformer block that is run by itself: a model checks all of its own at once.
#include <cstddef>
#include <span>

#include "common/validation.hpp"
#include "heed/block.hpp"
#include "heed/detail/linked_code.hpp"
#include "transformer/model_check.hpp"

namespace heed {

namespace {

/// Which weights and caches a block has, and whether a call has rotary positions, is known at run time only: this makes
/// the linker include the code for all of them.
[[gnu::used]] constexpr const detail::LinkedCode* block_code[] = {&detail::float_attention_code, &detail::rotary_code};

}  // namespace

Status TransformerBlock::bind(const BlockPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                              const PackedWeights& weights, const KvStorage& storage) noexcept {
  Status status = detail::check_block(plan, state, scratch, weights, storage);
  KvCache kept;
  if (status == Status::ok)
    status = kept.bind(plan.attention.cache, detail::part(state, plan.attention_state), storage);
  if (status == Status::ok && plan.config.cross_dim != 0) {
    status = kept.bind(plan.cross.cache, detail::part(state, plan.cross_state), storage);
  }
  if (status != Status::ok) return status;
  place(plan, state, scratch, weights, storage);
  return Status::ok;
}

Status TransformerBlock::init(const BlockPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                              const PackedWeights& weights, const KvStorage& storage) noexcept {
  Status status = detail::check_block(plan, state, scratch, weights, storage);
  KvCache empty;
  if (status == Status::ok)
    status = empty.init(plan.attention.cache, detail::part(state, plan.attention_state), storage);
  if (status == Status::ok && plan.config.cross_dim != 0) {
    status = empty.init(plan.cross.cache, detail::part(state, plan.cross_state), storage);
  }
  return status == Status::ok ? bind(plan, state, scratch, weights, storage) : status;
}

}  // namespace heed
