// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/model.hpp"
#include "heed/types.hpp"
#include "tensors/float_array.hpp"

namespace heed::tools {

/// What a model is run on: tokens [batch, count] or frames [batch, count, input_dim]; without a batch, one entry.
struct ModelInputs {
  std::uint32_t batch = 1;
  std::uint32_t count = 0;  ///< of tokens or frames of an entry
  bool batched = false;     ///< whether the file has a dimension for the batch
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint32_t> types;  ///< of the tokens, or empty: type 0
  FloatArray frames;

  [[nodiscard]] std::span<const std::uint32_t> tokens_of(std::uint32_t entry) const {
    return std::span(tokens).subspan(std::size_t{entry} * count, count);
  }
  [[nodiscard]] std::span<const std::uint32_t> types_of(std::uint32_t entry) const {
    return types.empty() ? std::span<const std::uint32_t>{}
                         : std::span(types).subspan(std::size_t{entry} * count, count);
  }
  [[nodiscard]] ConstMatrix frames_of(std::uint32_t entry) const {
    const std::size_t dim = frames.shape.back();
    return dense(frames.values.data() + std::size_t{entry} * count * dim, count, dim);
  }
};

/// Reads a .npy file as a model takes it; a Failure begins with the option's name.
[[nodiscard]] ModelInputs read_model_inputs(const std::string& option, const std::string& file,
                                            const ModelConfig& config);

/// Reads the types of the tokens, which are of the same shape, into the inputs.
void read_token_types(const std::string& option, const std::string& file, const ModelConfig& config,
                      ModelInputs& inputs);

}  // namespace heed::tools
