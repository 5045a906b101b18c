// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed::tools {

/// Which rows of a fused matrix belong to which head.
enum class RowOrder : std::uint8_t {
  plain,    ///< all queries, all keys, all values
  by_head,  ///< of each head its query, its key and its value
  pairs     ///< of a matrix of queries or keys: in each head the two rows that are rotated together beside each other
};

/// What becomes of the numbers of a tensor on their way into the model, computed in float64: (number + added) * scale.
struct TensorFold {
  double added = 0.0;
  double scale = 1.0;
};

/// What the rows of queries, and their biases, are multiplied by, because scores are not q k / sqrt(head_dim).
struct QueryScale {
  double scale = 1.0;
  bool by_block = false;  ///< divided by the number of the block, from 1
};

/// A tensor of a model and what a file calls it: "{}" stands for the number of the block, "@" for a prefix.
struct FamilyName {
  const char* role;
  const char* pattern;
  bool transposed = false;  ///< stored as [in, out]
  bool required = false;    ///< the file must have it
  RowOrder order = RowOrder::plain;
  TensorFold fold = {};
  const char* row_scale = nullptr;  ///< a tensor with a number for each row, which multiplies it (layer scale)
};

/// A member of the architecture, "block.norm", and what it is in the family: in one word, or in several of which the
/// architecture has to say one, because the file does not tell.
struct FamilyFact {
  const char* member;
  std::vector<const char*> words;
};

/// A tensor that files of a family have where the model computes what no ModelConfig says.
struct FamilyRefusal {
  const char* pattern;
  const char* reason;
};

/// How many rows the table of token types has.
enum class TokenTypes : std::uint8_t { any, one, several };

/// Models whose tensors have the same names, and which compute the same.
struct ModelFamily {
  const char* name;
  std::vector<const char*> prefixes;  ///< the usual ones, tried in this order
  std::vector<FamilyName> names;
  std::vector<FamilyFact> facts;
  std::vector<const char*> buffers = {};  ///< tensors in such files that are no weights
  std::vector<FamilyRefusal> refused = {};
  const char* assumption = nullptr;     ///< what holds for the models that are meant, and no file tells
  std::uint32_t skipped_positions = 0;  ///< rows of `positions` before that of the first token
  TokenTypes token_types = TokenTypes::any;
  QueryScale query_scale = {};
  std::uint32_t missing_positions = 0;        ///< rows before those of `positions` that have none
  std::vector<const char*> other_parts = {};  ///< how the names of tensors of another model in the file begin
  bool mean_skips_class_token = false;        ///< pooling `mean` is over the other rows, as no ModelConfig says
};

/// The families whose names are known.
[[nodiscard]] std::span<const ModelFamily> model_families();

/// Their names, for messages.
[[nodiscard]] std::string known_families();

}  // namespace heed::tools
