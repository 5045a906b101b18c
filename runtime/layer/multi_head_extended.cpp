// SPDX-License-Identifier: MIT
#include "layer/multi_head_extended.hpp"

namespace heed {

Status MultiHeadAttention::run(const MultiHeadInputs& inputs, const detail::LayerExtras& extras,
                               const MultiHeadOutputs& outputs, detail::CacheUpdate update,
                               const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const detail::ExtendedHooks hooks(extras, plan_->config.head_dim);
  const detail::LayerCall call{*plan_, cache_, inputs, scratch_, weights_, weight_format_, executor, hooks};
  Status status = detail::check_call(call.sequences, extras.attention, outputs, update);
  if (status == Status::ok) status = detail::check_rotary(call.sequences, extras.rotary, update);
  if (status != Status::ok) return status;
  return call.run(outputs, update);
}

}  // namespace heed
