// SPDX-License-Identifier: MIT
#include "drawing/attention_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "drawing/colour.hpp"
#include "drawing/matrix_text.hpp"
#include "drawing/svg.hpp"

namespace heed::tools {

namespace {

constexpr std::uint32_t shades = 32;
constexpr double widest_picture = 1600 - 2 * svg_margin;  ///< but for its margins
constexpr std::uint32_t most_heads_across = 4;
constexpr double least_cell = 2;   ///< as far as the picture's width allows
constexpr double usual_cell = 10;  ///< likewise, where all heads of a row have room for it
constexpr double greatest_cell = 36;
constexpr double usual_map = 280;  ///< a map's width as long as cells are within those two
constexpr double least_map = 64;   ///< its title needs that
constexpr double least_font = 9;   ///< with smaller cells not every token has a label
constexpr double between_maps = 24;
constexpr double between_blocks = 40;
constexpr double block_title_height = 30;
constexpr double head_title_height = 20;
constexpr double scale_height = 34;
constexpr double scale_width = 140;
constexpr double note_height = 18;
constexpr double wide = 1.4;  ///< width by height that a picture comes near to

/// What all blocks of a kind have in common.
struct Frame {
  const AttentionMaps& maps;
  std::uint32_t rows;     ///< that are shown
  std::uint32_t columns;  ///< that are shown
  std::uint32_t across;   ///< heads side by side
  double cell;
  double font;
  std::uint32_t label_step;  ///< every so many rows and columns have a label
  double row_labels;         ///< width
  double column_labels;      ///< height
  double map_width;
  double line_height;  ///< of heads side by side
  double width;        ///< of a block
  double height;       ///< of a block

  Frame(const AttentionMaps& shown, std::uint32_t most)
      : maps(shown), rows(std::min(shown.queries, most)), columns(std::min(shown.keys, most)) {
    const double size = std::max(rows, columns);
    cell = std::clamp(usual_map / size, usual_cell, greatest_cell);
    across = std::min(shown.heads, most_heads_across);
    set_labels();
    if (room() < cell * columns) cell = room() / columns;
    for (; cell < least_cell && across > 1; cell = room() / columns) --across;
    set_labels();
    map_width = std::max(cell * columns, least_map);
    width = std::max(row_labels + across * (map_width + between_maps) - between_maps, scale_width + 120);
    line_height = head_title_height + column_labels + cell * rows;
    const std::uint32_t lines = (shown.heads + across - 1) / across;
    height = block_title_height + lines * (line_height + between_maps) - between_maps + scale_height;
  }

 private:
  void set_labels() {
    font = std::clamp(0.85 * cell, least_font, 12.0);
    label_step = static_cast<std::uint32_t>(std::ceil(1.15 * font / cell));
    row_labels = 8 + widest(maps.rows, rows);
    column_labels = 8 + widest(maps.columns, columns);
  }

  /// Width of a map, with the cells as they are.
  [[nodiscard]] double room() const {
    return std::max(least_map, (widest_picture - row_labels - (across - 1) * between_maps) / across);
  }

