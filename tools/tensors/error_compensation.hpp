// SPDX-License-Identifier: MIT
//
// Weights in 4 bits, rounded so that their errors make up for each other over the rows that they multiply: GPTQ
// (Frantar, Ashkboos, Hoefler and Alistarh 2023, arXiv:2210.17323), in the form that Chee, Cai, Kuleshov and De Sa
// (2023, arXiv:2307.13304) show to be the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/format.hpp"

namespace heed::tools {

/// H = the sum of x^T x over the rows x that a matrix multiplies: [inputs, inputs], symmetric. 8 * inputs^2 bytes.
class InputMoments {
 public:
  explicit InputMoments(std::size_t inputs) : inputs_(inputs), sums_(inputs * inputs) {}

  /// Rows [count, inputs]. Each sum is in float64, in the order of the rows.
  void add(std::span<const float> rows);

  [[nodiscard]] std::size_t inputs() const { return inputs_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }  ///< added so far
  /// H_ij for j <= i.
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return sums_[i * inputs_ + j]; }

  /// e H e^T, the sum of squares of the rows' products with e [inputs].
  [[nodiscard]] double square_of(std::span<const double> e) const;

 private:
  std::size_t inputs_;
  std::size_t rows_ = 0;
  std::vector<double> sums_;  ///< where j <= i
};

/// An output's weights of int4_multipliers, as pack_linear_quantized() takes them.
struct RoundedOutput {
  std::vector<std::int8_t> numbers{};      ///< [inputs], each in -8..7
  std::vector<std::int8_t> multipliers{};  ///< [inputs / 32, rounded up], each in -63..63
  float scale = 0.0F;

  /// What number i stands for; exact.
  [[nodiscard]] double value(std::size_t i) const {
    return numbers[i] * multipliers[i / scale_group_size] * double{scale};
  }
};

/// Rounds the outputs of matrices that multiply the same rows. An output's weights w become q * multiplier * scale so
/// that e H e^T is small, where e is what the rounding takes off w: the weights are rounded one after the other, and
/// each is first moved by sum(e_i a_ik) over those before it, which makes up for their errors. a follows from
///     H + d I = (I + A) D (I + A)^T, with A above the diagonal and D on it,
/// where d is 0.01 + 0.1 * inputs / rows of H's mean diagonal: few rows tell little of others. The scale is
/// pack_linear()'s; a group's multiplier is by the rule of pack_linear() for what its weights are once they have made
/// up for the groups before. So where H is diagonal, the result is pack_linear()'s.
///
/// The arithmetic is IEEE-754 float64 and float32 in a stated order, the same on every machine.
class ErrorCompensation {
 public:
  /// Of H whose numbers are finite.
  explicit ErrorCompensation(const InputMoments& moments);

  /// weight [inputs], finite.
  [[nodiscard]] RoundedOutput round(std::span<const float> weight) const;

 private:
  [[nodiscard]] const double* row(std::size_t i) const { return factor_.data() + i * inputs_; }

  std::size_t inputs_;
  std::vector<double> factor_;  ///< A, where column > row
};

}  // namespace heed::tools
