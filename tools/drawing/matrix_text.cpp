// SPDX-License-Identifier: MIT
#include "drawing/matrix_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <sstream>

#include "support/characters.hpp"

namespace heed::tools {

namespace {

/// A matrix as text, every column aligned on the decimal point.
struct Block {
  std::vector<std::string> lines;
  std::size_t width = 0;
};

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

std::size_t decimals_of(const std::string& number) {
  const std::size_t point = number.find('.');
  return point == std::string::npos ? 0 : number.size() - point - 1;
}

std::size_t most_decimals(const DenseMatrix& matrix) {
  std::size_t most = 0;
  for (const double value : matrix.values) most = std::max(most, decimals_of(shortest(value)));
  return most;
}

/// `own_digits` keeps each number as short as it was printed and pads it; otherwise all get so many decimals.
std::string make_cell(double value, std::size_t decimals, bool own_digits) {
  if (!own_digits) return fixed(value, static_cast<int>(decimals));
  std::string cell = shortest(value);
  const bool without_point = cell.find('.') == std::string::npos;
  const std::size_t missing = decimals - decimals_of(cell) + (without_point && decimals != 0 ? 1 : 0);
  return cell.append(missing, ' ');
}

Block make_block(const DenseMatrix& matrix, std::size_t decimals, bool own_digits) {
  Block block{std::vector<std::string>(matrix.rows), 0};
  for (std::size_t column = 0; column < matrix.columns; ++column) {
    std::vector<std::string> cells;
    std::size_t width = 0;
    for (std::size_t row = 0; row < matrix.rows; ++row) {
      cells.push_back(make_cell(matrix.at(row, column), decimals, own_digits));
      width = std::max(width, cells.back().size());
    }
    const std::size_t gap = column == 0 ? 0 : 1;
    for (std::size_t row = 0; row < matrix.rows; ++row) block.lines[row] += right_aligned(cells[row], gap + width);
    block.width += gap + width;
  }
  return block;
}

std::string scientific(double difference) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), difference == 0.0 ? "%.0f" : "%.1e", difference);
  return buffer.data();
}

}  // namespace

std::string fixed(double value, int decimals) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  const std::string text = buffer.data();
  // "-0.00" is 0 to the digits shown.
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1) : text;
}

std::string without_trailing_blanks(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

void Differences::add(const Comparison& comparison) {
  const auto keep = [&](const std::optional<DenseMatrix>& reference, std::optional<double>& largest) {
    if (!reference) return;
    const double difference = largest_difference(comparison.result, *reference);
    // Not std::max, which would drop a NaN.
    if (!largest || !(difference <= *largest)) largest = difference;
  };
  keep(comparison.exact, from_exact_);
  keep(comparison.printed, from_printed_);
}

std::string Differences::text() const {
  std::string text;
  if (from_exact_) text += scientific(*from_exact_) + " from float64";
  if (from_exact_ && from_printed_) text += ", ";
  if (from_printed_) text += scientific(*from_printed_) + " from the text's digits";
  return text.empty() ? text : "largest difference " + text;
}

std::string to_text(const Comparison& comparison) {
  constexpr std::size_t fewest_decimals = 2;
  constexpr std::size_t usual_decimals = 6;
  const DenseMatrix& reference = comparison.printed ? *comparison.printed : *comparison.exact;
  const bool own_digits = comparison.printed.has_value();
  std::size_t label_width = 0;
  for (const std::string& label : comparison.row_labels) label_width = std::max(label_width, characters_of(label));
  label_width += 2;

  std::size_t decimals = std::min(most_decimals(reference), own_digits ? std::size_t{9} : usual_decimals);
  Block left = make_block(comparison.result, decimals, false);
  Block right = make_block(reference, decimals, own_digits);
  while (!own_digits && decimals > fewest_decimals && label_width + left.width + right.width + 6 > page_width) {
    --decimals;
    left = make_block(comparison.result, decimals, false);
    right = make_block(reference, decimals, false);
  }

  Differences differences;
  differences.add(comparison);
  std::string text = "  " + comparison.name + ": " + differences.text() + '\n';
  text += std::string(label_width + 2, ' ') + left_aligned("heed", left.width + 4);
  text += own_digits ? "text\n" : "float64\n";
  for (std::size_t row = 0; row < comparison.result.rows; ++row) {
    std::string line = right_aligned(comparison.row_labels[row], label_width) + "  " + left.lines[row];
    if (row < right.lines.size()) line += "    " + right.lines[row];
    text += without_trailing_blanks(line) + '\n';
  }
  return text;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string lines;
  std::string line(indent, ' ');
  for (std::string word; words >> word;) {
    if (line.size() > indent && line.size() + 1 + word.size() > width) {
      lines += line + '\n';
      line.assign(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += word;
  }
  return lines + line + '\n';
}

}  // namespace heed::tools
