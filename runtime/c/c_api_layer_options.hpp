// SPDX-License-Identifier: MIT
//
// The calls of a layer with options, over either cache.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "c/c_api_layer.hpp"
#include "c/c_api_options.hpp"
#include "heed/heed_multi_head_options.h"
#include "heed/multi_head.hpp"
#include "heed/multi_head_options.hpp"
#include "heed/rotary.hpp"

namespace heed::detail {

static_assert(same_size<heed_multi_head_options, MultiHeadOptions>);
HEED_SAME_MEMBER(heed_multi_head_options, MultiHeadOptions, attention);
HEED_SAME_MEMBER(heed_multi_head_options, MultiHeadOptions, rotary);
HEED_SAME_MEMBER(heed_multi_head_options, MultiHeadOptions, positions);

/// The options, which point to `rotary` if they name one.
[[nodiscard]] inline MultiHeadOptions twin_of(const heed_multi_head_options* options, Rotary& rotary) noexcept {
  if (options == nullptr) return {};
  const Rotary* twin = nullptr;
  if (options->rotary != nullptr) {
    rotary = std::bit_cast<Rotary>(*options->rotary);
    twin = &rotary;
  }
  return {twin_of(&options->attention), twin, options->positions};
}

/// As run_layer() in c_api_layer.hpp.
template <class Layer,
          Status (Layer::*member)(const MultiHeadInputs&, const MultiHeadOptions&, const MultiHeadOutputs&,
                                  const Executor&) noexcept,
          class CLayer>
[[nodiscard]] heed_status run_layer(const CLayer* layer, const heed_multi_head_inputs* inputs,
                                    const heed_multi_head_options* options, const heed_multi_head_outputs* outputs,
                                    const heed_executor* executor) noexcept {
  if (inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  Rotary rotary;
  return use<Layer>(layer, [&](Layer& object) {
    return (object.*member)(twin_of(*inputs), twin_of(options, rotary), std::bit_cast<MultiHeadOutputs>(*outputs),
                            executor_of(executor));
  });
}

}  // namespace heed::detail
