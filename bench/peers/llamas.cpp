// SPDX-License-Identifier: MIT
//
// heed_peers_llama RESULTS [--read] MODEL...: measures Llamas of the models' dimensions and of random weights beside
// llama.cpp, in turns, by one worker and by two, and writes the times of every round: a prefill of 512 tokens, and 64
// tokens after 128, one at a time, from weights in 8 and in 4 bits, which are the same in both programs. Times are
// those of a clock on the wall, the threads of both spin between the parts of a call, and no thread is bound to a core.
// Ends with an error if logits differ by more than `tolerance`: llama.cpp rounds rows in groups of 32, heed as its
// configuration says. Beside each time stands what llama.cpp's would be over the least that heed's file allows this
// machine: in a prefill the products of rows and weights at their peak, with no attention and nothing rounded; in a
// decode the fastest of several reads of the weights.
//
// heed's weights lie in huge pages where the system has them, as those of its command; llama.cpp maps its file. With
// --read it reads it, and the tokens alone are measured, by one worker and in integers: then llama.cpp's weights lie in
// huge pages, too, where GLIBC_TUNABLES=glibc.malloc.hugetlb=1.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "gguf_file.hpp"
#include "heed_model.hpp"
#include "llama_cases.hpp"
#include "llama_cpp.hpp"
#include "machine/limits.hpp"
#include "support/thread_pool.hpp"
#include "tensors/model_work.hpp"
#include "turns.hpp"

