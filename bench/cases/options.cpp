// SPDX-License-Identifier: MIT
//
// Each option beside the plain call of the same size. Structural masks are compared per visible query-key pair: what
// they skip must not cost anything.
#include "cases/attention_case.hpp"
#include "cases/topics.hpp"

namespace heed::bench {
namespace {

void add_option(const std::string& option, const AttentionShape& plain, const AttentionShape& with_option) {
  const std::string name = "option/" + option + "/q:" + std::to_string(plain.queries);
  const Work work = work_of(with_option);
  const double work_ratio = work.flop / work_of(plain).flop;
  add_benchmark(name, {.flop = work.flop}, [=] {
    const auto measured = std::make_shared<AttentionCase>(with_option);
    const auto beside = std::make_shared<AttentionCase>(plain);
    measured->run();
    measured->check(name);
    return Subject{
        .call = [measured] { measured->run(); },
        .beside = {.counter = "relative_time", .call = [beside] { beside->run(); }, .work_ratio = work_ratio}};
  });
}

void add_all(const AttentionShape& plain) {
  AttentionShape with_option = plain;
  with_option.log_sum_exp_returned = true;
  add_option("log_sum_exp", plain, with_option);
  with_option = plain;
  with_option.weights_returned = true;
  add_option("weights", plain, with_option);
  with_option = plain;
  with_option.visible_keys = plain.keys * 5 / 8;
  add_option("lengths", plain, with_option);
}

}  // namespace

void add_options() {
  AttentionShape plain{.queries = 1024, .keys = 1024};
  add_all(plain);
  AttentionShape causal = plain;
  causal.causal = Causal::top_left;
  add_option("causal", plain, causal);
  plain = {.queries = 1, .keys = 2048, .cached = true};
  add_all(plain);
}

}  // namespace heed::bench
