// SPDX-License-Identifier: MIT
//
// How far attention over a stored cache is from attention over the floats that were put into it: on random numbers and
// on the layers of a trained transformer (kwt1_test.cpp), printed as the rows of docs/quantization.md, and below a
// bound that follows from the steps between the numbers that a type can hold.
#include <gtest/gtest.h>

#include <cstdio>

#include "cache/kv_cache_twin.hpp"
#include "layer/kwt1.hpp"
#include "support/built_cache.hpp"

namespace heed::test {
namespace {

struct Kind {
  const char* name;
  DataType keys;
  DataType values;
};

constexpr Kind kinds[] = {
    {"float32", DataType::float32, DataType::float32},
    {"float16", DataType::float16, DataType::float16},
    {"bfloat16", DataType::bfloat16, DataType::bfloat16},
    {"int8", DataType::int8, DataType::int8},
    {"int8, keys per channel", DataType::int8_channels, DataType::int8},
    {"int8 keys, int4 values", DataType::int8, DataType::int4},
    {"int4", DataType::int4, DataType::int4},
};

/// All as parts of the greatest output.
struct Errors {
  double mean = 0;      ///< root of the mean square
  double expected = 0;  ///< the same, if rounding errors were independent and spread evenly over a step
  double greatest = 0;
  double bound = 0;  ///< the greatest one, of an output

  void join(const Errors& other) {
    mean = std::max(mean, other.mean);
    expected = std::max(expected, other.expected);
    greatest = std::max(greatest, other.greatest);
    bound = std::max(bound, other.bound);
  }
};

/// From one number that is stored to the next, at x.
double step_at(DataType storage, float x, const Stored& stored) {
  const int exponent = x == 0.0F ? -126 : std::ilogb(x);
  switch (storage) {
    case DataType::float32: return 0.0;
    case DataType::float16: return std::ldexp(1.0, std::max(exponent, -14) - 10);
    case DataType::bfloat16: return std::ldexp(1.0, exponent - 7);
    case DataType::int8:
    case DataType::int4:
    case DataType::int8_channels: return static_cast<double>(stored.scale);
    default: break;
  }
  return 0.0;
}

/// Rows [rows, dim] as they are stored, and the step at each number.
struct Rounded {
  std::vector<float> dequantized;
  std::vector<double> step;

