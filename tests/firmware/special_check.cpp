// SPDX-License-Identifier: MIT
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t cases = 96;
constexpr std::uint32_t head_dim = 8;
constexpr std::uint32_t value_dim = 5;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::uint32_t nan_patterns[] = {0x7FC00000U, 0xFFC00000U, 0x7F800001U, 0xFF800001U, 0x7FFFFFFFU, 0xFFA54321U};

/// Where the special numbers are.
enum class Place : std::uint8_t { bias, relative_bias, slope, product, query, key, value, mask };
constexpr std::uint32_t places = 8;

enum class Kind : std::uint8_t { number, zero, nan };

struct Case {
  Place place = Place::bias;
  std::uint32_t at = 0;  ///< the query or key that has NaN; of a value, element 0
  AttentionConfig config{.heads = 2, .kv_heads = 1, .head_dim = head_dim, .value_dim = value_dim};
  AttentionInputs inputs{};
  AttentionOptions options{};
  AttentionOutputs outputs{};
  float slopes[2] = {infinity, 0.5F};
  float relative[2] = {-infinity, 0.25F};
  std::span<float> query, key, value, bias, output, scores, log_sum_exp;
};

/// What element d of a row of the output is; the log-sum-exp is of the kind of an element but the first.
Kind expected(const Case& c, std::uint32_t head, std::uint32_t query, std::uint32_t d) {
  switch (c.place) {
    case Place::bias: return query % 3 == 0 ? Kind::zero : Kind::number;
    case Place::relative_bias:
    case Place::slope: return head == 0 ? Kind::zero : Kind::number;
    case Place::product: return query % 2 == 0 ? Kind::zero : Kind::nan;
    case Place::query:
    case Place::mask: return query == c.at ? Kind::nan : Kind::number;
    case Place::key: return query >= c.at ? Kind::nan : Kind::number;
    case Place::value: return query >= c.at && d == 0 ? Kind::nan : Kind::number;
  }
  return Kind::number;
}

bool is(Kind kind, float x, float zero) {
  if (kind == Kind::nan) return x != x;
  return kind == Kind::zero ? std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(zero) : x - x == 0.0F;
}

/// Every third row of the bias is -inf, another one from the second block on, and the last every other key.
void fill_bias(Case& c) {
  const std::uint32_t keys = c.inputs.key_count;
  for (std::uint32_t i = 0; i < c.inputs.query_count; ++i) {
    for (std::uint32_t j = 0; j < keys; ++j) {
      const bool open = i % 3 == 1 ? j < 256 : i % 3 == 2 && j % 2 == 0;
      c.bias[std::size_t{i} * keys + j] = open ? 0.5F : -infinity;
    }
  }
  c.options.pre_softcap_bias = {{c.bias.data(), 0, 0, static_cast<std::ptrdiff_t>(keys)}, keys};
}

void put_special_numbers(Numbers& random, Case& c) {
  // Bits, because a processor may change a NaN that it loads as a number.
  const auto put_nan = [&](float& to) {
    const auto bits = std::bit_cast<std::array<std::byte, 4>>(nan_patterns[random.between(0, 5)]);
    for (std::size_t i = 0; i < 4; ++i) std::as_writable_bytes(std::span(&to, 1))[i] = bits[i];
  };
  const bool of_key = c.place == Place::key || c.place == Place::value;
  if (of_key) c.inputs.causal = Causal::top_left;
  c.at = random.between(
      0, (of_key && c.inputs.key_count < c.inputs.query_count ? c.inputs.key_count : c.inputs.query_count) - 1);
  switch (c.place) {
    case Place::bias: fill_bias(c); return;
    case Place::relative_bias: c.options.relative_bias = {c.relative, 1, 0, 0}; return;
    case Place::slope:
      c.inputs.causal_offset = -100;
      c.options.alibi_slopes = c.slopes;
      return;
    case Place::product:
      for (std::size_t i = 0; i < c.key.size(); i += head_dim) c.key[i] = -infinity;
      for (std::size_t i = 0; i < c.query.size(); i += head_dim) {
        c.query[i] = i / head_dim % c.inputs.query_count % 2 == 0 ? 1.0F : -1.0F;
      }
      return;
    case Place::query:
      for (std::uint32_t h = 0; h < 2; ++h) put_nan(c.query[(h * c.inputs.query_count + c.at) * head_dim + 3]);
      return;
    case Place::key: put_nan(c.key[c.at * head_dim + 2]); return;
    case Place::value: put_nan(c.value[c.at * value_dim]); return;
    case Place::mask:
      for (float& x : c.bias) x = 0.0F;
      put_nan(c.bias[c.at * c.inputs.key_count + c.inputs.key_count / 2]);
      c.options.additive_mask = {{c.bias.data(), 0, 0, static_cast<std::ptrdiff_t>(c.inputs.key_count)},
                                 c.inputs.key_count};
      return;
  }
}

