// SPDX-License-Identifier: MIT
#include "layer/float_sequences.hpp"
#include "layer/multi_head_layer.hpp"

namespace heed {

template Status MultiHeadLayer<FloatKvCache>::init(const Plan&, std::span<std::byte>, std::span<std::byte>,
                                                   const PackedWeights&) noexcept;
template Status MultiHeadLayer<FloatKvCache>::bind(const Plan&, std::span<std::byte>, std::span<std::byte>,
                                                   const PackedWeights&) noexcept;
template Status MultiHeadLayer<FloatKvCache>::append(const MultiHeadInputs&, const Executor&) noexcept;
template Status MultiHeadLayer<FloatKvCache>::append(std::uint32_t, const std::uint32_t*, std::uint32_t, ConstMatrix,
                                                     const Executor&) noexcept;
template Status MultiHeadLayer<FloatKvCache>::attend(const MultiHeadInputs&, const MultiHeadOutputs&,
                                                     const Executor&) noexcept;
template Status MultiHeadLayer<FloatKvCache>::prefill(const MultiHeadInputs&, const MultiHeadOutputs&,
                                                      const Executor&) noexcept;
template Status MultiHeadLayer<FloatKvCache>::encode(const MultiHeadInputs&, const MultiHeadOutputs&,
                                                     const Executor&) noexcept;
template Status MultiHeadLayer<FloatKvCache>::decode(const float*, float*, std::uint32_t, const Executor&) noexcept;

}  // namespace heed
