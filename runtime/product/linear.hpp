// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/linear.hpp"
#include "heed/types.hpp"
#include "product/row_shares.hpp"

namespace heed::detail {

/// Rows of a dense or strided matrix; the columns are contiguous.
template <class Element>
struct Rows {
  Element* data;
  std::ptrdiff_t stride;
};

/// Output panels [first, end) of a product.
struct LinearShare {
  const LinearPlan& plan;
  const std::byte* packed;
  Rows<const float> x;
  Rows<float> y;
  float* staging;  ///< the worker's own; for rows of integers, x rounded
  std::uint32_t rows;
  std::uint32_t first;
  std::uint32_t end;
};

/// Linear layers whose weights lie in the same packed bytes, with what multiplies by them.
struct Linear {
  const std::byte* packed;  ///< what the offsets of a plan count from
  const Format* format;     ///< null: float32
  float* staging;           ///< plan.staging_bytes for each worker, or plan.row_bytes for each row
  const Executor& executor;
  std::uint32_t workers;

  /// y [rows, outputs] = x [rows, inputs] W^T + b; the inputs of all rows should stay in a second-level cache (a
  /// layer's plan takes 64 rows at most). Each element is one chain over ascending inputs that starts from the bias, or
  /// from 0. The output panels are shared out among the workers.
  void multiply(const LinearPlan& plan, const Rows<const float>& x, std::uint32_t rows, const Rows<float>& y,
                bool same_rows = false) const noexcept;

  /// Two products of the same rows, as one region: a worker's outputs of both, then finish(first, end) of the first
  /// one's outputs.
  template <class Finish>
  void multiply_pair(const LinearPlan& one, const Rows<float>& y, const LinearPlan& other, const Rows<float>& other_y,
                     const Rows<const float>& x, std::uint32_t rows, const Finish& finish) const noexcept {
    round(one, x, rows);
    const auto multiply_shares = [&](std::uint32_t worker, std::uint32_t share) noexcept {
      multiply_share(one, x, rows, y, worker, share);
      multiply_share(other, x, rows, other_y, worker, share);
      finish(first_output(one, share), first_output(one, share + 1));
    };
    parallel_for_each(executor, workers, workers, multiply_shares);
  }

  /// Whether an executor has a share for more than one.
  [[nodiscard]] bool has_workers() const noexcept { return workers > 1 && executor.parallel_for != nullptr; }

  /// The same layers for one worker, which multiplies rows of its own while others multiply theirs: with its part of
  /// the staging region `all`, which has room for a multiple of `workers` rows.
  [[nodiscard]] Linear of_worker(std::uint32_t worker, const Region& all) const noexcept {
    const std::size_t bytes = all.bytes / workers / arena_alignment * arena_alignment;
    return {packed, format, staging + worker * (bytes / sizeof(float)), no_executor, 1};
  }

 private:
  /// Where a share of multiply_pair() begins among the outputs.
  [[nodiscard]] std::uint32_t first_output(const LinearPlan& plan, std::uint32_t share) const noexcept {
    const std::uint64_t panels = (plan.outputs + panel_width - 1) / panel_width;
    const auto first = static_cast<std::uint32_t>(panels * share / workers * panel_width);
    return first < plan.outputs ? first : plan.outputs;
  }
  void round(const LinearPlan& plan, const Rows<const float>& x, std::uint32_t rows) const noexcept;
  void multiply_share(const LinearPlan& plan, const Rows<const float>& x, std::uint32_t rows, const Rows<float>& y,
                      std::uint32_t worker, std::uint32_t share) const noexcept;
};

/// The weights [inputs] of one output, as floats: a row of an embedding table.
void load_embedding_row(const LinearPlan& plan, const std::byte* packed, const Format* format, std::uint32_t output,
                        float* to) noexcept;

}  // namespace heed::detail
