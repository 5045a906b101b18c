// SPDX-License-Identifier: MIT
//
// One new query over a stored cache, beside the same over a cache of floats: fewer bytes to read, more to do with each.
#include <algorithm>
#include <cmath>

#include "cases/attention_case.hpp"
#include "cases/reference.hpp"
#include "cases/stored_numbers.hpp"
#include "cases/topics.hpp"
#include "heed/cache.hpp"

namespace heed::bench {
namespace {

constexpr std::uint32_t heads = 8;
constexpr std::uint32_t head_dim = 64;

struct Kind {
  const char* name;
  DataType key_type, value_type;
  KvStorage storage;
};

constexpr Kind kinds[] = {
    {"float32", DataType::float32, DataType::float32, {}},
    {"float16", DataType::float16, DataType::float16, {.formats = {&float16_cache}}},
    {"bfloat16", DataType::bfloat16, DataType::bfloat16, {.formats = {&bfloat16_cache}}},
    {"int8", DataType::int8, DataType::int8, {.formats = {&int8_cache}}},
    {"int8_by_channel", DataType::int8_channels, DataType::int8, {.formats = {&int8_channel_keys, &int8_cache}}},
    {"int4", DataType::int4, DataType::int4, {.formats = {&int4_cache}}},
    {"int8_integer", DataType::int8_integer, DataType::int8_integer, {.formats = {&int8_integer_cache}}},
};

[[nodiscard]] KvCachePlan plan_of(const Kind& kind, std::uint32_t keys) {
  KvCachePlan plan;
  expect(make_plan(KvCacheConfig{.kv_heads = heads,
                                 .head_dim = head_dim,
                                 .max_keys = keys,
                                 .key_type = kind.key_type,
                                 .value_type = kind.value_type},
                   plan),
         "stored cache plan");
  return plan;
}

/// An attend() call over a stored cache with everything it needs, and the same over a cache of floats.
class StoredDecode {
 public:
  StoredDecode(const Kind& kind, std::uint32_t keys, std::uint32_t queries)
      : floats_({.queries = queries, .keys = keys, .cached = true}),
        cache_plan_(plan_of(kind, keys)),
        memory_(cache_plan_.bytes),
        output_(std::size_t{heads} * queries * head_dim) {
    const std::uint8_t integers = kind.key_type == DataType::int8_integer ? 1 : 0;
    expect(make_plan({.heads = heads, .head_dim = head_dim, .max_keys = keys, .integers = integers}, plan_), "plan");
    arena_.resize(plan_.bytes);
    expect(cache_.init(cache_plan_, memory_, kind.storage), "stored cache");
    // The numbers lie within the root of three.
    if (kind.key_type == DataType::int8_channels) {
      expect(cache_.set_key_scales(std::vector<float>(heads * head_dim, 1.75F / 127)), "scales");
    }
    const Tensors& tensors = floats_.tensors();
    expect(cache_.append(0, keys, bhsd(tensors.key, heads, keys, head_dim), bhsd(tensors.value, heads, keys, head_dim)),
           "stored cache");
    inputs_.cache = &cache_;
    inputs_.query_count = queries;
    inputs_.query = bhsd(tensors.query, heads, queries, head_dim);
    outputs_.output = bhsd(output_.data(), heads, queries, head_dim);
  }

  void run() {
    const Status status = attend(plan_, arena_, inputs_, outputs_);
    if (status != Status::ok) expect(status, "attend()");
  }
  void run_floats() const { floats_.run(); }

  void check(const std::string& what) const {
    floats_.check(what);
    if (cache_plan_.config.key_type == DataType::int8_integer) return check_integers(what);
    for (std::uint32_t head = 0; head < heads; ++head) {
      const StoredNumbers numbers(cache_, head);
      check_attention_row({.query = inputs_.query.row(0, head, 0),
                           .keys = {numbers.keys.data(), head_dim},
                           .values = {numbers.values.data(), head_dim},
                           .count = cache_.length(0),
                           .head_dim = head_dim,
                           .value_dim = head_dim},
                          outputs_.output.row(0, head, 0), what);
    }
  }

  /// Queries and weights are rounded, too: it is close to the attention over the floats, and no more.
  void check_integers(const std::string& what) const {
    const float* const exact = floats_.tensors().output;
    float greatest = 0.0F;
    float off = 0.0F;
    for (std::size_t i = 0; i < output_.size(); ++i) {
      greatest = std::max(greatest, std::abs(exact[i]));
      off = std::max(off, std::abs(output_[i] - exact[i]));
    }
    if (!(off <= 0.05F * greatest)) fail(what + ": not the attention over floats");
  }

 private:
  AttentionCase floats_;
  KvCachePlan cache_plan_;
  Bytes memory_;
  KvCache cache_;
  AttentionPlan plan_;
  Bytes arena_;
  Floats output_;
  AttentionInputs inputs_;
  AttentionOutputs outputs_;
};

/// What a softmax in integers takes more than one in floats does, as a share of the whole call.
void count_softmax(benchmark::State& state, std::uint32_t keys, std::uint32_t queries) {
  const double more = measure_integer_softmax_seconds(keys, 5) - measure_softmax_seconds(keys, 5);
  state.counters["softmax_percent"] = 100 * heads * queries * more * 1e9 / state.counters["nanoseconds"];
}

void add_kind(const Kind& kind, std::uint32_t keys, std::uint32_t queries = 1) {
  const std::string rows = queries == 1 ? "" : "/q:" + std::to_string(queries);
  const std::string name = std::string("stored/") + kind.name + "/keys:" + std::to_string(keys) + rows;
  Work work = work_of({.queries = queries, .keys = keys});
  work.bytes = queries == 1 ? plan_of(kind, keys).bytes : 0;
  add_benchmark(name, work, [=] {
    const auto measured = std::make_shared<StoredDecode>(kind, keys, queries);
    measured->run();
    measured->run_floats();
    measured->check(name);
    Subject subject{.call = [measured] { measured->run(); },
                    .beside = {.counter = "speedup", .call = [measured] { measured->run_floats(); }, .speedup = true}};
    if (kind.key_type == DataType::int8_integer) {
      subject.count_more = [=](benchmark::State& state) { count_softmax(state, keys, queries); };
    }
    return subject;
  });
}

}  // namespace

void add_stored() {
  for (const Kind& kind : kinds) {
    for (const std::uint32_t keys : {512U, 8192U}) add_kind(kind, keys);
  }
  add_kind(kinds[std::size(kinds) - 1], 512, 512);
}

}  // namespace heed::bench
