// SPDX-License-Identifier: MIT
//
// How far attention over a stored cache is from attention over the floats that were put into it: on random numbers and
// on the layers of a trained transformer (kwt1_test.cpp), printed as the rows of README.md's tables, and below a bound
// that follows from the steps between the numbers that a type can hold.
#include <gtest/gtest.h>

#include <cstdio>

#include "cases.hpp"
#include "kwt1.hpp"
#include "stored_twin.hpp"

namespace heed::test {
namespace {

struct Kind {
  const char* name;
  Storage keys;
  Storage values;
  bool per_channel = false;
};

constexpr Kind kinds[] = {
    {"float32", Storage::float32, Storage::float32},
    {"float16", Storage::float16, Storage::float16},
    {"bfloat16", Storage::bfloat16, Storage::bfloat16},
    {"int8", Storage::int8, Storage::int8},
    {"int8, keys per channel", Storage::int8, Storage::int8, true},
    {"int8 keys, int4 values", Storage::int8, Storage::int4},
    {"int4", Storage::int4, Storage::int4},
};

/// Greatest error and greatest bound, both as parts of the greatest output.
struct Errors {
  double error = 0, bound = 0;

  void join(const Errors& other) {
    error = std::max(error, other.error);
    bound = std::max(bound, other.bound);
  }
};

/// How far a stored number can be from the given one: half a step, and the rounding of the quotient behind q.
double half_step(Storage storage, float x, const Stored& stored) {
  const double magnitude = std::fabs(static_cast<double>(x));
  switch (storage) {
    case Storage::float32: return 0.0;
    case Storage::float16: return std::max(magnitude * 0x1p-11, 0x1p-25);
    case Storage::bfloat16: return magnitude * 0x1p-8;
    case Storage::int8:
    case Storage::int4: return static_cast<double>(stored.scale) * (0.5 + 0x1p-16);
  }
  return 0.0;
}

/// Rows [rows, dim] as they are stored, with the greatest distance of each number.
struct Rounded {
  std::vector<float> decoded;
  std::vector<double> off;

