// SPDX-License-Identifier: MIT
#include "cache/pages.hpp"

#include "cache/cache_parts.hpp"
#include "cache/key_readers.hpp"
#include "common/key_range.hpp"

namespace heed::detail {
namespace {

Status check_paged_keys(const AttentionInputs& inputs, std::uint32_t batch) noexcept {
  const KvCache& cache = *inputs.cache;
  if (inputs.key_lengths == nullptr) return Status::null_pointer;
  if (cache.plan().config.max_keys % panel_width != 0) return Status::plan_mismatch;
  const KvCacheConfig& held = cache.plan().config;
  const std::uint32_t* pages = inputs.page_table + std::size_t{batch} * inputs.max_pages;
  std::uint32_t left = inputs.key_lengths[batch];
  for (std::uint32_t p = 0; left != 0; ++p) {
    if (p == inputs.max_pages) return Status::bad_length;
    if (pages[p] >= held.max_sequences) return Status::bad_sequence;
    const std::uint32_t here = least(left, held.max_keys);
    if (cache.length(pages[p]) < here) return Status::bad_length;
    if (has_wrapped(cache, pages[p])) return Status::ring_wrapped;
    left -= here;
  }
  return Status::ok;
}

/// Pages that so many tokens take, the last one perhaps in part.
[[nodiscard]] std::uint32_t page_count(const Sequences& sequences, std::uint32_t tokens) noexcept {
  const std::uint32_t page_tokens = sequences.cache.plan().config.max_keys;
  return tokens / page_tokens + (tokens % page_tokens != 0 ? 1 : 0);
}

[[nodiscard]] const std::uint32_t* pages_of(const Sequences& sequences, std::uint32_t batch) noexcept {
  return sequences.inputs.page_table + std::size_t{batch} * sequences.plan.config.max_pages;
}

[[nodiscard]] bool appends_to(const Sequences& sequences, std::uint32_t batch, std::uint32_t page,
                              CacheUpdate update) noexcept {
  const std::uint32_t held = update == CacheUpdate::append ? sequences.tokens(batch) : 0;
  const std::uint32_t end = page_count(sequences, held + sequences.inputs.tokens);
  for (std::uint32_t p = held / sequences.cache.plan().config.max_keys; p < end; ++p) {
    if (pages_of(sequences, batch)[p] == page) return true;
  }
  return false;
}

[[nodiscard]] Status check_entry(const Sequences& sequences, std::uint32_t batch, CacheUpdate update) noexcept {
  const KvCacheConfig& config = sequences.cache.plan().config;
  const std::uint32_t* const pages = pages_of(sequences, batch);
  const std::uint32_t held = update == CacheUpdate::replace ? 0 : sequences.tokens(batch);
  const std::uint32_t added = update == CacheUpdate::nothing ? 0 : sequences.inputs.tokens;
  const std::uint32_t limit = sequences.plan.config.max_pages * config.max_keys;
  if (held > limit) return Status::bad_length;
  if (added > limit - held) return Status::cache_full;
  for (std::uint32_t p = 0; p < page_count(sequences, held + added); ++p) {
    const std::uint32_t page = pages[p];
    if (page >= config.max_sequences) return Status::bad_sequence;
    const std::uint32_t before = p * config.max_keys;
    const std::uint32_t here = held <= before ? 0 : least(held - before, config.max_keys);
    const bool appended_to = added != 0 && here < config.max_keys;
    if (update != CacheUpdate::replace) {
      const std::uint32_t holds = sequences.cache.length(page);
      if (appended_to ? holds != here : holds < here) return Status::bad_length;
    }
    if (!appended_to) continue;
    for (std::uint32_t earlier = 0; earlier < p; ++earlier) {
      if (pages[earlier] == page) return Status::bad_sequence;
    }
    for (std::uint32_t other = 0; other < batch; ++other) {
      if (appends_to(sequences, other, page, update)) return Status::bad_sequence;
    }
  }
  return Status::ok;
}

Status check_pages(const Sequences& sequences, CacheUpdate update) noexcept {
  if (sequences.inputs.key_lengths != nullptr) return Status::bad_option;
  Status status = Status::ok;
  for (std::uint32_t b = 0; b < sequences.entries && status == Status::ok; ++b) {
    status = check_entry(sequences, b, update);
  }
  return status;
}

Status clear_pages(const Sequences& sequences, std::uint32_t batch) noexcept {
  Status status = Status::ok;
  for (std::uint32_t p = 0; p < page_count(sequences, sequences.inputs.tokens) && status == Status::ok; ++p) {
    status = sequences.cache.reset(pages_of(sequences, batch)[p]);
  }
  return status;
}

Status append_to_pages(const Sequences& sequences, const LayerRows& rows, const ConstTensor& key,
                       const ConstTensor& value) noexcept {
  const std::uint32_t page_tokens = sequences.cache.plan().config.max_keys;
  const std::uint32_t tokens = rows.number + rows.first;
  for (std::uint32_t row = 0; row < rows.count;) {
    const std::uint32_t count = least(rows.count - row, page_tokens - (tokens + row) % page_tokens);
    ConstTensor keys = key;
    ConstTensor values = value;
    keys.data = key.row(0, 0, row);
    values.data = value.row(0, 0, row);
    const std::uint32_t page = pages_of(sequences, rows.batch)[(tokens + row) / page_tokens];
    const Status status = sequences.cache.append(page, count, keys, values);
    if (status != Status::ok) return status;
    row += count;
  }
  return Status::ok;
}

}  // namespace
}  // namespace heed::detail

constexpr heed_page_rules heed_kv_pages = {&heed::detail::stored_keys, heed::detail::check_paged_keys,
                                           heed::detail::check_pages, heed::detail::clear_pages,
                                           heed::detail::append_to_pages};
