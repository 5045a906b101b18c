// SPDX-License-Identifier: MIT
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "examples/example_run.hpp"
#include "examples/heat_map.hpp"
#include "examples/heat_map_svg.hpp"
#include "examples/matrix_text.hpp"
#include "examples/worked_examples.hpp"
#include "formats/files.hpp"

namespace heed::tools {

namespace {

using Labels = std::vector<std::string>;

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

void print_rows(const Labels& tokens, const DenseMatrix& matrix) {
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    std::cout << right_aligned(tokens[row], 12);
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      std::cout << right_aligned(fixed(matrix.at(row, column), 5), 10);
    }
    std::cout << '\n';
  }
  std::cout << '\n';
}

/// Prints what the text has where this computation is: values that it does not share.
void print_unlike(const nlohmann::json& example, const std::string& name, const Labels& tokens,
                  const DenseMatrix& result, const std::string& title) {
  const std::optional<DenseMatrix> theirs = find(example, "unlike_printed", name);
  if (!theirs) return;
  std::cout << "  " << title << " as " << example.at("text").get<std::string>()
            << " has it; not the same computation, off by up to " << fixed(largest_difference(result, *theirs), 2)
            << '\n';
  print_rows(tokens, *theirs);
}

/// One worked example: computed when it is made, then printed.
class Section {
 public:
  explicit Section(const nlohmann::json& example)
      : example_(example),
        text_(example.at("text").get<std::string>()),
        tokens_(example.at("tokens").get<Labels>()),
        key_tokens_(example.contains("key_tokens") ? example["key_tokens"].get<Labels>() : tokens_),
        run_(run_example(example)) {}

  void print() const {
    print_heading();
    print_input();
    for (std::size_t head = 0; head < run_.heads.size(); ++head) print_head(head);
    if (run_.concatenation) compare("concatenation of the heads", tokens_, *run_.concatenation, "concatenation");
    if (run_.y) {
      compare("Y = concatenation W_O", tokens_, *run_.y, "y");
      print_unlike(example_, "y", tokens_, *run_.y, "Y");
    }
  }

  [[nodiscard]] HeatMapGroup heat_maps() const {
    HeatMapGroup group{example_.at("title").get<std::string>(), text_, tokens_, key_tokens_, {}};
    for (std::size_t head = 0; head < run_.heads.size(); ++head) {
      group.maps.push_back({run_.heads.size() > 1 ? "head " + std::to_string(head + 1) : "", run_.heads[head].weights});
    }
    return group;
  }

 private:
  void print_heading() const {
    const std::string title = example_.at("title").get<std::string>();
    std::cout << title << "  (" << text_ << ")\n";
    for (std::size_t i = 0; i < width_of(title) + text_.size() + 4; ++i) std::cout << "─";
    const bool own_keys = example_.contains("key_tokens");
    std::cout << (own_keys ? "\n\n  queries:" : "\n\n  tokens:");
    for (const std::string& token : tokens_) std::cout << "  " << token;
    if (own_keys) std::cout << "\n  keys:   ";
    for (const std::string& token : own_keys ? key_tokens_ : Labels{}) std::cout << "  " << token;
    std::cout << '\n';
    if (example_.contains("token_ids")) {
      std::cout << "  ids:   ";
      for (const nlohmann::json& id : example_["token_ids"]) std::cout << "  " << id;
      std::cout << '\n';
    }
    if (example_.contains("note")) std::cout << wrapped(example_["note"].get<std::string>(), 2);
    std::cout << '\n';
  }

  void print_input() const {
    if (run_.positions) {
      compare("sinusoidal encoding of the positions", tokens_, *run_.positions, "positions");
      print_unlike(example_, "positions", tokens_, *run_.positions, "encoding");
      compare("X = embeddings + encoding", tokens_, *run_.embedded, "embedded");
    } else if (run_.input) {
      std::cout << "  X\n";
      print_rows(tokens_, *run_.input);
    }
  }

  void print_head(std::size_t head) const {
    const HeadRun& matrices = run_.heads[head];
    const std::string prefix = run_.heads.size() > 1 ? "head " + std::to_string(head + 1) + ", " : "";
    const bool projected = example_.contains("projections");
    const std::string divisor = std::to_string(matrices.queries.columns);
    const auto show = [&](const std::string& title, const Labels& rows, const DenseMatrix& result, const char* name) {
      std::cout << to_text(Comparison{prefix + title, rows, result, find_in_head(example_, "printed", head, name),
                                      find_in_head(example_, "exact", head, name), text_})
                << '\n';
    };
    show(projected ? "Q = X W_Q" : "Q", tokens_, matrices.queries, "queries");
    show(projected ? "K = X W_K" : "K", key_tokens_, matrices.keys, "keys");
    show(projected ? "V = X W_V" : "V", key_tokens_, matrices.values, "values");
    show("raw scores Q K^T", tokens_, matrices.raw_scores, "raw_scores");
    show("scaled scores Q K^T / sqrt(" + divisor + ")", tokens_, matrices.scaled_scores, "scaled_scores");
    show("weights softmax(scaled scores)", tokens_, matrices.weights, "weights");
    show("outputs weights V", tokens_, matrices.outputs, "outputs");
  }

  void compare(const std::string& title, const Labels& rows, const DenseMatrix& result, const std::string& name) const {
    std::cout << to_text(Comparison{title, rows, result, find(example_, "printed", name), find(example_, "exact", name),
                                    text_})
              << '\n';
  }

  const nlohmann::json& example_;
  std::string text_;
  Labels tokens_;
  Labels key_tokens_;
  ExampleRun run_;
};

void print_inconsistencies(const std::string& example) {
  for (const nlohmann::json& entry : worked_examples().at("inconsistencies")) {
    if (entry.at("example") != example) continue;
    std::cout << "  ! " << entry.at("text").get<std::string>() << ": " << entry.at("line").get<std::string>() << '\n';
  }
}

void run_demo(const std::string& svg_file) {
  const TerminalColours colours = terminal_colours();
  std::vector<HeatMapGroup> groups;
  std::cout << "Worked examples of five texts on attention, computed in float32 by the library.\n"
               "Beside each result: the digits that the text prints, or else the float64 value.\n\n\n";
  for (const nlohmann::json& example : worked_examples().at("examples")) {
    const Section section(example);
    section.print();
    groups.push_back(section.heat_maps());
    std::cout << "  attention weights: a row is a query, a column is a key\n"
              << to_text(groups.back(), colours) << '\n';
    print_inconsistencies(example.at("name").get<std::string>());
    std::cout << "\n\n";
  }
  std::cout << "Where the texts contradict themselves elsewhere\n\n";
  print_inconsistencies("");
  if (svg_file.empty()) return;
  OutputFiles files;
  files.add(svg_file, to_svg(groups));
  files.write();
}

}  // namespace

void add_demo(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("demo", "worked examples of attention, with heat maps");
  const auto svg_file = std::make_shared<std::string>();
  command.add_option("--svg", *svg_file, "write all heat maps into one picture")->type_name("FILE");
  command.callback([svg_file] { run_demo(*svg_file); });
}

}  // namespace heed::tools
