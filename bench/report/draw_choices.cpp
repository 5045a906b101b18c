// SPDX-License-Identifier: MIT
//
// heed_draw_choices PAGE PICTURE: draws what a type of weights and rows costs a trained model against what a product
// takes on two cores, from the table of PAGE, docs/quantization.md, whose heading names the KL divergence. Both axes
// are logarithmic; less is better.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "report/canvas.hpp"
#include "report/results.hpp"

namespace {

using namespace heed::bench;

struct Choice {
  std::string name;
  double divergence;
  double instructions[2];
};

constexpr const char* cores[2] = {"Cortex-M4F", "Cortex-M55"};
constexpr const char* colours[2] = {"#0969da", "#bf3989"};

/// The cells of a line of a table, without the spaces around them.
[[nodiscard]] std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream rest(line);
  for (std::string cell; std::getline(rest, cell, '|');) {
    const std::size_t begin = cell.find_first_not_of(' ');
    cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, cell.find_last_not_of(' ') + 1 - begin));
  }
  if (!cells.empty()) cells.erase(cells.begin());
  return cells;
}

/// The table with a column of KL and one of each core; lines without a divergence are of other things.
[[nodiscard]] std::vector<Choice> read_choices(const std::string& page) {
  std::ifstream lines(page);
  std::vector<Choice> choices;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() >= 4 && cells[1] == "KL" && cells[2] == cores[0] && cells[3] == cores[1]) {
      inside = true;
    } else if (cells.size() < 4) {
      inside = false;
    } else if (inside && std::atof(cells[1].c_str()) > 0) {
      choices.push_back(
          {cells[0], std::atof(cells[1].c_str()), {std::atof(cells[2].c_str()), std::atof(cells[3].c_str())}});
    }
  }
  return choices;
}

/// Decades of either axis, from 10^first.
struct Axis {
  double begin;
  double length;
  int first;
  int decades;

  [[nodiscard]] double at(double value) const { return begin + length * (std::log10(value) - first) / decades; }
};

constexpr Axis across{.begin = 80, .length = 720, .first = -1, .decades = 2};
constexpr Axis upwards{.begin = 470, .length = -390, .first = -4, .decades = 4};

void draw_axes(Canvas& canvas) {
  constexpr Stroke grid{"#d1d9e0"};
  for (int decade = 0; decade <= across.decades; ++decade) {
    const double value = std::pow(10.0, across.first + decade);
    const double x = across.at(value);
    canvas.line({x, upwards.begin}, {x, upwards.begin + upwards.length}, grid, 1);
    char text[16];
    std::snprintf(text, sizeof text, "%g", value);
    canvas.text(x, upwards.begin + 18, text, {.anchor = "middle"});
  }
  for (int decade = 0; decade <= upwards.decades; ++decade) {
    const double value = std::pow(10.0, upwards.first + decade);
    const double y = upwards.at(value);
    canvas.line({across.begin, y}, {across.begin + across.length, y}, grid, 1);
    char text[16];
    std::snprintf(text, sizeof text, "%g", value);
    canvas.text(across.begin - 8, y + 4, text, {.anchor = "end"});
  }
  canvas.text(across.begin + across.length / 2, upwards.begin + 40, "instructions for a product, one row",
              {.anchor = "middle"});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) stop("usage: heed_draw_choices PAGE PICTURE");
  const std::vector<Choice> choices = read_choices(argv[1]);
  if (choices.empty()) stop(std::string(argv[1]) + " has no table of choices");
  Canvas canvas(1040, 530);
  canvas.text(30, 30, "KL divergence from the float model (stories656K), of types of weights by types of rows",
              {.size = 16, .bold = true});
  canvas.text(1020, 30, "less is better", {.anchor = "end"});
  draw_axes(canvas);
  for (int core = 0; core < 2; ++core) {
    canvas.bar(across.begin + 120.0 * core, 48, 10, 10, colours[core]);
    canvas.text(across.begin + 120.0 * core + 16, 57, cores[core], {});
    for (const Choice& choice : choices) {
      const double x = across.at(choice.instructions[core]);
      const double y = upwards.at(choice.divergence);
      const auto number = &choice - choices.data() + 1;
      canvas.bar(x - 4, y - 4, 8, 8, colours[core]);
      // Choices that follow one another may lie close together.
      canvas.text(x, number % 2 == 0 ? y - 8 : y + 16, std::to_string(number), {.size = 11, .anchor = "middle"});
    }
  }
  double y = upwards.begin + upwards.length + 12;
  for (std::size_t i = 0; i < choices.size(); ++i, y += 18) {
    canvas.text(across.begin + across.length + 24, y, std::to_string(i + 1) + "  " + choices[i].name, {});
  }
  std::ofstream picture(argv[2]);
  picture << canvas.finish();
  picture.close();
  if (!picture) stop(std::string(argv[2]) + " cannot be written");
  return 0;
}
