// SPDX-License-Identifier: MIT
#include "layer/kv_sequences.hpp"
#include "layer/multi_head_layer_options.hpp"

namespace heed {

template Status MultiHeadLayer<KvCache>::append(const MultiHeadInputs&, const MultiHeadOptions&,
                                                const Executor&) noexcept;
template Status MultiHeadLayer<KvCache>::append(std::uint32_t, const std::uint32_t*, std::uint32_t, ConstMatrix,
                                                const MultiHeadOptions&, const Executor&) noexcept;
template Status MultiHeadLayer<KvCache>::attend(const MultiHeadInputs&, const MultiHeadOptions&,
                                                const MultiHeadOutputs&, const Executor&) noexcept;
template Status MultiHeadLayer<KvCache>::prefill(const MultiHeadInputs&, const MultiHeadOptions&,
                                                 const MultiHeadOutputs&, const Executor&) noexcept;
template Status MultiHeadLayer<KvCache>::encode(const MultiHeadInputs&, const MultiHeadOptions&,
                                                const MultiHeadOutputs&, const Executor&) noexcept;
template Status MultiHeadLayer<KvCache>::decode(const float*, float*, std::uint32_t, const MultiHeadOptions&,
                                                const Executor&) noexcept;

}  // namespace heed
