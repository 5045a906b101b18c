// SPDX-License-Identifier: MIT
#include "commands/generation.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <limits>
#include <string_view>
#include <utility>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// A --top-p of 0 leaves the likeliest token; to the library 0 means all.
Sampling sampling_of(Sampling given) {
  if (given.top_p == 0.0F) given.top_p = std::numeric_limits<float>::min();
  return given;
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
    : options_(options), tokenizer_(tokenizer), shown_(tokenizer, false), tokens_(std::move(prompt)), count_(count) {}

void Generation::run(Model& model, const Executor& executor) {
  const ModelConfig& config = model.plan().config;
  const std::size_t rows = config.pooling == Pooling::every ? tokens_.size() : 1;
  std::vector<float> logits(rows * config.outputs);
  std::span<float> last = std::span(logits).last(config.outputs);
  std::vector<std::uint32_t> order(config.outputs);
  const Sampling sampling = sampling_of(options_.sampling);
  RandomBits random(options_.seed);
  for (const std::uint32_t token : tokens_) text_.write(shown_.next(token));
  require_ok(model.prefill(tokens_, logits.data(), executor), "--prompt");
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint32_t made = 0; made < count_; ++made) {
    std::uint32_t token = 0;
    require_ok(sample_token(sampling, last, order, random, token), "--temperature, --top-k, --top-p");
    if (!options_.ignore_end && tokenizer_.ends_text(token)) break;
    require_token(token);
    tokens_.push_back(token);
    const bool stopped = show(shown_.next(token));
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
