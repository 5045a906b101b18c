// SPDX-License-Identifier: MIT
#include "transformer/convolutions.hpp"

#include <cstddef>

#include "format/format.hpp"
#include "nn/activation.hpp"

namespace heed::detail {
namespace {

void copy(const float* from, std::size_t count, float* to) noexcept {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

void clear(float* to, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) to[i] = 0.0F;
}

/// Both convolutions: three rows that lie one after the other are one input of a product.
struct Convolutions {
  const ModelEnds& ends;
  ConstMatrix frames;
  std::uint32_t count;
  float* window;  ///< [convolved_frames, input_dim]: those that a few rows read
  float* once;    ///< [once_convolved_rows, model_dim]

  /// y [rows, model_dim] = GELU(x W^T + b), of rows of x that `step` numbers are between.
  void apply(const LinearPlan& plan, const float* x, std::size_t step, std::uint32_t rows, float* y) const noexcept {
    const Format* const format = ends.input_format;
    const bool floats = format == nullptr || format->activate == nullptr;
    ends.project(plan, format, {x, static_cast<std::ptrdiff_t>(step)}, rows, y);
    (floats ? map_activation : format->activate)(Activation::gelu_erf, y, nullptr, rows * plan.outputs, y);
  }

  /// Frames first - 1 to first + rows.
  void load(std::uint32_t first, std::uint32_t rows) const noexcept {
    const std::size_t dim = ends.config.input_dim;
    for (std::uint32_t i = 0; i < rows + 2; ++i) {
      const std::uint32_t frame = first + i - 1;  // below the first one it is beyond the last one
      float* const to = window + i * dim;
      frame < count ? copy(frames.row(0, frame), dim, to) : clear(to, dim);
    }
  }

  /// Rows first - 1 to first + 2 * pairs - 1 of the first convolution; its first row is the last of the call before.
  void convolve_once(std::uint32_t first, std::uint32_t pairs) const noexcept {
    const std::size_t dim = ends.config.block.model_dim;
    if (first == 0) {
      clear(once, dim);
    } else {
      copy(once + std::size_t{2} * convolved_rows * dim, dim, once);
    }
    const std::uint32_t left = count - first;
    const std::uint32_t rows = left < 2 * pairs ? left : 2 * pairs;
    load(first, rows);
    apply(ends.plan.input, window, ends.config.input_dim, rows, once + dim);
    clear(once + (1 + rows) * dim, (2 * pairs - rows) * dim);
  }
};

}  // namespace

void convolve(const ModelEnds& ends, ConstMatrix frames, std::uint32_t count, float* scratch, float* rows) noexcept {
  const std::size_t dim = ends.config.block.model_dim;
  float* const window = scratch;
  float* const once = scratch + static_cast<std::size_t>(convolved_frame_floats(ends.config));
  const Convolutions convolutions{ends, frames, count, window, once};
  const std::uint32_t rows_out = count / 2 + count % 2;
  for (std::uint32_t row = 0; row < rows_out; row += convolved_rows) {
    const std::uint32_t left = rows_out - row;
    const std::uint32_t some = left < convolved_rows ? left : convolved_rows;
    convolutions.convolve_once(2 * row, some);
    convolutions.apply(ends.plan.second_input, convolutions.once, 2 * dim, some, rows + row * dim);
  }
  ends.scale(rows, rows_out);
}

}  // namespace heed::detail