bool make_case(std::uint32_t number, Case& c) {
  Numbers random(17000 + number);
  AttentionInputs& in = c.inputs;
  const std::uint32_t round = number / places;
  c.place = static_cast<Place>(number % places);
  in.query_count = random.between(1, 20);
  in.key_count = round % 3 == 0 ? random.between(257, 300) : random.between(1, 40);
  c.config.scratch_budget = round % 4 == 1 ? 1 : 0;
  Pool<float> pool(numbers);
  c.query = pool.take(std::size_t{2} * in.query_count * head_dim);
  c.key = pool.take(std::size_t{in.key_count} * head_dim);
  c.value = pool.take(std::size_t{in.key_count} * value_dim);
  c.bias = pool.take(std::size_t{in.query_count} * in.key_count);
  c.output = pool.take(std::size_t{2} * in.query_count * value_dim);
  c.scores = pool.take(std::size_t{2} * in.query_count * in.key_count);
  c.log_sum_exp = pool.take(std::size_t{2} * in.query_count);
  if (c.log_sum_exp.empty()) return false;
  random.fill(c.query, 2.0F);
  random.fill(c.key, 2.0F);
  random.fill(c.value, 2.0F);
  if (number % 5 == 0) c.options.smooth_softmax = true;
  put_special_numbers(random, c);
  // A cap leaves no score infinite.
  if (round % 2 == 0 && c.place >= Place::query) c.options.softcap = 8.0F;
  in.query = bhsd<const float>(c.query.data(), 2, in.query_count, head_dim);
  in.key = bhsd<const float>(c.key.data(), 1, in.key_count, head_dim);
  in.value = bhsd<const float>(c.value.data(), 1, in.key_count, value_dim);
  c.outputs.output = bhsd(c.output.data(), 2, in.query_count, value_dim);
  if (round % 3 != 1) c.outputs.scores = bhsd(c.scores.data(), 2, in.query_count, in.key_count);
  c.outputs.log_sum_exp = c.log_sum_exp.data();
  return true;
}

/// Whether a row is what it should be; with its weights, if they were asked for.
bool row_is_right(const Case& c, std::uint32_t head, std::uint32_t query) {
  bool good = true;
  const float* output = c.outputs.output.row(0, head, query);
  for (std::uint32_t d = 0; d < value_dim; ++d) good = is(expected(c, head, query, d), output[d], 0.0F) && good;
  const Kind row = expected(c, head, query, 1);
  good = is(row, c.log_sum_exp[head * c.inputs.query_count + query], -infinity) && good;
  if (row != Kind::zero || c.outputs.scores.data == nullptr) return good;
  for (std::uint32_t j = 0; j < c.inputs.key_count; ++j)
    good = is(row, c.outputs.scores.row(0, head, query)[j], 0.0F) && good;
  return good;
}

}  // namespace

Outcome check_special() {
  Outcome outcome;
  Hash hash;
  for (std::uint32_t number = 0; number < cases; ++number) {
    Case c;
    AttentionPlan plan;
    bool good = make_case(number, c) && make_plan(c.config, plan) == Status::ok && plan.bytes <= sizeof first_memory;
    good =
        good && attend(plan, std::span(first_memory).first(plan.bytes), c.inputs, c.options, c.outputs) == Status::ok;
    for (std::uint32_t row = 0; good && row < 2 * c.inputs.query_count; ++row) {
      good = row_is_right(c, row / c.inputs.query_count, row % c.inputs.query_count);
    }
    hash.add(c.output);
    hash.add(c.log_sum_exp);
    if (!good) ++outcome.failures;
    ++outcome.cases;
  }
  outcome.hash = hash.value();
  return outcome;
}

}  // namespace heed::test
