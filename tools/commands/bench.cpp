// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "machine/limits.hpp"
#include "machine/machine.hpp"
#include "options/count_option.hpp"
#include "options/memory_options.hpp"
#include "support/failure.hpp"
#include "support/stage_hashes.hpp"
#include "support/thread_pool.hpp"
#include "tensors/loaded_model.hpp"
#include "tensors/model_timing.hpp"

namespace heed::tools {

namespace {

struct BenchOptions {
  std::string model;
  TimedCalls calls{.repeats = 5};
  MemoryOptions memory;
  bool json = false;
};

constexpr std::uint32_t timed_prompt = 256;
constexpr std::uint32_t timed_tokens = 64;

/// Tokens or frames of an encoder that has a position for each.
std::uint32_t most_encoded(const ModelConfig& config) {
  std::uint32_t count = timed_prompt;
  while (count > 1 && detail::encoder_rows(config, count) > config.max_positions) --count;
  return count;
}

/// What is not given is as much as the model has positions for.
TimedCalls calls_of(const BenchOptions& options, const LoadedModel& file) {
  const ModelConfig& config = file.config();
  if (config.block.cross_dim != 0) {
    throw Failure(file.name() + ": a model with cross-attention is not timed: its time depends on the context");
  }
  if (!config.encoder && config.input != ModelInput::tokens) {
    throw Failure(file.name() + ": a decoder of frames is not timed, of tokens only");
  }
  TimedCalls calls = options.calls;
  if (config.encoder) {
    if (calls.tokens != 0) throw Failure("--tokens means nothing to an encoder; --prompt is what goes in");
    if (calls.prompt == 0) calls.prompt = most_encoded(config);
    return calls;
  }
  const std::uint32_t positions = config.max_positions;
  if (positions < 2) throw Failure(file.name() + ": a model of one position has nothing to decode after its prompt");
  if (calls.prompt == 0) calls.prompt = std::min(timed_prompt, std::max(1U, positions - std::max(calls.tokens, 1U)));
  if (calls.prompt >= positions) {
    throw Failure("--prompt " + std::to_string(calls.prompt) + ": the model has " + std::to_string(positions) +
                  " positions, and one token at least is decoded");
  }
  if (calls.tokens == 0) calls.tokens = std::min(timed_tokens, positions - calls.prompt);
  if (calls.tokens > positions - calls.prompt) {
    throw Failure("--tokens " + std::to_string(calls.tokens) + ": a prompt of " + std::to_string(calls.prompt) +
                  " leaves " + std::to_string(positions - calls.prompt) + " of the model's " +
                  std::to_string(positions) + " positions");
  }
  return calls;
}

BlockMemory memory_of(const BenchOptions& options, const ModelConfig& config, const TimedCalls& calls) {
  BlockMemory memory = to_memory(options.memory);
  memory.max_keys = config.encoder ? static_cast<std::uint32_t>(detail::encoder_rows(config, calls.prompt))
                                   : calls.prompt + calls.tokens;
  if (memory.rows == 0) memory.rows = config.encoder ? memory.max_keys : std::min(memory.max_keys, 32U);
  return memory;
}

/// Of the repetitions.
struct Rate {
  double least;
  double median;
  double most;

  Rate(std::uint32_t count, std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    least = count / seconds.back();
    median = count / seconds[seconds.size() / 2];
    most = count / seconds.front();
  }
};

struct Measured {
  std::string model;
  ModelPlan plan;
  TimedCalls calls;
  std::vector<Rate> rates{};  ///< of the prompt, and of a decoder's tokens
  std::uint64_t hash = 0;
  MachineLimits limits{};

