// SPDX-License-Identifier: MIT
//
// How far packed weights are from the floats that were packed, and products with them from products with those: on
// random numbers and on the projections of KWT-1, printed as the rows of docs/quantization.md, and each number within
// the bound that its type promises.
#include <cstdio>

#include "layer/kwt1.hpp"
#include "product/integer_twin.hpp"
#include "product/linear_case.hpp"

namespace heed::test {
namespace {

/// Weights and rows of a type.
struct ErrorCase {
  DataType type;
  DataType rows;
  const Format* format;
  std::string name;

  [[nodiscard]] LinearPlan plan(std::size_t inputs, std::size_t outputs) const {
    LinearPlan made;
    EXPECT_EQ(make_plan({.inputs = static_cast<std::uint32_t>(inputs),
                         .outputs = static_cast<std::uint32_t>(outputs),
                         .type = type,
                         .bias = false,
                         .row_type = rows},
                        made),
              Status::ok);
    return made;
  }
};

std::vector<ErrorCase> error_cases() {
  std::vector<ErrorCase> cases;
  for (const TypeCase& type : weight_types) cases.push_back({type.type, DataType::float32, type.format, type.name});
  for (const IntegerType& type : integer_types) {
    cases.push_back({type.weights, type.rows, type.format, std::string(type.name) + " rows"});
  }
  return cases;
}

/// Sums of squares.
struct Errors {
  double weight = 0, weights = 0;  ///< of the error, and of what it is a part of
  double output = 0, outputs = 0;
};

/// The greatest error that a type allows a weight, `greatest` being the magnitude that sets its scale, and
/// `greatest_of_all` that of its output.
double bound_of(DataType type, double weight, double greatest, double greatest_of_all) {
  switch (type) {
    case DataType::float32: return 0;
    case DataType::float16: return std::max(std::abs(weight) * 0x1p-11, 0x1p-25);
    case DataType::bfloat16: return std::abs(weight) * 0x1p-8;
    case DataType::int8:
    case DataType::int8_groups: return greatest / 127 * 0.51;
    case DataType::int4_groups: return greatest / 8 * 1.01;  // 8 is clamped to 7
    case DataType::int8_multipliers: return (greatest + greatest_of_all / 63) / 127 * 0.51;
    case DataType::int4_multipliers: return (greatest + greatest_of_all / 63) / 8 * 1.01;
    default: break;  // not of weights
  }
  return 0;
}

double greatest_of(const std::vector<float>& weight, std::size_t first, std::size_t end) {
  double greatest = 0;
  for (std::size_t i = first; i < end; ++i) greatest = std::max(greatest, std::abs(double{weight[i]}));
  return greatest;
}

/// weight [outputs, inputs] and some rows of x [.., inputs].
void add_errors(const ErrorCase& type, const std::vector<float>& weight, std::size_t inputs,
                const std::vector<float>& x, Errors& errors) {
  const std::size_t outputs = weight.size() / inputs;
  const LinearPlan plan = type.plan(inputs, outputs);
  const AlignedMemory packed(plan.bytes);
  ASSERT_EQ(pack_linear(plan, weight.data(), nullptr, packed.span()), Status::ok);
  std::vector<float> dequantized(weight.size());
  ASSERT_EQ(unpack_linear(plan, {packed.span(), type.format}, dequantized.data()), Status::ok);
  std::vector<float> y;
  const auto rows = static_cast<std::uint32_t>(x.size() / inputs);
  if (plan.row_bytes != 0) y = run_linear(plan, {packed.span(), type.format}, x, rows);
  for (std::size_t output = 0; output < outputs; ++output) {
    const std::size_t row = output * inputs;
    for (std::size_t k = 0; k < inputs; ++k) {
      const double error = double{dequantized[row + k]} - weight[row + k];
      errors.weight += error * error;
      errors.weights += double{weight[row + k]} * weight[row + k];
      const std::size_t group = k / scale_group_size * scale_group_size;
      const double greatest = type.type == DataType::int8
                                  ? greatest_of(weight, row, row + inputs)
                                  : greatest_of(weight, row + group, row + std::min(inputs, group + scale_group_size));
      ASSERT_LE(std::abs(error), bound_of(type.type, weight[row + k], greatest, greatest_of(weight, row, row + inputs)))
          << type.name;
    }
    for (std::size_t r = 0; r < x.size() / inputs; ++r) {
      double error = 0, sum = 0;
      for (std::size_t k = 0; k < inputs; ++k) {
        error += (double{dequantized[row + k]} - weight[row + k]) * x[r * inputs + k];
        sum += double{weight[row + k]} * x[r * inputs + k];
      }
      if (!y.empty()) error = y[r * outputs + output] - sum;
      errors.output += error * error;
      errors.outputs += sum * sum;
    }
  }
}

/// A row of docs/quantization.md: tests/readme/check_errors.sh compares.
void print_row(const char* data, const ErrorCase& type, const Errors& errors) {
  const LinearPlan plan = type.plan(512, 512);
  std::printf("| %s | %s | %.2f | %.1e | %.1e |\n", data, type.name.c_str(), plan.bytes * 8.0 / (512 * 512),
              std::sqrt(errors.weight / errors.weights), std::sqrt(errors.output / errors.outputs));
}

TEST(WeightError, OnRandomNumbers) {
  Random random(21);
  const std::vector<float> weight = random.normals(std::size_t{512} * 512);
  const std::vector<float> x = random.normals(std::size_t{16} * 512);
  for (const ErrorCase& type : error_cases()) {
    Errors errors;
    add_errors(type, weight, 512, x, errors);
    ASSERT_FALSE(HasFatalFailure());
    print_row("normal weights", type, errors);
  }
}

TEST(WeightError, OnTheProjectionsOfKwt1) {
  const std::filesystem::path directory = data_directory();
  if (!std::filesystem::exists(directory / "kwt1.safetensors")) {
    GTEST_SKIP() << "no KWT-1 data in " << directory << "; set HEED_KWT1 to its directory";
  }
  Tensors weights(directory / "kwt1.safetensors");
  Tensors goldens(directory / "goldens_right.safetensors");
  for (const ErrorCase& type : error_cases()) {
    Errors errors;
    for (int block = 0; block < 12; ++block) {
      const std::string name = "blocks." + std::to_string(block) + ".";
      const std::vector<float> x = goldens[name + "input"];
      for (const char* projection : {"query", "key", "value"}) {
        add_errors(type, weights[name + "attention." + projection + ".weight"], 64, x, errors);
      }
      add_errors(type, weights[name + "attention.output.weight"], 64, goldens[name + "attention.context"], errors);
      ASSERT_FALSE(HasFatalFailure());
    }
    print_row("KWT-1 weights", type, errors);
  }
}

}  // namespace
}  // namespace heed::test
