// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "formats/weight_file.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

/// A model from a GGUF file, which describes itself. Its matrices keep the numbers that the file has, in the
/// smallest type that holds those of all blocks, or of the embedding table, or of the head; `types` stand in place of
/// these. A Failure names a tensor whose numbers are quantized and would not stay what they are, unless `requantize` is
/// the type that they are to be rounded to.
[[nodiscard]] ModelTensors read_gguf_model(const std::shared_ptr<const WeightFile>& file, bool allow_unused,
                                           const StoredTypes& types, std::optional<DataType> requantize);

}  // namespace heed::tools
