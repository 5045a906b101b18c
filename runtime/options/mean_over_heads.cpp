// SPDX-License-Identifier: MIT
#include "common/validation.hpp"
#include "heed/options.hpp"

namespace heed {

Status mean_over_heads(std::uint32_t batch, std::uint32_t heads, std::uint32_t queries, std::uint32_t keys,
                       ConstTensor scores, MutableMatrix mean) noexcept {
  if (batch == 0 || heads == 0 || queries == 0 || keys == 0) return Status::zero_dimension;
  if (batch > max_rows || heads > max_dimension || queries > max_rows || keys > max_rows) return Status::too_large;
  Status status = detail::check_input(scores, batch, heads, queries, keys);
  if (status == Status::ok) status = detail::check_output(mean, batch, queries, keys);
  if (status != Status::ok) return status;
  const auto count = static_cast<float>(heads);
  for (std::uint32_t b = 0; b < batch; ++b) {
    for (std::uint32_t i = 0; i < queries; ++i) {
      float* to = mean.row(b, i);
      for (std::uint32_t j = 0; j < keys; ++j) {
        float sum = 0.0F;
        for (std::uint32_t h = 0; h < heads; ++h) sum += scores.row(b, h, i)[j];
        to[j] = sum / count;
      }
    }
  }
  return Status::ok;
}

}  // namespace heed
