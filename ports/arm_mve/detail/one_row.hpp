// SPDX-License-Identifier: MIT
//
// Products of one row of 8 bits with all outputs of some panels of int8, 64 inputs at a time and what is left then. The
// numbers of the row stay in registers while four outputs after four go by; what has been added up so far is in y, as
// integers, and the last inputs make outputs of it.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "byte_tiles.hpp"
#include "heed/arena.hpp"
#include "integer_tiles.hpp"

namespace heed::detail {

/// Some panels of a matrix, what their products begin from.
struct PanelsOfRow {
  std::uint32_t fours;       ///< of outputs in each panel
  std::uint32_t panel_step;  ///< bytes from the end of a panel's loop to where the next one begins
  std::uint32_t panels;
  // What makes outputs of sums.
  std::uint32_t bias_step = 0;  ///< 16, or 0 for four zeros
  const float* scales = nullptr;
  const float* bias = nullptr;
  float row_scale = 0.0F;
};

// clang-format off
#define HEED_TWO_MORE(kind, x, from, first, from_second, second) \
  "vldrw.u32 q6, [%q[at], #" from "\n"             \
  "vldrw.u32 q7, [%q[at], #" from_second "]\n"     \
  "veor q6, q6, %q[mask]\n"                        \
  "veor q7, q7, %q[mask]\n"                        \
  kind " " first ", q6, " x "\n"                   \
  kind " " second ", q7, " x "\n"
// Sixteen inputs of four outputs; the first load may move on.
#define HEED_FOUR_MORE(kind, x, from, b, c, d)      \
  HEED_TWO_MORE(kind, x, from, "%[a]", b, "%[b]")   \
  HEED_TWO_MORE(kind, x, c "]", "%[c]", d, "%[d]")
// The second sixteen inputs come first: from there the others are in reach in two steps, and the next four outputs.
#define HEED_FOUR_OF_64(begin, kind)                \
  begin                                             \
  HEED_FOUR_MORE(kind, "q1", "-240]!", "4", "8", "12")         \
  HEED_FOUR_MORE("vmladava.s8", "q0", "-256]", "-252", "-248", "-244") \
  HEED_FOUR_MORE("vmladava.s8", "q2", "256]!", "4", "8", "12") \
  HEED_FOUR_MORE("vmladava.s8", "q3", "256]", "260", "264", "268")
#define HEED_BEGIN_FROM_Y                           \
  "ldrd %[a], %[b], [%[y]]\n"                      \
  "ldrd %[c], %[d], [%[y], #8]\n"
#define HEED_BACK_TO_Y                              \
  "strd %[a], %[b], [%[y]], #8\n"                  \
  "strd %[c], %[d], [%[y]], #8\n"
#define HEED_TO_OUTPUTS                             \
  "vmov q6[2], q6[0], %[a], %[c]\n"                \
  "vmov q6[3], q6[1], %[b], %[d]\n"                \
  "vldrw.u32 q7, [%[scales]], #16\n"               \
  "vcvt.f32.s32 q6, q6\n"                          \
  "vmul.f32 q7, q7, %[row_scale]\n"                \
  "vmul.f32 q6, q6, q7\n"                          \
  "vldrw.u32 q7, [%[bias]]\n"                      \
  "add %[bias], %[bias], %[bias_step]\n"           \
  "vadd.f32 q6, q7, q6\n"                          \
  "vstrw.32 q6, [%[y]], #16\n"
#define HEED_ALL_PANELS(...)                        \
  asm volatile(                                     \
      "vldrb.u8 q0, [%[a]]\n"                      \
      "vldrb.u8 q1, [%[a], #16]\n"                 \
      "vldrb.u8 q2, [%[a], #32]\n"                 \
      "vldrb.u8 q3, [%[a], #48]\n"                 \
      "1:\n"                                       \
      "ldr %[a], [%[of]]\n"                        \
      "dls lr, %[a]\n"                             \
      "2:\n" __VA_ARGS__                           \
      "le lr, 2b\n"                                \
      "ldr %[a], [%[of], #4]\n"                    \
      "vadd.i32 %q[at], %q[at], %[a]\n"            \
      "subs %[panels], %[panels], #1\n"            \
      "bne 1b\n"                                   \
      : [a] "+&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [at] "+w"(at), [y] "+r"(y),         \
        [panels] "+r"(panels), [scales] "+r"(scales), [bias] "+r"(bias)                                 \
      : [of] "r"(&of), [row_scale] "r"(of.row_scale), [bias_step] "r"(of.bias_step),      \
        [mask] "w"(mask)                                                                                \
      : "memory", "cc", "lr", "q0", "q1", "q2", "q3", "q6", "q7")

/// 64 inputs, from `weights` on, whose sums are added to those in y, or to none; and become outputs, or stay there.
template <bool Adds, bool Ends>
[[gnu::noinline]] void row_of_64(const PanelsOfRow& of, const std::byte* weights, const std::byte* x,
                                 float* y) noexcept {
  // The first round goes 240 bytes back, to the words of the second sixteen inputs.
  uint32x4_t at = WeightWords(weights + 256 + 256 + 240).at;
  const uint16x8_t mask = vdupq_n_u16(0x0080);
  std::uint32_t panels = of.panels;
  const float* scales = of.scales;
  const float* bias = of.bias;
  // The row's numbers are read before there are sums.
  auto a = static_cast<std::int32_t>(reinterpret_cast<std::uintptr_t>(x));
  std::int32_t b, c, d;
  if constexpr (Adds && Ends) {
    HEED_ALL_PANELS(HEED_FOUR_OF_64(HEED_BEGIN_FROM_Y, "vmladava.s8") HEED_TO_OUTPUTS);
  } else if constexpr (Adds) {
    HEED_ALL_PANELS(HEED_FOUR_OF_64(HEED_BEGIN_FROM_Y, "vmladava.s8") HEED_BACK_TO_Y);
  } else if constexpr (Ends) {
    HEED_ALL_PANELS(HEED_FOUR_OF_64("", "vmladav.s8") HEED_TO_OUTPUTS);
  } else {
    HEED_ALL_PANELS(HEED_FOUR_OF_64("", "vmladav.s8") HEED_BACK_TO_Y);
  }
}

/// The last inputs, fewer than 64, whose sums are added to those in y: outputs.
[[gnu::noinline]] inline void rest_of_row(const PanelsOfRow& of, const std::byte* weights, const std::byte* x,
                                          std::uint32_t words, float* y) noexcept {
  const uint16x8_t mask = vdupq_n_u16(0x0080);
  const float* scales = of.scales;
  const float* bias = of.bias;
  const std::uint32_t span = (words + 3) / 4 * 16;
  uint32x4_t panel = WeightWords(weights).at;
  for (std::uint32_t left = of.panels; left != 0; --left) {
    for (std::uint32_t four = 0; four < of.fours; ++four) {
      uint32x4_t at = vaddq_n_u32(panel, four * 16);
      std::int32_t a, b, c, d;
      asm volatile(
          HEED_BEGIN_FROM_Y
          "dlstp.32 lr, %[words]\n"
          "1:\n"
          "vldrb.u8 q0, [%[x]], #16\n"
          HEED_FOUR_MORE("vmladava.s8", "q0", "256]!", "4", "8", "12")
          "letp lr, 1b\n"
          HEED_TO_OUTPUTS
          : [a] "=&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [at] "+w"(at), [y] "+r"(y), [x] "+r"(x),
            [scales] "+r"(scales), [bias] "+r"(bias)
          : [words] "r"(words), [row_scale] "r"(of.row_scale), [bias_step] "r"(of.bias_step), [mask] "w"(mask)
          : "memory", "cc", "lr", "q0", "q6", "q7");
      x -= span;
    }
    panel = vaddq_n_u32(panel, of.panel_step + 64);
  }
}

// clang-format on
#undef HEED_TWO_MORE
#undef HEED_FOUR_MORE
#undef HEED_FOUR_OF_64
#undef HEED_BEGIN_FROM_Y
#undef HEED_BACK_TO_Y
#undef HEED_TO_OUTPUTS
#undef HEED_ALL_PANELS

/// Four zeros for every four outputs.
inline void no_sums(std::uint32_t panels, std::uint32_t fours, float* y) noexcept {
  for (std::uint32_t i = 0; i < panels * fours; ++i) port::store_quad(y + 4 * i, vdupq_n_f32(0.0F));
}

/// Sums [16] of 64 `times` inputs and a panel.
inline void sums_of_row(const std::byte* weights, const std::byte* x, std::uint32_t times,
                        std::int32_t* sums) noexcept {
  static constexpr PanelsOfRow one_panel{.fours = panel_width / 4, .panel_step = 0, .panels = 1};
  auto* const to = reinterpret_cast<float*>(sums);
  if (times == 0) return no_sums(1, panel_width / 4, to);
  row_of_64<false, false>(one_panel, weights, x, to);
  for (; times > 1; --times) {
    weights += weight_bytes_at_once;
    x += inputs_at_once;
    row_of_64<true, false>(one_panel, weights, x, to);
  }
}

/// All inputs of a row, numbers x [inputs], and panels that begin at `weights`.
[[gnu::noinline]] inline void multiply_row(const PanelsOfRow& of, const std::byte* weights, const std::byte* x,
                                           std::uint32_t inputs, float* y) noexcept {
  const std::uint32_t rest = inputs % inputs_at_once;
  std::uint32_t times = inputs / inputs_at_once;
  if (times == 0) no_sums(of.panels, of.fours, y);
  for (bool adds = false; times != 0; --times, adds = true) {
    const bool ends = times == 1 && rest == 0;
    if (ends) {
      adds ? row_of_64<true, true>(of, weights, x, y) : row_of_64<false, true>(of, weights, x, y);
    } else {
      adds ? row_of_64<true, false>(of, weights, x, y) : row_of_64<false, false>(of, weights, x, y);
    }
    weights += weight_bytes_at_once;
    x += inputs_at_once;
  }
  if (rest != 0) rest_of_row(of, weights, x, rest / 4, y);
}

}  // namespace heed::detail
