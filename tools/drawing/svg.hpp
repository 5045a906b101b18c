// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace heed::tools {

/// What a picture leaves free at its sides.
inline constexpr double svg_margin = 40;

/// Text on a baseline in one of the document's styles: heading, title, subtitle, legend, head, column, row, value; or
/// query and key, which have the size of what is around them.
[[nodiscard]] std::string text_at(double x, double y, std::string_view style, std::string_view text);

/// The same turned by a quarter, so that it reads from below to above and begins there.
[[nodiscard]] std::string text_up(double x, double y, std::string_view style, std::string_view text);

/// A colour, or url(#ramp) for the whole ramp. The outline keeps the lightest fills apart from the white page.
[[nodiscard]] std::string rectangle(double x, double y, double width, double height, std::string_view fill);

/// The ramp with what its ends stand for, its top at y.
[[nodiscard]] std::string draw_scale(double x, double y, double width, const std::string& low, const std::string& high);

/// No font is at hand to measure with; this is a little more than a usual sans serif needs.
[[nodiscard]] double estimated_width(const std::string& text, double font_size);

/// The whole file: styles, the ramp, a white page and on it the body.
[[nodiscard]] std::string svg_document(double width, double height, const std::string& body);

}  // namespace heed::tools
