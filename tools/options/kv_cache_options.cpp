// SPDX-License-Identifier: MIT
#include "options/kv_cache_options.hpp"

#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "support/planned.hpp"

namespace heed::tools {

namespace {

DataType parse_one(std::string word, const std::string& text, bool (*takes)(DataType) noexcept) {
  if (word == "f32" || word == "f16") word = "float" + word.substr(1);
  if (word == "bf16") word = "bfloat16";
  return parse_data_type("--kv-type " + text + ", " + word, word, takes);
}

/// Batch entry `batch` of an operand, as append() reads it.
ConstTensor entry_of(const Operand& operand, std::uint32_t batch) {
  ConstTensor entry = operand.tensor();
  entry.data = entry.row(batch, 0, 0);
  return entry;
}

}  // namespace

void add_kv_type(CLI::App& command, std::string& place, const std::string& more) {
  command
      .add_option("--kv-type", place,
                  "keys and values go through a cache that stores them as float32, float16, bfloat16 (in short f32, "
                  "f16, bf16), "
                  "int8 or int4, or two as KEYS:VALUES; float32 unless given" +
                      more)
      ->type_name("TYPE");
}

KvTypes parse_kv_type(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string first = text.substr(0, colon);
  return {parse_one(first, text, &is_key_type),
          parse_one(colon == std::string::npos ? first : text.substr(colon + 1), text, &is_value_type)};
}

KvTypes parse_filled_kv_type(const std::string& text) {
  const KvTypes types = parse_kv_type(text);
  if (types.key == DataType::int8_channels) {
    throw Failure("--kv-type " + text + ": no option gives the scales of the channels; `heed plan` takes it");
  }
  return types;
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
  require_ok(cache_.init(plan_, memory_->span(), kv_storage(types.key, types.value)), where);
  for (std::uint32_t batch = 0; batch < key.batch; ++batch) {
    require_ok(cache_.append(batch, key.rows, entry_of(key, batch), entry_of(value, batch)), where);
  }
}

}  // namespace heed::tools
