// SPDX-License-Identifier: MIT
//
// A layer's packed weights, as `heed pack` writes them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/layer.hpp"
#include "support/aligned_bytes.hpp"

namespace heed::tools {

[[nodiscard]] bool begins_as_packed_layer(std::string_view bytes);

class PackedLayer {
 public:
  /// A Failure begins with `name`, and says which word of the header is wrong, or how long the weights must be.
  PackedLayer(const std::string& name, std::string_view bytes);

  /// Of a cache of one token.
  [[nodiscard]] const MultiHeadPlan& plan() const { return plan_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_.span(); }

  /// A matrix [out, in] and its bias, dequantized, which is exact.
  [[nodiscard]] std::vector<float> matrix(const LinearPlan& linear) const;
  [[nodiscard]] std::vector<float> bias(const LinearPlan& linear) const;

 private:
  AlignedBytes bytes_;
  MultiHeadPlan plan_;
};

}  // namespace heed::tools
