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
  std::vector<std::uint32_t> types;    ///< [batch, count] of the tokens, or none
  std::vector<std::uint32_t> lengths;  ///< [batch] tokens without their padding, or none: all of them
  FloatArray frames;

  [[nodiscard]] std::span<const std::uint32_t> tokens_of(std::uint32_t entry) const { return of_entry(tokens, entry); }
  [[nodiscard]] std::span<const std::uint32_t> types_of(std::uint32_t entry) const { return of_entry(types, entry); }
  [[nodiscard]] ConstMatrix frames_of(std::uint32_t entry) const {
    const std::size_t dim = frames.shape.back();
    return dense(frames.values.data() + std::size_t{entry} * count * dim, count, dim);
  }

 private:
  [[nodiscard]] std::span<const std::uint32_t> of_entry(const std::vector<std::uint32_t>& values,
                                                        std::uint32_t entry) const {
    return std::span(values).subspan(std::size_t{entry} * count, lengths.empty() ? count : lengths[entry]);
  }
};

/// Reads a .npy file as a model takes it; a Failure begins with the option's name.
[[nodiscard]] ModelInputs read_model_inputs(const std::string& option, const std::string& file,
                                            const ModelConfig& config);

/// Reads the types of an encoder's tokens, as many as they are.
void read_token_types(const std::string& option, const std::string& file, const ModelConfig& config,
                      ModelInputs& inputs);

/// Reads 1 for an encoder's tokens and 0 for what fills up an entry at its end, which is left out of the entry.
void read_token_mask(const std::string& option, const std::string& file, const ModelConfig& config,
                     ModelInputs& inputs);

/// A Failure where a text has excluded_token before it ends.
void require_counted_tokens(const std::string& option, const std::string& file, const ModelConfig& config,
                            const ModelInputs& inputs);

}  // namespace heed::tools