  Rounded(Storage storage, const std::vector<float>& rows, std::uint32_t dim, const std::vector<float>& channel_scales,
          std::size_t rows_per_head, std::uint32_t heads) {
    for (std::size_t row = 0; row < rows.size() / dim; ++row) {
      const float* from = rows.data() + row * dim;
      const float* scales =
          channel_scales.empty() ? nullptr : channel_scales.data() + row / rows_per_head % heads * dim;
      const std::vector<Stored> stored = stored_row(storage, from, dim, scales);
      for (std::uint32_t d = 0; d < dim; ++d) {
        decoded.push_back(stored[d].decoded);
        off.push_back(half_step(storage, from[d], stored[d]));
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
  StoredCachePlan plan;
  EXPECT_EQ(make_plan(StoredCacheConfig{1, s.kv_heads, s.head_dim, s.value_dim, s.keys, kind.keys, kind.values,
                                        kind.per_channel},
                      plan),
            Status::ok);
  const AlignedMemory memory(plan.bytes);
  StoredCache cache;
  EXPECT_EQ(cache.init(plan, memory.span()), Status::ok);
  if (kind.per_channel) {
    EXPECT_EQ(cache.set_key_scales(channel_scales), Status::ok);
  }
  EXPECT_EQ(cache.append(0, s.keys, heads_first(c.key.data(), s.kv_heads, s.keys, s.head_dim),
                         heads_first(c.value.data(), s.kv_heads, s.keys, s.value_dim)),
            Status::ok);
  return run_by(c, {}, [&](const auto& attention, auto arena, auto in, const auto& out, const auto& executor) {
    in.key = in.value = {};
    return attend(attention, arena, in, {&cache, nullptr, 0}, {}, out, executor);
  });
}

/// What rounding keys and values can do to the output of one query. A score is off by at most D, so a weight by at most
/// the factor exp(2 D); what that moves is the difference of a value from any number, such as their middle.
std::vector<double> step_bounds(const AttentionCase& c, const Rounded& keys, const Rounded& values, std::size_t head,
                                const float* query, const double* weights) {
  const AttentionShape& s = c.shape;
  double worst = 0;
  for (std::size_t j = 0; j < s.keys; ++j) {
    double off = 0;
    for (std::size_t d = 0; d < s.head_dim; ++d) {
      off += std::fabs(static_cast<double>(query[d])) * keys.off[(head * s.keys + j) * s.head_dim + d];
    }
    worst = std::max(worst, off * static_cast<double>(c.scale));
  }
  std::vector<double> bounds;
  for (std::size_t d = 0; d < s.value_dim; ++d) {
    double middle = 0, bound = 0;
    for (std::size_t j = 0; j < s.keys; ++j) {
      middle += weights[j] * static_cast<double>(c.value[(head * s.keys + j) * s.value_dim + d]);
    }
    for (std::size_t j = 0; j < s.keys; ++j) {
      const std::size_t e = (head * s.keys + j) * s.value_dim + d;
      const double moved = std::fabs(static_cast<double>(c.value[e]) - middle);
      bound += weights[j] * (std::expm1(2 * worst) * moved + std::exp(2 * worst) * values.off[e]);
    }
    bounds.push_back(bound);
  }
  return bounds;
}

Errors errors_of(const AttentionCase& c, const Kind& kind) {
  const AttentionShape& s = c.shape;
  const std::vector<float> scales = kind.per_channel ? scales_of_channels(c) : std::vector<float>{};
  const Rounded keys(kind.keys, c.key, s.head_dim, scales, s.keys, s.kv_heads);
  const Rounded values(kind.values, c.value, s.value_dim, {}, s.keys, s.kv_heads);
  AttentionCase rounded = c;
  rounded.key = keys.decoded;
  rounded.value = values.decoded;
  const Expected exact = reference_attention(c);
  const Expected exact_rounded = reference_attention(rounded);
  const Result floats = run(c);
  const Result stored = run_stored(c, kind, scales);
  EXPECT_EQ(floats.status, Status::ok);
  EXPECT_EQ(stored.status, Status::ok);
  Errors errors;
  double greatest = 0;
  for (std::size_t row = 0; row < std::size_t{s.heads} * s.queries; ++row) {
    const std::vector<double> steps = step_bounds(c, keys, values, row / s.queries / (s.heads / s.kv_heads),
                                                  &c.query[row * s.head_dim], &exact.weights[row * s.keys]);
    for (std::size_t d = 0; d < s.value_dim; ++d) {
      const std::size_t e = row * s.value_dim + d;
      const double error = std::fabs(static_cast<double>(stored.output[e]) - static_cast<double>(floats.output[e]));
      const double bound = steps[d] + exact.output_bound[e] + exact_rounded.output_bound[e];
      EXPECT_LE(error, bound) << kind.name << " row " << row << " column " << d;
      errors.join({error, steps[d]});
      greatest = std::max(greatest, std::fabs(exact.output[e]));
    }
  }
  return {errors.error / greatest, errors.bound / greatest};
}

/// A row of README.md: tests/readme/check_errors.sh compares.
void print_row(const char* data, const Kind& kind, const Errors& errors) {
  std::printf("| %s | %s | %.1e | %.1e |\n", data, kind.name, errors.error, errors.bound);
}

void expect_order(const Errors (&errors)[std::size(kinds)]) {
  EXPECT_EQ(errors[0].error, 0.0);
  EXPECT_LT(errors[1].error, errors[2].error);
  EXPECT_LT(errors[3].error, errors[5].error);
  EXPECT_LT(errors[5].error, errors[6].error);
}

TEST(StoredError, OnRandomNumbers) {
  Random random(11);
  AttentionCase c = random_case(random, {1, 8, 2, 16, 512, 64, 64});
  c.scale = 0.125F;
  Errors errors[std::size(kinds)];
  for (std::size_t i = 0; i < std::size(kinds); ++i) {
    errors[i] = errors_of(c, kinds[i]);
    print_row("normal", kinds[i], errors[i]);
  }
  expect_order(errors);
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
  for (std::size_t i = 0; i < std::size(kinds); ++i) print_row("KWT-1", kinds[i], errors[i]);
  expect_order(errors);
}

}  // namespace
}  // namespace heed::test
