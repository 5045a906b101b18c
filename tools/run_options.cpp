// SPDX-License-Identifier: MIT
#include "run_options.hpp"

#include <charconv>
#include <system_error>

#include "failure.hpp"
#include "heed/layout.hpp"
#include "npy.hpp"

namespace heed::tools {

namespace {

ScoreStage parse_stage(const std::string& text) {
  if (text == "raw") return ScoreStage::raw;
  if (text == "capped") return ScoreStage::capped;
  if (text == "biased") return ScoreStage::biased;
  return ScoreStage::weights;
}

}  // namespace

void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_option("--causal", options.causal, "none, top-left, bottom-right, or query i sees keys j <= i + OFFSET")
      ->type_name("OFFSET")
      ->capture_default_str();
  command.add_option("--lengths", options.lengths, "number of keys that exist, int32 or int64 [batch]")
      ->type_name("FILE");
  command.add_option("--scale", options.scale, "scale of the scores; 0 means 1 / sqrt(head_dim)")
      ->type_name("NUMBER")
      ->capture_default_str();
  command.add_option("--scores", options.scores, "write scores [batch, heads, queries, keys]")->type_name("FILE");
  command.add_option("--stage", options.stage, "which scores: raw, capped, biased or weights (unless given)")
      ->type_name("STAGE")
      ->check(CLI::IsMember({"raw", "capped", "biased", "weights"}).description(""));
  command.add_option("--lse", options.log_sum_exp, "write log-sum-exp [batch, heads, queries]")->type_name("FILE");
  command.add_option("--workers", options.workers, "threads, 1 to 64; the result does not depend on it")
      ->type_name("COUNT")
      ->check(CLI::Range(1U, max_workers).description(""))
      ->capture_default_str();
}

CausalMask parse_causal(const std::string& text) {
  if (text == "none") return {Causal::none, 0};
  if (text == "top-left") return {Causal::top_left, 0};
  if (text == "bottom-right") return {Causal::bottom_right, 0};
  CausalMask mask{Causal::offset, 0};
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, mask.offset);
  if (error != std::errc{} || behind != end) {
    throw Failure("--causal " + text + ": neither none, top-left, bottom-right nor a whole number of 32 bits");
  }
  return mask;
}

RunSettings::RunSettings(const RunOptions& options, std::uint32_t batch, std::uint32_t heads, std::uint32_t queries,
                         std::uint32_t keys)
    : options_(options), causal_(parse_causal(options.causal)), stage_(parse_stage(options.stage)) {
  if (!options.stage.empty() && options.scores.empty()) throw Failure("--stage means nothing without --scores");
  if (!options.lengths.empty()) lengths_ = read_npy_lengths(options.lengths, batch, keys);
  if (!options.scores.empty()) scores_ = zeros({batch, heads, queries, keys}, options.scores);
  if (!options.log_sum_exp.empty()) log_sum_exp_ = zeros({batch, heads, queries}, options.log_sum_exp);
  if (options.workers > 1) pool_.emplace(options.workers);
}

MutableTensor RunSettings::score_view() {
  if (scores_.values.empty()) return {};
  return heads_first(scores_.values.data(), scores_.shape[1], scores_.shape[2], scores_.shape[3]);
}

Executor RunSettings::executor() {
  return pool_ ? pool_->executor() : Executor{};
}

void RunSettings::collect(OutputFiles& files) const {
  if (!options_.scores.empty()) files.add(options_.scores, npy_bytes(scores_));
  if (!options_.log_sum_exp.empty()) files.add(options_.log_sum_exp, npy_bytes(log_sum_exp_));
}

}  // namespace heed::tools
