#pragma once
#include <cstdint>
namespace heed::detail {
void layer_norm_row(const float* input, std::uint32_t dim, const float* weight, const float* bias, float epsilon,
                    float* output) noexcept;
void rms_norm_row(const float* input, std::uint32_t dim, const float* weight, float epsilon, float* output) noexcept;
}  // namespace heed::detail
