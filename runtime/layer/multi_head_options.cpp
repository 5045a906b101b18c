// SPDX-License-Identifier: MIT
#include "layer/float_sequences.hpp"
#include "layer/multi_head_layer_options.hpp"

namespace heed {

template Status MultiHeadLayer<FloatKvCache>::append(const MultiHeadInputs&, const MultiHeadOptions&,
                                                     const Executor&) noexcept;
template Status MultiHeadLayer<FloatKvCache>::append(std::uint32_t, const std::uint32_t*, std::uint32_t, ConstMatrix,
                                                     const MultiHeadOptions&, const Executor&) noexcept;
template Status MultiHeadLayer<FloatKvCache>::attend(const MultiHeadInputs&, const MultiHeadOptions&,
                                                     const MultiHeadOutputs&, const Executor&) noexcept;
template Status MultiHeadLayer<FloatKvCache>::prefill(const MultiHeadInputs&, const MultiHeadOptions&,
                                                      const MultiHeadOutputs&, const Executor&) noexcept;
template Status MultiHeadLayer<FloatKvCache>::encode(const MultiHeadInputs&, const MultiHeadOptions&,
                                                     const MultiHeadOutputs&, const Executor&) noexcept;
template Status MultiHeadLayer<FloatKvCache>::decode(const float*, float*, std::uint32_t, const MultiHeadOptions&,
                                                     const Executor&) noexcept;

}  // namespace heed
