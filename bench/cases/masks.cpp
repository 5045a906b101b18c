// SPDX-License-Identifier: MIT
//
// Masks and score modifiers beside the plain call of the same size; what a mask skips counts as not being there.
#include <cmath>
#include <functional>
#include <limits>

#include "cases/attention_case.hpp"
#include "cases/reference.hpp"
#include "cases/topics.hpp"
#include "heed/options.hpp"

namespace heed::bench {
namespace {

constexpr std::uint32_t heads = 8;
constexpr std::uint32_t head_dim = 64;
constexpr double closed = -std::numeric_limits<double>::infinity();

/// An option, and what it adds to the score of a key that lies `distance` after its query.
struct Option {
  std::string name;
  std::function<void(AttentionInputs&, AttentionOptions&)> set;
  std::function<double(std::uint32_t query, std::uint32_t key, std::int64_t distance)> added;
  double softcap = 0;
  double sink = closed;
};

/// The numbers that the options point to.
struct OptionData {
  explicit OptionData(std::uint32_t queries, std::uint32_t keys)
      : mask(some_floats(std::size_t{queries} * keys, 5)),
        relative(some_floats(257, 6)),
        open(std::size_t{queries} * keys),
        triangle(std::size_t{queries} * keys) {
    for (std::size_t i = 0; i < mask.size(); ++i) open[i] = mask[i] < 1.0F ? 1 : 0;
    for (std::size_t i = 0; i < queries; ++i) {
      for (std::size_t j = 0; j < keys; ++j) triangle[i * keys + j] = j + queries <= i + keys ? 1 : 0;
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
      if ((i / 8) * 8 == i) bits.push_back(0);
      bits.back() = static_cast<std::uint8_t>(bits.back() | open[i] << i % 8);
    }
  }

  Floats mask, relative;
  std::vector<std::uint8_t> open, triangle, bits;
  std::vector<float> slopes = std::vector<float>(heads, 0.01F);
  std::vector<float> sinks = std::vector<float>(heads, 1.5F);
};

class OptionCase {
 public:
  OptionCase(const AttentionShape& shape, const Option& option, std::shared_ptr<OptionData> data)
      : plain_(shape), option_(option), data_(std::move(data)) {
    expect(make_plan(AttentionConfig{.heads = heads, .head_dim = head_dim, .max_keys = shape.keys}, plan_), "plan");
    arena_.resize(plan_.bytes);
    const std::size_t query_size = std::size_t{heads} * shape.queries * head_dim;
    inputs_.query_count = shape.queries;
    inputs_.key_count = shape.keys;
    inputs_.query = bhsd(plain_.tensors().query, heads, shape.queries, head_dim);
    inputs_.key = bhsd(plain_.tensors().key, heads, shape.keys, head_dim);
    inputs_.value = bhsd(plain_.tensors().value, heads, shape.keys, head_dim);
    if (shape.cached) inputs_.cache = &plain_.cache();
    inputs_.causal_offset = static_cast<std::int32_t>(shape.keys - shape.queries);
    output_.resize(query_size);
    outputs_.output = bhsd(output_.data(), heads, shape.queries, head_dim);
    option_.set(inputs_, options_);
  }

  void run() {
    const Status status = attend(plan_, arena_, inputs_, options_, outputs_);
    if (status != Status::ok) expect(status, "attend()");
  }

  void check(const std::string& what) const {
    const AttentionShape& shape = plain_.shape();
    std::vector<double> added(shape.keys);
    for (std::uint32_t query = shape.queries - 1; query < shape.queries; query -= std::max(1U, shape.queries / 5)) {
      for (std::uint32_t key = 0; key < shape.keys; ++key) {
        const std::int64_t position = std::int64_t{query} + shape.keys - shape.queries;
        added[key] = option_.added(query, key, position - key);
      }
      check_attention_row({.query = inputs_.query.row(0, 3, query),
                           .keys = {inputs_.key.row(0, 3, 0), inputs_.key.row_stride},
                           .values = {inputs_.value.row(0, 3, 0), inputs_.value.row_stride},
                           .count = shape.keys,
                           .head_dim = head_dim,
                           .value_dim = head_dim,
                           .added = added.data(),
                           .softcap = option_.softcap,
                           .sink = option_.sink},
                          outputs_.output.row(0, 3, query), what);
    }
  }