  [[nodiscard]] double widest(const std::vector<std::string>& labels, std::uint32_t count) const {
    double most = 0;
    for (std::uint32_t i = 0; i < count; i += label_step) most = std::max(most, estimated_width(labels[i], font));
    return most;
  }
};

/// How many columns of blocks bring the picture near to its shape.
std::size_t blocks_across(const Frame& frame) {
  const double width = frame.width + between_blocks;
  const double height = frame.height + between_blocks;
  const auto blocks = static_cast<double>(frame.maps.blocks.size());
  const double wanted = std::floor(std::sqrt(wide * blocks * height / width) + 0.5);
  const double most = std::floor((widest_picture + between_blocks) / width);
  return static_cast<std::size_t>(std::max(1.0, std::min(wanted, most)));
}

/// 0 for a weight of 0, which is left blank; else 1 to `shades`.
std::uint32_t shade_of(float weight, float largest) {
  if (!(weight > 0.0F)) return 0;
  return 1 + std::min(shades - 1, static_cast<std::uint32_t>(weight / largest * float{shades}));
}

/// Cells of one shade are one path, in units of cells; neighbours in a row are one rectangle.
std::string draw_weights(const Frame& frame, const float* weights, float largest, double left, double top) {
  std::array<std::string, shades + 1> paths;
  for (std::uint32_t row = 0; row < frame.rows; ++row) {
    const float* const line = weights + std::size_t{row} * frame.maps.keys;
    for (std::uint32_t column = 0, end = 0; column < frame.columns; column = end) {
      const std::uint32_t shade = shade_of(line[column], largest);
      for (end = column + 1; end < frame.columns && shade_of(line[end], largest) == shade;) ++end;
      const std::string width = std::to_string(end - column);
      paths[shade] += "M" + std::to_string(column) + " " + std::to_string(row) + "h" + width + "v1h-" + width + "z";
    }
  }
  std::string svg = "<g transform=\"translate(" + fixed(left, 1) + " " + fixed(top, 1) + ") scale(" +
                    fixed(frame.cell, 2) + ")\" shape-rendering=\"crispEdges\">\n";
  for (std::uint32_t shade = 0; shade <= shades; ++shade) {
    if (paths[shade].empty()) continue;
    const std::string fill = shade == 0 ? "#e1e4e8" : to_hex(ramp((shade - 1) / double{shades - 1}));
    svg += "<path fill=\"" + fill + "\" d=\"" + paths[shade] + "\"/>\n";
  }
  return svg + "</g>\n" + rectangle(left, top, frame.cell * frame.columns, frame.cell * frame.rows, "none");
}

std::string draw_labels(const Frame& frame, double left, double top, bool first) {
  std::string svg = "<g font-size=\"" + fixed(frame.font, 1) + "\">\n";
  for (std::uint32_t column = 0; column < frame.columns; column += frame.label_step) {
    svg += text_up(left + frame.cell * (column + 0.5) + 0.35 * frame.font, top - 4, "key", frame.maps.columns[column]);
  }
  for (std::uint32_t row = 0; first && row < frame.rows; row += frame.label_step) {
    svg += text_at(left - 4, top + frame.cell * (row + 0.5) + 0.35 * frame.font, "query", frame.maps.rows[row]);
  }
  return svg + "</g>\n";
}

std::string draw_block(const Frame& frame, std::size_t block, double x, double y) {
  const std::vector<float>& weights = frame.maps.blocks[block];
  const std::size_t size = std::size_t{frame.maps.queries} * frame.maps.keys;
  float largest = 0.0F;
  for (const float weight : weights) largest = weight > largest ? weight : largest;
  std::string svg = text_at(x, y + 16, "title", frame.maps.title + ", block " + std::to_string(block));
  const double first = x + frame.row_labels;
  for (std::uint32_t head = 0; head < frame.maps.heads; ++head) {
    const std::uint32_t column = head % frame.across;
    const double left = first + column * (frame.map_width + between_maps);
    const double line = y + block_title_height + head / frame.across * (frame.line_height + between_maps);
    const double top = line + head_title_height + frame.column_labels;
    svg += text_at(left, line + 12, "head", "head " + std::to_string(head));
    svg += draw_labels(frame, left, top, column == 0);
    svg += draw_weights(frame, weights.data() + head * size, largest, left, top);
  }
  return svg + draw_scale(first, y + frame.height - 22, scale_width, "0", fixed(largest, 3));
}

/// What is left out, if anything is.
std::string cut_note(const Frame& frame) {
  const auto first = [](std::uint32_t shown, std::uint32_t all, const char* what) {
    return "the first " + std::to_string(shown) + " of " + std::to_string(all) + " " + what;
  };
  std::string text;
  if (frame.rows < frame.maps.queries) text = first(frame.rows, frame.maps.queries, "queries");
  if (frame.columns < frame.maps.keys) {
    text += (text.empty() ? "" : " and ") + first(frame.columns, frame.maps.keys, "keys");
  }
  return text.empty() ? text : "Only " + text + " are shown.";
}

}  // namespace

std::string to_svg(std::span<const AttentionMaps> kinds, const std::string& heading, std::vector<std::string> notes) {
  std::size_t maps = 0;
  for (const AttentionMaps& kind : kinds) maps += kind.blocks.size() * kind.heads;
  const auto most =
      static_cast<std::uint32_t>(std::sqrt(static_cast<double>(most_shown_weights / std::max<std::size_t>(maps, 1))));
  std::vector<Frame> frames;
  for (const AttentionMaps& kind : kinds) {
    frames.emplace_back(kind, most);
    if (const std::string cut = cut_note(frames.back()); !cut.empty()) notes.push_back(kind.title + ": " + cut);
  }
  std::string body = text_at(svg_margin, svg_margin + 20, "heading", heading);
  double y = svg_margin + 26;
  double width = estimated_width(heading, 22);
  for (const std::string& note : notes) {
    y += note_height;
    body += text_at(svg_margin, y, "subtitle", note);
    width = std::max(width, estimated_width(note, 12.5));
  }
  y += between_blocks;
  for (const Frame& frame : frames) {
    const std::size_t across = blocks_across(frame);
    for (std::size_t block = 0; block < frame.maps.blocks.size(); ++block) {
      const double x = static_cast<double>(block % across) * (frame.width + between_blocks);
      body += draw_block(frame, block, svg_margin + x, y);
      width = std::max(width, x + frame.width);
      if (block % across + 1 == across || block + 1 == frame.maps.blocks.size()) y += frame.height + between_blocks;
    }
  }
  return svg_document(width + 2 * svg_margin, y, body);
}

}  // namespace heed::tools
