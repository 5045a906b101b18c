// SPDX-License-Identifier: MIT
#include "report/canvas.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace heed::bench {
namespace {

constexpr const char* faint = "#59636e";

[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...) {
  char text[512];
  std::va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

[[nodiscard]] std::string escape(const std::string& words) {
  std::string result;
  for (const char c : words) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

/// Where a size stands: all at the same distance.
[[nodiscard]] double place(const Plot& plot, const std::vector<int>& sizes, double size) {
  const auto at = std::find(sizes.begin(), sizes.end(), static_cast<int>(std::lround(size))) - sizes.begin();
  return plot.left + plot.width * (static_cast<double>(at) + 0.5) / static_cast<double>(sizes.size());
}

[[nodiscard]] double height_of(const Plot& plot, double value) {
  return plot.top + plot.height * (1 - value / plot.most);
}

}  // namespace

Canvas::Canvas(int width, int height) {
  svg_ = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
      "font-family=\"Inter, Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
      width, height, width, height);
}

void Canvas::text(double x, double y, const std::string& words, const TextStyle& style) {
  svg_ += format("<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\" text-anchor=\"%s\" fill=\"%s\"%s>", x, y, style.size,
                 style.anchor, style.colour, style.bold ? " font-weight=\"600\"" : "");
  svg_ += escape(words) + "</text>\n";
}

void Canvas::bar(double x, double y, double width, double height, const char* colour) {
  svg_ +=
      format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, width, height, colour);
}

void Canvas::line(Point from, Point to, const Stroke& stroke, double width) {
  svg_ += format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"%s/>\n",
                 from.x, from.y, to.x, to.y, stroke.colour, width, stroke.dashed ? " stroke-dasharray=\"5 4\"" : "");
}

void Canvas::horizontal_lines(const Plot& plot) {
  for (int tick = 0; tick <= plot.ticks; ++tick) {
    const double value = plot.most * tick / plot.ticks;
    const double y = height_of(plot, value);
    line({plot.left, y}, {plot.left + plot.width, y}, {tick == 0 ? faint : "#e4e7eb"}, 1);
    text(plot.left - 8, y + 4, format("%.0f", value), {.anchor = "end", .colour = faint});
  }
}

void Canvas::axes(const Plot& plot, const std::vector<int>& sizes, const std::string& title) {
  horizontal_lines(plot);
  for (const int size : sizes) {
    text(place(plot, sizes, size), plot.top + plot.height + 18, std::to_string(size),
         {.anchor = "middle", .colour = faint});
  }
  text(plot.left + plot.width / 2, plot.top + plot.height + 37, title, {.anchor = "middle", .colour = faint});
}

void Canvas::curve(const Plot& plot, const std::vector<Point>& points, const std::vector<int>& sizes,
                   const Stroke& stroke) {
  const auto on_canvas = [&](const Point& point) {
    return Point{place(plot, sizes, point.x), height_of(plot, point.y)};
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point at = on_canvas(points[i]);
    if (i != 0) line(on_canvas(points[i - 1]), at, stroke, 2.2);
    svg_ += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\" fill=\"%s\"/>\n", at.x, at.y, stroke.colour);
  }
}

void Canvas::legend_line(double x, double y, const std::string& label, const Stroke& stroke) {
  line({x, y - 4}, {x + 26, y - 4}, stroke, 2.2);
  text(x + 33, y, label, {});
}

void Canvas::legend_bar(double x, double y, const std::string& label, const char* colour) {
  bar(x, y - 10, 12, 12, colour);
  text(x + 18, y, label, {});
}

}  // namespace heed::bench
