// SPDX-License-Identifier: MIT
#include "architectures/gguf_keys.hpp"

#include <cmath>
#include <iterator>
#include <utility>

namespace heed::tools {

namespace {

constexpr const char* table_name = "token_embd.weight";
constexpr const char* head_name = "output.weight";

/// Those of other programs' bookkeeping.
nlohmann::json without_notes(nlohmann::json metadata) {
  for (auto key = metadata.begin(); key != metadata.end();) {
    key = key.key().starts_with("quantize.imatrix.") ? metadata.erase(key) : std::next(key);
  }
  return metadata;
}

}  // namespace

GgufKeys::GgufKeys(std::string name, const nlohmann::json& metadata, const WeightFile& weights)
    : keys_(without_notes(metadata), weights.name()), file(weights), architecture(std::move(name)) {
  keys_.leave({"general.architecture"});
  keys_.require("general.type", {"model"});
  keys_.require("split.no", {0});
  keys_.require("split.count", {0, 1});
  keys_.leave({"split.tensors.count"});
  require("expert_count", {0});
  require("expert_used_count", {0});
  require("attention.causal", {true});
  dim = count("embedding_length");
  blocks = count("block_count");
  heads = count("attention.head_count");
  const std::optional<std::uint32_t> width = optional_count("attention.key_length");
  if (!width && dim % heads != 0) throw refused("attention.head_count", "it does not divide embedding_length");
  head_dim = width.value_or(dim / heads);
}

void GgufKeys::require_there(const char* key) const {
  if (!keys_.has(full(key).c_str())) throw refused(key, "it is missing");
}

std::uint32_t GgufKeys::count(const char* key) {
  require_there(key);
  return keys_.take_count(full(key).c_str(), 1);
}

std::optional<std::uint32_t> GgufKeys::optional_count(const char* key) {
  return keys_.take_optional_count(full(key).c_str(), std::nullopt);
}

double GgufKeys::number(const char* key) {
  require_there(key);
  return keys_.take_number(full(key).c_str(), 0.0);
}

std::optional<double> GgufKeys::optional_number(const char* key) {
  return keys_.take_optional_number(full(key).c_str(), std::nullopt);
}

bool GgufKeys::flag(const char* key) {
  require_there(key);
  return keys_.take_flag(full(key).c_str(), false);
}

std::string GgufKeys::word(const char* key, const std::string& by_default) {
  return keys_.take_word(full(key).c_str(), by_default);
}

void GgufKeys::require(const char* key, std::initializer_list<nlohmann::json> allowed) {
  keys_.require(full(key).c_str(), allowed);
}

void GgufKeys::leave(const char* key) {
  const std::string whole_key = full(key);
  keys_.leave({whole_key.c_str()});
}

std::uint32_t GgufKeys::whole(const char* key, double value) const {
  if (value >= 1.0 && value <= 4294967295.0 && value == std::floor(value)) return static_cast<std::uint32_t>(value);
  throw refused(key, std::to_string(value) + " is said, and a whole number of at most 32 bits is needed");
}

std::uint32_t GgufKeys::vocabulary() {
  if (!file.has(table_name)) throw Failure(file.name() + ": there is no tensor " + table_name);
  const Shape shape = file.shape(table_name);
  const std::string what = file.name() + ": tensor " + table_name + ' ' + describe(shape);
  if (shape.size() != 2) throw Failure(what + ": it has 2 dimensions");
  const std::uint32_t rows = to_size(shape.front(), what);
  const std::optional<std::uint32_t> said = optional_count("vocab_size");
  if (said && *said != rows) {
    throw refused("vocab_size", std::to_string(*said) + " is said, and " + table_name + " is " + describe(shape));
  }
  return rows;
}

/// Converters of some models write the table twice.
bool GgufKeys::head_is_table() const {
  const StoredNumbers table = file.stored(table_name);
  const StoredNumbers head = file.stored(head_name);
  if (table.format != head.format || table.shape != head.shape) return false;
  constexpr std::size_t at_once = std::size_t{1} << 20;
  bool same = true;
  for (std::size_t at = 0; same && at < table.data.size(); at += at_once) {
    same = table.data.substr(at, at_once) == head.data.substr(at, at_once);
    if (file.content(table_name) == nullptr) continue;
    file.content(table_name)->release(table.data.substr(at, at_once));
    file.content(head_name)->release(head.data.substr(at, at_once));
  }
  return same;
}

bool GgufKeys::tied() const {
  return !file.has(head_name) || (file.has(table_name) && head_is_table());
}

}  // namespace heed::tools
