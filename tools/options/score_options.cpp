// SPDX-License-Identifier: MIT
#include "options/score_options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "formats/npy.hpp"
#include "heed/options.hpp"
#include "options/count_option.hpp"
#include "support/failure.hpp"
#include "support/printable.hpp"

namespace heed::tools {

namespace {

constexpr std::uint32_t most_window = 1U << 31;

/// One number per head, of a file [heads].
std::vector<float> read_per_head(const std::string& option, const std::string& file, std::uint32_t heads) {
  FloatArray array = with_option(option, [&] { return read_npy(file); });
  if (array.shape != Shape{heads}) {
    throw Failure(option + " " + file + " " + describe(array.shape) + ": " + describe({heads}) +
                  " is needed, a number per query head");
  }
  return array.values;
}

/// A Failure names the head whose number is none that is `good`.
template <class Good>
void require_each(const std::string& option, const std::string& file, const std::vector<float>& numbers,
                  const std::string& needed, Good good) {
  const auto bad = std::find_if_not(numbers.begin(), numbers.end(), good);
  if (bad == numbers.end()) return;
  throw Failure(option + " " + file + ": head " + std::to_string(bad - numbers.begin()) + " has " + number_text(*bad) +
                ", and " + needed + " is needed");
}

std::vector<float> standard_slopes(std::uint32_t heads) {
  std::vector<float> slopes(heads);
  require_ok(alibi_slopes(heads, slopes), "--alibi");
  return slopes;
}

}  // namespace

void add_score_options(CLI::App& command, ScoreOptions& options) {
  const auto window = [&](const char* name, std::uint32_t& place, const char* text) {
    command.add_option(name, place, text)->type_name("COUNT")->check(whole_number(0, most_window));
  };
  window("--left-window", options.left_window,
         "keys that a query sees up to its own position, that one included; 0 for all. Its position is the one of "
         "--causal or --query-position");
  window("--right-window", options.right_window,
         "keys that it sees from its own position on, that one included; 0 for all");
  // Of earlier releases, with another meaning of the same numbers.
  command.add_option("--window", options.window)->group("");
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
    throw Failure("--window " + options.window +
                  ": give --left-window and --right-window, which count the query's own key: LEFT + 1 and RIGHT + 1, " +
                  "and 0 in place of -1");
  }
  const bool capped = options.softcap >= detail::least_softcap && options.softcap <= detail::greatest_softcap;
  if (options.softcap != 0.0F && !capped) {
    throw Failure("--softcap " + number_text(options.softcap) + ": 0, or a number from 1e-30 to 1e30, is needed");
  }
  if (options.smooth_softmax && !options.sinks.empty()) throw Failure("--smooth-softmax excludes --sink-logits");
  if (!options.pre_bias.empty()) {
    pre_bias_ = read_score_array("--pre-softcap-bias", options.pre_bias, sizes);
    if (pre_bias_.is_bool) throw Failure(pre_bias_.name + ": numbers are needed, not truth values");
  }
  if (options.alibi != nullptr && options.alibi->count() > 0) {
    slopes_ = options.alibi_slopes.empty() ? standard_slopes(sizes.heads)
                                           : read_per_head("--alibi", options.alibi_slopes, sizes.heads);
    require_each("--alibi", options.alibi_slopes, slopes_, "a finite number",
                 [](float slope) { return std::isfinite(slope); });
  }
  if (!options.sinks.empty()) {
    sinks_ = read_per_head("--sink-logits", options.sinks, sizes.heads);
    // As the library takes them: the softmax counts in powers of 2.
    require_each("--sink-logits", options.sinks, sinks_, "a number below 2.358e38, or -inf for no sink",
                 [](float sink) { return sink * std::numbers::log2e_v<float> <= std::numeric_limits<float>::max(); });
  }
}

void ScoreTerms::apply(AttentionOptions& options) const {
  options.left_window = options_.left_window;
  options.right_window = options_.right_window;
  options.softcap = options_.softcap;
  options.pre_softcap_bias = pre_bias_.bias();
  options.alibi_slopes = slopes_.empty() ? nullptr : slopes_.data();
  options.sink_logits = sinks_.empty() ? nullptr : sinks_.data();
  options.smooth_softmax = options_.smooth_softmax;
}

bool ScoreTerms::in_window(std::int64_t position, std::uint32_t key) const {
  const std::int64_t left = options_.left_window;
  const std::int64_t right = options_.right_window;
  return (left == 0 || key > position - left) && (right == 0 || key < position + right);
}

}  // namespace heed::tools
