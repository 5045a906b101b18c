// SPDX-License-Identifier: MIT
//
// y = x W^T + b with weights in few bits, beside the same layer in float32. One row of a matrix that no cache holds is
// bound by memory; many rows are bound by arithmetic and pay for dequantizing, or, where they are integers, gain by it.
#include "heed/linear.hpp"

#include <algorithm>
#include <cmath>
#include <format/format.hpp>

#include "cases/data.hpp"
#include "cases/reference.hpp"
#include "cases/topics.hpp"
#include "machine/integer_peak.hpp"
#include "machine/measure.hpp"
#include "support/weight_bytes.hpp"

namespace heed::bench {
namespace {

struct Kind {
  const char* name;
  DataType type;
  const Format* format;
  DataType rows = DataType::float32;
};

const Kind kinds[] = {
    {"float32", DataType::float32, nullptr},
    {"float16", DataType::float16, &float16_weights},
    {"bfloat16", DataType::bfloat16, &bfloat16_weights},
    {"int8", DataType::int8, &int8_weights},
    {"int8_groups", DataType::int8_groups, &int8_group_weights},
    {"int4_groups", DataType::int4_groups, &int4_group_weights},
};

const Kind integer_kinds[] = {
    {"int8_by_int8", DataType::int8, &int8_integer_weights, DataType::int8},
    {"int8_by_int16", DataType::int8, &int8_integer_weights, DataType::int16},
    {"int4_multipliers_by_int8", DataType::int4_multipliers, &int4_multiplier_weights, DataType::int8},
    {"int4_multipliers_by_int16", DataType::int4_multipliers, &int4_multiplier_weights, DataType::int16},
};

[[nodiscard]] LinearPlan plan_of(const Kind& kind, std::uint32_t dim) {
  LinearPlan plan;
  expect(make_plan({.inputs = dim, .outputs = dim, .type = kind.type, .row_type = kind.rows}, plan), "linear plan");
  return plan;
}

/// Half a step of what a row is rounded to.
[[nodiscard]] double rounding_of(const Kind& kind, const float* x, std::uint32_t dim) {
  if (kind.rows == DataType::float32) return 0.0;
  double greatest = 0.0;
  for (std::uint32_t i = 0; i < dim; ++i) greatest = std::max(greatest, std::abs(double{x[i]}));
  return greatest / (kind.rows == DataType::int8 ? 127 : 16383) / 2;
}

/// A packed layer, in memory as the command's weights.
class Layer {
 public:
  Layer(const Kind& kind, std::uint32_t dim, const float* weight, const float* bias)
      : plan_(plan_of(kind, dim)),
        packed_(tools::weight_bytes(plan_.bytes)),
        scratch_(plan_.staging_bytes + std::size_t{detail::rounded_rows_at_once} * plan_.row_bytes),
        format_(kind.format) {
    expect(pack_linear(plan_, weight, bias, packed_.span()), "pack_linear()");
  }

  void run(std::uint32_t rows, const float* x, float* y) {
    const auto dim = static_cast<std::ptrdiff_t>(plan_.inputs);
    const Status status = linear(plan_, {packed_.span(), format_}, rows, {x, 0, dim}, {y, 0, dim}, scratch_);
    if (status != Status::ok) expect(status, "linear()");
  }

  /// The rounding of run() alone.
  void round(std::uint32_t rows, const float* x) {
    const auto dim = static_cast<std::ptrdiff_t>(plan_.inputs);
    for (std::uint32_t row = 0; row < rows; row += detail::rounded_rows_at_once) {
      const std::uint32_t count = std::min(rows - row, detail::rounded_rows_at_once);
      format_->round(plan_, x + static_cast<std::ptrdiff_t>(row) * dim, dim, count, scratch_.data());
    }
  }

  /// The packed weights, but for what follows their last 256 bytes.
  [[nodiscard]] Reads reads() const {
    return {.first = {reinterpret_cast<const float*>(packed_.span().data()), packed_.span().size() / 256 * 64}};
  }

  [[nodiscard]] Floats dequantized() const {
    Floats weight(std::size_t{plan_.inputs} * plan_.outputs);
    expect(unpack_linear(plan_, {packed_.span(), format_}, weight.data()), "unpack_linear()");
    return weight;
  }

