// SPDX-License-Identifier: MIT
#include "report/prefill_panel.hpp"

namespace heed::bench {

std::string plain(std::string name) {
  for (const char* mark : {"(R)", "(TM)", " Processor"}) {
    for (std::size_t at = name.find(mark); at != std::string::npos; at = name.find(mark)) {
      name.erase(at, std::char_traits<char>::length(mark));
    }
  }
  return name;
}

std::vector<Point> collect(const Results& results, const std::string& prefix, const std::vector<int>& sizes,
                           const char* counter, const std::function<double(std::vector<double>)>& choose) {
  std::vector<Point> points;
  for (const int size : sizes) {
    const auto* values = find_values(results, prefix + std::to_string(size), counter);
    if (values != nullptr) points.push_back({static_cast<double>(size), choose(*values)});
  }
  return points;
}

void draw_prefill(Canvas& canvas, const Results& results, double left, const std::string& heading) {
  const std::vector<int> sizes{64, 128, 256, 512, 1024, 2048, 4096};
  const Plot plot{.left = left, .top = 110, .width = 430, .height = 250, .most = 100, .ticks = 5};
  canvas.text(plot.left - 30, 78, heading, {.size = 16, .bold = true});
  canvas.axes(plot, sizes, "queries and keys");
  const struct {
    const char* prefix;
    const char* label;
    Stroke stroke;
  } lines[] = {{"prefill/d:128/n:", "head_dim 128", {own_dark}},
               {"prefill/d:64/n:", "head_dim 64", {own}},
               {"prefill/d:32/n:", "head_dim 32", {own_light}},
               {"causal/d:64/n:", "head_dim 64, causal (useful FLOP)", {own, true}}};
  double legend = plot.top + plot.height - 76;
  for (const auto& line : lines) {
    canvas.curve(plot, collect(results, line.prefix, sizes, "peak_percent"), sizes, line.stroke);
    canvas.legend_line(plot.left + 180, legend, line.label, line.stroke);
    legend += 19;
  }
}

}  // namespace heed::bench
