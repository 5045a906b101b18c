// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commands/bench_report.hpp"
#include "commands/commands.hpp"
#include "machine/limits.hpp"
#include "options/count_option.hpp"
#include "options/help_format.hpp"
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
  if (!config.encoder && config.input != ModelInput::tokens) {
    throw Failure(file.name() + ": a decoder of frames is not timed, of tokens only");
  }
  TimedCalls calls = options.calls;
  if (config.block.cross_dim == 0 && calls.context != 0) {
    throw Failure("--context means nothing without cross-attention");
  }
  if (config.block.cross_dim != 0 && calls.context == 0) calls.context = timed_prompt;
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
  if (calls.context != 0) memory.max_cross_keys = calls.context;
  if (memory.rows == 0) memory.rows = config.encoder ? memory.max_keys : std::min(memory.max_keys, 32U);
  return memory;
}

/// The upper of two in the middle.
double median_of(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

Rate rate_of(std::uint32_t count, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {count / seconds.back(), count / seconds[seconds.size() / 2], count / seconds.front()};
}

/// Of every kind of products that is there.
std::vector<Peak> peaks_of(const Measured& measured, std::uint32_t workers) {
  Work kinds = measured.prompt.work;
  if (measured.context) kinds.insert(kinds.end(), measured.context->work.begin(), measured.context->work.end());
  std::vector<Peak> peaks;
  for (const Products& one : kinds) {
    const auto same = [&](const Peak& peak) { return peak.weights == one.weights && peak.rows == one.rows; };
    if (std::any_of(peaks.begin(), peaks.end(), same)) continue;
    peaks.push_back({one.weights, one.rows, measure_products(workers, one.weights, one.rows)});
  }
  return peaks;
}

/// The logits of more than one worker, once more by one.
void require_same_bits(Model& model, const TimedCalls& calls, std::uint32_t workers, std::uint64_t hash) {
  if (workers <= 1) return;
  const std::uint64_t alone = time_model(model, {calls.prompt, calls.tokens, 0, calls.context}, {}).hash;
  if (alone == hash) return;
  throw Failure("one worker computes " + to_digits(alone) + ", and " + std::to_string(workers) + " " + to_digits(hash) +
                ": a fault of the library or of this machine");
}

Measured measure(const BenchOptions& options) {
  LoadedModel file(options.model);
  const TimedCalls calls = calls_of(options, file);
  const BlockMemory memory = memory_of(options, file.config(), calls);
  BoundModel bound(file, memory);
  const ModelPlan& plan = bound.model().plan();
  ThreadPool pool(memory.workers);
  // A machine's memory is slower at times: what is compared is read in turn.
  std::vector<double> reads;
  const auto read_beside = [&] { reads.push_back(measure_reads(memory.workers, file.bytes())); };
  const ModelTimes times = time_model(bound.model(), calls, memory.workers > 1 ? pool.executor() : Executor{},
                                      calls.tokens != 0 ? read_beside : std::function<void()>{});
  require_same_bits(bound.model(), calls, memory.workers, times.hash);
  Measured measured{
      .model = file.name(),
      .plan = plan,
      .repeats = calls.repeats,
      .prompt = {calls.prompt, rate_of(calls.prompt, times.prompt_seconds), prompt_work(plan, calls.prompt)},
      .tokens = calls.tokens,
      .hash = times.hash};
  if (calls.context != 0) {
    measured.context = {calls.context, rate_of(calls.context, times.context_seconds),
                        context_work(plan, calls.context)};
  }
  if (calls.tokens != 0) {
    measured.decode = rate_of(calls.tokens, times.token_seconds);
    std::vector<double> shares;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      shares.push_back(calls.tokens / times.token_seconds[i] * token_bytes(plan) / reads[i]);
    }
    measured.read_share = median_of(shares);
    measured.read_bytes = median_of(reads);
  }
  measured.peaks = peaks_of(measured, memory.workers);
  return measured;
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
  add_count(command, "--context", options->calls.context,
            "rows of an encoder that cross-attention looks at; 256 unless given", "COUNT", 1U << 30);
  add_count(command, "--repeat", options->calls.repeats, "how often, after once without a clock", "COUNT", 10000)
      ->capture_default_str();
  command.add_flag("--json", options->json, "as JSON");
  add_memory_options(command, options->memory);
  add_example(command, "heed bench model.heed --workers 2");
  command.callback([options] {
    const Measured measured = measure(*options);
    options->json ? print_bench_json(measured) : print_bench_text(measured);
  });
}

}  // namespace heed::tools
