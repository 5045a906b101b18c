// SPDX-License-Identifier: MIT
//
// heed_draw RESULTS PEERS PICTURE: draws three panels as an SVG. Prefill as a share of the FMA peak over the sequence's
// length, decode in GB/s over the number of keys below the fastest read of the same bytes, and heed's speed beside its
// peers'.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "report/canvas.hpp"
#include "report/prefill_panel.hpp"
#include "report/results.hpp"

namespace {

using namespace heed::bench;

constexpr const char* others[] = {"#8c959f", "#c3c9d0", "#bf8700", "#e3b341"};

[[nodiscard]] double maximum(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

void draw_decode(Canvas& canvas, const Results& results) {
  const std::vector<int> sizes{128, 512, 2048, 8192};
  const auto bandwidth = collect(results, "decode/keys:", sizes, "bandwidth", maximum);
  const auto rate = collect(results, "decode/keys:", sizes, "GB/s");
  double most = 10;
  for (const auto& points : {bandwidth, rate}) {
    for (const Point& point : points) most = std::max(most, point.y);
  }
  const Plot plot{.left = 640, .top = 110, .width = 350, .height = 250, .most = std::ceil(most / 20) * 20, .ticks = 4};
  canvas.text(plot.left - 30, 78, "Decode: GB/s of cached keys and values", {.size = 16, .bold = true});
  canvas.axes(plot, sizes, "keys in the cache (8 heads, head_dim 64)");
  const Stroke bound{others[0], true};
  canvas.curve(plot, bandwidth, sizes, bound);
  canvas.curve(plot, rate, sizes, {own});
  canvas.legend_line(plot.left + 150, plot.top + 12, "fastest plain read of them", bound);
  canvas.legend_line(plot.left + 150, plot.top + 31, "heed", {own});
}

struct Rival {
  const char* label;
  const char* counter;
  const char* layer_counter;  ///< of the layer's graph
};

constexpr Rival rivals[] = {{"OpenBLAS + softmax", "openblas", ""},
                            {"oneDNN matmul + softmax", "onednn", ""},
                            {"ONNX Runtime Attention", "attention", "packed_layer"},
                            {"ONNX Runtime MultiHeadAttention", "multi_head_attention", "separate_layer"}};

/// A rival's speed as a share of heed's, or 0 where it was not measured.
[[nodiscard]] double share_of(const Results& peers, const std::string& benchmark, const Rival& rival) {
  const auto* heed = find_values(peers, benchmark, "heed");
  const auto* times = find_values(peers, benchmark, rival.counter);
  if (times == nullptr) times = find_values(peers, benchmark, rival.layer_counter);
  return heed == nullptr || times == nullptr ? 0 : 100 * median(*heed) / median(*times);
}

/// One group of bars: each peer's speed as a share of heed's. A peer without a result gets a dash; false if there is
/// one.
[[nodiscard]] bool draw_group(Canvas& canvas, const Results& peers, const std::string& benchmark, double left,
                              double width, const Plot& plot) {
  if (find_values(peers, benchmark, "heed") == nullptr) {
    canvas.text(left + width / 2, plot.top + plot.height - 6, "not measured", {.size = 10, .anchor = "middle"});
    return true;
  }
  const double bar = width / 5;
  const auto draw = [&](int index, double share, const char* colour) {
    const double height = share / plot.most * plot.height;
    canvas.bar(left + index * bar, plot.top + plot.height - height, bar - 1.5, height, colour);
  };
  draw(0, 100, own);
  bool complete = true;
  for (int i = 0; i < 4; ++i) {
    const double share = share_of(peers, benchmark, rivals[i]);
    if (share > 0) {
      draw(i + 1, share, others[i]);
    } else {
      canvas.text(left + (i + 1.5) * bar, plot.top + plot.height - 4, "-", {.anchor = "middle", .colour = others[i]});
      complete = false;
    }
  }
  return complete;
}

void draw_peers(Canvas& canvas, const Results& peers) {
  const struct {
    const char* benchmark;
    const char* label[2];
  } groups[] = {{"prefill/d:64/n:64", {"prefill", "64"}},         {"prefill/d:64/n:128", {"prefill", "128"}},
                {"prefill/d:64/n:512", {"prefill", "512"}},       {"prefill/d:64/n:2048", {"prefill", "2048"}},
                {"prefill/d:32/n:512", {"prefill", "512, d 32"}}, {"prefill/d:128/n:512", {"prefill", "512, d 128"}},
                {"causal/d:64/n:256", {"causal", "256"}},         {"causal/d:64/n:1024", {"causal", "1024"}},
                {"decode/keys:128", {"decode", "128"}},           {"decode/keys:512", {"decode", "512"}},
                {"decode/keys:2048", {"decode", "2048"}},         {"decode/keys:8192", {"decode", "8192"}},
                {"layer/n:128/d:512", {"layer", "128 x 512"}}};
  double tallest = 100;
  for (const auto& group : groups) {
    for (const Rival& rival : rivals) tallest = std::max(tallest, share_of(peers, group.benchmark, rival));
  }
  const int ticks = static_cast<int>(tallest / 20) + 1;
  const Plot plot{.left = 70, .top = 500, .width = 920, .height = 190, .most = 20.0 * ticks, .ticks = ticks};
  canvas.text(plot.left - 30, 446, "Speed beside other libraries, heed = 100 (one core; higher is faster)",
              {.size = 16, .bold = true});
  canvas.legend_bar(plot.left, 472, "heed", own);
  const double offsets[] = {70, 230, 432, 624};
  for (int i = 0; i < 4; ++i) canvas.legend_bar(plot.left + offsets[i], 472, rivals[i].label, others[i]);
  canvas.horizontal_lines(plot);
  const double step = plot.width / static_cast<double>(std::size(groups));
  double left = plot.left;
  bool complete = true;
  for (const auto& group : groups) {
    complete &= draw_group(canvas, peers, group.benchmark, left + 8, step - 16, plot);
    for (int line = 0; line < 2; ++line) {
      canvas.text(left + step / 2, plot.top + plot.height + 18 + 15 * line, group.label[line],
                  {.size = 12, .anchor = "middle", .colour = line == 0 ? "#59636e" : ink});
    }
    left += step;
  }
  const TextStyle note{.size = 12, .colour = "#59636e"};
  double line = plot.top + plot.height + 56;
  if (!complete) {
    canvas.text(
        plot.left, line,
        "A dash: this library has no such operation (the matrix libraries have no multi-head layer), or refuses "
        "this case.",
        note);
    line += 16;
  }
  if (peers.cpu.find("with AVX-512, port x86_avx2") != std::string::npos) {
    canvas.text(plot.left, line, "The other libraries use this processor's AVX-512; heed's port for AVX2 does not.",
                note);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) stop("usage: heed_draw RESULTS PEERS PICTURE");
  const Results results = read_results(argv[1]);
  const Results peers = read_results(argv[2]);
  Canvas canvas(1040, 784);
  canvas.text(40, 44, "heed on one core of " + plain(results.cpu) + ", float32, 8 heads", {.size = 17, .bold = true});
  canvas.text(1000, 44, results.date, {.size = 13, .anchor = "end", .colour = "#59636e"});
  draw_prefill(canvas, results, 70, "Prefill: % of FMA peak");
  draw_decode(canvas, results);
  draw_peers(canvas, peers);
  for (const Results& measured : {results, peers}) std::fprintf(stderr, "%s\n", describe_rounds(measured).c_str());
  std::ofstream file(argv[3]);
  file << canvas.finish();
  return file ? 0 : 1;
}
