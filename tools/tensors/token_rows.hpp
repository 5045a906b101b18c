// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "heed/types.hpp"
#include "tensors/float_array.hpp"

namespace heed::tools {

/// Token rows [batch, tokens, dim]; [tokens, dim] is a batch of one.
struct TokenRows {
  std::string name;  ///< for messages: which input, file and shape
  FloatArray array;
  std::uint32_t batch = 1;
  std::uint32_t tokens = 0;

  [[nodiscard]] ConstMatrix matrix() const { return dense(array.values.data(), tokens, array.shape.back()); }
};

/// Reads a .npy file of rows of `dim`, as wide as `weights` takes them.
[[nodiscard]] TokenRows read_token_rows(const std::string& option, const std::string& file, std::uint32_t dim,
                                        const std::string& weights);

}  // namespace heed::tools
