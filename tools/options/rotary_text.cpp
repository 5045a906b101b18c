// SPDX-License-Identifier: MIT
#include "options/rotary_text.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

using Words = std::vector<std::string_view>;

Words split(std::string_view text, char separator) {
  Words words(1, text);
  while (words.back().find(separator) != std::string_view::npos) {
    const std::string_view last = words.back();
    words.back() = last.substr(0, last.find(separator));
    words.push_back(last.substr(last.find(separator) + 1));
  }
  return words;
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && rest == end;
}

/// The base, the layout and the number of columns.
void apply_rope(const std::string& rope, const std::string& rows, RotaryConfig& config) {
  const std::string where = "--rope " + rope + ", " + rows + ": ";
  const Words words = split(rope, ',');
  bool good = parse_number(words.front(), config.base);
  std::size_t next = 1;
  if (next < words.size() && words[next] == "interleaved") {
    config.layout = RotaryLayout::interleaved;
    ++next;
  }
  const bool with_dims = next < words.size();
  if (with_dims) good = good && parse_number(words[next++], config.rotary_dim);
  if (!good || next != words.size()) {
    throw Failure(where + "BASE, BASE,DIMS, BASE,interleaved or BASE,interleaved,DIMS is needed");
  }
  if (!(config.base > 1.0F) || std::isinf(config.base)) throw Failure(where + "the base must be finite and above 1");
  const std::string head_dim = "head_dim " + std::to_string(config.head_dim);
  if (!with_dims && config.head_dim % 2 != 0) throw Failure(where + head_dim + " is odd: DIMS is needed, even");
  if (with_dims && (config.rotary_dim == 0 || config.rotary_dim % 2 != 0 || config.rotary_dim > config.head_dim)) {
    throw Failure(where + "DIMS must be even and from 2 up to " + head_dim);
  }
}

void require_factor(const std::string& where, const char* name, float factor, float least) {
  if (factor >= least && factor < 0x1p32F) return;
  throw Failure(where + name + " must be at least " + (least == 1.0F ? "1" : "2^-20") + " and below 2^32");
}

/// The kind and its numbers.
void apply_scaling(const std::string& scaling, RotaryConfig& config) {
  const std::string where = "--rope-scaling " + scaling + ": ";
  const Words words = split(scaling, ':');
  const std::string_view kind = words.front();
  const bool yarn = kind == "yarn";
  const bool llama3 = kind == "llama3";
  if (kind == "linear") config.scaling = RotaryScaling::linear;
  if (kind == "ntk") config.scaling = RotaryScaling::ntk;
  if (yarn) config.scaling = RotaryScaling::yarn;
  if (llama3) config.scaling = RotaryScaling::llama3;
  bool good =
      config.scaling != RotaryScaling::none && words.size() >= 2 && parse_number(words[1], config.scaling_factor);
  std::size_t count = 2;
  if (yarn || llama3) {
    good = good && words.size() > count && parse_number(words[count], config.original_max_position);
    ++count;
  }
  if (llama3 && words.size() > count) {
    good = good && words.size() == count + 2 && parse_number(words[count], config.low_freq_factor) &&
           parse_number(words[count + 1], config.high_freq_factor);
    count += 2;
  }
  if (!good || words.size() != count) {
    throw Failure(where +
                  "linear:FACTOR, ntk:FACTOR, yarn:FACTOR:ORIGINAL, llama3:FACTOR:ORIGINAL or "
                  "llama3:FACTOR:ORIGINAL:LOW:HIGH is needed");
  }
  require_factor(where, "FACTOR", config.scaling_factor, 1.0F);
  if ((yarn || llama3) && (config.original_max_position == 0 || config.original_max_position > 1U << 30)) {
    throw Failure(where + "ORIGINAL must be from 1 up to 2^30");
  }
  if (count < 5) return;  // LOW and HIGH are the library's
  require_factor(where, "LOW", config.low_freq_factor, 0x1p-20F);
  require_factor(where, "HIGH", config.high_freq_factor, 0x1p-20F);
  if (!(config.low_freq_factor < config.high_freq_factor)) throw Failure(where + "LOW must be below HIGH");
}

}  // namespace

RotaryPlan parse_rope(const std::string& rope, const std::string& scaling, std::uint32_t head_dim,
                      const std::string& rows) {
  RotaryConfig config{.head_dim = head_dim};
  apply_rope(rope, rows, config);
  if (!scaling.empty()) apply_scaling(scaling, config);
  RotaryPlan plan;
  const Status status = make_plan(config, plan);
  if (status == Status::bad_rotary && config.scaling == RotaryScaling::yarn) {
    throw Failure("--rope-scaling " + scaling + ": ORIGINAL is too small or too large for this base: no pair would " +
                  "keep its frequency, or none would be scaled");
  }
  require_ok(status, "--rope " + rope + (scaling.empty() ? "" : " --rope-scaling " + scaling));
  return plan;
}

}  // namespace heed::tools
