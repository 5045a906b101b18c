// SPDX-License-Identifier: MIT
#include "support/stage_differences.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <utility>

#include "drawing/colour.hpp"
#include "drawing/matrix_text.hpp"
#include "drawing/svg.hpp"

namespace heed::tools {

namespace {

constexpr std::array stage_columns{Stage::embedding, Stage::attention, Stage::cross_attention,
                                   Stage::mlp,       Stage::block,     Stage::output};
constexpr double stage_width = 118;
constexpr double stage_height = 30;
constexpr double block_label_width = 70;
constexpr double stage_heading_height = 96;  ///< title, subtitles and the names of the columns
constexpr double stage_legend_width = 260;

using StageCell = std::pair<std::uint32_t, std::string>;  ///< block, stage
using StageCells = std::map<StageCell, double>;

/// What is no number is more than any number.
bool exceeds(double left, double right) {
  return std::isnan(left) ? !std::isnan(right) : left > right;
}

StageCells largest_of_passes(const std::vector<StageDifference>& differences) {
  // An observer is told block 0 of the output, which comes after the last.
  std::uint32_t last = 0;
  for (const StageDifference& difference : differences) last = std::max(last, difference.block);
  StageCells cells;
  for (const StageDifference& difference : differences) {
    const std::uint32_t block = difference.stage == to_string(Stage::output) ? last : difference.block;
    const auto [cell, first] = cells.try_emplace({block, difference.stage}, difference.relative());
    if (!first && exceeds(difference.relative(), cell->second)) cell->second = difference.relative();
  }
  return cells;
}

/// Whole powers of ten around all differences but 0.
class DecadeScale {
 public:
  explicit DecadeScale(const StageCells& cells) {
    double smallest = std::numeric_limits<double>::infinity(), largest = 0;
    for (const auto& [cell, difference] : cells) {
      if (!std::isfinite(difference) || difference == 0) continue;
      smallest = std::min(smallest, difference);
      largest = std::max(largest, difference);
    }
    if (largest == 0) return;
    low_ = static_cast<int>(std::floor(std::log10(smallest)));
    high_ = std::max(static_cast<int>(std::ceil(std::log10(largest))), low_ + 1);
  }

  /// 0 has the lightest colour, whatever the scale.
  [[nodiscard]] double position(double difference) const {
    if (difference == 0) return 0;
    if (!std::isfinite(difference)) return 1;
    return (std::log10(difference) - low_) / (high_ - low_);
  }

  [[nodiscard]] bool is_empty() const { return high_ == low_; }
  [[nodiscard]] std::string low() const { return "1e" + std::to_string(low_); }
  [[nodiscard]] std::string high() const { return "1e" + std::to_string(high_); }

 private:
  int low_ = 0;
  int high_ = 0;
};

std::string draw_cell(double difference, const DecadeScale& scale, double left, double top) {
  const Colour fill = ramp(scale.position(difference));
  const bool dark_ink = ink_on(fill) == ink_on(ramp(0.0));
  return rectangle(left + 1, top + 1, stage_width - 2, stage_height - 2, to_hex(fill)) +
         text_at(left + stage_width / 2, top + stage_height / 2 + 4.5, dark_ink ? "value" : "value light",
                 difference == 0 ? "0" : difference_text(difference));
}

}  // namespace

StageDifference difference_of(const StageArray& left, const StageArray& right) {
  const std::vector<float>& a = left.array.values;
  const std::vector<float>& b = right.array.values;
  StageDifference result{.block = left.block, .stage = left.stage, .values = a.size()};
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (const float value : {a[i], b[i]}) {
      if (std::isfinite(value)) result.scale = std::max(result.scale, std::fabs(double{value}));
    }
    if (std::bit_cast<std::uint32_t>(a[i]) == std::bit_cast<std::uint32_t>(b[i])) continue;
    ++result.changed;
    const double difference = std::fabs(double{a[i]} - double{b[i]});
    const double counted = std::isfinite(difference) ? difference : std::numeric_limits<double>::quiet_NaN();
    if (exceeds(counted, result.largest)) result.largest = counted;
  }
  return result;
}

std::string difference_text(double difference) {
  if (!std::isfinite(difference)) return "not finite";
  if (difference == 0) return "0";
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", difference);
  return text;
}

std::string to_svg(const std::vector<StageDifference>& differences, const std::string& left, const std::string& right) {
  const StageCells cells = largest_of_passes(differences);
  const DecadeScale scale(cells);
  std::vector<std::string> columns;
  for (const Stage stage : stage_columns) {
    const auto of_stage = [&](const auto& cell) { return cell.first.second == to_string(stage); };
    if (std::any_of(cells.begin(), cells.end(), of_stage)) columns.emplace_back(to_string(stage));
  }
  std::vector<std::uint32_t> blocks;
  for (const auto& [cell, difference] : cells) {
    if (blocks.empty() || blocks.back() != cell.first) blocks.push_back(cell.first);
  }
  const std::string sides = left + " and " + right;
  const std::string meaning = "Largest difference of all passes, as a part of the stage's largest value.";
  std::string body = text_at(svg_margin, svg_margin + 20, "heading", "Where two runs of a model differ") +
                     text_at(svg_margin, svg_margin + 44, "subtitle", sides) +
                     text_at(svg_margin, svg_margin + 62, "subtitle", meaning);
  const double first_left = svg_margin + block_label_width;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    body += text_at(first_left + stage_width * (static_cast<double>(column) + 0.5),
                    svg_margin + stage_heading_height - 6, "column", columns[column]);
  }
  double y = svg_margin + stage_heading_height;
  for (const std::uint32_t block : blocks) {
    body += text_at(first_left - 10, y + stage_height / 2 + 4.5, "row", "block " + std::to_string(block));
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const auto cell = cells.find({block, columns[column]});
      if (cell == cells.end()) continue;
      body += draw_cell(cell->second, scale, first_left + stage_width * static_cast<double>(column), y);
    }
    y += stage_height;
  }
  if (!scale.is_empty()) body += draw_scale(first_left, y + 18, stage_legend_width, scale.low(), scale.high());
  const double width = std::max({block_label_width + stage_width * static_cast<double>(columns.size()),
                                 estimated_width(sides, 12.5), estimated_width(meaning, 12.5), 420.0});
  return svg_document(width + 2 * svg_margin, y + 46 + svg_margin, body);
}

}  // namespace heed::tools
