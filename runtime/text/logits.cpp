// SPDX-License-Identifier: MIT
//
// softmax to the bit: scale = log2(e) / temperature; weight = exp2((x - maximum) * scale); the weights are summed as in
// nn/normalization.hpp; probability = weight / sum.
#include <kernels/exp2.hpp>
#include <port.hpp>

#include "common/constants.hpp"
#include "heed/text.hpp"

namespace heed {
namespace detail {
namespace {

using port::f32x16;
using port::lanes;

/// The greatest of numbers [count], -inf if there is none. The lanes are compared one by one, because a port's maximum
/// may take a subnormal number for 0.
[[nodiscard]] float greatest_logit(const float* values, std::uint32_t count) noexcept {
  if constexpr (!port::has_float_unit) {
    float greatest = minus_infinity;
    for (std::uint32_t i = 0; i < count; ++i) greatest = port::less(greatest, values[i]) ? values[i] : greatest;
    return greatest;
  }
  f32x16 greatest = port::set(minus_infinity);
  std::uint32_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const f32x16 next = port::load(values + i);
    greatest = port::where_less(greatest, next, next, greatest);
  }
  float lane[lanes];
  port::store(lane, greatest);
  float result = minus_infinity;
  for (const float x : lane) result = x > result ? x : result;
  for (; i < count; ++i) result = values[i] > result ? values[i] : result;
  return result;
}

void softmax_of(const float* logits, std::uint32_t count, float temperature, float* probabilities) noexcept {
  using namespace port;
  // At least the lowest number: -inf - -inf would be NaN.
  const float greatest = greatest_logit(logits, count);
  const f32x16 maximum = set(greatest > lowest ? greatest : lowest);
  const f32x16 scale = set(log2_e / temperature);
  const auto weigh = [&](const f32x16& x) noexcept { return exp2_nonpositive(mul(sub(x, maximum), scale)); };
  const std::uint32_t whole = count - count % lanes;
  const int rest = static_cast<int>(count % lanes);
  f32x16 total = set(0.0F);
  for (std::uint32_t i = 0; i < whole; i += lanes) {
    const f32x16 weight = weigh(load(logits + i));
    store(probabilities + i, weight);
    total = add(total, weight);
  }
  if (rest > 0) {
    store_partial(probabilities + whole, weigh(load_partial(logits + whole, rest)), rest);
    total = add(total, load_partial(probabilities + whole, rest));
  }
  const f32x16 divisor = set(sum(total));
  for (std::uint32_t i = 0; i < whole; i += lanes) store(probabilities + i, div(load(probabilities + i), divisor));
  if (rest > 0) {
    store_partial(probabilities + whole, div(load_partial(probabilities + whole, rest), divisor), rest);
  }
}

/// Whether logit a stands before logit b.
[[nodiscard]] bool stands_before(const float* logits, std::uint32_t a, std::uint32_t b) noexcept {
  const float x = logits[a];
  const float y = logits[b];
  if (x > y) return true;
  if (x < y) return false;
  // Equal numbers, two NaN, or a number and NaN.
  if ((x != x) != (y != y)) return y != y;
  return a < b;
}

/// Puts `index` into the heap at `at` or below. heap[0] is the last in the order, and so is every parent among its own.
void sift_down(const float* logits, std::uint32_t* heap, std::uint32_t count, std::uint32_t at,
               std::uint32_t index) noexcept {
  while (at < count / 2) {
    std::uint32_t child = 2 * at + 1;
    if (child + 1 < count && stands_before(logits, heap[child], heap[child + 1])) ++child;
    if (stands_before(logits, heap[child], index)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = index;
}

}  // namespace
}  // namespace detail

Status softmax(const float* logits, std::uint32_t count, float temperature, float* probabilities) noexcept {
  if (count == 0) return Status::zero_dimension;
  if (count > max_logits) return Status::too_large;
  if (!(temperature >= 0x1p-126F && temperature <= 0x1p126F)) return Status::bad_scale;
  if (logits == nullptr || probabilities == nullptr) return Status::null_pointer;
  detail::softmax_of(logits, count, temperature, probabilities);
  return Status::ok;
}

std::uint32_t argmax(const float* logits, std::uint32_t count) noexcept {
  // The first part of 256 numbers that holds the greatest is searched for it.
  constexpr std::uint32_t block = 256;
  float greatest = detail::minus_infinity;
  std::uint32_t begin = 0;
  std::uint32_t end = count;
  for (std::uint32_t first = 0; first < count; first += block) {
    const std::uint32_t size = count - first < block ? count - first : block;
    const float candidate = detail::greatest_logit(logits + first, size);
    if (port::less(greatest, candidate)) {
      greatest = candidate;
      begin = first;
      end = first + size;
    }
  }
  for (std::uint32_t i = begin; i < end; ++i) {
    if (port::equal(logits[i], greatest)) return i;
  }
  return 0;
}

Status top_k(const float* logits, std::uint32_t count, std::uint32_t k, std::uint32_t* indices) noexcept {
  if (count == 0 || k == 0) return Status::zero_dimension;
  if (count > max_logits) return Status::too_large;
  if (k > count) return Status::bad_length;
  if (logits == nullptr || indices == nullptr) return Status::null_pointer;

  for (std::uint32_t i = 0; i < k; ++i) indices[i] = i;
  for (std::uint32_t i = k / 2; i-- > 0;) detail::sift_down(logits, indices, k, i, indices[i]);
  for (std::uint32_t i = k; i < count; ++i) {
    if (detail::stands_before(logits, i, indices[0])) detail::sift_down(logits, indices, k, 0, i);
  }
  for (std::uint32_t left = k - 1; left > 0; --left) {
    const std::uint32_t last = indices[0];
    detail::sift_down(logits, indices, left, 0, indices[left]);
    indices[left] = last;
  }
  return Status::ok;
}

}  // namespace heed
