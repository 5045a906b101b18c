// SPDX-License-Identifier: MIT
#include "options/kv_cache_options.hpp"

#include "support/failure.hpp"
#include "support/planned.hpp"

namespace heed::tools {

namespace {

DataType parse_one(const std::string& word, const std::string& text) {
  if (word == "f32") return DataType::float32;
  if (word == "f16") return DataType::float16;
  if (word == "bf16") return DataType::bfloat16;
  if (word == "int8") return DataType::int8;
  if (word == "int4") return DataType::int4;
  throw Failure("--kv-type " + text + ": f32, f16, bf16, int8, int4 or two of them as KEYS:VALUES are needed");
}

/// Batch entry `batch` of an operand, as append() reads it.
ConstTensor entry_of(const Operand& operand, std::uint32_t batch) {
  ConstTensor entry = operand.tensor();
  entry.data = entry.row(batch, 0, 0);
  return entry;
}

}  // namespace

KvTypes parse_kv_type(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string first = text.substr(0, colon);
  return {parse_one(first, text), parse_one(colon == std::string::npos ? first : text.substr(colon + 1), text)};
}

KvCacheKeys::KvCacheKeys(const KvTypes& types, const Operand& key, const Operand& value) {
  const std::string where = "--kv-type, " + key.name + ", " + value.name;
  plan_ = planned<KvCachePlan>(where, KvCacheConfig{.max_sequences = key.batch,
                                                    .kv_heads = key.heads,
                                                    .head_dim = key.dim,
                                                    .value_dim = value.dim,
                                                    .max_keys = key.rows,
                                                    .key_type = types.key,
                                                    .value_type = types.value});
  memory_.emplace(plan_.bytes);
  require_ok(cache_.init(plan_, memory_->span()), where);
  for (std::uint32_t batch = 0; batch < key.batch; ++batch) {
    require_ok(cache_.append(batch, key.rows, entry_of(key, batch), entry_of(value, batch)), where);
  }
}

}  // namespace heed::tools
