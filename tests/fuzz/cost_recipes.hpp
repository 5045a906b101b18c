// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::test::fuzz {

/// How a large file is made: what it begins with, what is repeated, what it ends with.
struct Recipe {
  char reader;
  std::string front;
  std::string unit;
  std::string back;
  std::string text;  ///< what a tokenizer in the file then reads, repeated
};

/// From a letter and the parts between "~"; nothing if there is nothing to repeat.
[[nodiscard]] std::optional<Recipe> recipe_of(std::string_view text);

/// About so many bytes, with the number of each repetition for its "#".
[[nodiscard]] std::string repeated(std::string_view front, std::string_view unit, std::string_view back,
                                   std::size_t bytes);

/// Shapes of which a reader may take too much.
[[nodiscard]] std::vector<std::string> cost_recipes();

/// A tokenizer.json of each kind.
[[nodiscard]] const std::vector<std::string>& small_tokenizers();

}  // namespace heed::test::fuzz
