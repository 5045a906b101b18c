// SPDX-License-Identifier: MIT
#include "onnxruntime.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace heed::bench {
namespace {

using nlohmann::json;

/// Copies of an operator in one graph, so that a run takes about 20 ms and the binding's share of it is small.
[[nodiscard]] int chain_length(const Work& work) {
  return std::clamp(calls_within(0.015, work), 2, 300);
}

}  // namespace

OnnxRuntime::OnnxRuntime(const std::string& scripts, std::string folder) : folder_(std::move(folder)) {
  const std::string script = scripts + "/onnxruntime.js";
  int commands[2];
  int answers[2];
  if (pipe(commands) != 0 || pipe(answers) != 0) fail("no pipe to node");
  process_ = fork();
  if (process_ == 0) {
    dup2(commands[0], STDIN_FILENO);
    dup2(answers[1], STDOUT_FILENO);
    for (const int end : {commands[0], commands[1], answers[0], answers[1]}) close(end);
    execlp("node", "node", script.c_str(), nullptr);
    _exit(127);
  }
  close(commands[0]);
  close(answers[1]);
  to_ = fdopen(commands[1], "w");
  from_ = fdopen(answers[0], "r");
  if (process_ < 0 || to_ == nullptr || from_ == nullptr) fail("node does not start");
}

OnnxRuntime::~OnnxRuntime() {
  std::fclose(to_);
  std::fclose(from_);
  waitpid(process_, nullptr, 0);
}

std::string OnnxRuntime::ask(const std::string& command) {
  std::fprintf(to_, "%s\n", command.c_str());
  std::fflush(to_);
  std::string answer;
  for (int c = std::fgetc(from_); c != '\n'; c = std::fgetc(from_)) {
    if (c == EOF) fail("ONNX Runtime's process has ended");
    answer.push_back(static_cast<char>(c));
  }
  return answer;
}

std::optional<Peer> OnnxRuntime::load(const std::string& graph, const std::string& shape,
                                      const std::vector<Tensor>& inputs, const Work& work, int chain,
                                      std::size_t output_size) {
  const std::string input_path = folder_ + "/inputs.bin";
  const std::string output_path = folder_ + "/output.bin";
  {
    std::ofstream file(input_path, std::ios::binary);
    for (const Tensor& tensor : inputs) {
      file.write(reinterpret_cast<const char*>(tensor.data), static_cast<std::streamsize>(tensor.size * sizeof(float)));
    }
    if (!file) fail(input_path + " cannot be written");
  }
  json described = json::parse(shape);
  described["chain"] = chain;
  const json answer = json::parse(
      ask(json{{"load", graph}, {"shape", described}, {"inputs", input_path}, {"output", output_path}}.dump()));
  if (!answer.contains("loaded")) {
    std::fprintf(stderr, "%s: %s\n", graph.c_str(), answer.value("refused", "").c_str());
    return std::nullopt;
  }
  Peer peer{.name = graph, .kind = PeerKind::runtime, .seconds = {}, .output = std::vector<float>(output_size)};
  std::ifstream file(output_path, std::ios::binary);
  file.read(reinterpret_cast<char*>(peer.output.data()), static_cast<std::streamsize>(output_size * sizeof(float)));
  if (!file) fail(output_path + " cannot be read");
  const int id = answer["loaded"];
  // Dropped with the last copy of the peer.
  const std::shared_ptr<void> session(nullptr, [this, id](void*) {
    static_cast<void>(ask(json{{"drop", id}}.dump()));
  });
  peer.seconds = [this, id, work, chain, session](double seconds) {
    const int runs = std::max(1, calls_within(seconds, work) / chain);
    return json::parse(ask(json{{"run", id}, {"runs", runs}}.dump()))["seconds"].get<double>();
  };
  return peer;
}

std::optional<Peer> OnnxRuntime::attention_peer(const std::string& graph, const AttentionCase& same) {
  const AttentionShape& s = same.shape();
  const json shape{{"heads", s.heads},
                   {"queries", s.queries},
                   {"keys", s.keys},
                   {"head_dim", s.head_dim},
                   {"causal", s.causal == Causal::none ? 0 : 1}};
  const std::size_t rows = std::size_t{s.heads} * s.queries * s.head_dim;
  const std::size_t keys = std::size_t{s.heads} * s.keys * s.head_dim;
  const Tensors& tensors = same.tensors();
  const Work work = work_of(s);
  return load(graph, shape.dump(), {{tensors.query, rows}, {tensors.key, keys}, {tensors.value, keys}}, work,
              chain_length(work), rows);
}

std::optional<Peer> OnnxRuntime::layer_peer(const std::string& graph, const LayerShape& shape, const LayerCase& same) {
  const json described{{"heads", shape.heads}, {"tokens", shape.tokens}, {"model_dim", shape.model_dim}};
  const LayerWeights& weights = same.weights();
  const std::size_t rows = std::size_t{shape.tokens} * shape.model_dim;
  std::vector<Tensor> inputs{{same.x(), rows}};
  for (const Floats* part : {&weights.query, &weights.key, &weights.value, &weights.output, &weights.query_bias,
                             &weights.key_bias, &weights.value_bias, &weights.output_bias}) {
    inputs.push_back({part->data(), part->size()});
  }
  // Every copy packs weights of its own: two fit the cache, more would not.
  constexpr int chain = 2;
  return load(graph, described.dump(), inputs, work_of(shape), chain, rows);
}

std::optional<Peer> OnnxRuntime::product_peer(const ProductCase& same) {
  const ProductShape& shape = same.shape();
  const json described{{"rows", shape.rows}, {"dim", shape.dim}, {"bits", bits_of(shape.type)}};
  const Floats numbers(same.weights().begin(), same.weights().end());
  const Floats scales = same.group_scales();
  // Two copies: more would each read weights of their own.
  constexpr int chain = 2;
  return load("block_product", described.dump(),
              {{same.x().data(), same.x().size()}, {numbers.data(), numbers.size()}, {scales.data(), scales.size()}},
              work_of(shape), chain, same.y().size());
}

std::optional<Peer> OnnxRuntime::model_peer(const std::string& graph, const std::string& weights, const Floats& input,
                                            const Work& work, std::size_t output_size) {
  // One copy: the binding takes less than a hundredth of a model's time.
  constexpr int chain = 1;
  return load(graph, json{{"weights", weights}}.dump(), {{input.data(), input.size()}}, work, chain, output_size);
}

}  // namespace heed::bench
