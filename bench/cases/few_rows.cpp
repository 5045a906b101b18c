// SPDX-License-Identifier: MIT
//
// A few query rows over cached keys, as in streaming and speculative decoding: a row must not cost more in company than
// alone, and one row more must not be a cliff.
#include "cases/attention_case.hpp"
#include "cases/topics.hpp"

namespace heed::bench {
namespace {

void add_rows(std::uint32_t keys, std::uint32_t rows) {
  const auto shape = [keys](std::uint32_t queries) {
    return AttentionShape{.queries = queries, .keys = keys, .cached = true};
  };
  const std::string name = "rows/keys:" + std::to_string(keys) + "/rows:" + std::to_string(rows);
  add_benchmark(name, work_of(shape(rows)), [=] {
    const auto measured = std::make_shared<AttentionCase>(shape(rows));
    measured->run();
    measured->check(name);
    const auto beside = [&](const char* counter, std::uint32_t queries) {
      const auto other = std::make_shared<AttentionCase>(shape(queries));
      return Beside{.counter = counter, .call = [other] { other->run(); }, .work_ratio = 1.0 * rows / queries};
    };
    Subject subject{.call = [measured] { measured->run(); },
                    .count_more =
                        [rows](benchmark::State& state) {
                          state.counters["nanoseconds_per_row"] = state.counters["nanoseconds"] / rows;
                        }};
    if (rows > 1) {
      subject.beside = beside("per_row_to_one_row", 1);
      subject.beside_too = beside("per_row_to_one_fewer", rows - 1);
    }
    return subject;
  });
}

}  // namespace

void add_few_rows() {
  for (const std::uint32_t keys : {512U, 2048U}) {
    for (std::uint32_t rows = 1; rows <= 16; ++rows) add_rows(keys, rows);
  }
}

}  // namespace heed::bench
