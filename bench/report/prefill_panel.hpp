// SPDX-License-Identifier: MIT
//
// What the pictures share: points of a benchmark's sizes, and prefill as a share of the FMA peak.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/canvas.hpp"
#include "report/results.hpp"

namespace heed::bench {

inline constexpr const char* ink = "#1f2328";
inline constexpr const char* own = "#0b62c4";
inline constexpr const char* own_light = "#7fb2ea";
inline constexpr const char* own_dark = "#073b78";

/// A processor's name without the marks of a trade name.
[[nodiscard]] std::string plain(std::string name);

/// A point for each size that was measured: of its repetitions, the median or what else `choose` takes.
[[nodiscard]] std::vector<Point> collect(const Results& results, const std::string& prefix,
                                         const std::vector<int>& sizes, const char* counter,
                                         const std::function<double(std::vector<double>)>& choose = median);

/// Curves over the length of the sequence, in a plot whose left edge is at `left`, below a heading.
void draw_prefill(Canvas& canvas, const Results& results, double left, const std::string& heading);

}  // namespace heed::bench
