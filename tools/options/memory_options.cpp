// SPDX-License-Identifier: MIT
#include "options/memory_options.hpp"

#include "heed/arena.hpp"
#include "options/count_option.hpp"
#include "options/help_format.hpp"
#include "options/kv_cache_options.hpp"

namespace heed::tools {

void add_memory_options(CLI::App& command, MemoryOptions& options) {
  begin_group(command, "Memory and threads");
  add_count(command, "--rows", options.rows, "most rows that go through a block at once; no result depends on it");
  add_kv_type(command, options.kv_type);
  add_count(command, "--scratch-budget", options.layer.scratch_budget, "bytes of scratch per worker to aim for",
            "BYTES");
  add_count(command, "--workers", options.layer.workers, "threads, 1 to 64; no result depends on it", "COUNT",
            max_workers)
      ->capture_default_str();
}

BlockMemory to_memory(const MemoryOptions& options) {
  MultiHeadConfig layer = options.layer;
  if (!options.kv_type.empty()) {
    const KvTypes types = parse_filled_kv_type(options.kv_type);
    layer.key_type = types.key;
    layer.value_type = types.value;
  }
  return to_memory(options.rows, layer);
}

BlockMemory to_memory(std::uint32_t rows, const MultiHeadConfig& layer) {
  return {.rows = rows,
          .max_keys = layer.max_keys,
          .max_cross_keys = layer.max_keys,
          .sink_tokens = layer.sink_tokens,
          .workers = layer.workers,
          .scratch_budget = layer.scratch_budget,
          .key_type = layer.key_type,
          .value_type = layer.value_type,
          .cross_type = layer.key_type,
          .ring = layer.ring};
}

}  // namespace heed::tools
