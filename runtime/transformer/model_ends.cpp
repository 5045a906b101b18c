// SPDX-License-Identifier: MIT
#include "transformer/model_ends.hpp"

#include <port.hpp>

#include "heed/detail/linked_code.hpp"
#include "heed/positions.hpp"
#include "nn/add_rows.hpp"
#include "nn/normalization.hpp"
#include "positions/named_positions.hpp"
#include "product/linear.hpp"

namespace heed::detail {
namespace {

/// Rows that linear() takes at once.
constexpr std::uint32_t most_rows = rounded_rows_at_once;

/// The format of the table is known at run time only: this makes the linker include what reads those of integer rows.
[[gnu::used]] constexpr const LinkedCode* table_lanes = &integer_lane_code;

}  // namespace

void ModelEnds::scale(float* rows, std::size_t count) const noexcept {
  const float factor = config.embedding_scale;
  if (port::equal(factor, 1.0F)) return;
  for (std::size_t i = 0; i < count * config.block.model_dim; ++i) rows[i] = port::compact_product(rows[i], factor);
}

/// y [count, outputs] = x [count, inputs] W^T + b, however many rows.
void ModelEnds::project(const LinearPlan& linear_plan, const Format* format, Rows<const float> x, std::uint32_t count,
                        float* y) const noexcept {
  const Linear linear{file, format, staging, executor, workers};
  for (std::uint32_t first = 0; first < count; first += most_rows) {
    const std::uint32_t rows = count - first < most_rows ? count - first : most_rows;
    const Rows<const float> from{x.data + static_cast<std::ptrdiff_t>(first) * x.stride, x.stride};
    linear.multiply(linear_plan, from, rows,
                    {y + std::size_t{first} * linear_plan.outputs, static_cast<std::ptrdiff_t>(linear_plan.outputs)});
  }
}

void ModelEnds::load_tokens(std::span<const std::uint32_t> tokens, float* rows) const noexcept {
  const std::size_t dim = config.block.model_dim;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    load_embedding_row(plan.input, file, input_format, tokens[t], rows + t * dim);
  }
  scale(rows, tokens.size());
}

void ModelEnds::embed(std::span<const std::uint32_t> tokens, std::uint32_t first_position, float* rows) const noexcept {
  load_tokens(tokens, rows);
  finish_embedding(rows, static_cast<std::uint32_t>(tokens.size()), first_position);
}

void ModelEnds::project_frames(ConstMatrix frames, std::uint32_t count, float* rows) const noexcept {
  project(plan.input, input_format, {frames.data, frames.row_stride}, count, rows);
  scale(rows, count);
}

void ModelEnds::embed(ConstMatrix frames, std::uint32_t count, float* rows) const noexcept {
  const std::size_t dim = config.block.model_dim;
  const std::uint32_t first = config.class_token ? 1 : 0;
  if (first != 0) {
    const float* const token = floats(plan.class_token);
    for (std::size_t i = 0; i < dim; ++i) rows[i] = token[i];
  }
  project_frames(frames, count, rows + first * dim);
  finish_embedding(rows, count + first, 0);
}

void ModelEnds::finish_embedding(float* rows, std::uint32_t count, std::uint32_t first_position) const noexcept {
  const std::uint32_t dim = config.block.model_dim;
  const std::size_t size = count * std::size_t{dim};
  if (config.positions == Positions::learned) {
    add_row(floats(plan.positions) + first_position * std::size_t{dim}, size, rows);
  } else if (config.positions == Positions::sinusoidal) {
    static_cast<void>(add_sinusoidal_positions(dense(rows, count, dim), count, dim, first_position));
  }
  if (config.embedding_norm) NormRows(config.block, plan.embedding_norm, file).run(rows, count, dim, rows);
}

void ModelEnds::normalize(float* rows, std::uint32_t count) const noexcept {
  if (config.without_final_norm) return;
  NormRows(config.block, plan.final_norm, file).run(rows, count, config.block.model_dim, rows);
}

void ModelEnds::project_head(const float* rows, std::uint32_t count, float* output) const noexcept {
  const std::uint32_t dim = config.block.model_dim;
  if (config.outputs == 0) {
    for (std::size_t i = 0; i < count * std::size_t{dim}; ++i) output[i] = rows[i];
    return;
  }
  project(plan.head, head_format, {rows, static_cast<std::ptrdiff_t>(dim)}, count, output);
}

void ModelEnds::head(float* rows, std::uint32_t count, float* output) const noexcept {
  normalize(rows, count);
  project_head(rows, count, output);
}

void ModelEnds::average(float* rows, std::uint32_t count) const noexcept {
  const std::size_t dim = config.block.model_dim;
  for (std::size_t row = 1; row < count; ++row) add_row(rows + row * dim, dim, rows);
  for (std::size_t i = 0; i < dim; ++i) rows[i] = port::compact_quotient(rows[i], port::as_float(count));
}

void ModelEnds::pool(float* rows, std::uint32_t count, float* output) const noexcept {
  const std::size_t dim = config.block.model_dim;
  switch (config.pooling) {
    case Pooling::first: head(rows, 1, output); return;
    case Pooling::last: head(rows + (count - 1) * dim, 1, output); return;
    case Pooling::every: head(rows, count, output); return;
    case Pooling::mean_of_rest:
    case Pooling::mean: break;
  }
  normalize(rows, count);
  average(rows, count);
  project_head(rows, 1, output);
}

}  // namespace heed::detail
