// SPDX-License-Identifier: MIT
//
// heed_peers_llama RESULTS MODEL...: measures Llamas of the models' dimensions and of random weights beside llama.cpp,
// in turns on one core, and writes the times of every round: a prefill of 512 tokens, and 64 tokens after 128, one at
// a time, from weights in 8 and in 4 bits, which are the same in both programs. Ends with an error if logits differ by
// more than `tolerance`: llama.cpp rounds rows in groups of 32, heed as its configuration says.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "gguf_file.hpp"
#include "heed_model.hpp"
#include "llama_cpp.hpp"
#include "turns.hpp"

namespace {

using namespace heed;
using namespace heed::bench;
namespace fs = std::filesystem;

/// In parts of the greatest logit: the programs are up to 0.009 apart, and positions in a wrong order 0.016 to 0.034.
constexpr double tolerance = 0.012;

struct Dimensions {
  const char* name;
  ModelConfig config;
  bool biases = false;
};

constexpr ModelConfig llama_of(std::uint32_t dim, std::uint32_t blocks, std::uint32_t heads, std::uint32_t kv_heads,
                               std::uint32_t hidden, std::uint32_t vocabulary) {
  return {.block = {.model_dim = dim,
                    .heads = heads,
                    .kv_heads = kv_heads,
                    .mlp_dim = hidden,
                    .norm_epsilon = 1e-5F,
                    .norm = Norm::rms_norm,
                    .activation = Activation::silu,
                    .gated = true},
          .blocks = blocks,
          .input_dim = vocabulary,
          .max_positions = 2048,
          .rotary_base = 10000.0F,
          .rotary_layout = RotaryLayout::interleaved,
          .positions = Positions::rotary,
          .tied_head = true};
}

/// Qwen2 rotates the halves of a head, and its queries, keys and values have biases.
constexpr ModelConfig qwen_of(ModelConfig config) {
  config.rotary_layout = RotaryLayout::halves;
  return config;
}

constexpr Dimensions models[] = {
    {"SmolLM-135M", llama_of(576, 30, 9, 3, 1536, 49152)},
    {"Qwen2.5-0.5B", qwen_of(llama_of(896, 24, 14, 2, 4864, 151936)), true},
};

/// How both programs store weights, and heed multiplies by them.
struct Way {
  const char* name;
  DataType type;
  DataType row_type;
};

struct Weights {
  const char* name;
  GreatestStep greatest;
  std::vector<Way> ways;
};

const Weights weights_in[] = {
    {"Q8_0",
     GreatestStep::of_8_bits,
     {{"integers", DataType::int8, DataType::int8},
      {"15 bits", DataType::int8, DataType::int16},
      {"floats", DataType::int8, DataType::float32}}},
    {"Q4_0",
     GreatestStep::of_4_bits,
     {{"integers", DataType::int4_multipliers, DataType::int8}, {"floats", DataType::int4_groups, DataType::float32}}},
};

/// Tokens one after another, or at once, after some that are there.
struct Text {
  const char* name;
  std::uint32_t before;
  std::uint32_t tokens;
  bool at_once;
};

constexpr Text texts[] = {{"prefill", 0, 512, true}, {"decode", 128, 64, false}};
constexpr std::uint32_t most_tokens = 512;

/// What runs a language model.
struct Program {
  std::string name;
  PeerKind kind;
  std::function<void(std::uint32_t length)> truncate;
  std::function<const float*(std::span<const std::uint32_t> tokens)> append;
};

[[nodiscard]] Program heed_program(const Dimensions& model, const RandomLlama& llama, const Way& way) {
  ModelConfig config = model.config;
  config.block.weight_type = config.input_type = way.type;
  config.block.row_type = config.block.output_row_type = way.row_type;
  config.block.mlp_row_type = config.block.down_row_type = config.head_row_type = way.row_type;
  const auto made = std::make_shared<HeedModel>(llama.pack(config), model.name, most_tokens, most_tokens);
  const auto logits = std::make_shared<Floats>(config.input_dim);
  return {.name = std::string("heed ") + way.name,
          .kind = PeerKind::heed,
          .truncate = [made](std::uint32_t length) { expect(made->get().truncate(length), "truncate()"); },
          .append = [made, logits](std::span<const std::uint32_t> tokens) -> const float* {
            expect(made->get().prefill(tokens, logits->data()), "prefill()");
            return logits->data();
          }};
}

[[nodiscard]] Program llama_cpp_program(const Dimensions& model, const RandomLlama& llama, GreatestStep greatest,
                                        const fs::path& folder) {
  const fs::path path = folder / "llama.gguf";
  write_gguf(path, model.config, llama, greatest);
  const auto made = std::make_shared<LlamaCpp>(path, most_tokens, model.config.input_dim);
  return {.name = "llama.cpp",
          .kind = PeerKind::runtime,
          .truncate = [made](std::uint32_t length) { made->truncate(length); },
          .append = [made](std::span<const std::uint32_t> tokens) { return made->append(tokens); }};
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
  return {.name = program.name,
          .kind = program.kind,
          .seconds =
              [begin, write, program, text](double /*seconds*/) {
                if (text.before == 0) {
                  begin();
                } else {
                  program.truncate(text.before);
                }
                const double start = thread_seconds();
                write();
                return (thread_seconds() - start) / (text.at_once ? 1 : text.tokens);
              },
          .output = {logits, logits + vocabulary}};
}

void measure_text(const Dimensions& model, const Weights& weights, const Text& text,
                  const std::vector<Program>& programs, nlohmann::json& results) {
  const std::string name =
      std::string("llama/") + model.name + '/' + weights.name + '/' + text.name + "/n:" + std::to_string(text.tokens);
  std::vector<Peer> peers;
  for (const Program& program : programs) peers.push_back(text_peer(program, text, model.config.input_dim));
  for (std::size_t i = 1; i < peers.size(); ++i) expect_equal(peers[i], peers[0], name, tolerance);
  const auto count = [&](std::span<const double> seconds, nlohmann::json& run) {
    for (std::size_t i = 0; i < peers.size(); ++i) run[peers[i].name + " ms"] = seconds[i] * 1e3;
    for (std::size_t i = 1; i < peers.size(); ++i) run[weights.ways[i - 1].name] = seconds[0] / seconds[i];
  };
  measure_in_turns(name, peers, count, results);
}

void measure_model(const Dimensions& model, const fs::path& folder, nlohmann::json& results) {
  for (const Weights& weights : weights_in) {
    const RandomLlama llama(model.config, weights.greatest, model.biases);
    std::vector<Program> programs{llama_cpp_program(model, llama, weights.greatest, folder)};
    for (const Way& way : weights.ways) programs.push_back(heed_program(model, llama, way));
    for (const Text& text : texts) measure_text(model, weights, text, programs, results);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) fail("usage: heed_peers_llama RESULTS MODEL...");
  if (!pin_to_core(0)) fail("this process cannot be pinned to a core");
  const fs::path folder = fs::absolute(argv[1]).parent_path();
  nlohmann::json results = nlohmann::json::array();
  for (const std::string name : std::span(argv + 2, static_cast<std::size_t>(argc - 2))) {
    const auto* const model = std::ranges::find(models, name, &Dimensions::name);
    if (model == std::end(models)) fail("no dimensions of " + name);
    measure_model(*model, folder, results);
  }
  std::fprintf(stderr, "  %s\n", LlamaCpp::describe().c_str());
  return write_results(results, argv[1]) ? 0 : 1;
}
