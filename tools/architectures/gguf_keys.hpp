// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "architectures/published_config.hpp"
#include "formats/weight_file.hpp"
#include "support/failure.hpp"

namespace heed::tools {

/// The keys of one architecture, "llama.block_count" as block_count. Each is taken once; Failures name the whole key.
class GgufKeys {
 public:
  GgufKeys(std::string name, const nlohmann::json& metadata, const WeightFile& weights);

  std::uint32_t count(const char* key);
  std::optional<std::uint32_t> optional_count(const char* key);
  double number(const char* key);
  std::optional<double> optional_number(const char* key);
  bool flag(const char* key);
  std::string word(const char* key, const std::string& by_default);
  void require(const char* key, std::initializer_list<nlohmann::json> allowed);
  void leave(const char* key);

  /// A number that has been taken and must be whole.
  [[nodiscard]] std::uint32_t whole(const char* key, double value) const;

  /// Rows of the embedding table, which the key, if it is there, may not contradict.
  std::uint32_t vocabulary();

  /// Whether there is no head but the embedding table.
  [[nodiscard]] bool tied() const;

  /// No key is left.
  void finish() { keys_.finish(); }

  [[nodiscard]] Failure refused(const char* key, const std::string& reason) const {
    return keys_.refused(full(key), reason);
  }

 private:
  [[nodiscard]] std::string full(const char* key) const { return architecture + '.' + key; }
  void require_there(const char* key) const;
  [[nodiscard]] bool head_is_table() const;

  PublishedConfig keys_;

 public:
  const WeightFile& file;
  std::string architecture;
  std::uint32_t dim = 0;
  std::uint32_t blocks = 0;
  std::uint32_t heads = 0;
  std::uint32_t head_dim = 0;
  std::vector<std::string> notes;
};

}  // namespace heed::tools
