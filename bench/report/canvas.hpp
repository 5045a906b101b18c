// SPDX-License-Identifier: MIT
//
// The few shapes of the picture, as SVG. Coordinates in pixels, y downwards.
#pragma once

#include <string>
#include <vector>

namespace heed::bench {

struct Point {
  double x;
  double y;
};

/// A rectangle for curves or bars; values from 0 to `most` upwards, with `ticks` steps.
struct Plot {
  double left;
  double top;
  double width;
  double height;
  double most;
  int ticks;
};

struct TextStyle {
  double size = 12;
  bool bold = false;
  const char* anchor = "start";
  const char* colour = "#1f2328";
};

struct Stroke {
  const char* colour;
  bool dashed = false;
};

class Canvas {
 public:
  Canvas(int width, int height);

  void text(double x, double y, const std::string& words, const TextStyle& style);
  void bar(double x, double y, double width, double height, const char* colour);
  void line(Point from, Point to, const Stroke& stroke, double width);

  /// Lines at every step of the values, with the value to the left.
  void horizontal_lines(const Plot& plot);

  /// The same, and the sizes below at equal distances.
  void axes(const Plot& plot, const std::vector<int>& sizes, const std::string& title);

  /// Points of the given sizes with lines between them.
  void curve(const Plot& plot, const std::vector<Point>& points, const std::vector<int>& sizes, const Stroke& stroke);

  void legend_line(double x, double y, const std::string& label, const Stroke& stroke);
  void legend_bar(double x, double y, const std::string& label, const char* colour);

  [[nodiscard]] std::string finish() const { return svg_ + "</svg>\n"; }

 private:
  std::string svg_;
};

}  // namespace heed::bench
