// SPDX-License-Identifier: MIT
//
// The calls of a layer over either cache, and of plans that differ in their type alone.
#pragma once

#include <bit>
#include <cstddef>

#include "c/c_api_calls.hpp"
#include "heed/heed_multi_head.h"
#include "heed/multi_head.hpp"

namespace heed::detail {

/// A layer's call with outputs. The member is a constant, so that every call is direct and the call graph can be
/// checked.
template <class Layer,
          Status (Layer::*member)(const MultiHeadInputs&, const MultiHeadOutputs&, const Executor&) noexcept,
          class CLayer>
[[nodiscard]] heed_status run_layer(const CLayer* layer, const heed_multi_head_inputs* inputs,
                                    const heed_multi_head_outputs* outputs, const heed_executor* executor) noexcept {
  if (inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  return use<Layer>(layer, [&](Layer& object) {
    return (object.*member)(std::bit_cast<MultiHeadInputs>(*inputs), std::bit_cast<MultiHeadOutputs>(*outputs),
                            executor_of(executor));
  });
}

}  // namespace heed::detail
