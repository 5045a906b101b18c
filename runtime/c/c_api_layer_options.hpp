// SPDX-License-Identifier: MIT
//
// The calls of a layer with options, over either cache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "c/c_api_layer.hpp"
#include "c/c_api_options.hpp"
#include "heed/heed_multi_head_options.h"
#include "heed/multi_head.hpp"
#include "heed/multi_head_options.hpp"

namespace heed::detail {

static_assert(same_size<heed_multi_head_options, MultiHeadOptions>);
HEED_SAME_MEMBER(heed_multi_head_options, MultiHeadOptions, attention);
HEED_SAME_MEMBER(heed_multi_head_options, MultiHeadOptions, rotary);
HEED_SAME_MEMBER(heed_multi_head_options, MultiHeadOptions, positions);

/// Options whose twin in their place is that of the caller's. Null options are none.
[[nodiscard]] inline heed_multi_head_options adapted(const heed_multi_head_options* options) noexcept {
  heed_multi_head_options made = options == nullptr ? heed_multi_head_options{} : *options;
  adapt(made.attention);
  return made;
}

/// As run_layer() in c_api_layer.hpp.
template <class Layer,
          Status (Layer::*member)(const MultiHeadInputs&, const MultiHeadOptions&, const MultiHeadOutputs&,
                                  const Executor&) noexcept,
          class CLayer>
[[nodiscard]] heed_status run_layer(CLayer* layer, const heed_multi_head_inputs* inputs,
                                    const heed_multi_head_options* options, const heed_multi_head_outputs* outputs,
                                    const heed_executor* executor) noexcept {
  if (inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  const heed_multi_head_options made = adapted(options);
  return use<Layer>(layer, [&](Layer& object) {
    return (object.*member)(twin_of(*inputs), in_place<MultiHeadOptions>(made), in_place<MultiHeadOutputs>(*outputs),
                            executor_of(executor));
  });
}

}  // namespace heed::detail
