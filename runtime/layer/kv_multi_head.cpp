// SPDX-License-Identifier: MIT
#include "heed/kv_multi_head.hpp"

#include "layer/kv_sequences.hpp"
#include "layer/multi_head_layer.hpp"

namespace heed {

template Status MultiHeadLayer<KvCache>::init(const Plan&, std::span<std::byte>, std::span<std::byte>,
                                              const PackedWeights&) noexcept;
template Status MultiHeadLayer<KvCache>::bind(const Plan&, std::span<std::byte>, std::span<std::byte>,
                                              const PackedWeights&) noexcept;
template Status MultiHeadLayer<KvCache>::append(const MultiHeadInputs&, const Executor&) noexcept;
template Status MultiHeadLayer<KvCache>::append(std::uint32_t, const std::uint32_t*, std::uint32_t, ConstMatrix,
                                                const Executor&) noexcept;
template Status MultiHeadLayer<KvCache>::attend(const MultiHeadInputs&, const MultiHeadOutputs&,
                                                const Executor&) noexcept;
template Status MultiHeadLayer<KvCache>::prefill(const MultiHeadInputs&, const MultiHeadOutputs&,
                                                 const Executor&) noexcept;
template Status MultiHeadLayer<KvCache>::encode(const MultiHeadInputs&, const MultiHeadOutputs&,
                                                const Executor&) noexcept;
template Status MultiHeadLayer<KvCache>::decode(const float*, float*, std::uint32_t, const Executor&) noexcept;

}  // namespace heed
