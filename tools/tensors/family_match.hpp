// SPDX-License-Identifier: MIT
//
// Which family a file is of: the one that the architecture names, or the one of which the file has most names and
// contradicts nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/weight_file.hpp"
#include "heed/model.hpp"
#include "tensors/model_families.hpp"

namespace heed::tools {

/// What the architecture says about it.
struct FamilyRequest {
  std::optional<std::string> family;  ///< its name, or "none"
  std::optional<std::string> prefix;
};

struct FamilyMatch {
  const ModelFamily* family = nullptr;  ///< null: the file's names are of none
  std::string prefix;
  std::string nearest;     ///< where there is none, what the most similar one lacks, in words
  std::string assumption;  ///< what the file could have told, in words
};

/// A Failure that begins with `what` or with the file's name if the file contradicts the family, or has the names of
/// several and does not tell which.
[[nodiscard]] FamilyMatch match_family(const FamilyRequest& request, const ModelConfig& config, const WeightFile& file,
                                       const std::string& what);

/// The prefix after which the file has most names of a family that it is known to be of. A Failure if it has none of
/// them, or stores its matrices the other way round.
[[nodiscard]] FamilyMatch match_prefix(const ModelFamily& family, std::uint32_t model_dim, const WeightFile& file);

/// A name in the file, of a pattern after "@".
[[nodiscard]] std::string with_prefix(std::string_view pattern, const std::string& prefix);

/// The same with "{}" replaced by the number of the block.
[[nodiscard]] std::string with_block(const std::string& pattern, std::uint32_t block);

}  // namespace heed::tools
