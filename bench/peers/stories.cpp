// SPDX-License-Identifier: MIT
#include "stories.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "heed_model.hpp"
#include "llama2c.h"
#include "runq_file.hpp"
#include "turns.hpp"

namespace heed::bench {
namespace {

constexpr std::uint32_t text_tokens = 200;
constexpr std::uint32_t begin_token = 1;

using Write = std::function<void(std::vector<std::uint32_t>& tokens)>;

/// A peer that writes a text of so many tokens; a whole text is a turn.
[[nodiscard]] Peer writing_peer(const std::string& name, PeerKind kind, const Write& write) {
  return {.name = name,
          .kind = kind,
          .seconds =
              [write](double /*seconds*/) {
                std::vector<std::uint32_t> tokens(text_tokens);
                return seconds_per_call([&] { write(tokens); }, 1) / text_tokens;
              },
          .output = {}};
}

[[nodiscard]] Write heed_writer(const std::filesystem::path& path) {
  const auto model = std::make_shared<HeedModel>(path, 1, text_tokens);
  return [model](std::vector<std::uint32_t>& tokens) {
    const std::uint32_t outputs = model->config().outputs;
    Floats logits(outputs);
    expect(model->get().truncate(0), "stories260K");
    std::uint32_t next = begin_token;
    for (std::uint32_t& token : tokens) {
      token = next;
      expect(model->get().decode(token, logits.data()), "stories260K");
      next = argmax(logits.data(), outputs);
    }
  };
}

/// llama2.c's runq, which rounds rows and weights as heed does in integers, in groups of 32. Its text must begin as
/// that of the floats does.
[[nodiscard]] Write runq_writer(const std::filesystem::path& data, const std::filesystem::path& models,
                                const std::vector<std::uint32_t>& expected) {
  const std::filesystem::path file = models / "stories_runq.bin";
  write_runq_file(data / "stories260K.bin", file);
  llama2c_int8_open(file.c_str());
  constexpr std::size_t same_tokens = 12;
  std::vector<std::uint32_t> begin(same_tokens);
  llama2c_int8_write(begin_token, same_tokens, begin.data());
  if (!std::equal(begin.begin(), begin.end(), expected.begin())) fail("stories260K: runq begins another text");
  return [](std::vector<std::uint32_t>& tokens) { llama2c_int8_write(begin_token, text_tokens, tokens.data()); };
}

}  // namespace

void measure_stories(const std::filesystem::path& data, const std::filesystem::path& models, nlohmann::json& results) {
  const Write heed_float32 = heed_writer(models / "stories_float32.heed");
  std::vector<Peer> peers;
  peers.push_back(writing_peer("heed float32", PeerKind::heed, heed_float32));
  peers.push_back(writing_peer("heed int8", PeerKind::heed, heed_writer(models / "stories_int8.heed")));
  llama2c_open((data / "stories260K.bin").c_str());
  const Write llama2c = [](std::vector<std::uint32_t>& tokens) {
    llama2c_write(begin_token, text_tokens, tokens.data());
  };
  std::vector<std::uint32_t> ours(text_tokens);
  std::vector<std::uint32_t> theirs(text_tokens);
  heed_float32(ours);
  llama2c(theirs);
  if (ours != theirs) fail("stories260K: llama2.c writes other tokens");
  peers.push_back(writing_peer("llama2.c", PeerKind::library, llama2c));
  peers.push_back(writing_peer("heed integers", PeerKind::heed, heed_writer(models / "stories_integers.heed")));
  peers.push_back(writing_peer("llama2.c int8", PeerKind::library, runq_writer(data, models, ours)));
  const auto count = [&](std::span<const double> seconds, nlohmann::json& run) {
    for (std::size_t i = 0; i < peers.size(); ++i) run[peers[i].name + " tokens/s"] = 1 / seconds[i];
    run["float32_versus_llama2c"] = seconds[2] / seconds[0];
    run["int8_versus_llama2c"] = seconds[2] / seconds[1];
    run["integers_versus_llama2c_int8"] = seconds[4] / seconds[3];
  };
  measure_in_turns("model/stories260K", peers, count, results);
}

}  // namespace heed::bench
