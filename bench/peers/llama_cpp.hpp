// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace heed::bench {

/// A model that llama.cpp runs from a GGUF file, as it would by itself: its threads live on between calls and spin, as
/// those of its own benchmark.
class LlamaCpp {
 public:
  /// Ends the program where there is no such model, or where llama.cpp does not do as it was asked. `workers`: threads,
  /// of which the caller is one. `mapped`: the file, which is its default; or else read into memory.
  LlamaCpp(const std::filesystem::path& path, std::uint32_t most_tokens, std::uint32_t vocabulary,
           std::uint32_t workers, bool mapped);

  /// Removes the tokens from number `length` on.
  void truncate(std::uint32_t length);

  /// Appends the tokens, at most as many as it was made for; the logits of the last one, until the next call.
  const float* append(std::span<const std::uint32_t> tokens);

  /// Lets its threads sleep until the next call: they would spin for a tenth of a second beside what else is measured.
  void pause();

  /// Its version, and what of the CPU its library for it uses.
  [[nodiscard]] static std::string describe();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace heed::bench
