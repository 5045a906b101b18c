// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "formats/weight_file.hpp"
#include "heed/layer.hpp"
#include "tensors/float_array.hpp"
#include "tensors/packed_layer.hpp"

namespace heed::tools {

/// Names of a layer's tensors, each after the prefix. An empty name means: what PyTorch calls it, if the file has it.
struct WeightNames {
  std::string prefix;
  std::string in_proj_weight;
  std::string in_proj_bias;
  std::string query_weight;
  std::string key_weight;
  std::string value_weight;
  std::string query_bias;
  std::string key_bias;
  std::string value_bias;
  std::string out_weight = "out_proj.weight";
  std::string out_bias;

  friend bool operator==(const WeightNames&, const WeightNames&) = default;
};

/// What the shapes of the weights do not tell; 0 is "derive it". The rows of a packed in_proj_weight fit several
/// layers, so that a head_dim other than value_dim is never derived from them.
struct HeadSizes {
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;
  std::uint32_t value_dim = 0;
};

/// The weights of a multi-head attention layer, and the configuration that their shapes imply.
class LayerWeights {
 public:
  /// Trained weights, to be stored as a type, or, without one, for use: packed ones, too.
  LayerWeights(const std::filesystem::path& file, const WeightNames& names, const HeadSizes& sizes,
               std::optional<DataType> weight_type = {});

  /// The sizes and the type; the rest of a configuration is the caller's.
  [[nodiscard]] const MultiHeadConfig& config() const { return config_; }

  /// The sizes as a line of text, and which rows of a packed matrix are whose.
  [[nodiscard]] std::string sizes() const;

  /// Width of the rows that values come from (PyTorch: vdim); those of the keys have config().kv_input_dim.
  [[nodiscard]] std::uint32_t value_input_dim() const { return value_input_dim_; }

  /// Whether the file has PyTorch's bias_k and bias_v: the key and the value of a token after all others.
  [[nodiscard]] bool has_extra_token() const { return file_ && file_->has(prefix_ + "bias_k"); }
  [[nodiscard]] FloatArray extra_key() const { return file_->read(prefix_ + "bias_k"); }
  [[nodiscard]] FloatArray extra_value() const { return file_->read(prefix_ + "bias_v"); }

  /// A Failure unless keys and values read the same rows, and no others, so that a plan can describe the layer.
  void require_one_memory() const;

  [[nodiscard]] MultiHeadWeights views(const MultiHeadPlan& plan) const;

 private:
  /// A tensor with the name it has in messages; without values if the layer does not have it.
  struct Named {
    std::string name;
    FloatArray array;
  };

  [[nodiscard]] Named read_matrix(const std::string& tensor) const;
  [[nodiscard]] Named read_bias(const std::string& chosen, const std::string& usual) const;
  void read_packed(const HeadSizes& sizes, const std::string& tensor);
  void read_separate(const HeadSizes& sizes, const WeightNames& names);
  void read_biases(const WeightNames& names);
  void dequantize(const PackedLayer& layer, const std::string& name, const HeadSizes& sizes);
  void require_shapes() const;

  std::optional<WeightFile> file_;  ///< none: packed weights
  std::string prefix_;
  MultiHeadConfig config_;
  std::uint32_t value_input_dim_ = 0;
  bool head_dim_follows_ = false;  ///< it is value_dim, for want of another
  Named packed_;
  Named query_;
  Named key_;
  Named value_;
  Named output_;
  Named packed_bias_;
  Named query_bias_;
  Named key_bias_;
  Named value_bias_;
  Named output_bias_;
};

}  // namespace heed::tools
