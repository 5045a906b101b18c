// SPDX-License-Identifier: MIT
//
// The worked examples of the five texts: every number of every deterministic example to float32 accuracy, and the
// texts' own printed digits.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "layer/layer_case.hpp"

namespace heed::test {
namespace {

using Json = nlohmann::json;

struct Table {
  std::vector<float> values;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
};

Table table(const Json& json) {
  Table t{{}, static_cast<std::uint32_t>(json.size()), static_cast<std::uint32_t>(json.at(0).size())};
  for (const Json& row : json)
    for (const Json& value : row) t.values.push_back(value.get<float>());
  return t;
}

Table transposed(const Table& t) {
  Table result{std::vector<float>(t.values.size()), t.columns, t.rows};
  for (std::size_t r = 0; r < t.rows; ++r)
    for (std::size_t c = 0; c < t.columns; ++c) result.values[c * t.rows + r] = t.values[r * t.columns + c];
  return result;
}

/// Within 5e-7 of the matrix's largest value.
void expect_close(const Table& got, const Json& exact, const std::string& what) {
  double largest = 0, worst = 0;
  ASSERT_EQ(got.rows, exact.size()) << what;
  ASSERT_EQ(got.columns, exact.at(0).size()) << what;
  for (std::size_t r = 0; r < got.rows; ++r) {
    for (std::size_t c = 0; c < got.columns; ++c) {
      const double value = exact[r][c].get<double>();
      largest = std::max(largest, std::abs(value));
      worst = std::max(worst, std::abs(value - got.values[r * got.columns + c]));
    }
  }
  EXPECT_LE(worst, 5e-7 * largest) << what;
}

/// Within half a unit of the last digit that the text prints, and the float32 accuracy of the number.
void expect_printed(const Table& got, const Json& printed, double unit, const std::string& what) {
  for (std::size_t r = 0; r < got.rows; ++r) {
    for (std::size_t c = 0; c < got.columns; ++c) {
      const double value = printed.at(r).at(c).get<double>();
      EXPECT_NEAR(got.values[r * got.columns + c], value, unit / 2 + 5e-7 * std::abs(value)) << what;
    }
  }
}

/// X W computed by the library: as the keys of a layer, read back from its cache.
Table project(const Table& x, const Table& weight) {
  const Table w = transposed(weight);
  const MultiHeadConfig config{.model_dim = x.columns, .heads = 1, .head_dim = w.rows, .max_keys = x.rows};
  const std::vector<float> output(std::size_t{x.columns} * w.rows);
  Layer layer(config, {w.values.data(), w.values.data(), w.values.data(), output.data()});
  EXPECT_EQ(layer.layer.append(1, nullptr, x.rows, dense<const float>(x.values.data(), x.rows, x.columns)), Status::ok);
  Table result{{}, x.rows, w.rows};
  for (std::uint32_t row = 0; row < x.rows; ++row) {
    const KvCache& cache = layer.layer.cache();
    const auto* keys = reinterpret_cast<const float*>(cache.memory() + cache.plan().keys.offset);
    const float* panel = keys + std::size_t{row} / 16 * 16 * w.rows;
    for (std::uint32_t d = 0; d < w.rows; ++d) result.values.push_back(panel[d * 16 + row % 16]);
  }
  return result;
}

struct Head {
  Table raw, scaled, weights, outputs;
};

Head attend(const Table& q, const Table& k, const Table& v, float scale = 0.0F) {
  AttentionCase c;
  c.shape = {.queries = q.rows, .keys = k.rows, .head_dim = q.columns, .value_dim = v.columns};
  c.query = q.values;
  c.key = k.values;
  c.value = v.values;
  const auto scores = [&](float factor, ScoreStage stage) {
    c.scale = factor;
    return Table{run(c, {.want_scores = true, .stage = stage}).scores, q.rows, k.rows};
  };
  Head head{scores(1.0F, ScoreStage::raw), scores(scale, ScoreStage::raw), scores(scale, ScoreStage::weights), {}};
  head.outputs = {run(c).output, q.rows, v.columns};
  return head;
}

void expect_head(const Head& head, const Json& exact, const std::string& what) {
  expect_close(head.raw, exact.at("raw_scores"), what + " raw scores");
  expect_close(head.scaled, exact.at("scaled_scores"), what + " scaled scores");
  expect_close(head.weights, exact.at("weights"), what + " weights");
  expect_close(head.outputs, exact.at("outputs"), what + " outputs");
}

class WorkedExamples : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(HEED_TEST_DATA "/worked_examples.json");
    ASSERT_TRUE(file) << "tests/data/worked_examples.json cannot be read";
    data_ = Json::parse(file);
  }
  [[nodiscard]] const Json& example(const std::string& name) const {
    for (const Json& e : data_.at("examples")) {
      if (e.at("name") == name) return e;
    }
    throw std::runtime_error("no example " + name);
  }

