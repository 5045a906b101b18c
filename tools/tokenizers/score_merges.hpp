// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tokenizers/gguf_vocabulary.hpp"

namespace heed::tools {

/// Merges that do what sentencepiece's BPE does with scores: of all neighbours whose joined text is a token, those of
/// the highest score are joined, the leftmost of equal ones. So each way to split a token into two of them is a merge,
/// and its rank follows from the score of what it becomes: equal scores have equal ranks. Each is as TokenParts has
/// it. A Failure, which begins with `what`, names a token that no merge can make as scores would: one of a character
/// that is no token, or the name of a byte.
[[nodiscard]] std::vector<std::array<std::uint32_t, 4>> merges_by_score(const GgufVocabulary& vocabulary,
                                                                        const std::vector<double>& scores,
                                                                        const std::string& what);

}  // namespace heed::tools
