// SPDX-License-Identifier: MIT
//
// heed_draw_classes FIGURES PICTURE RESULTS...: draws each class of machine as far as it could be measured. For up to
// two ports of a desktop, prefill as a share of the FMA peak; for the targets that are emulated, whose clock says
// nothing, the instructions per scalar multiply-add, from the table FIGURES.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "report/prefill_panel.hpp"

namespace {

using namespace heed::bench;

struct Target {
  std::string name;
  double prefill;
  double decode;
};

/// Keys, and channels of a key and of a value, of the calls that the emulators count.
constexpr double keys = 64;
constexpr double channels = 32;

/// The entries of a line, which tabulators separate.
[[nodiscard]] std::vector<std::string> entries_of(const std::string& line) {
  std::vector<std::string> entries;
  std::istringstream rest(line);
  for (std::string entry; std::getline(rest, entry, '\t');) entries.push_back(entry);
  return entries;
}

/// The instructions per scalar multiply-add in calls of so many queries, from entries that begin with the instructions
/// of a call; an empty one leaves its target as it is. One multiply-add of a vector counts as many scalar ones, so that
/// the bars of all targets mean the same.
void read_instructions(const std::vector<std::string>& entries, double queries, double Target::*to,
                       std::vector<Target>& targets) {
  for (std::size_t i = 0; i < targets.size() && i + 1 < entries.size(); ++i) {
    if (!entries[i + 1].empty()) targets[i].*to = std::atof(entries[i + 1].c_str()) / (2 * queries * keys * channels);
  }
}

[[nodiscard]] std::vector<Target> read_targets(const std::string& table) {
  std::ifstream lines(table);
  std::vector<Target> targets;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> entries = entries_of(line);
    if (entries.empty()) continue;
    if (entries[0] == "figure") {
      for (std::size_t i = 1; i < entries.size(); ++i) targets.push_back({entries[i], 0, 0});
    } else if (entries[0] == "instructions, prefill, 64 queries and keys, head_dim 32") {
      read_instructions(entries, keys, &Target::prefill, targets);
    } else if (entries[0] == "instructions, decode, 64 keys, head_dim 32") {
      read_instructions(entries, 1, &Target::decode, targets);
    }
  }
  std::erase_if(targets, [](const Target& target) { return target.prefill <= 0; });
  return targets;
}

/// The name in two lines, with the compiler left out.
[[nodiscard]] std::pair<std::string, std::string> label(const Target& target) {
  const std::string name = target.name.substr(0, target.name.rfind('-'));
  const std::size_t dash = name.rfind('-');
  if (dash == std::string::npos) return {name, ""};
  return {name.substr(0, dash), name.substr(dash + 1)};
}

void draw_targets(Canvas& canvas, const std::vector<Target>& targets) {
  double most = 1;
  for (const Target& target : targets) most = std::max({most, target.prefill, target.decode});
  const int ticks = static_cast<int>(std::ceil(most));
  const Plot plot{.left = 70, .top = 520, .width = 920, .height = 190, .most = 1.0 * ticks, .ticks = ticks};
  canvas.text(plot.left - 30, 462,
              "Emulated targets: instructions per scalar multiply-add (one of a vector counts as many); less is better",
              {.size = 16, .bold = true});
  canvas.legend_bar(plot.left, 490, "prefill: 64 queries, 64 keys, head_dim 32", own);
  canvas.legend_bar(plot.left + 290, 490, "decode: one query, 64 keys, head_dim 32", own_light);
  canvas.horizontal_lines(plot);
  const double step = plot.width / static_cast<double>(targets.size());
  double left = plot.left;
  for (const Target& target : targets) {
    const double width = step * 0.36;
    const auto draw = [&](double x, double value, const char* colour) {
      const double height = value / plot.most * plot.height;
      canvas.bar(x, plot.top + plot.height - height, width - 2, height, colour);
      char text[16];
      std::snprintf(text, sizeof text, "%.2f", value);
      canvas.text(x + width / 2 - 1, plot.top + plot.height - height - 4, text, {.size = 10, .anchor = "middle"});
    };
    draw(left + step * 0.14, target.prefill, own);
    draw(left + step * 0.14 + width, target.decode, own_light);
    const auto [first, second] = label(target);
    canvas.text(left + step / 2, plot.top + plot.height + 18, first, {.size = 11, .anchor = "middle"});
    canvas.text(left + step / 2, plot.top + plot.height + 33, second,
                {.size = 11, .anchor = "middle", .colour = "#59636e"});
    left += step;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5) stop("usage: heed_draw_classes FIGURES PICTURE RESULTS...");
  const std::vector<Target> targets = read_targets(argv[1]);
  if (targets.empty()) stop(std::string(argv[1]) + " holds no figures");
  Canvas canvas(1040, 770);
  double left = 70;
  for (int i = 3; i < argc; ++i, left += 510) {
    const Results results = read_results(argv[i]);
    if (i == 3) {
      canvas.text(
          40, 44,
          "heed by class of machine; above, one core of " + plain(results.cpu.substr(0, results.cpu.find(", port"))),
          {.size = 17, .bold = true});
      canvas.text(1000, 44, results.date, {.size = 13, .anchor = "end", .colour = "#59636e"});
    }
    const std::size_t port = results.cpu.find("port ");
    draw_prefill(canvas, results, left,
                 "Prefill with " + (port == std::string::npos ? "this port" : results.cpu.substr(port + 5)) +
                     ": % of its FMA peak");
    std::fprintf(stderr, "%s\n", describe_rounds(results).c_str());
  }
  draw_targets(canvas, targets);
  std::ofstream file(argv[2]);
  file << canvas.finish();
  return file ? 0 : 1;
}
