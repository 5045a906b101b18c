// SPDX-License-Identifier: MIT
#include "tensors/stored_tensor.hpp"

namespace heed::tools {

TensorPlaces::TensorPlaces(const BlockConfig& config, const Shape& shape, bool transposed, RowOrder order)
    : rows_(shape.front()),
      columns_(shape.size() == 2 ? shape.back() : 1),
      heads_(config.heads),
      head_rows_(config.head_dim),
      transposed_(transposed && shape.size() == 2),
      order_(order) {}

std::size_t TensorPlaces::row(std::size_t stored) const {
  const std::size_t inside = stored % head_rows_;
  const std::size_t head = stored / head_rows_;
  switch (order_) {
    case RowOrder::by_head: return (head % 3 * heads_ + head / 3) * head_rows_ + inside;
    case RowOrder::pairs: return head * head_rows_ + inside % 2 * (head_rows_ / 2) + inside / 2;
    default: return stored;
  }
}

void apply_fold(const TensorFold& fold, std::span<float> values) {
  if (fold.added == 0.0 && fold.scale == 1.0) return;
  for (float& value : values) value = static_cast<float>((double{value} + fold.added) * fold.scale);
}

void scale_rows(const TensorPlaces& places, std::size_t columns, std::size_t first, std::span<const float> scales,
                std::span<float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= scales[places(first + i) / columns];
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

}  // namespace heed::tools
