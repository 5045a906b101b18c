// SPDX-License-Identifier: MIT
#include "tensors/stored_tensor.hpp"

namespace heed::tools {

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
