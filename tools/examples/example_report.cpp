// SPDX-License-Identifier: MIT
#include "examples/example_report.hpp"

#include <algorithm>
#include <optional>

#include "examples/worked_examples.hpp"
#include "support/characters.hpp"

namespace heed::tools {

namespace {

/// A matrix of the data file, if it has it.
std::optional<DenseMatrix> find(const nlohmann::json& from, const std::string& part, const std::string& name) {
  if (!from.contains(part) || !from[part].contains(name)) return {};
  return to_matrix(from[part][name]);
}

std::optional<DenseMatrix> find_in_head(const nlohmann::json& example, const std::string& part, std::size_t head,
                                        const std::string& name) {
  if (!example.contains(part) || !example[part].contains("heads")) return {};
  const nlohmann::json& matrices = example[part]["heads"].at(head);
  if (!matrices.contains(name)) return {};
  return to_matrix(matrices[name]);
}

std::string quoted(const std::string& text) {
  return '"' + text + '"';
}

std::string rows_of(const std::vector<std::string>& tokens, const DenseMatrix& matrix) {
  std::string text;
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    text += right_aligned(tokens[row], 12);
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      text += right_aligned(fixed(matrix.at(row, column), 5), 10);
    }
    text += '\n';
  }
  return text + '\n';
}

}  // namespace

std::string title_of(const std::string& text) {
  return worked_examples().at("texts").at(text).get<std::string>();
}

std::string inconsistencies(const std::string& example) {
  std::string lines;
  std::string last;
  for (const nlohmann::json& entry : worked_examples().at("inconsistencies")) {
    if (entry.at("example") != example) continue;
    const auto text = entry.at("text").get<std::string>();
    if (example.empty() && text != last) lines += (last.empty() ? "  " : "\n  ") + quoted(title_of(text)) + '\n';
    last = text;
    lines += "  ! " + entry.at("line").get<std::string>() + '\n';
  }
  return lines;
}

ExampleReport::ExampleReport(const nlohmann::json& example)
    : example_(example),
      tokens_(example.at("tokens").get<Labels>()),
      key_tokens_(example.contains("key_tokens") ? example["key_tokens"].get<Labels>() : tokens_),
      run_(run_example(example)) {}

std::string ExampleReport::summary(TerminalColours colours) const {
  const std::vector<Result> all = results();
  Differences differences;
  for (const Result& result : all) differences.add(result.comparison);
  const std::string end = "  " + std::to_string(all.size()) + " results: " + differences.text() + '\n';
  return heading() + '\n' + weights(colours) + '\n' + to_text(all.back().comparison) + '\n' + end;
}

std::string ExampleReport::in_full(TerminalColours colours) const {
  std::string text = heading();
  if (example_.contains("token_ids")) {
    text += "  ids:   ";
    for (const nlohmann::json& id : example_["token_ids"]) text += "  " + id.dump();
    text += '\n';
  }
  if (example_.contains("note")) text += wrapped(example_["note"].get<std::string>(), 2);
  text += '\n';
  if (!run_.positions && run_.input) text += "  X\n" + rows_of(tokens_, *run_.input);
  for (const Result& result : results()) text += to_text(result.comparison) + '\n' + unlike(result);
  return text + weights(colours) + '\n' + inconsistencies(example_.at("name").get<std::string>());
}

HeatMapGroup ExampleReport::heat_maps() const {
  HeatMapGroup group{example_.at("title").get<std::string>(),
                     title_of(example_.at("text").get<std::string>()),
                     tokens_,
                     key_tokens_,
                     {}};
  for (std::size_t head = 0; head < run_.heads.size(); ++head) {
    group.maps.push_back({run_.heads.size() > 1 ? "head " + std::to_string(head) : "", run_.heads[head].weights});
  }
  return group;
}

std::vector<ExampleReport::Result> ExampleReport::results() const {
  std::vector<Result> all;
  if (run_.positions) {
    all.push_back(result("sinusoidal encoding of the positions", *run_.positions, "positions"));
    all.push_back(result("X = embeddings + encoding", *run_.embedded, "embedded"));
  }
  for (std::size_t head = 0; head < run_.heads.size(); ++head) {
    for (Result& one : results_of_head(head)) all.push_back(std::move(one));
  }
  if (run_.concatenation) all.push_back(result("concatenation of the heads", *run_.concatenation, "concatenation"));
  if (run_.y) all.push_back(result("Y = concatenation W_O", *run_.y, "y"));
  return all;
}

std::vector<ExampleReport::Result> ExampleReport::results_of_head(std::size_t head) const {
  const HeadRun& matrices = run_.heads[head];
  const std::string prefix = run_.heads.size() > 1 ? "head " + std::to_string(head) + ", " : "";
  const bool projected = example_.contains("projections");
  const std::string divisor = std::to_string(matrices.queries.columns);
  std::vector<Result> all;
  const auto add = [&](const std::string& title, const Labels& rows, const DenseMatrix& matrix, const char* name) {
    all.push_back({name, Comparison{prefix + title, rows, matrix, find_in_head(example_, "printed", head, name),
                                    find_in_head(example_, "exact", head, name)}});
  };
  add(projected ? "Q = X W_Q" : "Q", tokens_, matrices.queries, "queries");
  add(projected ? "K = X W_K" : "K", key_tokens_, matrices.keys, "keys");
  add(projected ? "V = X W_V" : "V", key_tokens_, matrices.values, "values");
  add("raw scores Q K^T", tokens_, matrices.raw_scores, "raw_scores");
  add("scaled scores Q K^T / sqrt(" + divisor + ")", tokens_, matrices.scaled_scores, "scaled_scores");
  add("weights softmax(scaled scores)", tokens_, matrices.weights, "weights");
  add("outputs weights V", tokens_, matrices.outputs, "outputs");
  return all;
}

ExampleReport::Result ExampleReport::result(const std::string& title, const DenseMatrix& matrix,
                                            const std::string& name) const {
  return {name, Comparison{title, tokens_, matrix, find(example_, "printed", name), find(example_, "exact", name)}};
}

std::string ExampleReport::heading() const {
  const std::string title = example_.at("title").get<std::string>();
  std::string text = title + '\n';
  for (std::size_t i = 0; i < characters_of(title); ++i) text += "─";
  text += "\n  from " + quoted(title_of(example_.at("text").get<std::string>())) + '\n';
  const bool own_keys = example_.contains("key_tokens");
  text += own_keys ? "  queries:" : "  tokens:";
  for (const std::string& token : tokens_) text += "  " + token;
  if (own_keys) text += "\n  keys:   ";
  for (const std::string& token : own_keys ? key_tokens_ : Labels{}) text += "  " + token;
  return text + '\n';
}

std::string ExampleReport::weights(TerminalColours colours) const {
  return "  attention weights: a row is a query, a column is a key\n" + to_text(heat_maps(), colours);
}

/// What the text has where this computation is, if it is another computation.
std::string ExampleReport::unlike(const Result& result) const {
  const std::optional<DenseMatrix> theirs = find(example_, "unlike_printed", result.name);
  if (!theirs) return "";
  return "  what the text has in its place: not the same computation, off by up to " +
         fixed(largest_difference(result.comparison.result, *theirs), 2) + '\n' + rows_of(tokens_, *theirs);
}

}  // namespace heed::tools
