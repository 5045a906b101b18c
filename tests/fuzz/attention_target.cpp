// SPDX-License-Identifier: MIT
//
// attend() with options against double precision: the bytes choose the shape, the options and how they lie in memory.
#include <cmath>

#include "fuzz/choices.hpp"
#include "fuzz/target.hpp"
#include "options/options_random.hpp"
#include "options/options_reference.hpp"

namespace heed::test::fuzz {
namespace {

OptionsCase case_of(Choices& choices) {
  constexpr std::uint32_t dims[] = {1, 2, 3, 8, 15, 16, 17, 33};
  constexpr float scales[] = {0.0F, 1.0F, -0.5F, 0.125F};
  AttentionShape shape;
  shape.kv_heads = 1 + choices.below(2);
  shape.heads = shape.kv_heads * (1 + choices.below(2));
  shape.batch = 1 + choices.below(2);
  shape.queries = 1 + choices.below(choices.below(8) == 0 ? 20 : 5);
  shape.keys = choices.below(choices.below(4) == 0 ? 140 : 20);
  shape.head_dim = dims[choices.below(8)];
  shape.value_dim = dims[choices.below(8)];
  OptionsCase c;
  Random random(choices.byte());
  c.base = random_case(random, shape, 1.0F + static_cast<float>(choices.below(8)));
  c.base.scale = scales[choices.below(4)];
  return c;
}

OptionsManner manner_of(Choices& choices, const AttentionShape& shape) {
  constexpr std::uint32_t budgets[] = {0, 1, 4096, 40000};
  OptionsManner manner;
  manner.base.scratch_budget = budgets[choices.below(4)];
  manner.base.from_cache = choices.coin();
  manner.base.rows_first_layout = choices.coin();
  if (choices.coin()) manner.base.max_keys = std::max(shape.keys, 1U);
  manner.base.want_scores = true;
  manner.base.stage = score_stages[choices.below(4)];
  manner.format = static_cast<MaskFormat>(choices.below(2));
  manner.padding = choices.below(4);
  manner.backwards = choices.coin();
  return manner;
}

void require_near(const std::vector<float>& got, const std::vector<double>& wanted, const std::vector<double>& bound,
                  const char* what) {
  require(got.size() == wanted.size(), what);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double x = got[i];
    require(x == wanted[i] || std::abs(x - wanted[i]) <= bound[i], what);
  }
}

}  // namespace

Corpus corpus() {
  Corpus made;
  Random random(1);
  for (std::uint32_t i = 0; i < 12; ++i) {
    std::string input(48, '\0');
    for (char& byte : input) byte = static_cast<char>(random.bits());
    made.seeds.push_back(input);
  }
  return made;
}

bool run(std::span<const std::byte> bytes) {
  Choices choices(bytes);
  OptionsCase c = case_of(choices);
  const OptionsManner manner = manner_of(choices, c.base.shape);
  const std::uint32_t options = choices.word();
  for (std::uint32_t option = 0; option < option_count; ++option) {
    if ((options >> option & 1) == 0) continue;
    Random random(choices.byte());
    add_option(random, c, static_cast<Option>(option));
  }
  const Result got = try_run(c, manner);
  require(got.status == Status::ok, "a sound call is not refused");
  const OptionsExpected expected = reference_attention(c);
  const auto stage = static_cast<std::size_t>(manner.base.stage);
  require_near(got.output, expected.output, expected.output_bound, "the output is near double precision");
  require_near(got.log_sum_exp, expected.log_sum_exp, expected.log_sum_exp_bound, "the log-sum-exp is near it");
  require_near(got.scores, expected.scores[stage], expected.score_bound[stage], "the scores are near it");
  return true;
}

}  // namespace heed::test::fuzz
