// SPDX-License-Identifier: MIT
#include "common/validation.hpp"
#include "heed/options.hpp"

namespace heed {
namespace {

/// Of the scores at `first` and `head_stride` floats apart.
[[nodiscard]] float mean_of(const float* first, std::ptrdiff_t head_stride, std::uint32_t heads) noexcept {
  const auto count = static_cast<float>(heads);
  const auto sum_in = [&](float unit) noexcept {
    float sum = 0.0F;
    for (std::uint32_t h = 0; h < heads; ++h) sum += first[static_cast<std::ptrdiff_t>(h) * head_stride] * unit;
    return sum;
  };
  const float sum = sum_in(1.0F);
  if (detail::is_finite(sum)) return sum / count;
  // 2^17 is twice the number of heads that there can be.
  return sum_in(0x1p-17F) / count * 0x1p17F;
}

}  // namespace

Status mean_over_heads(std::uint32_t batch, std::uint32_t heads, std::uint32_t queries, std::uint32_t keys,
                       ConstTensor scores, MutableMatrix mean) noexcept {
  if (batch == 0 || heads == 0 || queries == 0 || keys == 0) return Status::zero_dimension;
  if (batch > max_rows || heads > max_dimension || queries > max_rows || keys > max_rows) return Status::too_large;
  Status status = detail::check_input(scores, batch, heads, queries, keys);
  if (status == Status::ok) status = detail::check_output(mean, batch, queries, keys);
  if (status != Status::ok) return status;
  for (std::uint32_t b = 0; b < batch; ++b) {
    for (std::uint32_t i = 0; i < queries; ++i) {
      float* to = mean.row(b, i);
      const float* from = scores.row(b, 0, i);
      for (std::uint32_t j = 0; j < keys; ++j) to[j] = mean_of(from + j, scores.head_stride, heads);
    }
  }
  return Status::ok;
}

}  // namespace heed
