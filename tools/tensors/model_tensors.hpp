// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/model.hpp"
#include "support/aligned_bytes.hpp"
#include "tensors/model_writer.hpp"
#include "tensors/rounding_error.hpp"

namespace heed::tools {

/// A model whose tensors stay in their file until it is packed.
struct ModelTensors {
  ModelConfig config{};
  std::vector<std::string> skipped{};  ///< tensors of the file that the model does not read
  std::vector<std::string> notes{};    ///< what was not said and taken all the same, a line each
  std::function<void(const ModelPlan&, ModelWriter&)> write{};  ///< puts every tensor into a model file
  std::shared_ptr<RoundingErrors> errors{};                     ///< of what was rounded anew in the last write()
};

/// What stands in place of the types that an architecture says.
struct StoredTypes {
  std::optional<DataType> weights;               ///< of every matrix
  std::optional<DataType> rows;                  ///< what the rows of every product are rounded to, or float32
  std::map<std::string, DataType> named_rows{};  ///< the same with `rows`, of one kind of product: RowKind::word
};

/// With rows of integers, and weights that go with rows of floats alone, these become int8. The embedding table of a
/// head that is not tied is in no product: it has groups where the other matrices have multipliers. A Failure if a kind
/// is named that the model does not have.
void set_types(ModelConfig& config, const StoredTypes& types);

/// The rows that one kind of product reads, in every block.
struct RowKind {
  const char* word;  ///< on a command line
  const char* name;
  DataType* rows;    ///< what they are rounded to, in the configuration
  DataType weights;  ///< what they are multiplied by
};

/// Those of a model, in the order in which it computes them.
[[nodiscard]] std::vector<RowKind> row_kinds(ModelConfig& config);

/// Their words.
inline constexpr std::string_view row_words[] = {"input", "query", "output", "mlp", "down", "head"};

/// "rows in integers: down int16 by int8_multipliers, ..."; empty without rows of integers. Those that are left as they
/// are follow.
[[nodiscard]] std::string describe_rows(const ModelConfig& config);

/// The model file; a Failure that begins with `what` if there is none.
[[nodiscard]] AlignedBytes pack(const ModelTensors& tensors, const std::string& what);

/// The plan by which a model file is packed.
[[nodiscard]] ModelPlan file_plan(const ModelConfig& config, const std::string& what);

}  // namespace heed::tools
