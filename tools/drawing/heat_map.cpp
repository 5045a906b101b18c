// SPDX-License-Identifier: MIT
#include "drawing/heat_map.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "drawing/colour.hpp"
#include "drawing/matrix_text.hpp"
#include "support/characters.hpp"

namespace heed::tools {

namespace {

constexpr std::size_t cell_width = 9;
constexpr std::size_t gap = 1;
constexpr std::size_t map_gap = 3;
constexpr int decimals = 3;

/// Five steps from blank to full.
std::string shade(double position) {
  constexpr std::array<const char*, 5> steps{" ", "░", "▒", "▓", "█"};
  const auto index = static_cast<std::size_t>(std::clamp(position, 0.0, 1.0) * steps.size());
  return steps[std::min(index, steps.size() - 1)];
}

std::string ground(const Colour& colour, TerminalColours colours, bool behind) {
  const std::string layer = behind ? "48" : "38";
  if (colours == TerminalColours::palette) return layer + ";5;" + std::to_string(palette_index(colour));
  return layer + ";2;" + std::to_string(colour.red) + ";" + std::to_string(colour.green) + ";" +
         std::to_string(colour.blue);
}

std::string cell(double weight, double position, TerminalColours colours) {
  const std::string number = fixed(weight, decimals);
  if (colours == TerminalColours::none) {
    const std::string block = shade(position);
    return right_aligned(block + block + block + " " + number, cell_width);
  }
  const Colour behind = ramp(position);
  const std::string text = right_aligned(number + "  ", cell_width);
  return "\x1b[" + ground(behind, colours, true) + ";" + ground(ink_on(behind), colours, false) + "m" + text +
         "\x1b[0m";
}

std::string shortened(const std::string& label) {
  return characters_of(label) <= cell_width ? label : label.substr(0, cell_width);
}

std::vector<std::string> map_lines(const HeatMapGroup& group, const HeatMap& map, std::size_t label_width,
                                   TerminalColours colours) {
  std::vector<std::string> lines;
  const std::size_t width = label_width + group.columns.size() * (cell_width + gap);
  if (!map.title.empty()) lines.push_back(left_aligned(std::string(label_width + gap, ' ') + map.title, width));
  std::string header(label_width, ' ');
  for (const std::string& column : group.columns) header += right_aligned(shortened(column), gap + cell_width);
  lines.push_back(header);
  for (std::size_t row = 0; row < map.weights.rows; ++row) {
    std::string line = right_aligned(group.rows[row], label_width);
    for (std::size_t column = 0; column < map.weights.columns; ++column) {
      const double weight = map.weights.at(row, column);
      line += std::string(gap, ' ') + cell(weight, group.position(weight), colours);
    }
    lines.push_back(line);
  }
  return lines;
}

std::string legend(const HeatMapGroup& group, TerminalColours colours) {
  std::string text = "scale: " + fixed(group.smallest(), decimals) + " ";
  for (int step = 0; step < 5; ++step) {
    const double position = step / 4.0;
    if (colours == TerminalColours::none) {
      text += shade(position) + shade(position);
    } else {
      text += "\x1b[" + ground(ramp(position), colours, true) + "m  \x1b[0m";
    }
  }
  return text + " " + fixed(group.largest(), decimals);
}

}  // namespace

double HeatMapGroup::smallest() const {
  double smallest = std::numeric_limits<double>::infinity();
  for (const HeatMap& map : maps) smallest = std::min(smallest, *std::ranges::min_element(map.weights.values));
  return smallest;
}

double HeatMapGroup::largest() const {
  double largest = 0.0;
  for (const HeatMap& map : maps) largest = std::max(largest, *std::ranges::max_element(map.weights.values));
  return largest;
}

double HeatMapGroup::position(double weight) const {
  const double range = largest() - smallest();
  return range > 0.0 ? (weight - smallest()) / range : 1.0;
}

TerminalColours terminal_colours() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
  };
  if (!variable("NO_COLOR").empty() || isatty(STDOUT_FILENO) == 0) return TerminalColours::none;
  if (variable("TERM").empty() || variable("TERM") == "dumb") return TerminalColours::none;
  const std::string_view depth = variable("COLORTERM");
  return depth == "truecolor" || depth == "24bit" ? TerminalColours::full : TerminalColours::palette;
}

std::string to_text(const HeatMapGroup& group, TerminalColours colours) {
  std::size_t label_width = 0;
  for (const std::string& label : group.rows) label_width = std::max(label_width, characters_of(label));
  label_width += 2;
  const std::size_t width = label_width + group.columns.size() * (cell_width + gap);
  const std::size_t across = std::max<std::size_t>(1, (page_width + map_gap) / (width + map_gap));
  std::string text;
  for (std::size_t first = 0; first < group.maps.size(); first += across) {
    std::vector<std::string> lines;
    for (std::size_t i = first; i < std::min(first + across, group.maps.size()); ++i) {
      const std::vector<std::string> more = map_lines(group, group.maps[i], label_width, colours);
      lines.resize(more.size());
      const std::string before(i == first ? 0 : map_gap, ' ');
      for (std::size_t line = 0; line < more.size(); ++line) lines[line] += before + more[line];
    }
    for (const std::string& line : lines) text += without_trailing_blanks(line) + '\n';
    text += '\n';
  }
  return text + std::string(label_width + gap, ' ') + legend(group, colours) + '\n';
}

}  // namespace heed::tools
