// SPDX-License-Identifier: MIT
#include "commands/generation.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string_view>
#include <utility>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// The special token whose text alone --stop is: that is not shown, so no text has it. None of llama2.c.
std::optional<std::uint32_t> special_stop(const LoadedTokenizer& tokenizer, const std::string& stop) {
  if (stop.empty() || tokenizer.is_llama2c()) return {};
  const std::vector<std::uint32_t> tokens = tokenizer.encode(stop, false);
  const auto is_special = [&](std::uint32_t token) {
    return tokenizer.decode({token}, false).empty() && !tokenizer.decode({token}, true).empty();
  };
  const auto special = std::find_if(tokens.begin(), tokens.end(), is_special);
  if (special == tokens.end()) return {};
  if (tokens.size() == 1) return *special;
  throw Failure("--stop: " + tokenizer.decode({*special}, true) +
                " is a special token, which no text has: the token alone is needed, or a text without it");
}

/// A model that computes such logits is broken, or its numbers left a type's range.
void require_numbers(std::span<const float> logits, std::size_t position) {
  const auto is_none = [](float logit) { return !std::isfinite(logit); };
  const auto bad = std::find_if(logits.begin(), logits.end(), is_none);
  if (bad == logits.end()) return;
  throw Failure("the logits for the token at position " + std::to_string(position) + ": " +
                std::to_string(std::count_if(bad, logits.end(), is_none)) + " of " + std::to_string(logits.size()) +
                " are no finite numbers, the first that of token " + std::to_string(bad - logits.begin()));
}

}  // namespace

TextOutput::TextOutput() : terminal_(::isatty(STDOUT_FILENO) != 0) {}

void TextOutput::write(std::span<const char> piece) {
  for (const char character : piece) {
    const auto byte = static_cast<unsigned char>(character);
    const bool control = (byte < 0x20 && character != '\n' && character != '\t') || byte == 0x7F;
    std::cout.put(control && terminal_ ? '?' : character);
  }
  std::cout.flush();
}

Generation::Generation(const GenerationOptions& options, const LoadedTokenizer& tokenizer,
                       std::vector<std::uint32_t> prompt, std::uint32_t count)
    : options_(options),
      tokenizer_(tokenizer),
      shown_(tokenizer, false),
      tokens_(std::move(prompt)),
      count_(count),
      special_stop_(special_stop(tokenizer, options.stop)) {}

void Generation::run(Model& model, const Executor& executor) {
  const ModelConfig& config = model.plan().config;
  const std::size_t rows = config.pooling == Pooling::every ? tokens_.size() : 1;
  std::vector<float> logits(rows * config.outputs);
  std::span<float> last = std::span(logits).last(config.outputs);
  std::vector<std::uint32_t> order(config.outputs);
  RandomBits random(options_.seed);
  for (const std::uint32_t token : tokens_) text_.write(shown_.next(token));
  require_ok(model.prefill(tokens_, logits.data(), executor), "--prompt");
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint32_t made = 0; made < count_; ++made) {
    require_numbers(last, tokens_.size());
    std::uint32_t token = 0;
    require_ok(sample_token(options_.sampling, last, order, random, token), "--temperature, --top-k, --top-p");
    if (!options_.ignore_end && tokenizer_.ends_text(token)) break;
    require_token(token);
    tokens_.push_back(token);
    const bool stopped = show(shown_.next(token)) || token == special_stop_;
    if (made + 1 < count_ && !stopped)
      require_ok(model.decode(token, last.data(), executor), "token " + std::to_string(token));
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ++made_;
    if (stopped) break;
  }
  show(shown_.finish());
  text_.write(held_);
  std::cout << std::endl;
}

std::string Generation::speed() const {
  char text[96];
  const double rate = seconds_ > 0.0 ? made_ / seconds_ : 0.0;
  std::snprintf(text, sizeof text, "%u tokens in %.3f s: %.1f tokens/s", made_, seconds_, rate);
  return text;
}

/// The head may have more outputs than the vocabulary has tokens.
void Generation::require_token(std::uint32_t token) const {
  if (token < tokenizer_.tokens()) return;
  throw Failure("the model made token " + std::to_string(token) + ", which the tokenizer does not have");
}

/// Shows text but for what may begin --stop; true, and nothing from --stop on, once it is there.
bool Generation::show(const std::string& text) {
  held_ += text;
  if (options_.stop.empty()) return show_held(held_.size());
  const std::size_t found = held_.find(options_.stop);
  if (found != held_.npos) {
    held_.resize(found);
    show_held(found);
    return true;
  }
  std::size_t kept = std::min(held_.size(), options_.stop.size() - 1);
  while (!options_.stop.starts_with(std::string_view(held_).substr(held_.size() - kept))) --kept;
  return show_held(held_.size() - kept);
}

bool Generation::show_held(std::size_t bytes) {
  text_.write(std::span(held_).first(bytes));
  held_.erase(0, bytes);
  return false;
}

}  // namespace heed::tools
