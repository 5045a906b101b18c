// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "cases/data.hpp"

namespace heed::bench {

/// What a format takes for the number of greatest magnitude that shares a scale.
enum class GreatestStep : std::int8_t { of_8_bits = 127, of_4_bits = -8 };

/// Weights of a Llama, random and of the size that keeps variances at 1. In each 32 of a row one number has the
/// greatest magnitude, the same everywhere, which is as many steps as `greatest` says, and a step is a float16: a
/// format of so many bits, ours or another program's, holds each weight as it is, but for a scale that is rounded.
class RandomLlama {
 public:
  /// Tokens, rotary positions, RMSNorm, a gated MLP and a tied head. `biases`: query, key and value have some.
  RandomLlama(const ModelConfig& config, GreatestStep greatest, bool biases = false);
  RandomLlama(const RandomLlama&) = delete;
  RandomLlama& operator=(const RandomLlama&) = delete;

  [[nodiscard]] const ModelWeights& ends() const { return ends_; }
  [[nodiscard]] const std::vector<BlockWeights>& blocks() const { return blocks_; }

  /// The model file, of the types that `config` has.
  [[nodiscard]] Bytes pack(const ModelConfig& config) const;

 private:
  /// Matrices are parts of one row of random numbers for each width, which do not begin at the same place: as many
  /// numbers of their own would take a minute and gigabytes.
  class Matrices {
   public:
    Matrices(std::uint32_t inputs, std::size_t largest, GreatestStep greatest);
    const float* next(std::uint32_t outputs);

   private:
    std::uint32_t inputs_;
    std::size_t next_ = 0;
    Floats numbers_;
  };

  /// Random numbers of about `mean`, in `spread` either way.
  const float* vector(std::uint32_t size, float mean, float spread);

  std::uint32_t seed_ = 1;
  std::deque<Floats> vectors_;
  Matrices of_rows_;
  Matrices of_hidden_;
  ModelWeights ends_;
  std::vector<BlockWeights> blocks_;
};

}  // namespace heed::bench
