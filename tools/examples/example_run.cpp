// SPDX-License-Identifier: MIT
#include "examples/example_run.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

#include "heed/attention.hpp"
#include "heed/layer.hpp"
#include "heed/positions.hpp"
#include "support/aligned_bytes.hpp"
#include "support/failure.hpp"
#include "tensors/bound_layer.hpp"

namespace heed::tools {

namespace {

std::uint32_t size32(std::size_t size) {
  return static_cast<std::uint32_t>(size);
}

/// Looks the tokens up in a table that holds their embeddings, and adds the encoding of their positions.
void embed(const nlohmann::json& example, ExampleRun& run) {
  const DenseMatrix embeddings = to_matrix(example.at("embeddings"));
  const std::size_t tokens = embeddings.rows;
  const std::size_t dim = embeddings.columns;
  std::vector<std::uint32_t> ids(tokens);
  std::iota(ids.begin(), ids.end(), 0U);
  if (example.contains("token_ids")) ids = example["token_ids"].get<std::vector<std::uint32_t>>();

  const std::vector<float> rows = to_floats(embeddings);
  std::vector<float> table((std::size_t{*std::max_element(ids.begin(), ids.end())} + 1) * dim);
  for (std::size_t token = 0; token < tokens; ++token) {
    std::copy_n(rows.data() + token * dim, dim, table.data() + ids[token] * dim);
  }
  std::vector<float> x(tokens * dim);
  require_ok(embedding_lookup(table, size32(dim), ids, dense(x.data(), tokens, dim)), "embedding look-up");
  require_ok(add_sinusoidal_positions(dense(x.data(), tokens, dim), size32(tokens), size32(dim)), "positions");
  run.embedded = to_matrix(x, tokens, dim);

  std::vector<float> encoding(tokens * dim);
  require_ok(add_sinusoidal_positions(dense(encoding.data(), tokens, dim), size32(tokens), size32(dim)), "positions");
  run.positions = to_matrix(encoding, tokens, dim);
}

/// Q, K and V of every head: given, or X times the head's weights.
void project(const nlohmann::json& example, ExampleRun& run) {
  for (std::size_t head = 0; head < run.heads.size(); ++head) {
    HeadRun& target = run.heads[head];
    if (!example.contains("projections")) {
      target.queries = to_matrix(example.at("queries"));
      target.keys = to_matrix(example.at("keys"));
      target.values = to_matrix(example.at("values"));
      continue;
    }
    const nlohmann::json& projections = example["projections"];
    target.queries = multiply(*run.input, to_matrix(projections.at("query").at(head)));
    target.keys = multiply(*run.input, to_matrix(projections.at("key").at(head)));
    target.values = multiply(*run.input, to_matrix(projections.at("value").at(head)));
  }
}

/// Where a run of the library leaves its results.
struct Buffers {
  std::vector<float> scores;   ///< [heads, queries, keys]
  std::vector<float> outputs;  ///< [heads, queries, value_dim]
};

/// Calls `run_once(scale, stage, buffers)` for each of the three kinds of scores and keeps what it returns. The texts
/// call Q K^T the raw scores; the library's raw scores are scaled, so those come from a run with a scale of 1.
template <class RunOnce>
void fill_heads(ExampleRun& run, RunOnce run_once) {
  const std::size_t queries = run.heads[0].queries.rows;
  const std::size_t keys = run.heads[0].keys.rows;
  const std::size_t value_dim = run.heads[0].values.columns;
  Buffers buffers{std::vector<float>(run.heads.size() * queries * keys),
                  std::vector<float>(run.heads.size() * queries * value_dim)};
  const auto keep_scores = [&](DenseMatrix HeadRun::*scores) {
    for (std::size_t head = 0; head < run.heads.size(); ++head) {
      run.heads[head].*scores = to_matrix(std::span(buffers.scores).subspan(head * queries * keys), queries, keys);
    }
  };
  run_once(1.0F, ScoreStage::raw, buffers);
  keep_scores(&HeadRun::raw_scores);
  run_once(0.0F, ScoreStage::raw, buffers);
  keep_scores(&HeadRun::scaled_scores);
  run_once(0.0F, ScoreStage::weights, buffers);
  keep_scores(&HeadRun::weights);
  for (std::size_t head = 0; head < run.heads.size(); ++head) {
    const auto rows = std::span(buffers.outputs).subspan(head * queries * value_dim);
    run.heads[head].outputs = to_matrix(rows, queries, value_dim);
  }
}

std::vector<float> heads_behind_each_other(const std::vector<HeadRun>& heads, DenseMatrix HeadRun::*matrix) {
  std::vector<float> all;
  for (const HeadRun& head : heads) {
    const std::vector<float> one = to_floats(head.*matrix);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

/// heed::attend on Q, K and V.
void run_attention(ExampleRun& run) {
  const std::size_t heads = run.heads.size();
  const std::size_t queries = run.heads[0].queries.rows;
  const std::size_t keys = run.heads[0].keys.rows;
  const std::size_t head_dim = run.heads[0].queries.columns;
  const std::size_t value_dim = run.heads[0].values.columns;
  const std::vector<float> query = heads_behind_each_other(run.heads, &HeadRun::queries);
  const std::vector<float> key = heads_behind_each_other(run.heads, &HeadRun::keys);
  const std::vector<float> value = heads_behind_each_other(run.heads, &HeadRun::values);
  AttentionPlan plan;
  const AttentionConfig config{
      .heads = size32(heads), .head_dim = size32(head_dim), .value_dim = size32(value_dim), .max_keys = size32(keys)};
  require_ok(make_plan(config, plan), "attention");
  AlignedBytes arena(plan.bytes);
  fill_heads(run, [&](float scale, ScoreStage stage, Buffers& buffers) {
    AttentionInputs inputs{.query_count = size32(queries), .key_count = size32(keys)};
    inputs.query = bhsd(query.data(), heads, queries, head_dim);
    inputs.key = bhsd(key.data(), heads, keys, head_dim);
    inputs.value = bhsd(value.data(), heads, keys, value_dim);
    inputs.scale = scale;
    AttentionOutputs outputs;
    outputs.output = bhsd(buffers.outputs.data(), heads, queries, value_dim);
    outputs.scores = bhsd(buffers.scores.data(), heads, queries, keys);
    outputs.score_stage = stage;
    require_ok(attend(plan, arena.span(), inputs, outputs), "attention");
  });
}

/// The texts multiply X W; the library stores [out, in]. The heads' outputs lie one after the other.
std::vector<float> transposed(const nlohmann::json& matrices) {
  std::vector<float> rows;
  for (const nlohmann::json& json : matrices) {
    const DenseMatrix matrix = to_matrix(json);
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      for (std::size_t row = 0; row < matrix.rows; ++row) rows.push_back(static_cast<float>(matrix.at(row, column)));
    }
  }
  return rows;
}

DenseMatrix concatenate(const std::vector<HeadRun>& heads) {
  DenseMatrix all{heads[0].outputs.rows, 0, {}};
  for (const HeadRun& head : heads) all.columns += head.outputs.columns;
  for (std::size_t row = 0; row < all.rows; ++row) {
    for (const HeadRun& head : heads) {
      for (std::size_t i = 0; i < head.outputs.columns; ++i) all.values.push_back(head.outputs.at(row, i));
    }
  }
  return all;
}

/// heed::MultiHeadAttention on X.
void run_layer(const nlohmann::json& example, ExampleRun& run) {
  const std::size_t heads = run.heads.size();
  const std::size_t tokens = run.input->rows;
  const std::size_t head_dim = run.heads[0].queries.columns;
  const std::size_t value_dim = run.heads[0].values.columns;
  const nlohmann::json& projections = example["projections"];
  const nlohmann::json& output_projection = example["output_projection"];
  const std::size_t output_dim = output_projection.at(0).size();
  const std::vector<float> query = transposed(projections["query"]);
  const std::vector<float> key = transposed(projections["key"]);
  const std::vector<float> value = transposed(projections["value"]);
  const std::vector<float> output = transposed(nlohmann::json::array({output_projection}));

  MultiHeadPlan plan;
  const MultiHeadConfig config{.model_dim = size32(run.input->columns),
                               .heads = size32(heads),
                               .head_dim = size32(head_dim),
                               .value_dim = size32(value_dim),
                               .output_dim = size32(output_dim),
                               .max_keys = size32(tokens)};
  require_ok(make_plan(config, plan), "multi-head attention");
  BoundLayer bound(plan, {.query = query.data(), .key = key.data(), .value = value.data(), .output = output.data()},
                   "multi-head attention");

  const std::vector<float> x = to_floats(*run.input);
  std::vector<float> y(tokens * output_dim);
  fill_heads(run, [&](float scale, ScoreStage stage, Buffers& buffers) {
    MultiHeadInputs inputs{.tokens = size32(tokens), .input = dense(x.data(), tokens, run.input->columns)};
    inputs.scale = scale;
    MultiHeadOutputs outputs{.output = dense(y.data(), tokens, output_dim)};
    outputs.head_outputs = bhsd(buffers.outputs.data(), heads, tokens, value_dim);
    outputs.scores = bhsd(buffers.scores.data(), heads, tokens, tokens);
    outputs.score_stage = stage;
    require_ok(bound.layer.encode(inputs, outputs), "multi-head attention");
  });
  run.y = to_matrix(y, tokens, output_dim);
}

}  // namespace

ExampleRun run_example(const nlohmann::json& example) {
  ExampleRun run;
  if (example.contains("embeddings")) embed(example, run);
  run.input = run.embedded;
  if (example.contains("input")) run.input = to_matrix(example["input"]);
  run.heads.resize(example.at("heads").get<std::size_t>());
  project(example, run);
  if (example.contains("output_projection")) {
    run_layer(example, run);
    run.concatenation = concatenate(run.heads);
  } else {
    run_attention(run);
  }
  return run;
}

}  // namespace heed::tools
