// SPDX-License-Identifier: MIT
#include "tensors/error_compensation.hpp"

#include <algorithm>
#include <cmath>

namespace heed::tools {

namespace {

constexpr float most_multiplier = 63.0F;

/// The number of greatest magnitude, the first of several.
template <class Number>
Number extreme(std::span<const Number> numbers) {
  Number found{};
  for (const Number number : numbers) {
    if (std::abs(number) > std::abs(found)) found = number;
  }
  return found;
}

/// pack_linear()'s multiplier of a group: the least that reaches its own step, which is `own`.
int multiplier_of(float own, float scale) {
  const float ratio = std::ceil(std::abs(own) / scale);
  const int multiplier = ratio < most_multiplier ? static_cast<int>(ratio) : static_cast<int>(most_multiplier);
  return own < 0.0F ? -multiplier : multiplier;
}

/// w / step, rounded to nearest even; 0 for a step of 0.
int number_of(double w, float step) {
  if (step == 0.0F) return 0;
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23: what is added to it is rounded to an integer
  const float quotient = std::clamp(static_cast<float>(w) / step, -8.0F, 7.0F);
  return static_cast<int>((quotient + shift) - shift);
}

/// to += factor * from, of `count` numbers.
void add_multiple(double factor, const double* from, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

}  // namespace

void InputMoments::add(std::span<const float> rows) {
  rows_ += rows.size() / inputs_;
  std::vector<double> x(inputs_);
  for (std::size_t first = 0; first < rows.size(); first += inputs_) {
    std::copy_n(rows.data() + first, inputs_, x.data());
    for (std::size_t i = 0; i < inputs_; ++i) add_multiple(x[i], x.data(), i + 1, sums_.data() + i * inputs_);
  }
}

double InputMoments::square_of(std::span<const double> e) const {
  std::vector<double> after(inputs_);  // sum(e_i H_ij) over i > j
  for (std::size_t i = 0; i < inputs_; ++i) add_multiple(e[i], sums_.data() + i * inputs_, i, after.data());
  double square = 0.0;
  for (std::size_t j = 0; j < inputs_; ++j) square += e[j] * (2.0 * after[j] + e[j] * at(j, j));
  return square;
}

/// From the last column to the first: D_j = H_jj - sum(D_k A_jk^2) and A_ij D_j = H_ij - sum(D_k A_ik A_jk) over k > j.
/// D_j is at least d in exact arithmetic, and rounding takes less than inputs^2 * 2^-53 of the mean diagonal off it,
/// which is a hundredth of d for the widest matrix, of 65536 inputs.
ErrorCompensation::ErrorCompensation(const InputMoments& moments)
    : inputs_(moments.inputs()), factor_(inputs_ * inputs_) {
  double diagonal = 0.0;
  for (std::size_t i = 0; i < inputs_; ++i) diagonal += moments.at(i, i);
  // Rows of zeros say nothing: A stays 0.
  if (diagonal == 0.0) return;
  const double share = 0.01 + 0.1 * static_cast<double>(inputs_) / static_cast<double>(moments.rows());
  const double damping = share * diagonal / static_cast<double>(inputs_);
  // Row by row D_k A_jk, so that the sums below are of two rows.
  std::vector<double> scaled(inputs_);
  std::vector<double> d(inputs_);
  for (std::size_t j = inputs_; j-- > 0;) {
    const double* const a = row(j);
    d[j] = moments.at(j, j) + damping;
    for (std::size_t k = j + 1; k < inputs_; ++k) {
      scaled[k] = d[k] * a[k];
      d[j] -= scaled[k] * a[k];
    }
    for (std::size_t i = 0; i < j; ++i) {
      double* const to = factor_.data() + i * inputs_;
      double sum = moments.at(j, i);
      for (std::size_t k = j + 1; k < inputs_; ++k) sum -= scaled[k] * to[k];
      to[j] = sum / d[j];
    }
  }
}

RoundedOutput ErrorCompensation::round(std::span<const float> weight) const {
  RoundedOutput rounded;
  rounded.numbers.resize(inputs_);
  rounded.scale = std::abs(extreme(weight) / -8.0F) / most_multiplier;
  std::vector<double> moved(inputs_);  // by what the errors so far ask for
  double values[scale_group_size];
  for (std::size_t first = 0; first < inputs_; first += scale_group_size) {
    const std::size_t count = std::min<std::size_t>(scale_group_size, inputs_ - first);
    // The group's weights where none of them were rounded: each takes in full what it is moved by.
    std::copy_n(moved.data() + first, count, values);
    for (std::size_t i = 0; i < count; ++i) {
      add_multiple(-values[i], row(first + i) + first + i + 1, count - i - 1, values + i + 1);
      values[i] += double{weight[first + i]};
    }
    const auto own = static_cast<float>(extreme(std::span<const double>(values, count))) / -8.0F;
    const int multiplier = rounded.scale > 0.0F ? multiplier_of(own, rounded.scale) : 0;
    rounded.multipliers.push_back(static_cast<std::int8_t>(multiplier));
    const float step = static_cast<float>(multiplier) * rounded.scale;
    for (std::size_t i = first; i < first + count; ++i) {
      const int number = number_of(double{weight[i]} + moved[i], step);
      rounded.numbers[i] = static_cast<std::int8_t>(number);
      add_multiple(double{weight[i]} - rounded.value(i), row(i) + i + 1, inputs_ - i - 1, moved.data() + i + 1);
    }
  }
  return rounded;
}

}  // namespace heed::tools
