// SPDX-License-Identifier: MIT
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "commands/generation.hpp"
#include "formats/files.hpp"
#include "formats/npy.hpp"
#include "heed/text.hpp"
#include "options/count_option.hpp"
#include "options/help_format.hpp"
#include "options/memory_options.hpp"
#include "options/output_option.hpp"
#include "options/presence.hpp"
#include "options/stage_options.hpp"
#include "support/failure.hpp"
#include "support/printable.hpp"
#include "support/thread_pool.hpp"
#include "tensors/loaded_model.hpp"
#include "tokenizers/loaded_tokenizer.hpp"
#include "tokenizers/token_labels.hpp"

namespace heed::tools {

namespace {

struct GenerateOptions {
  std::string model;
  std::string tokenizer;
  std::string prompt;
  std::uint32_t tokens = 0;
  GenerationOptions text{.sampling = {.temperature = 1.0F, .top_k = 0, .top_p = 0.9F}};
  std::string ids;
  StageOptions stages;
  MemoryOptions memory;
};

constexpr std::uint32_t usual_tokens = 256;

/// How many tokens are made after the prompt.
std::uint32_t tokens_to_make(const GenerateOptions& options, const ModelConfig& config, std::size_t prompt) {
  const std::size_t most = prompt < config.max_positions ? config.max_positions - prompt : 0;
  if (most == 0) {
    throw Failure("--prompt: " + std::to_string(prompt) + " tokens, and the model has " +
                  std::to_string(config.max_positions) + " positions");
  }
  if (options.tokens > most) {
    throw Failure("--tokens: the prompt leaves " + std::to_string(most) + " of the model's " +
                  std::to_string(config.max_positions) + " positions");
  }
  if (options.tokens != 0) return options.tokens;
  return most < usual_tokens ? static_cast<std::uint32_t>(most) : usual_tokens;
}

void require_language_model(const LoadedModel& file, const LoadedTokenizer& tokenizer, const std::string& path) {
  const ModelConfig& config = file.config();
  if (config.encoder || config.input != ModelInput::tokens || config.block.cross_dim != 0) {
    throw Failure(file.name() + ": not a decoder of tokens alone, which generation needs");
  }
  if (config.outputs != config.input_dim) {
    throw Failure(file.name() + ": " + std::to_string(config.outputs) + " outputs for a vocabulary of " +
                  std::to_string(config.input_dim) + " tokens");
  }
  // A table of embeddings may be longer than the vocabulary, for the sake of its shape.
  const std::uint32_t tokens = tokenizer.tokens();
  if (tokenizer.is_llama2c() ? tokens != config.input_dim : tokens > config.input_dim) {
    throw Failure((path.empty() ? file.name() + ": its tokenizer" : "--tokenizer " + path) + ": " +
                  std::to_string(tokens) + " tokens, and the model has " + std::to_string(config.input_dim));
  }
}

/// That of the option, or else that of the model's file.
LoadedTokenizer tokenizer_for(const GenerateOptions& options, const LoadedModel& file) {
  if (!options.tokenizer.empty()) {
    if (!file.tokenizer().empty()) {
      std::cerr << "--tokenizer " << printable(options.tokenizer) << " in place of the tokenizer in "
                << printable(file.name()) << '\n';
    }
    return with_option("--tokenizer", [&] { return LoadedTokenizer(options.tokenizer); });
  }
  if (file.tokenizer().empty()) throw Failure(file.name() + ": there is no tokenizer in it: --tokenizer is required");
  return LoadedTokenizer(file.tokenizer(), file.name());
}

/// Whether the library draws tokens so.
bool can_draw(const Sampling& sampling) {
  float logit[1] = {};
  std::uint32_t order[1] = {};
  std::uint32_t token = 0;
  RandomBits random;
  return sample_token(sampling, logit, order, random, token) == Status::ok;
}

/// Before the prompt is shown.
void require_sampling(const Sampling& sampling) {
  if (!can_draw({.temperature = sampling.temperature})) {
    throw Failure("--temperature " + number_text(sampling.temperature) + ": 0, or 0.001 to 1000 is needed");
  }
  if (!can_draw({.top_p = sampling.top_p}) || sampling.top_p == 0.0F) {
    throw Failure("--top-p " + number_text(sampling.top_p) +
                  ": a number above 0, and at most 1, is needed; --temperature 0 takes the likeliest token");
  }
}

void run_generate(const CLI::App& command, const GenerateOptions& options) {
  require_sampling(options.text.sampling);
  if (options.text.sampling.temperature == 0.0F) {
    require_unused(command, {"--seed", "--top-k", "--top-p"}, "with --temperature 0, which draws no token");
  }
  LoadedModel file(options.model);
  const LoadedTokenizer tokenizer = tokenizer_for(options, file);
  require_language_model(file, tokenizer, options.tokenizer);
  const std::vector<std::uint32_t> prompt = tokenizer.encode_prompt(options.prompt);
  if (prompt.empty()) throw Failure("--prompt: this tokenizer begins a text with no token, and a text is needed");
  if (options.text.sampling.top_k > file.config().outputs) {
    throw Failure("--top-k " + std::to_string(options.text.sampling.top_k) + ": the model has " +
                  std::to_string(file.config().outputs) + " tokens");
  }
  const std::uint32_t count = tokens_to_make(options, file.config(), prompt.size());
  BlockMemory memory = to_memory(options.memory);
  if (memory.rows == 0) memory.rows = 32;
  memory.max_keys = static_cast<std::uint32_t>(prompt.size()) + count;

  ThreadPool pool(memory.workers);
  StageRecord stages(options.stages);
  Generation generation(options.text, tokenizer, prompt, count);
  BoundModel bound(file, memory);
  stages.observe(file, bound);
  generation.run(bound.model(), memory.workers > 1 ? pool.executor() : Executor{});
  OutputFiles files;
  if (!options.ids.empty()) files.add(options.ids, npy_bytes(generation.tokens()), "--ids");
  const bool drawn = !options.stages.attention.picture.empty();
  stages.add_to(files, drawn ? token_labels(tokenizer, generation.tokens()) : std::vector<std::string>());
  files.write();
  std::cerr << generation.speed() << '\n';
}

}  // namespace

void add_generate(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("generate", "text from a language model, as it is made");
  const auto options = std::make_shared<GenerateOptions>();
  command.add_option("model", options->model, "a model file of `heed pack`")->type_name("FILE")->required();
  command
      .add_option("--tokenizer", options->tokenizer,
                  "a file of `heed pack --tokenizer`, or a vocabulary in the format of llama2.c; that in the model's "
                  "file unless given")
      ->type_name("FILE");
  command.add_option("--prompt", options->prompt, "how the text begins; nothing unless given")->type_name("TEXT");
  add_count(command, "--tokens", options->tokens,
            "tokens to make; 256 unless given, or as many as there are positions");
  command.add_option("--stop", options->text.stop, "end before this text, or this special token, where it is made")
      ->type_name("TEXT");
  command.add_flag("--ignore-end", options->text.ignore_end, "write on after the token that ends a text");
  add_output(command, "--ids", OutputKind::array, options->ids,
             "write the tokens, those of the prompt too: int32 [tokens]");
  begin_group(command, "How a token is drawn");
  command
      .add_option("--temperature", options->text.sampling.temperature,
                  "divides the logits: 0, which takes the likeliest token, or 0.001 to 1000")
      ->type_name("NUMBER")
      ->capture_default_str();
  add_count(command, "--top-k", options->text.sampling.top_k,
            "draw from this many of the likeliest tokens; all unless given");
  command
      .add_option("--top-p", options->text.sampling.top_p,
                  "draw from the fewest likeliest tokens whose probabilities reach this, above 0 and at most 1")
      ->type_name("NUMBER")
      ->capture_default_str();
  command
      .add_option("--seed", options->text.seed, "of the random numbers; the same text for the same seed, everywhere")
      ->type_name("NUMBER")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str();
  add_stage_options(command, options->stages);
  add_memory_options(command, options->memory);
  add_example(command, "heed generate model.heed --prompt 'Once upon a time' --tokens 60 --temperature 0");
  command.callback([&command, options] { run_generate(command, *options); });
}

}  // namespace heed::tools
