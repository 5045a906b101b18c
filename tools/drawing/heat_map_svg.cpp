// SPDX-License-Identifier: MIT
#include "drawing/heat_map_svg.hpp"

#include <algorithm>
#include <vector>

#include "drawing/colour.hpp"
#include "drawing/matrix_text.hpp"
#include "drawing/svg.hpp"

namespace heed::tools {

namespace {

constexpr double widest_row = 1140;
constexpr double cell_width = 62;
constexpr double cell_height = 36;
constexpr double map_gap = 28;
constexpr double group_gap = 56;
constexpr double heading_height = 84;  ///< the picture's title
constexpr double titles_height = 48;   ///< a group's title and subtitle
constexpr double labels_height = 44;   ///< a map's title and its column labels
constexpr double legend_height = 40;
constexpr double legend_width = 140;

/// A group with its titles split at the colon, and the size it takes up.
struct Panel {
  const HeatMapGroup* group = nullptr;
  std::string title{};
  std::string subtitle{};
  double label_width = 0;
  double map_width = 0;
  double width = 0;
  double height = 0;
};

Panel measure(const HeatMapGroup& group) {
  Panel panel{.group = &group};
  const std::size_t colon = group.title.find(": ");
  panel.title = group.title.substr(0, colon);
  panel.subtitle = colon == std::string::npos ? group.source : group.title.substr(colon + 2) + " · " + group.source;
  for (const std::string& row : group.rows) panel.label_width = std::max(panel.label_width, estimated_width(row, 13));
  panel.label_width += 10;
  panel.map_width = panel.label_width + cell_width * static_cast<double>(group.columns.size());
  const auto maps = static_cast<double>(group.maps.size());
  panel.width = std::max({maps * panel.map_width + (maps - 1) * map_gap, estimated_width(panel.title, 16),
                          estimated_width(panel.subtitle, 12.5), legend_width + 100});
  panel.height = titles_height + labels_height + cell_height * static_cast<double>(group.rows.size()) + legend_height;
  return panel;
}

std::string draw_map(const Panel& panel, const HeatMap& map, double x, double y) {
  const HeatMapGroup& group = *panel.group;
  std::string svg;
  const double left = x + panel.label_width;
  if (!map.title.empty()) svg += text_at(left, y + 14, "head", map.title);
  for (std::size_t column = 0; column < group.columns.size(); ++column) {
    const double centre = left + cell_width * (static_cast<double>(column) + 0.5);
    svg += text_at(centre, y + labels_height - 8, "column", group.columns[column]);
  }
  for (std::size_t row = 0; row < group.rows.size(); ++row) {
    const double top = y + labels_height + cell_height * static_cast<double>(row);
    const double baseline = top + cell_height / 2 + 4.5;
    svg += text_at(left - 10, baseline, "row", group.rows[row]);
    for (std::size_t column = 0; column < group.columns.size(); ++column) {
      const double weight = map.weights.at(row, column);
      const Colour fill = ramp(group.position(weight));
      const double cell_left = left + cell_width * static_cast<double>(column);
      svg += rectangle(cell_left + 1, top + 1, cell_width - 2, cell_height - 2, to_hex(fill));
      const bool dark_ink = ink_on(fill) == ink_on(ramp(0.0));
      svg += text_at(cell_left + cell_width / 2, baseline, dark_ink ? "value" : "value light", fixed(weight, 3));
    }
  }
  return svg;
}

std::string draw_panel(const Panel& panel, double x, double y) {
  const HeatMapGroup& group = *panel.group;
  std::string svg = text_at(x, y + 16, "title", panel.title) + text_at(x, y + 35, "subtitle", panel.subtitle);
  for (std::size_t i = 0; i < group.maps.size(); ++i) {
    const double map_left = x + static_cast<double>(i) * (panel.map_width + map_gap);
    svg += draw_map(panel, group.maps[i], map_left, y + titles_height);
  }
  svg += draw_scale(x + panel.label_width, y + panel.height - 22, legend_width, fixed(group.smallest(), 3),
                    fixed(group.largest(), 3));
  return svg;
}

/// Panels from left to right in rows, like words.
std::vector<std::vector<Panel>> arrange(std::span<const HeatMapGroup> groups) {
  std::vector<std::vector<Panel>> rows;
  double used = 0;
  for (const HeatMapGroup& group : groups) {
    const Panel panel = measure(group);
    if (rows.empty() || used + group_gap + panel.width > widest_row) {
      rows.emplace_back();
      used = -group_gap;
    }
    used += group_gap + panel.width;
    rows.back().push_back(panel);
  }
  return rows;
}

}  // namespace

std::string to_svg(std::span<const HeatMapGroup> groups) {
  std::string body = text_at(svg_margin, svg_margin + 20, "heading", "Attention weights of the worked examples") +
                     text_at(svg_margin, svg_margin + 44, "subtitle",
                             "A row is a query, a column is a key, and every row sums to 1. "
                             "Each example has its own scale. Computed by heed in float32.");
  double y = svg_margin + heading_height;
  double width = 0;
  for (const std::vector<Panel>& row : arrange(groups)) {
    double x = svg_margin;
    double height = 0;
    for (const Panel& panel : row) {
      body += draw_panel(panel, x, y);
      x += panel.width + group_gap;
      height = std::max(height, panel.height);
    }
    width = std::max(width, x - group_gap + svg_margin);
    y += height + group_gap * 0.75;
  }
  return svg_document(width, y, body);
}

}  // namespace heed::tools