 private:
  LinearPlan plan_;
  tools::AlignedBytes packed_;
  Bytes scratch_;
  const Format* format_;
};

class LinearCase {
 public:
  LinearCase(const Kind& kind, std::uint32_t dim, std::uint32_t rows)
      : LinearCase(kind, dim, rows, some_floats(std::size_t{dim} * dim, 7), some_floats(dim, 8)) {}

  void run() { typed_.run(rows_, tensors_.query, tensors_.output); }
  void round() { typed_.round(rows_, tensors_.query); }
  void run_floats() { floats_.run(rows_, tensors_.query, tensors_.output); }
  [[nodiscard]] Reads reads() const { return typed_.reads(); }

 private:
  LinearCase(const Kind& kind, std::uint32_t dim, std::uint32_t rows, const Floats& weight, const Floats& bias)
      : rows_(rows),
        tensors_(place_tensors(std::size_t{rows} * dim, 0, 0, std::size_t{rows} * dim, 0)),
        floats_(kinds[0], dim, weight.data(), bias.data()),
        typed_(kind, dim, weight.data(), bias.data()) {
    run();
    const Floats dequantized = typed_.dequantized();
    for (const std::uint32_t row : {0U, rows / 2, rows - 1}) {
      const std::size_t at = std::size_t{row} * dim;
      check_projected_row(tensors_.query + at, {dequantized.data(), static_cast<std::ptrdiff_t>(dim)}, bias.data(), dim,
                          dim, tensors_.output + at, kind.name, rounding_of(kind, tensors_.query + at, dim));
    }
  }

  std::uint32_t rows_;
  Tensors tensors_;
  Layer floats_;
  Layer typed_;
};

/// The speedup that products of integers would have over the floats of the same repetition: at the machine's peak, with
/// nothing loaded, rounded or written, and as fast as the port's kernel in the nearest cache, after the rounding.
void count_limits(benchmark::State& state, const Kind& kind, LinearCase& measured, double products) {
  const double float_seconds = state.counters["speedup"] * state.counters["nanoseconds"] * 1e-9;
  state.counters["peak_speedup"] = float_seconds * measure_integer_peak(kind.type, kind.rows, 10) / products;
  const double rounding = seconds_per_call([&measured] { measured.round(); }, 3, thread_seconds);
  const double kernel = products / measure_integer_kernel(kind.type, kind.rows, 10);
  state.counters["kernel_speedup"] = float_seconds / (rounding + kernel);
  state.counters["rounding_percent"] = 100 * rounding / (state.counters["nanoseconds"] * 1e-9);
}

/// What the read of one row's weights leaves where products, with their weights in the nearest cache, are slower.
void count_row_limit(benchmark::State& state, DataType rows) {
  // A weight is a byte.
  state.counters["kernel_percent"] =
      100 * std::min(1.0, measure_integer_row(rows, 10) / (state.counters["bandwidth"] * 1e9));
}

void add_kind(const Kind& kind, std::uint32_t dim, std::uint32_t rows) {
  const std::string name =
      std::string("linear/") + kind.name + "/d:" + std::to_string(dim) + "/rows:" + std::to_string(rows);
  const double weights = 1.0 * dim * dim;
  const double bytes = rows == 1 ? plan_of(kind, dim).bytes : 0;
  add_benchmark(name, {.flop = 2.0 * rows * weights, .bytes = bytes}, [=] {
    const auto measured = std::make_shared<LinearCase>(kind, dim, rows);
    Subject subject{.call = [measured] { measured->run(); },
                    .beside = {.counter = "speedup", .call = [measured] { measured->run_floats(); }, .speedup = true},
                    .reads = rows == 1 ? measured->reads() : Reads{}};
    if (rows == 1 && kind.type == DataType::int8 && kind.rows != DataType::float32) {
      subject.count_more = [=](benchmark::State& state) { count_row_limit(state, kind.rows); };
    } else if (rows > 1 && kind.rows != DataType::float32) {
      subject.count_more = [=](benchmark::State& state) { count_limits(state, kind, *measured, rows * weights); };
    }
    return subject;
  });
}

}  // namespace

void add_linear() {
  for (const std::uint32_t dim : {512U, 4096U}) {
    for (const std::uint32_t rows : {1U, 16U, 99U}) {
      for (const Kind& kind : kinds) add_kind(kind, dim, rows);
      for (const Kind& kind : integer_kinds) add_kind(kind, dim, rows);
    }
  }
  for (const Kind& kind : integer_kinds) add_kind(kind, 512, 512);
}

}  // namespace heed::bench