  [[nodiscard]] double multiply_share() const {
    return rates[0].median / calls.prompt * multiply_adds(plan, calls.prompt) / limits.multiply_adds;
  }
  [[nodiscard]] double read_share() const { return rates[1].median * token_bytes(plan) / limits.read_bytes; }
};

Measured measure(const BenchOptions& options) {
  LoadedModel file(options.model);
  const TimedCalls calls = calls_of(options, file);
  const BlockMemory memory = memory_of(options, file.config(), calls);
  BoundModel bound(file, memory);
  Measured measured{file.name(), bound.model().plan(), calls};
  ThreadPool pool(memory.workers);
  const ModelTimes times = time_model(bound.model(), calls, memory.workers > 1 ? pool.executor() : Executor{});
  measured.rates.emplace_back(calls.prompt, times.prompt_seconds);
  if (calls.tokens != 0) measured.rates.emplace_back(calls.tokens, times.token_seconds);
  measured.hash = times.hash;
  if (memory.workers > 1) {
    const std::uint64_t alone = time_model(bound.model(), {calls.prompt, calls.tokens, 0}, {}).hash;
    if (alone != times.hash) {
      throw Failure("one worker computes " + to_digits(alone) + ", and " + std::to_string(memory.workers) + " " +
                    to_digits(times.hash) + ": a fault of the library or of this machine");
    }
  }
  measured.limits = measure_limits(memory.workers, file.bytes());
  return measured;
}

void print_text(const Measured& measured) {
  const ModelPlan& plan = measured.plan;
  const bool encoder = plan.config.encoder;
  const char* const unit = plan.config.input == ModelInput::tokens ? "tokens" : "frames";
  const auto line = [&](const std::string& what, const Rate& rate, const char* counted) {
    std::printf("%-24s %10.1f %s/s, %.1f to %.1f\n", what.c_str(), rate.median, counted, rate.least, rate.most);
  };
  std::printf("port %s, %u worker%s, median of %u\n", bench::port_name(), plan.block.memory.workers,
              plan.block.memory.workers == 1 ? "" : "s", measured.calls.repeats);
  line((encoder ? "encode of " : "prefill of ") + std::to_string(measured.calls.prompt), measured.rates[0], unit);
  std::printf("  %.0f %% of the %.1f billion multiply-adds of floats per second that this machine reached beside it\n",
              100 * measured.multiply_share(), measured.limits.multiply_adds * 1e-9);
  if (!encoder) {
    line("decode of " + std::to_string(measured.calls.tokens), measured.rates[1], unit);
    std::printf("  %.0f %% of the %.1f GB/s at which it read the weights, %.1f MB for a token\n",
                100 * measured.read_share(), measured.limits.read_bytes * 1e-9, token_bytes(plan) * 1e-6);
  }
  std::printf("bytes: weights %u, state %u, scratch %u\n", plan.file.bytes, plan.state_bytes, plan.scratch_bytes);
  std::printf("hash of all logits %s%s\n", to_digits(measured.hash).c_str(),
              plan.block.memory.workers > 1 ? ", the same with one worker" : "");
}

nlohmann::ordered_json json_of(const Rate& rate) {
  return {{"median", rate.median}, {"least", rate.least}, {"most", rate.most}};
}

void print_json(const Measured& measured) {
  const ModelPlan& plan = measured.plan;
  nlohmann::ordered_json json = {
      {"model", measured.model},
      {"port", bench::port_name()},
      {"workers", plan.block.memory.workers},
      {"repeats", measured.calls.repeats},
      {"prompt", measured.calls.prompt},
      {plan.config.encoder ? "encode_per_second" : "prefill_per_second", json_of(measured.rates[0])},
      {"multiply_adds_per_second", measured.limits.multiply_adds},
      {"multiply_share", measured.multiply_share()}};
  if (!plan.config.encoder) {
    json["tokens"] = measured.calls.tokens;
    json["decode_per_second"] = json_of(measured.rates[1]);
    json["read_bytes_per_second"] = measured.limits.read_bytes;
    json["read_bytes_of_a_token"] = token_bytes(plan);
    json["read_share"] = measured.read_share();
  }
  json["weight_bytes"] = plan.file.bytes;
  json["state_bytes"] = plan.state_bytes;
  json["scratch_bytes"] = plan.scratch_bytes;
  json["hash"] = to_digits(measured.hash);
  std::cout << json.dump(2) << '\n';
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("bench", "how fast a model is here, beside what the machine can do at most");
  const auto options = std::make_shared<BenchOptions>();
  command.add_option("model", options->model, "a model file of `heed pack`")->type_name("FILE")->required();
  add_count(
      command, "--prompt", options->calls.prompt,
      "tokens that go in at once, of an encoder also frames; 256 unless given, or as many as there are positions");
  add_count(command, "--tokens", options->calls.tokens,
            "tokens that are decoded after them, one by one; 64 unless given, or as many as there are positions");
  add_count(command, "--repeat", options->calls.repeats, "how often, after once without a clock", "COUNT", 10000)
      ->capture_default_str();
  add_memory_options(command, options->memory);
  command.add_flag("--json", options->json, "as JSON");
  command.callback([options] {
    const Measured measured = measure(*options);
    options->json ? print_json(measured) : print_text(measured);
  });
}

}  // namespace heed::tools
