// SPDX-License-Identifier: MIT
#include "layer/float_sequences.hpp"
#include "layer/multi_head_layer_rotary.hpp"

namespace heed {

template Status MultiHeadLayer<FloatKvCache>::run(const MultiHeadInputs&, const detail::LayerRotary&,
                                                  const MultiHeadOutputs&, detail::CacheUpdate,
                                                  const Executor&) noexcept;

}  // namespace heed