  Rounded(DataType storage, const std::vector<float>& rows, std::uint32_t dim, const std::vector<float>& channel_scales,
          std::size_t rows_per_head, std::uint32_t heads) {
    for (std::size_t row = 0; row < rows.size() / dim; ++row) {
      const float* from = rows.data() + row * dim;
      const float* scales =
          channel_scales.empty() ? nullptr : channel_scales.data() + row / rows_per_head % heads * dim;
      const std::vector<Stored> stored = stored_row(storage, from, dim, scales);
      for (std::uint32_t d = 0; d < dim; ++d) {
        dequantized.push_back(stored[d].dequantized);
        step.push_back(step_at(storage, from[d], stored[d]));
      }
    }
  }
};

/// The least scales that hold every key.
std::vector<float> scales_of_channels(const AttentionCase& c) {
  const AttentionShape& s = c.shape;
  std::vector<float> scales(std::size_t{s.kv_heads} * s.head_dim);
  for (std::size_t e = 0; e < c.key.size(); ++e) {
    float& scale = scales[e / s.head_dim / s.keys * s.head_dim + e % s.head_dim];
    scale = std::max(scale, std::fabs(c.key[e]) / 127.0F);
  }
  return scales;
}

Result run_stored(const AttentionCase& c, const Kind& kind, const std::vector<float>& channel_scales) {
  const AttentionShape& s = c.shape;
  BuiltCache built({1, s.kv_heads, s.head_dim, s.value_dim, s.keys, 0, kind.keys, kind.values});
  KvCache& cache = built.cache;
  if (kind.keys == DataType::int8_channels) {
    EXPECT_EQ(cache.set_key_scales(channel_scales), Status::ok);
  }
  EXPECT_EQ(cache.append(0, s.keys, bhsd(c.key.data(), s.kv_heads, s.keys, s.head_dim),
                         bhsd(c.value.data(), s.kv_heads, s.keys, s.value_dim)),
            Status::ok);
  return run_by(c, {}, [&](const auto& attention, auto arena, auto in, const auto& out, const auto& executor) {
    in.key = in.value = {};
    in.cache = &cache;
    return attend(attention, arena, in, out, executor);
  });
}

/// Of one output.
struct StepError {
  double bound, variance;
};

/// What rounding keys and values does to the output of one query. A rounded number is off by half a step at most, with
/// a variance of a twelfth of the step squared. If no score is off by more than D, the weights change by a factor of at
/// most exp(2 D); as they still sum to 1, that moves the output by their change times (value - output).
std::vector<StepError> step_errors(const AttentionCase& c, const Rounded& keys, const Rounded& values, std::size_t head,
                                   const float* query, const double* weights) {
  const AttentionShape& s = c.shape;
  constexpr double half = 0.5 + 0x1p-16;  // and the rounding of the quotient that q rounds
  double worst = 0;
  std::vector<double> variance(s.keys);
  for (std::size_t j = 0; j < s.keys; ++j) {
    double off = 0;
    for (std::size_t d = 0; d < s.head_dim; ++d) {
      const double moved = static_cast<double>(c.scale) * std::fabs(static_cast<double>(query[d])) *
                           keys.step[(head * s.keys + j) * s.head_dim + d];
      off += half * moved;
      variance[j] += moved * moved / 12;
    }
    worst = std::max(worst, off);
  }
  std::vector<StepError> errors;
  for (std::size_t d = 0; d < s.value_dim; ++d) {
    const auto element = [&](std::size_t j) { return (head * s.keys + j) * s.value_dim + d; };
    double output = 0;
    for (std::size_t j = 0; j < s.keys; ++j) output += weights[j] * static_cast<double>(c.value[element(j)]);
    StepError error{};
    for (std::size_t j = 0; j < s.keys; ++j) {
      const double moved = static_cast<double>(c.value[element(j)]) - output;
      const double step = values.step[element(j)];
      error.bound += weights[j] * (std::expm1(2 * worst) * std::fabs(moved) + std::exp(2 * worst) * half * step);
      error.variance += weights[j] * weights[j] * (variance[j] * moved * moved + step * step / 12);
    }
    errors.push_back(error);
  }
  return errors;
}

Errors errors_of(const AttentionCase& c, const Kind& kind) {
  const AttentionShape& s = c.shape;
  const std::vector<float> scales = kind.keys == DataType::int8_channels ? scales_of_channels(c) : std::vector<float>{};
  const Rounded keys(kind.keys, c.key, s.head_dim, scales, s.keys, s.kv_heads);
  const Rounded values(kind.values, c.value, s.value_dim, {}, s.keys, s.kv_heads);
  AttentionCase rounded = c;
  rounded.key = keys.dequantized;
  rounded.value = values.dequantized;
  const Expected exact = reference_attention(c);
  const Expected exact_rounded = reference_attention(rounded);
  const Result floats = run(c);
  const Result stored = run_stored(c, kind, scales);
  EXPECT_EQ(floats.status, Status::ok);
  EXPECT_EQ(stored.status, Status::ok);
  Errors errors;
  double greatest = 0;
  for (std::size_t row = 0; row < std::size_t{s.heads} * s.queries; ++row) {
    const std::vector<StepError> steps = step_errors(c, keys, values, row / s.queries / (s.heads / s.kv_heads),
                                                     &c.query[row * s.head_dim], &exact.weights[row * s.keys]);
    for (std::size_t d = 0; d < s.value_dim; ++d) {
      const std::size_t e = row * s.value_dim + d;
      const double error = std::fabs(static_cast<double>(stored.output[e]) - static_cast<double>(floats.output[e]));
      EXPECT_LE(error, steps[d].bound + exact.output_bound[e] + exact_rounded.output_bound[e]) << kind.name;
      errors.join({0, 0, error, steps[d].bound});
      errors.mean += error * error;
      errors.expected += steps[d].variance;
      greatest = std::max(greatest, std::fabs(exact.output[e]));
    }
  }
  const auto outputs = static_cast<double>(floats.output.size());
  return {std::sqrt(errors.mean / outputs) / greatest, std::sqrt(errors.expected / outputs) / greatest,
          errors.greatest / greatest, errors.bound / greatest};
}

/// A row of docs/quantization.md: tests/readme/check_errors.sh compares.
void print_row(const char* data, const Kind& kind, const Errors& errors) {
  std::printf("| %s | %s | %.1e | %.1e | %.1e | %.1e |\n", data, kind.name, errors.mean, errors.expected,
              errors.greatest, errors.bound);
}

/// The mean error within a factor of what the steps let expect; floats are exact.
void expect_mean(const Kind& kind, const Errors& errors, double factor) {
  EXPECT_LE(errors.mean, errors.expected * factor) << kind.name;
  EXPECT_GE(errors.mean, errors.expected / factor) << kind.name;
  EXPECT_EQ(errors.expected == 0.0, kind.keys == DataType::float32) << kind.name;
}

TEST(StoredError, OnRandomNumbers) {
  Random random(11);
  AttentionCase c = random_case(random, {1, 8, 2, 16, 512, 64, 64});
  c.scale = 0.125F;
  for (const Kind& kind : kinds) {
    const Errors errors = errors_of(c, kind);
    print_row("normal", kind, errors);
    expect_mean(kind, errors, 1.1);
  }
}

TEST(StoredError, OnTheLayersOfKwt1) {
  const std::filesystem::path directory = data_directory();
  if (!std::filesystem::exists(directory / "kwt1.safetensors")) {
    GTEST_SKIP() << "no KWT-1 data in " << directory << "; set HEED_KWT1 to its directory";
  }
  Tensors goldens(directory / "goldens_right.safetensors");
  Errors errors[std::size(kinds)];
  for (int block = 0; block < 12; ++block) {
    const std::string attention = "blocks." + std::to_string(block) + ".attention.";
    AttentionCase c;
    c.shape = {1, 1, 1, 99, 99, 64, 64};
    c.query = goldens[attention + "q"];
    c.key = goldens[attention + "k"];
    c.value = goldens[attention + "v"];
    c.scale = 0.125F;
    for (std::size_t i = 0; i < std::size(kinds); ++i) errors[i].join(errors_of(c, kinds[i]));
  }
  for (std::size_t i = 0; i < std::size(kinds); ++i) {
    print_row("KWT-1", kinds[i], errors[i]);
    // Tokens that are alike are rounded alike, so that errors add up: int4 shows it.
    expect_mean(kinds[i], errors[i], 2.5);
  }
}

}  // namespace
}  // namespace heed::test
