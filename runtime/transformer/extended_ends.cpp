// SPDX-License-Identifier: MIT
#include "transformer/extended_ends.hpp"

#include <port.hpp>

#include "math/functions.hpp"
#include "nn/activation.hpp"
#include "nn/add_rows.hpp"
#include "transformer/convolutions.hpp"
#include "transformer/model_check.hpp"

namespace heed::detail {
namespace {

using port::f32x16;
using port::lanes;

/// Below it a row is not made longer: one of zeros stays as it is.
constexpr float least_length = 1e-12F;

/// Every number of a row becomes f of it, lane by lane.
template <class Function>
void change_row(float* row, std::uint32_t count, const Function& f) noexcept {
  std::uint32_t i = 0;
  for (; i + lanes <= count; i += lanes) port::store(row + i, f(port::load(row + i)));
  const int rest = static_cast<int>(count - i);
  if (rest != 0) port::store_partial(row + i, f(port::load_partial(row + i, rest)), rest);
}

void cap_row(float* row, std::uint32_t count, float softcap) noexcept {
  const f32x16 cap = port::set(softcap);
  const f32x16 inverse = port::set(1.0F / softcap);
  change_row(row, count, [&](const f32x16& y) noexcept { return port::mul(cap, tanh_lanes(port::mul(y, inverse))); });
}

[[nodiscard]] float length_of(const float* row, std::uint32_t count) noexcept {
  f32x16 squares = port::set(0.0F);
  std::uint32_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const f32x16 y = port::load(row + i);
    squares = port::fma(y, y, squares);
  }
  if (i < count) {
    const f32x16 y = port::load_partial(row + i, static_cast<int>(count - i));
    squares = port::fma(y, y, squares);
  }
  return square_root(port::sum(squares));
}

void make_unit(float* row, std::uint32_t count) noexcept {
  const float length = length_of(row, count);
  const f32x16 divisor = port::set(length < least_length ? least_length : length);
  change_row(row, count, [&](const f32x16& y) noexcept { return port::div(y, divisor); });
}

void finish_output(const ModelConfig& config, std::uint32_t count, float* output) noexcept {
  const std::uint32_t width = output_width(config);
  for (std::size_t row = 0; row < count; ++row) {
    float* const y = output + row * width;
    if (config.output_softcap != 0.0F) cap_row(y, width, config.output_softcap);
    if (config.unit_output) make_unit(y, width);
  }
}

/// The row that the head reads: among `rows`, normalized unless that comes later.
[[nodiscard]] float* pooled_row(const ModelEnds& ends, float* rows, std::uint32_t count) noexcept {
  const ModelConfig& config = ends.config;
  const std::size_t dim = config.block.model_dim;
  if (config.pooling == Pooling::first || config.pooling == Pooling::last) {
    float* const row = config.pooling == Pooling::first ? rows : rows + (count - 1) * dim;
    if (!config.norm_after_pooling) ends.normalize(row, 1);
    return row;
  }
  const std::uint32_t skipped = config.pooling == Pooling::mean_of_rest ? first_of_rest(config) : 0;
  float* const rest = rows + skipped * dim;
  if (!config.norm_after_pooling) ends.normalize(rest, count - skipped);
  ends.average(rest, count - skipped);
  return rest;
}

void embed_tokens(const ModelEnds& ends, std::span<const std::uint32_t> tokens, const std::uint32_t* types,
                  float* rows) noexcept {
  const std::size_t dim = ends.config.block.model_dim;
  ends.load_tokens(tokens, rows);
  const auto count = static_cast<std::uint32_t>(tokens.size());
  if (ends.config.token_types != 0) {
    const float* const table = ends.floats(ends.plan.token_types);
    for (std::size_t t = 0; t < count; ++t) {
      add_row(table + (types == nullptr ? 0 : types[t]) * dim, dim, rows + t * dim);
    }
  }
  ends.finish_embedding(rows, count, 0);
}

void embed_frames(const ModelEnds& ends, ConstMatrix frames, std::uint32_t count, float* spare, float* rows) noexcept {
  const ModelConfig& config = ends.config;
  const std::size_t dim = config.block.model_dim;
  float* to = rows;
  const auto copy = [&to](const float* from, std::size_t numbers) noexcept {
    for (std::size_t i = 0; i < numbers; ++i) to[i] = from[i];
    to += numbers;
  };
  if (config.class_token) copy(ends.floats(ends.plan.class_token), dim);
  if (config.registers != 0) copy(ends.floats(ends.plan.registers), config.registers * dim);
  if (config.input == ModelInput::convolutions) {
    convolve(ends, frames, count, spare, to);
  } else if (config.input == ModelInput::none) {
    float* const first = to;
    for (std::uint32_t t = 0; t < count; ++t)
      copy(frames.data + static_cast<std::ptrdiff_t>(t) * frames.row_stride, dim);
    ends.scale(first, count);
  } else {
    ends.project_frames(frames, count, to);
  }
  ends.finish_embedding(rows, static_cast<std::uint32_t>(encoder_rows(config, count)), 0);
}

void apply_head(const ModelEnds& ends, float* rows, std::uint32_t count, float* output) noexcept {
  ends.head(rows, count, output);
  finish_output(ends.config, count, output);
}

void pool(const ModelEnds& ends, float* rows, std::uint32_t count, float* spare, float* output) noexcept {
  const ModelConfig& config = ends.config;
  if (config.pooling == Pooling::every) return apply_head(ends, rows, count, output);
  float* row = pooled_row(ends, rows, count);
  if (config.norm_after_pooling) ends.normalize(row, 1);
  if (config.pooler != Pooler::none) {
    const std::uint32_t dim = config.block.model_dim;
    ends.project(ends.plan.pooler, ends.head_format, {row, static_cast<std::ptrdiff_t>(dim)}, 1, spare);
    row = spare;
    if (config.pooler == Pooler::relu) {
      map_activation(Activation::relu, row, nullptr, dim, row);
    } else {
      change_row(row, dim, [](const f32x16& x) noexcept { return tanh_lanes(x); });
    }
  }
  ends.project_head(row, 1, output);
  finish_output(config, 1, output);
}

}  // namespace

constinit const ExtendedEnds extended_ends = {embed_tokens, embed_frames, apply_head, pool};

}  // namespace heed::detail
