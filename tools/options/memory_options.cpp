// SPDX-License-Identifier: MIT
#include "options/memory_options.hpp"

#include "heed/arena.hpp"
#include "options/count_option.hpp"
#include "options/kv_cache_options.hpp"

namespace heed::tools {

void add_memory_options(CLI::App& command, MemoryOptions& options) {
  add_count(command, "--rows", options.rows, "most rows that go through a block at once; no result depends on it");
  add_kv_type(command, options.kv_type);
  add_count(command, "--scratch-budget", options.scratch_budget, "bytes of scratch per worker to aim for", "BYTES");
  add_count(command, "--workers", options.workers, "threads, 1 to 64; no result depends on it", "COUNT", max_workers)
      ->capture_default_str();
}

BlockMemory to_memory(const MemoryOptions& options) {
  const KvTypes types = options.kv_type.empty() ? KvTypes{} : parse_filled_kv_type(options.kv_type);
  return {.rows = options.rows,
          .max_keys = options.max_keys,
          .max_cross_keys = options.max_cross_keys,
          .workers = options.workers,
          .scratch_budget = options.scratch_budget,
          .key_type = types.key,
          .value_type = types.value,
          .cross_type = types.key};
}

}  // namespace heed::tools
