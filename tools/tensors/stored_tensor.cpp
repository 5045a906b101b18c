// SPDX-License-Identifier: MIT
#include "tensors/stored_tensor.hpp"

#include <algorithm>

namespace heed::tools {

std::vector<float> transposed(const std::vector<float>& values, std::size_t rows, std::size_t columns) {
  std::vector<float> turned(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) turned[i % columns * rows + i / columns] = values[i];
  return turned;
}

std::vector<float> sorted_by_kind(const std::vector<float>& values, std::size_t heads) {
  constexpr std::size_t kinds = 3;
  const std::size_t part = values.size() / (heads * kinds);  // numbers of a kind in one head
  std::vector<float> sorted(values.size());
  for (std::size_t i = 0; i < heads * kinds; ++i) {
    const std::size_t to = i % kinds * heads + i / kinds;
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * part), part,
                sorted.begin() + static_cast<std::ptrdiff_t>(to * part));
  }
  return sorted;
}

void apply_fold(const TensorFold& fold, std::span<float> values) {
  if (fold.added == 0.0 && fold.scale == 1.0) return;
  for (float& value : values) value = static_cast<float>((double{value} + fold.added) * fold.scale);
}

bool begins_with_queries(const std::string& role) {
  for (const char* with_queries : {"query", "qkv", "query_bias", "qkv_bias"}) {
    if (role == with_queries || role == std::string("cross_") + with_queries) return true;
  }
  return false;
}

bool matches(const std::string& role, Shape stored, const Shape& needed) {
  const bool row = role == "class_token" || role == "positions" || role == "register_tokens";
  while (row && stored.size() > needed.size() && stored.front() == 1) stored.erase(stored.begin());
  while (role == "input" && stored.size() > needed.size()) {
    const std::size_t last = stored.back();
    stored.pop_back();
    stored.back() *= last;
  }
  return stored == needed;
}

DataType type_of(const std::string& role, const Shape& shape, const ModelConfig& config) {
  const bool added = role == "positions" || role == "token_types" || role == "register_tokens";
  if (shape.size() != 2 || added || role == "relative_bias") return DataType::float32;
  if (role == "input" || (role == "head" && config.tied_head)) return config.input_type;
  return role == "head" || role == "pooler" ? config.head_type : config.block.weight_type;
}

}  // namespace heed::tools