namespace {

using namespace heed;
using namespace heed::bench;
namespace fs = std::filesystem;

/// In parts of the greatest logit: the programs are up to 0.009 apart, and positions in a wrong order 0.016 to 0.034.
constexpr double tolerance = 0.012;

/// What runs a language model.
struct Program {
  std::string name;
  PeerKind kind;
  std::function<void(std::uint32_t length)> truncate;
  std::function<const float*(std::span<const std::uint32_t> tokens)> append;
  std::function<void()> rest;                          ///< leaves the cores to others
  std::function<double(const Text&)> least_seconds{};  ///< of a prefill or of a token, as the machine is now; heed's
};

/// What the programs of a model with weights in some format are made of.
struct Source {
  const Dimensions& model;
  const Weights& weights;
  const RandomLlama& llama;
  fs::path gguf;
  std::vector<std::shared_ptr<const tools::AlignedBytes>> files{};  ///< heed's, one for each way
};

/// The model file of one way to multiply.
[[nodiscard]] std::shared_ptr<const tools::AlignedBytes> pack(const Dimensions& model, const RandomLlama& llama,
                                                              const Way& way) {
  ModelConfig config = model.config;
  config.block.weight_type = config.input_type = way.type;
  config.block.row_type = config.block.output_row_type = way.row_type;
  config.block.mlp_row_type = config.block.down_row_type = config.head_row_type = way.row_type;
  return std::make_shared<const tools::AlignedBytes>(tools::weight_copy(llama.pack(config)));
}

/// Of the products of a prefill at their peak, or of one read of what a token reads.
[[nodiscard]] double least_seconds(const ModelPlan& plan, std::span<const std::byte> file, const Text& text,
                                   std::uint32_t workers) {
  if (!text.at_once) return tools::token_bytes(plan) / tools::measure_reads(workers, file);
  double seconds = 0.0;
  for (const tools::Products& one : tools::prompt_work(plan, text.tokens)) {
    seconds += one.count / tools::measure_products(workers, one.weights, one.rows);
  }
  return seconds;
}

[[nodiscard]] Program heed_program(const Source& source, std::size_t way, std::uint32_t workers) {
  const std::string name = std::string("heed ") + source.weights.ways[way].name;
  const auto made = std::make_shared<HeedModel>(source.files[way], name, most_tokens, most_tokens, workers);
  const auto pool = std::make_shared<tools::ThreadPool>(workers);
  const auto logits = std::make_shared<Floats>(source.model.config.input_dim);
  return {.name = name,
          .kind = PeerKind::heed,
          .truncate = [made](std::uint32_t length) { expect(made->get().truncate(length), "truncate()"); },
          .append = [made, pool, logits, workers](std::span<const std::uint32_t> tokens) -> const float* {
            const Executor executor = workers > 1 ? pool->executor() : Executor{};
            expect(made->get().prefill(tokens, logits->data(), executor), "prefill()");
            return logits->data();
          },
          .rest = [] {},  // its threads spin for a fifth of a millisecond
          .least_seconds =
              [made, file = source.files[way], workers](const Text& text) {
                return least_seconds(made->get().plan(), file->span(), text, workers);
              }};
}

[[nodiscard]] Program llama_cpp_program(const Source& source, std::uint32_t workers, bool mapped = true) {
  const auto made =
      std::make_shared<LlamaCpp>(source.gguf, most_tokens, source.model.config.input_dim, workers, mapped);
  return {.name = "llama.cpp",
          .kind = PeerKind::runtime,
          .truncate = [made](std::uint32_t length) { made->truncate(length); },
          .append = [made](std::span<const std::uint32_t> tokens) { return made->append(tokens); },
          .rest = [made] { made->pause(); }};
}

/// A peer whose turn is the whole text; seconds are those of a prefill, or of a token.
[[nodiscard]] Peer text_peer(const Program& program, const Text& text, std::uint32_t vocabulary) {
  std::vector<std::uint32_t> tokens;
  for (std::uint32_t i = 0; i < text.before + text.tokens; ++i) tokens.push_back(i * 7919 % vocabulary);
  const auto write = [program, text, tokens]() -> const float* {
    const std::span<const std::uint32_t> all = tokens;
    if (text.at_once) return program.append(all.subspan(text.before));
    const float* logits = nullptr;
    for (std::uint32_t i = text.before; i < all.size(); ++i) logits = program.append(all.subspan(i, 1));
    return logits;
  };
  const auto begin = [program, text, tokens] {
    program.truncate(0);
    if (text.before != 0) program.append(std::span(tokens).first(text.before));
  };
  begin();
  const float* logits = write();
  program.rest();
  return {.name = program.name,
          .kind = program.kind,
          .seconds =
              [begin, write, program, text](double /*seconds*/) {
                if (text.before == 0) {
                  begin();
                } else {
                  program.truncate(text.before);
                }
                const double start = now();
                write();
                const double seconds = now() - start;
                program.rest();
                return seconds / (text.at_once ? 1 : text.tokens);
              },
          .output = {logits, logits + vocabulary}};
}

void measure_text(const Source& source, const Text& text, const std::string& how, const std::vector<Program>& programs,
                  nlohmann::json& results) {
  const Weights& weights = source.weights;
  const std::string name = std::string("llama/") + source.model.name + '/' + weights.name + '/' + text.name +
                           "/n:" + std::to_string(text.tokens) + '/' + how;
  std::vector<Peer> peers;
  for (const Program& program : programs) peers.push_back(text_peer(program, text, source.model.config.input_dim));
  for (std::size_t i = 1; i < peers.size(); ++i) expect_equal(peers[i], peers[0], name, tolerance);
  const auto count = [&](std::span<const double> seconds, nlohmann::json& run) {
    for (std::size_t i = 0; i < peers.size(); ++i) run[peers[i].name + " ms"] = seconds[i] * 1e3;
    for (std::size_t i = 1; i < peers.size(); ++i) run[weights.ways[i - 1].name] = seconds[0] / seconds[i];
    run["limit"] = seconds[0] / programs[1].least_seconds(text);
  };
  measure_in_turns(name, peers, count, results);
}

/// By one worker in every way that the model has, by two in integers alone: the others tell no more of workers.
void measure_ways(const Source& source, nlohmann::json& results) {
  for (std::uint32_t workers = 1; workers <= most_workers; ++workers) {
    std::vector<Program> programs{llama_cpp_program(source, workers)};
    const std::size_t count = workers == 1 ? source.files.size() : 1;
    for (std::size_t way = 0; way < count; ++way) programs.push_back(heed_program(source, way, workers));
    for (const Text& text : texts) measure_text(source, text, "workers:" + std::to_string(workers), programs, results);
  }
}

void measure_model(const Dimensions& model, const fs::path& folder, bool read, nlohmann::json& results) {
  for (const Weights& weights : weights_in) {
    const RandomLlama llama(model.config, weights.greatest, model.biases);
    Source source{model, weights, llama, folder / "llama.gguf"};
    write_gguf(source.gguf, model.config, llama, weights.greatest);
    const std::size_t ways = model.every_way && !read ? weights.ways.size() : 1;
    for (std::size_t way = 0; way < ways; ++way) source.files.push_back(pack(model, llama, weights.ways[way]));
    if (read) {
      const std::vector<Program> programs{llama_cpp_program(source, 1, false), heed_program(source, 0, 1)};
      measure_text(source, texts[1], "workers:1/read", programs, results);
    } else {
      measure_ways(source, results);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool read = argc > 2 && std::string(argv[2]) == "--read";
  const int first = read ? 3 : 2;
  if (argc <= first) fail("usage: heed_peers_llama RESULTS [--read] MODEL...");
  const fs::path folder = fs::absolute(argv[1]).parent_path();
  nlohmann::json results = nlohmann::json::array();
  for (const std::string name : std::span(argv + first, static_cast<std::size_t>(argc - first))) {
    const auto* const model = std::ranges::find(models, name, &Dimensions::name);
    if (model == std::end(models)) fail("no dimensions of " + name);
    measure_model(*model, folder, read, results);
  }
  std::fprintf(stderr, "  %s\n", LlamaCpp::describe().c_str());
  return write_results(results, argv[1]) ? 0 : 1;
}