  /// Every head by itself, and all of them as one layer with W_O.
  void expect_example(const Json& e, const Table& x) const {
    const std::uint32_t heads = e.at("heads");
    std::vector<float> stacked[3];
    for (std::uint32_t h = 0; h < heads; ++h) {
      const Json& exact = e.at("exact").at("heads").at(h);
      const std::string what = e.at("name").get<std::string>() + " head " + std::to_string(h);
      Table projected[3];
      const char* const names[] = {"query", "key", "value"};
      for (int i = 0; i < 3; ++i) {
        const Table weight = table(e.at("projections").at(names[i]).at(h));
        projected[i] = project(x, weight);
        const Table rows = transposed(weight);
        stacked[i].insert(stacked[i].end(), rows.values.begin(), rows.values.end());
      }
      expect_close(projected[0], exact.at("queries"), what + " queries");
      expect_close(projected[1], exact.at("keys"), what + " keys");
      expect_close(projected[2], exact.at("values"), what + " values");
      expect_head(attend(projected[0], projected[1], projected[2]), exact, what);
    }
    if (e.contains("output_projection")) expect_layer(e, x, stacked);
  }

  static void expect_layer(const Json& e, const Table& x, const std::vector<float> (&stacked)[3]) {
    const Table output = transposed(table(e.at("output_projection")));
    const MultiHeadConfig config = completed({.model_dim = x.columns, .heads = e.at("heads"), .max_keys = x.rows});
    Layer layer(config, {stacked[0].data(), stacked[1].data(), stacked[2].data(), output.values.data()});
    Table y{std::vector<float>(std::size_t{x.rows} * config.output_dim), x.rows, config.output_dim};
    Table concatenation{std::vector<float>(x.values.size()), x.rows, x.columns};
    MultiHeadInputs in;
    in.tokens = x.rows;
    in.input = dense<const float>(x.values.data(), x.rows, x.columns);
    MultiHeadOutputs out;
    out.output = dense(y.values.data(), x.rows, config.output_dim);
    out.head_outputs = bshd(concatenation.values.data(), config.heads, x.rows, config.value_dim);
    ASSERT_EQ(layer.layer.encode(in, out), Status::ok);
    expect_close(concatenation, e.at("exact").at("concatenation"), e.at("name").get<std::string>() + " concatenation");
    expect_close(y, e.at("exact").at("y"), e.at("name").get<std::string>() + " y");
    if (e.contains("printed")) expect_printed(y, e.at("printed").at("y"), 1e-8, e.at("name"));
  }

  Json data_;
};

TEST_F(WorkedExamples, MachineLearningWithOneHead) {
  expect_example(example("learning_one_head"), table(example("learning_one_head").at("input")));
}

TEST_F(WorkedExamples, MachineLearningWithTwoHeads) {
  expect_example(example("learning_two_heads"), table(example("learning_two_heads").at("input")));
}

