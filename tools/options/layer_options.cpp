// SPDX-License-Identifier: MIT
#include "options/layer_options.hpp"

#include <algorithm>

#include "heed/arena.hpp"
#include "options/count_option.hpp"
#include "options/help_format.hpp"
#include "options/kv_cache_options.hpp"
#include "support/data_types.hpp"

namespace heed::tools {

void add_layer_memory_options(CLI::App& command, LayerMemoryOptions& options, const std::string& max_keys) {
  MultiHeadConfig& config = options.config;
  begin_group(command, "Memory and threads");
  add_count(command, "--max-keys", config.max_keys, max_keys);
  add_count(command, "--max-sequences", config.max_sequences, "token streams, or pages, in the cache; 1 unless given");
  add_count(command, "--workers", config.workers, "tasks at once, 1 to 64; 1 unless given", "COUNT", max_workers);
  add_count(command, "--scratch-budget", config.scratch_budget, "bytes of scratch per worker to aim for", "BYTES");
  add_kv_type(command, options.kv_type, "; keys also as int8_channels");
  command.add_flag("--ring", config.ring, "a cache that is full overwrites its oldest token");
  add_count(command, "--sink-tokens", config.sink_tokens, "with --ring: the first tokens, never overwritten");
  add_count(command, "--page-table", config.max_pages,
            "of a layer: columns of a page table, whose pages hold --max-keys tokens each", "PAGES");
}

void add_weight_type(CLI::App& command, std::string& place, const std::string& text) {
  command.add_option("--weight-type", place, text + " float32, float16, bfloat16, int8, int8_groups or int4_groups")
      ->type_name("TYPE");
}

void parse_kv_type(LayerMemoryOptions& options) {
  if (options.kv_type.empty()) return;
  const KvTypes types = parse_kv_type(options.kv_type);
  options.config.key_type = types.key;
  options.config.value_type = types.value;
}

std::optional<DataType> parse_weight_type(const std::string& text, bool (*takes)(DataType) noexcept) {
  if (text.empty()) return {};
  return parse_data_type("--weight-type " + text, text, takes);
}

std::string option_or_member(const CLI::App& command, const std::string& member) {
  std::string option = "--" + member;
  std::replace(option.begin(), option.end(), '_', '-');
  if (member == "max_pages") option = "--page-table";
  if (member == "max_cross_keys") {
    const CLI::Option* const context = command.get_option_no_throw("--context");
    option = context != nullptr && context->count() != 0 ? "--context" : "--max-keys";
  }
  const bool cached = member == "key_type" || member == "value_type" || member == "cross_type";
  if (cached) option = "--kv-type";
  const CLI::Option* const found = command.get_option_no_throw(option);
  if (found == nullptr || found->count() == 0) return member;
  return cached ? option + ", " + member : option;
}

}  // namespace heed::tools
