// SPDX-License-Identifier: MIT
#include "options/run_options.hpp"

#include <cmath>
#include <utility>

#include "formats/npy.hpp"
#include "heed/arena.hpp"
#include "options/count_option.hpp"
#include "options/help_format.hpp"
#include "options/lengths.hpp"
#include "options/output_option.hpp"
#include "options/presence.hpp"
#include "support/failure.hpp"
#include "support/printable.hpp"

namespace heed::tools {

namespace {

ScoreStage parse_stage(const std::string& text) {
  if (text == "raw") return ScoreStage::raw;
  if (text == "softcapped") return ScoreStage::softcapped;
  if (text == "masked") return ScoreStage::masked;
  return ScoreStage::weights;
}

template <class Element>
const Element* data_or_null(const std::vector<Element>& values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

void add_run_options(CLI::App& command, RunOptions& options) {
  begin_group(command, "Masks, biases and windows");
  command
      .add_option(
          "--causal", options.causal,
          "top-left if given alone, bottom-right, onnx (after the past, or else at the end of --key-lengths, or "
          "else top-left), query i sees keys j <= i + OFFSET, or none, as without it")
      ->type_name("[RULE|OFFSET]")
      ->expected(0, 1);
  command
      .add_option("--query-position", options.query_position,
                  "with --causal none: where query 0 stands, for windows and ALiBi; a rule or an offset as for "
                  "--causal; after the past unless given")
      ->type_name("RULE|OFFSET");
  const auto lengths = [&](const char* name, std::string& place, const char* text) {
    command.add_option(name, place, text)->type_name("FILE|LIST");
  };
  lengths("--key-lengths", options.lengths,
          "number of keys that exist: int32 or int64 [batch], or a list such as 9,0,21");
  lengths("--query-lengths", options.query_lengths, "number of queries that exist; the others get 0");
  lengths("--prefix-lengths", options.prefix_lengths, "number of first keys that --causal hides from no query");
  command.add_option("--scale", options.scale, "scale of the scores; 0 means 1 / sqrt(head_dim)")
      ->type_name("NUMBER")
      ->capture_default_str();
  begin_group(command, "Scores");
  add_output(command, "--scores", OutputKind::array, options.scores, "write scores [batch, heads, queries, keys]");
  command.add_option("--stage", options.stage, "which scores: raw, softcapped, masked or weights (unless given)")
      ->type_name("STAGE")
      ->check(CLI::IsMember({"raw", "softcapped", "masked", "weights"}).description(""));
  add_output(command, "--lse", OutputKind::array, options.log_sum_exp, "write log-sum-exp [batch, heads, queries]");
  begin_group(command, "Threads");
  add_count(command, "--workers", options.workers, "threads, 1 to 64; the result does not depend on it", "COUNT",
            max_workers)
      ->capture_default_str();
}

void require_position_used(const CLI::App& command) {
  for (const char* reader : {"--left-window", "--right-window", "--alibi", "--rope"}) {
    if (command.count(reader) != 0) return;
  }
  require_unused(command, {"--query-position"}, "without --left-window, --right-window, --alibi or --rope");
}

RunSettings::RunSettings(const RunOptions& options, const ScoreSizes& sizes, std::optional<std::uint32_t> past,
                         std::uint32_t extra)
    : options_(options),
      stage_(parse_stage(options.stage)),
      causal_(parse_causal(options.causal, options.query_position, past.value_or(0))) {
  const auto [batch, heads, queries, keys] = sizes;
  if (options.scale != 0.0F && !std::isnormal(options.scale)) {
    require_ok(Status::bad_scale, "--scale " + number_text(options.scale));
  }
  if (!options.stage.empty() && options.scores.empty()) throw Failure("--stage means nothing without --scores");
  if (!options.prefix_lengths.empty() && !causal_.hides)
    throw Failure("--prefix-lengths means nothing without --causal");
  if (!options.lengths.empty()) lengths_ = read_lengths("--key-lengths", options.lengths, batch, keys);
  if (!options.query_lengths.empty()) {
    query_lengths_ = read_lengths("--query-lengths", options.query_lengths, batch, queries);
  }
  if (!options.prefix_lengths.empty()) {
    prefix_lengths_ = read_lengths("--prefix-lengths", options.prefix_lengths, batch, keys);
  }
  offsets_ = query_offsets(causal_, {batch, queries, keys, past, lengths_, query_lengths_});
  if (!options.scores.empty()) scores_ = zeros({batch, heads, queries, std::size_t{keys} + extra}, options.scores);
  if (!options.log_sum_exp.empty()) log_sum_exp_ = zeros({batch, heads, queries}, options.log_sum_exp);
  if (options.workers > 1) pool_.emplace(options.workers);
}

void RunSettings::apply(AttentionOptions& options) const {
  options.causal_offsets = data_or_null(offsets_);
  options.query_lengths = data_or_null(query_lengths_);
  options.prefix_lengths = data_or_null(prefix_lengths_);
}

bool RunSettings::visible(std::size_t batch, std::uint32_t query, std::uint32_t key) const {
  if (!lengths_.empty() && key >= lengths_[batch]) return false;
  if (!query_lengths_.empty() && query >= query_lengths_[batch]) return false;
  if (!causal_.hides || std::int64_t{key} <= std::int64_t{query} + offsets_[batch]) return true;
  return !prefix_lengths_.empty() && key < prefix_lengths_[batch];
}

MutableTensor RunSettings::score_view() {
  if (scores_.values.empty()) return {};
  return bhsd(scores_.values.data(), scores_.shape[1], scores_.shape[2], scores_.shape[3]);
}

void RunSettings::average_heads() {
  const Shape& shape = scores_.shape;
  const std::size_t heads = shape[1];
  const std::size_t size = shape[2] * shape[3];  // of one head
  FloatArray mean = zeros({shape[0], shape[2], shape[3]}, options_.scores);
  for (std::size_t i = 0; i < mean.values.size(); ++i) {
    double sum = 0.0;
    for (std::size_t head = 0; head < heads; ++head) {
      sum += static_cast<double>(scores_.values[(i / size * heads + head) * size + i % size]);
    }
    mean.values[i] = static_cast<float>(sum / static_cast<double>(heads));
  }
  scores_ = std::move(mean);
}

Executor RunSettings::executor() {
  return pool_ ? pool_->executor() : Executor{};
}

void RunSettings::collect(OutputFiles& files) const {
  if (!options_.scores.empty()) files.add(options_.scores, npy_bytes(scores_), "--scores");
  if (!options_.log_sum_exp.empty()) files.add(options_.log_sum_exp, npy_bytes(log_sum_exp_), "--lse");
}

}  // namespace heed::tools
