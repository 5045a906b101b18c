// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <span>
#include <string>

#include "heed/linear.hpp"

namespace heed::tools {

/// How far matrices are from what they were before they were rounded: the root mean square of the difference, in parts
/// of that of the numbers.
class RoundingErrors {
 public:
  void clear() { sums_.clear(); }

  /// Takes those of a kind out again.
  void forget(const std::string& kind) { sums_.erase(kind); }

  /// Counts a matrix [rows, plan.inputs] that is stored in the type of the plan, among those of a kind.
  void add(const std::string& kind, const LinearPlan& plan, std::span<const float> values);

  /// "rounded anew: blocks to int8, error 0.0052; head ...", or nothing.
  [[nodiscard]] std::string describe() const;

 private:
  struct Sums {
    DataType type;
    double difference = 0.0;
    double square = 0.0;
  };
  std::map<std::string, Sums> sums_;
};

}  // namespace heed::tools
