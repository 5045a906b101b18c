// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tensors/family_match.hpp"

namespace heed::tools {

/// What a file calls the tensors of a model.
class ModelNames {
 public:
  struct Name {
    std::string pattern;
    bool transposed = false;         ///< stored as [in, out]
    bool required = false;           ///< given by name, or the family is known to have it
    std::uint32_t skipped_rows = 0;  ///< before those that the model reads
    RowOrder order = RowOrder::plain;
    TensorFold fold = {};
    std::string row_scale = {};      ///< pattern of what multiplies each row, or empty
    std::uint32_t missing_rows = 0;  ///< of zeros before those of the file
  };

  ModelNames() = default;

  /// Those of the family, if there is one, and those of "tensors", which are taken out of an architecture in JSON. A
  /// Failure begins with `what`.
  ModelNames(nlohmann::json& json, const std::string& what, const FamilyMatch& match);

  /// The name of a role; null if it has none.
  [[nodiscard]] const Name* find(const std::string& role) const;

  [[nodiscard]] const QueryScale& query_scale() const { return query_scale_; }

  /// Patterns of tensors that are no weights.
  [[nodiscard]] const std::vector<std::string>& buffers() const { return buffers_; }

  /// Whether a tensor is of another model in the file.
  [[nodiscard]] bool is_of_another_part(std::string_view tensor) const;

 private:
  void take_given(nlohmann::json& json, const std::string& what, const FamilyMatch& match);
  void give(const std::string& role, const Name& name, const std::string& where, const FamilyMatch& match);

  std::map<std::string, Name> names_;
  std::vector<std::string> buffers_;
  std::vector<std::string> other_parts_;
  QueryScale query_scale_;
};

/// A text that an architecture may have, which is taken out of it.
[[nodiscard]] std::optional<std::string> take_text(nlohmann::json& json, const char* member, const std::string& what);

}  // namespace heed::tools
