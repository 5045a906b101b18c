// SPDX-License-Identifier: MIT
#include "options/score_options.hpp"

#include <cmath>
#include <limits>

#include "formats/npy.hpp"
#include "heed/options.hpp"
#include "options/lengths.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// One number per head, of a file [heads].
std::vector<float> read_per_head(const std::string& option, const std::string& file, std::uint32_t heads) {
  FloatArray array = with_option(option, [&] { return read_npy(file); });
  if (array.shape != Shape{heads}) {
    throw Failure(option + " " + file + " " + describe(array.shape) + ": " + describe({heads}) +
                  " is needed, a number per query head");
  }
  return array.values;
}

std::vector<float> standard_slopes(std::uint32_t heads) {
  std::vector<float> slopes(heads);
  require_ok(alibi_slopes(heads, slopes), "--alibi");
  return slopes;
}

}  // namespace

void add_score_options(CLI::App& command, ScoreOptions& options) {
  command
      .add_option("--window", options.window,
                  "keys that a query sees before and after its own position, -1 for all; its position is the one of "
                  "--causal or --query-position")
      ->type_name("LEFT,RIGHT");
  command.add_option("--softcap", options.softcap, "score = NUMBER * tanh(score / NUMBER), before masks; 0 for none")
      ->type_name("NUMBER")
      ->capture_default_str();
  const auto file = [&](const char* name, std::string& place, const char* text) {
    return command.add_option(name, place, text)->type_name("FILE");
  };
  file("--pre-softcap-bias", options.pre_bias,
       "added to the scores before the softcap; broadcasts to the scores' shape");
  options.alibi = file("--alibi", options.alibi_slopes,
                       "score -= slope * distance, slopes [heads]; without a file those of the paper")
                      ->expected(0, 1);
  file("--sink-logits", options.sinks, "logits [heads] that take part in the softmax without a key");
  command.add_flag("--smooth-softmax", options.smooth_softmax, "a sink of 0 for every head");
}

ScoreTerms::ScoreTerms(const ScoreOptions& options, const ScoreSizes& sizes) : options_(options) {
  if (!options.window.empty()) {
    const std::vector<std::int64_t> window = parse_integers("--window", options.window);
    constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
    if (window.size() != 2 || window[0] < -1 || window[1] < -1 || window[0] > limit || window[1] > limit) {
      throw Failure("--window " + options.window + ": two numbers of at least -1 are needed");
    }
    window_left_ = static_cast<std::int32_t>(window[0]);
    window_right_ = static_cast<std::int32_t>(window[1]);
  }
  if (!(options.softcap >= 0.0F) || std::isinf(options.softcap)) {
    throw Failure("--softcap " + std::to_string(options.softcap) + ": a positive number or 0 is needed");
  }
  if (options.smooth_softmax && !options.sinks.empty()) throw Failure("--smooth-softmax excludes --sink-logits");
  if (!options.pre_bias.empty()) {
    pre_bias_ = read_score_array("--pre-softcap-bias", options.pre_bias, sizes);
    if (pre_bias_.is_bool) throw Failure(pre_bias_.name + ": numbers are needed, not truth values");
  }
  if (options.alibi != nullptr && options.alibi->count() > 0) {
    slopes_ = options.alibi_slopes.empty() ? standard_slopes(sizes.heads)
                                           : read_per_head("--alibi", options.alibi_slopes, sizes.heads);
  }
  if (!options.sinks.empty()) sinks_ = read_per_head("--sink-logits", options.sinks, sizes.heads);
}

void ScoreTerms::apply(AttentionOptions& options) const {
  options.left_window = static_cast<std::uint32_t>(window_left_) + 1;  // of -1: all
  options.right_window = static_cast<std::uint32_t>(window_right_) + 1;
  options.softcap = options_.softcap;
  options.pre_softcap_bias = pre_bias_.bias();
  options.alibi_slopes = slopes_.empty() ? nullptr : slopes_.data();
  options.sink_logits = sinks_.empty() ? nullptr : sinks_.data();
  options.smooth_softmax = options_.smooth_softmax;
}

bool ScoreTerms::in_window(std::int64_t position, std::uint32_t key) const {
  if (window_left_ >= 0 && std::int64_t{key} < position - window_left_) return false;
  return window_right_ < 0 || std::int64_t{key} <= position + window_right_;
}

}  // namespace heed::tools
