// SPDX-License-Identifier: MIT
//
// One new query over the cached keys of the tokens before it. The bound is the memory: every key and value is read
// once.
#include "cases/attention_case.hpp"
#include "cases/topics.hpp"

namespace heed::bench {
namespace {

[[nodiscard]] AttentionShape one_query(std::uint32_t keys, std::uint32_t kv_heads) {
  return {.queries = 1, .keys = keys, .kv_heads = kv_heads, .cached = true};
}

[[nodiscard]] std::shared_ptr<AttentionCase> checked(const AttentionShape& shape, const std::string& name) {
  auto made = std::make_shared<AttentionCase>(shape);
  made->run();
  made->check(name);
  return made;
}

/// What a decode cannot do without: every key and value multiplied, and the softmax of every head.
[[nodiscard]] std::pair<double, double> parts_bandwidth(const AttentionCase& measured) {
  const Reads reads = measured.cache_reads();
  const double products = measure_multiply_bandwidth(reads, 6, std::size_t{1} << 22);
  const auto bytes = static_cast<double>(reads.bytes());
  const double softmax = measured.shape().heads * measure_softmax_seconds(measured.shape().keys, 10);
  return {products, bytes / (bytes / products + softmax)};
}

void add_one_query(std::uint32_t keys) {
  const AttentionShape shape = one_query(keys, 8);
  const std::string name = "decode/keys:" + std::to_string(keys);
  add_benchmark(name, work_of(shape), [=] {
    const auto measured = checked(shape, name);
    return Subject{.call = [measured] { measured->run(); },
                   .reads = measured->cache_reads(),
                   .parts_bandwidth = [measured] { return parts_bandwidth(*measured); }};
  });
}

/// Eight query heads on two key heads, beside eight on eight.
void add_grouped(std::uint32_t keys) {
  const AttentionShape shape = one_query(keys, 2);
  const std::string name = "decode_grouped/keys:" + std::to_string(keys);
  add_benchmark(name, work_of(shape), [=] {
    const auto measured = checked(shape, name);
    const auto beside = checked(one_query(keys, 8), name);
    return Subject{.call = [measured] { measured->run(); },
                   .beside = {.counter = "speedup", .call = [beside] { beside->run(); }, .speedup = true}};
  });
}

}  // namespace

void add_decode() {
  for (const std::uint32_t keys : {128U, 512U, 2048U, 8192U}) add_one_query(keys);
  for (const std::uint32_t keys : {512U, 2048U, 8192U}) add_grouped(keys);
}

}  // namespace heed::bench
