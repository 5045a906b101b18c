// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "tensors/dense_matrix.hpp"

namespace heed::tools {

/// One head's matrices, by the names they have in the data file.
struct HeadRun {
  DenseMatrix queries;        ///< Q [tokens, head_dim]
  DenseMatrix keys;           ///< K
  DenseMatrix values;         ///< V
  DenseMatrix raw_scores;     ///< Q K^T
  DenseMatrix scaled_scores;  ///< Q K^T / sqrt(head_dim)
  DenseMatrix weights;        ///< softmax of the scaled scores
  DenseMatrix outputs;        ///< weights V
};

struct ExampleRun {
  std::optional<DenseMatrix> positions;  ///< the sinusoidal encoding alone
  std::optional<DenseMatrix> embedded;   ///< embeddings plus encoding
  std::optional<DenseMatrix> input;      ///< X; the texts' own where they print it
  std::vector<HeadRun> heads;
  std::optional<DenseMatrix> concatenation;
  std::optional<DenseMatrix> y;  ///< concatenation W_O
};

/// Computes one worked example with the library.
[[nodiscard]] ExampleRun run_example(const nlohmann::json& example);

}  // namespace heed::tools