TEST_F(WorkedExamples, IndiaIsGreatWithOneHead) {
  const Json& e = example("india_one_head");
  const Table x = table(e.at("input"));
  expect_example(e, x);
  const Json& printed = e.at("printed").at("heads").at(0);
  const Table q = project(x, table(e.at("projections").at("query").at(0)));
  const Table k = project(x, table(e.at("projections").at("key").at(0)));
  const Table v = project(x, table(e.at("projections").at("value").at(0)));
  expect_printed(q, printed.at("queries"), 1e-8, "queries");
  expect_printed(k, printed.at("keys"), 1e-8, "keys");
  expect_printed(v, printed.at("values"), 1e-8, "values");
  const Head head = attend(q, k, v);
  expect_printed(head.raw, printed.at("raw_scores"), 1e-8, "raw scores");
  expect_printed(head.weights, printed.at("weights"), 1e-8, "weights");
  expect_printed(head.outputs, printed.at("outputs"), 1e-8, "outputs");
}

TEST_F(WorkedExamples, IndiaIsGreatStartsFromEmbeddingsPlusPositions) {
  // The text cuts the sums to three to five digits instead of rounding them: 1e-3 is all that its digits can promise.
  const Json& e = example("india_one_head");
  Table x = table(e.at("embeddings"));
  ASSERT_EQ(add_sinusoidal_positions(dense(x.values.data(), x.rows, x.columns), x.rows, x.columns), Status::ok);
  expect_close(x, e.at("exact").at("embedded"), "embedded");
  expect_printed(x, e.at("printed").at("embedded"), 2e-3, "embedded");
}

TEST_F(WorkedExamples, IndiaIsGreatWithTwoHeads) {
  expect_example(example("india_two_heads"), table(example("india_two_heads").at("input")));
}

TEST_F(WorkedExamples, OneQueryOverTwoKeys) {
  const Json& e = example("one_query");
  const Head head = attend(table(e.at("queries")), table(e.at("keys")), table(e.at("values")));
  expect_head(head, e.at("exact").at("heads").at(0), "one query");
  expect_printed(head.outputs, e.at("printed").at("heads").at(0).at("outputs"), 1e-4, "one query outputs");
}

TEST_F(WorkedExamples, TelescopeFromTokensToOutput) {
  // The text's rows of positions are not the standard formula and its outputs follow from no stated weights, so the
  // encoding is the standard one and the weights are our own.
  const Json& e = example("telescope");
  const auto ids = e.at("token_ids").get<std::vector<std::uint32_t>>();
  const Table rows = table(e.at("embeddings"));
  std::vector<float> vocabulary(std::size_t{107} * rows.columns, 0.0F);
  for (std::size_t t = 0; t < ids.size(); ++t) {
    std::copy_n(&rows.values[t * rows.columns], rows.columns, &vocabulary[ids[t] * rows.columns]);
  }
  Table x{std::vector<float>(rows.values.size()), rows.rows, rows.columns};
  const MutableMatrix matrix = dense(x.values.data(), x.rows, x.columns);
  ASSERT_EQ(embedding_lookup(vocabulary, x.columns, ids, matrix), Status::ok);
  EXPECT_EQ(x.values, rows.values);
  ASSERT_EQ(add_sinusoidal_positions(matrix, x.rows, x.columns), Status::ok);
  expect_close(x, e.at("exact").at("embedded"), "embedded");
  expect_example(e, x);
}

TEST_F(WorkedExamples, LoveIceInBothConventionsAndScales) {
  // The text's code divides by sqrt(2) where its formula says sqrt(d_k) = 2, and multiplies by W^T where it says W.
  const Json& ice = data_.at("ice");
  const Table x = table(ice.at("input"));
  for (const Json& exact : ice.at("exact")) {
    const auto weight = [&](const char* name) {
      const Table w = table(ice.at("weights").at(name));
      return exact.at("transposed").get<bool>() ? transposed(w) : w;
    };
    const Table q = project(x, weight("query"));
    const Table k = project(x, weight("key"));
    const Table v = project(x, weight("value"));
    expect_close(q, exact.at("queries"), "queries");
    expect_close(k, exact.at("keys"), "keys");
    expect_close(v, exact.at("values"), "values");
    expect_head(attend(q, k, v, static_cast<float>(1.0 / exact.at("divisor").get<double>())), exact,
                exact.at("meaning"));
  }
}

}  // namespace
}  // namespace heed::test
