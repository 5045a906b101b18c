// SPDX-License-Identifier: MIT
#include "drawing/svg.hpp"

#include "drawing/colour.hpp"
#include "drawing/matrix_text.hpp"
#include "support/characters.hpp"

namespace heed::tools {

namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    if (character == '&') {
      result += "&amp;";
    } else if (character == '<') {
      result += "&lt;";
    } else if (character == '>') {
      result += "&gt;";
    } else if (character == '"') {
      result += "&quot;";
    } else {
      result += character;
    }
  }
  return result;
}

std::string definitions() {
  std::string stops;
  for (int i = 0; i <= 8; ++i) {
    stops += "<stop offset=\"" + fixed(i / 8.0, 3) + "\" stop-color=\"" + to_hex(ramp(i / 8.0)) + "\"/>";
  }
  return "<defs><linearGradient id=\"ramp\">" + stops + "</linearGradient></defs>\n" +
         "<style>\n"
         "text { font-family: Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif; "
         "fill: #14213d; }\n"
         ".heading { font-size: 22px; font-weight: 600; }\n"
         ".title { font-size: 16px; font-weight: 600; }\n"
         ".subtitle, .legend, .head { font-size: 12.5px; fill: #5b6577; }\n"
         ".column { font-size: 12.5px; text-anchor: middle; }\n"
         ".row { font-size: 13px; text-anchor: end; }\n"
         ".value { font-size: 12.5px; text-anchor: middle; font-variant-numeric: tabular-nums; }\n"
         ".query { text-anchor: end; }\n"
         ".cell { stroke: #14213d; stroke-opacity: 0.12; }\n"
         ".light { fill: #ffffff; }\n"
         "</style>\n";
}

std::string text_with(const std::string& place, std::string_view style, std::string_view text) {
  return "<text " + place + " class=\"" + std::string(style) + "\">" + escaped(text) + "</text>\n";
}

}  // namespace

std::string text_at(double x, double y, std::string_view style, std::string_view text) {
  return text_with("x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\"", style, text);
}

std::string text_up(double x, double y, std::string_view style, std::string_view text) {
  return text_with("transform=\"translate(" + fixed(x, 1) + " " + fixed(y, 1) + ") rotate(-90)\"", style, text);
}

std::string rectangle(double x, double y, double width, double height, std::string_view fill) {
  return "<rect x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\" width=\"" + fixed(width, 1) + "\" height=\"" +
         fixed(height, 1) + "\" rx=\"3\" fill=\"" + std::string(fill) + "\" class=\"cell\"/>\n";
}

std::string draw_scale(double x, double y, double width, const std::string& low, const std::string& high) {
  const double bar = x + estimated_width(low, 12.5) + 8;
  return text_at(x, y + 9.5, "legend", low) + rectangle(bar, y, width, 11, "url(#ramp)") +
         text_at(bar + width + 8, y + 9.5, "legend", high);
}

double estimated_width(const std::string& text, double font_size) {
  return 0.56 * font_size * static_cast<double>(characters_of(text));
}

std::string svg_document(double width, double height, const std::string& body) {
  const std::string size = fixed(width, 0) + "\" height=\"" + fixed(height, 0);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size +
         "\" viewBox=\"0 0 " + fixed(width, 0) + " " + fixed(height, 0) + "\">\n" + definitions() +
         "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + body + "</svg>\n";
}

}  // namespace heed::tools
