// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "cases/layer_case.hpp"
#include "peer.hpp"
#include "product_case.hpp"

namespace heed::bench {

/// ONNX Runtime in a process of its own (onnxruntime.js), which takes its turn on the same core.
class OnnxRuntime {
 public:
  /// Starts node with onnxruntime.js from `scripts`; files to exchange tensors go to `folder`.
  OnnxRuntime(const std::string& scripts, std::string folder);
  ~OnnxRuntime();
  OnnxRuntime(const OnnxRuntime&) = delete;
  OnnxRuntime& operator=(const OnnxRuntime&) = delete;

  /// `graph`: attention or multi_head_attention. Nothing if the runtime refuses the graph.
  [[nodiscard]] std::optional<Peer> attention_peer(const std::string& graph, const AttentionCase& same);

  /// `graph`: packed_layer or separate_layer.
  [[nodiscard]] std::optional<Peer> layer_peer(const std::string& graph, const LayerShape& shape,
                                               const LayerCase& same);

  /// MatMulNBits over the numbers of a case with multipliers.
  [[nodiscard]] std::optional<Peer> product_peer(const ProductCase& same);

  /// A whole model over the weights in a file; `graph`: kwt1, or kwt1_int8.
  [[nodiscard]] std::optional<Peer> model_peer(const std::string& graph, const std::string& weights,
                                               const Floats& input, const Work& work, std::size_t output_size);

 private:
  struct Tensor {
    const float* data;
    std::size_t size;
  };

  [[nodiscard]] std::optional<Peer> load(const std::string& graph, const std::string& shape,
                                         const std::vector<Tensor>& inputs, const Work& work, int chain,
                                         std::size_t output_size);
  [[nodiscard]] std::string ask(const std::string& command);

  std::string folder_;
  int process_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace heed::bench
