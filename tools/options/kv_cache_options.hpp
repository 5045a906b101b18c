// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "heed/cache.hpp"
#include "support/aligned_bytes.hpp"
#include "tensors/operands.hpp"

namespace heed::tools {

/// How the keys and the values of a run are stored.
struct KvTypes {
  DataType key = DataType::float32;
  DataType value = DataType::float32;
};

/// --kv-type; `more` says what else it takes.
void add_kv_type(CLI::App& command, std::string& place, const std::string& more = "");

/// A type for both, or as "int8:float16" for keys and values; "f32", "f16" and "bf16" are short for floats.
[[nodiscard]] KvTypes parse_kv_type(const std::string& text);

/// Of a cache that is filled: a Failure for keys whose channels need scales.
[[nodiscard]] KvTypes parse_filled_kv_type(const std::string& text);

/// A KvCache with the rows of every batch entry, in memory of its own.
class KvCacheKeys {
 public:
  KvCacheKeys(const KvTypes& types, const Operand& key, const Operand& value);
  KvCacheKeys(const KvCacheKeys&) = delete;
  KvCacheKeys& operator=(const KvCacheKeys&) = delete;
  ~KvCacheKeys() = default;

  [[nodiscard]] const KvCache& cache() const { return cache_; }

 private:
  KvCachePlan plan_;
  std::optional<AlignedBytes> memory_;
  KvCache cache_;
};

}  // namespace heed::tools
