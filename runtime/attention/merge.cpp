// SPDX-License-Identifier: MIT
#include <kernels/exp2.hpp>

#include "common/constants.hpp"
#include "common/key_range.hpp"
#include "common/validation.hpp"
#include "heed/arena.hpp"
#include "heed/attention.hpp"
#include "math/functions.hpp"

namespace heed {
namespace {

/// The same row of every part.
class RowMerge {
 public:
  RowMerge(std::span<const PartialAttention> parts, std::size_t index) noexcept : parts_(parts), index_(index) {
    for (const PartialAttention& part : parts_) {
      const float log_sum_exp = part.log_sum_exp[index_];
      // The comparison is false for NaN, which the weights then bring in.
      if (log_sum_exp > greatest_) greatest_ = log_sum_exp;
      if (log_sum_exp != detail::minus_infinity) empty_ = false;
    }
    float total[panel_width];
    port::store(total, total_weight());
    inverse_ = 1.0F / total[0];
    log_sum_exp_ = empty_ ? detail::minus_infinity : greatest_ + detail::logarithm(total[0]);
  }

  [[nodiscard]] float log_sum_exp() const noexcept { return log_sum_exp_; }

  /// Sixteen numbers of the result, or fewer, from `d` on.
  [[nodiscard]] port::f32x16 values(std::size_t batch, std::size_t head, std::size_t query, std::uint32_t d,
                                    int count) const noexcept {
    port::f32x16 sum = port::set(0.0F);
    if (empty_) return sum;
    for (const PartialAttention& part : parts_) {
      if (part.log_sum_exp[index_] == detail::minus_infinity) continue;
      const float* from = part.output.row(batch, head, query) + d;
      sum = port::fma(port::load_partial(from, count), weight_of(part), sum);
    }
    return port::mul(sum, port::set(inverse_));
  }

 private:
  [[nodiscard]] port::f32x16 weight_of(const PartialAttention& part) const noexcept {
    const float below = part.log_sum_exp[index_] - greatest_;
    return detail::exp2_nonpositive(port::set(below * detail::log2_e));
  }

  [[nodiscard]] port::f32x16 total_weight() const noexcept {
    port::f32x16 total = port::set(0.0F);
    for (const PartialAttention& part : parts_) total = port::add(total, weight_of(part));
    return total;
  }

  std::span<const PartialAttention> parts_;
  std::size_t index_;
  bool empty_ = true;  ///< no part has seen a key
  float greatest_ = detail::lowest;
  float inverse_ = 0.0F;
  float log_sum_exp_ = 0.0F;
};

[[nodiscard]] Status check(std::uint32_t batch, std::uint32_t heads, std::uint32_t queries, std::uint32_t value_dim,
                           std::span<const PartialAttention> parts, const MutableTensor& output) noexcept {
  if (batch == 0 || heads == 0 || queries == 0 || value_dim == 0) return Status::zero_dimension;
  if (batch > max_rows || queries > max_rows || heads > max_dimension || value_dim > max_dimension) {
    return Status::too_large;
  }
  for (const PartialAttention& part : parts) {
    if (part.log_sum_exp == nullptr) return Status::null_pointer;
    const Status status = detail::check_input(part.output, batch, heads, queries, value_dim);
    if (status != Status::ok) return status;
  }
  return detail::check_output(output, batch, heads, queries, value_dim);
}

}  // namespace

Status merge(std::uint32_t batch, std::uint32_t heads, std::uint32_t queries, std::uint32_t value_dim,
             std::span<const PartialAttention> parts, MutableTensor output, float* log_sum_exp) noexcept {
  const Status status = check(batch, heads, queries, value_dim, parts, output);
  if (status != Status::ok) return status;
  std::size_t index = 0;
  for (std::uint32_t b = 0; b < batch; ++b) {
    for (std::uint32_t h = 0; h < heads; ++h) {
      for (std::uint32_t i = 0; i < queries; ++i, ++index) {
        const RowMerge row(parts, index);
        float* to = output.row(b, h, i);
        for (std::uint32_t d = 0; d < value_dim; d += panel_width) {
          const std::uint32_t left = value_dim - d;
          const int count = static_cast<int>(left < panel_width ? left : panel_width);
          port::store_partial(to + d, row.values(b, h, i, d, count), count);
        }
        if (log_sum_exp != nullptr) log_sum_exp[index] = row.log_sum_exp();
      }
    }
  }
  return Status::ok;
}

}  // namespace heed