 private:
  AttentionCase plain_;
  Option option_;
  std::shared_ptr<OptionData> data_;
  AttentionPlan plan_;
  Bytes arena_;
  Floats output_;
  AttentionInputs inputs_;
  AttentionOptions options_;
  AttentionOutputs outputs_;
};

std::vector<Option> options_over(const OptionData& data, std::uint32_t keys) {
  const auto row = static_cast<std::ptrdiff_t>(keys);
  const auto at = [keys](std::uint32_t query, std::uint32_t key) { return std::size_t{query} * keys + key; };
  const auto nothing = [](std::uint32_t, std::uint32_t, std::int64_t) { return 0.0; };
  return {
      {"none", [](AttentionInputs&, AttentionOptions&) {}, nothing},
      {"window", [](AttentionInputs&, AttentionOptions& o) { o.left_window = o.right_window = 129; },
       [](std::uint32_t, std::uint32_t, std::int64_t distance) { return std::abs(distance) > 128 ? closed : 0.0; }},
      {"additive_mask",
       [&data, row, keys](AttentionInputs&, AttentionOptions& o) {
         o.additive_mask = {{data.mask.data(), 0, 0, row}, keys};
       },
       [&data, at](std::uint32_t query, std::uint32_t key, std::int64_t) { return double{data.mask[at(query, key)]}; }},
      {"bool_mask",
       [&data, row, keys](AttentionInputs&, AttentionOptions& o) {
         o.bool_mask = {data.open.data(), 0, 0, row, keys};
       },
       [&data, at](std::uint32_t query, std::uint32_t key, std::int64_t) {
         return data.open[at(query, key)] != 0 ? 0.0 : closed;
       }},
      {"bit_mask",
       [&data, row, keys](AttentionInputs&, AttentionOptions& o) {
         o.bool_mask = {data.bits.data(), 0, 0, row / 8, keys, MaskFormat::bits};
       },
       [&data, at](std::uint32_t query, std::uint32_t key, std::int64_t) {
         return data.open[at(query, key)] != 0 ? 0.0 : closed;
       }},
      {"bool_triangle",
       [&data, row, keys](AttentionInputs&, AttentionOptions& o) {
         o.bool_mask = {data.triangle.data(), 0, 0, row, keys};
       },
       [](std::uint32_t, std::uint32_t, std::int64_t distance) { return distance < 0 ? closed : 0.0; }},
      {"softcap", [](AttentionInputs&, AttentionOptions& o) { o.softcap = 20.0F; }, nothing, 20.0},
      {"alibi", [&data](AttentionInputs&, AttentionOptions& o) { o.alibi_slopes = data.slopes.data(); },
       [&data](std::uint32_t, std::uint32_t, std::int64_t distance) {
         return -double{data.slopes[0]} * static_cast<double>(std::abs(distance));
       }},
      {"relative_bias",
       [&data](AttentionInputs&, AttentionOptions& o) {
         o.relative_bias = {data.relative.data(), 0, 128, 128};
       },
       [&data](std::uint32_t, std::uint32_t, std::int64_t distance) {
         const std::int64_t index = std::min<std::int64_t>(std::max<std::int64_t>(-distance, -128), 128) + 128;
         return double{data.relative[static_cast<std::size_t>(index)]};
       }},
      {"sinks", [&data](AttentionInputs&, AttentionOptions& o) { o.sink_logits = data.sinks.data(); }, nothing, 0, 1.5},
  };
}

/// Pairs of query and key that an option leaves, as a part of all.
double part_left(const Option& option, const AttentionShape& shape) {
  if (option.name != "window" && option.name != "bool_triangle") return 1;
  double seen = 0;
  for (std::int64_t query = 0; query < shape.queries; ++query) {
    for (std::int64_t key = 0; key < shape.keys; ++key) {
      const std::int64_t distance = query + shape.keys - shape.queries - key;
      if (option.added(static_cast<std::uint32_t>(query), static_cast<std::uint32_t>(key), distance) == 0) ++seen;
    }
  }
  return seen / (static_cast<double>(shape.queries) * shape.keys);
}

/// Keys that sixteen queries side by side, a group of a tile, have to multiply at least: what one of them sees, the
/// vectors of all do. On average, for an option whose rows see a range of keys.
std::uint32_t touched_keys(const Option& option, const AttentionShape& shape) {
  std::uint32_t sum = 0;
  std::uint32_t groups = 0;
  for (std::uint32_t first = 0; first < shape.queries; first += panel_width, ++groups) {
    for (std::uint32_t key = 0; key < shape.keys; ++key) {
      bool seen = false;
      for (std::uint32_t query = first; !seen && query < std::min(first + panel_width, shape.queries); ++query) {
        seen = option.added(query, key, std::int64_t{query} + shape.keys - shape.queries - key) == 0;
      }
      sum += seen ? 1 : 0;
    }
  }
  return sum / groups;
}

/// Where an option hides whole keys, the limit of its relative_time: a plain call of the same queries over as many keys
/// as they touch has no mask, and no hidden pair beyond those that no vector can leave out.
void add_limit(const Option& option, const AttentionShape& shape, Subject& subject) {
  AttentionShape touched = shape;
  touched.keys = touched_keys(option, shape);
  const auto limit = std::make_shared<AttentionCase>(touched);
  subject.beside_too = {.counter = "to_touched_keys", .call = [limit] { limit->run(); }};
  subject.count_more = [](benchmark::State& state) {
    state.counters["touched_keys"] = state.counters["relative_time"] / state.counters["to_touched_keys"];
  };
}

void add_all(const AttentionShape& shape) {
  const auto data = std::make_shared<OptionData>(shape.queries, shape.keys);
  for (const Option& option : options_over(*data, shape.keys)) {
    const std::string name = "option/" + option.name + "/q:" + std::to_string(shape.queries);
    const double part = part_left(option, shape);
    Work work = work_of(shape);
    work.flop *= part;
    add_benchmark(name, {.flop = work.flop}, [=] {
      const auto measured = std::make_shared<OptionCase>(shape, option, data);
      const auto beside = std::make_shared<AttentionCase>(shape);
      measured->run();
      measured->check(name);
      Subject subject{.call = [measured] { measured->run(); },
                      .beside = {.counter = "relative_time", .call = [beside] { beside->run(); }, .work_ratio = part}};
      if (part < 1) add_limit(option, shape, subject);
      return subject;
    });
  }
}

}  // namespace

void add_masks() {
  add_all({.queries = 1024, .keys = 1024});
  add_all({.queries = 1, .keys = 2048, .cached = true});
}

}  // namespace heed::bench
