// SPDX-License-Identifier: MIT
//
// heed_peers SCRIPTS RESULTS: measures this library and its peers on the same numbers, in turns on one core, and writes
// the times of every round as Google Benchmark writes its results. Ends with an error if a peer's result differs by
// more than 2e-5 of the greatest |output|.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "onnxruntime.hpp"
#include "turns.hpp"

namespace {

using namespace heed;
using namespace heed::bench;

/// The least time of the peers of one kind in a round, over the library's own.
[[nodiscard]] double versus(const std::vector<Peer>& peers, std::span<const double> seconds, PeerKind left_out) {
  double best = HUGE_VAL;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    if (peers[i].kind != left_out && peers[i].kind != PeerKind::heed) best = std::min(best, seconds[i]);
  }
  return best / seconds[0];
}

/// peers[0] is this library.
void measure(const std::string& name, const std::vector<Peer>& peers, nlohmann::json& results) {
  for (const Peer& peer : peers) expect_equal(peer, peers[0], name);
  const auto count_ratios = [&](std::span<const double> seconds, nlohmann::json& run) {
    for (const auto& [counter, left_out] :
         {std::pair{"versus_all", PeerKind::heed}, std::pair{"versus_runtimes", PeerKind::library},
          std::pair{"versus_libraries", PeerKind::runtime}}) {
      const double ratio = versus(peers, seconds, left_out);
      if (std::isfinite(ratio)) run[counter] = ratio;
    }
  };
  measure_in_turns(name, peers, count_ratios, results);
}

void measure_attention(const std::string& name, const AttentionShape& shape, OnnxRuntime& runtime,
                       nlohmann::json& results) {
  const auto same = std::make_shared<AttentionCase>(shape);
  const Work work = work_of(shape);
  const std::size_t size = std::size_t{shape.heads} * shape.queries * shape.head_dim;
  std::vector<Peer> peers;
  peers.push_back(local_peer(
      "heed", PeerKind::heed, work, [same] { same->run(); }, same->tensors().output, size));
  same->check(name);
  peers.push_back(openblas_peer(*same));
  peers.push_back(onednn_peer(*same));
  for (const char* graph : {"attention", "multi_head_attention"}) {
    if (auto peer = runtime.attention_peer(graph, *same)) peers.push_back(std::move(*peer));
  }
  measure(name, peers, results);
}

void measure_layer(const LayerShape& shape, OnnxRuntime& runtime, nlohmann::json& results) {
  const std::string name = "layer/n:" + std::to_string(shape.tokens) + "/d:" + std::to_string(shape.model_dim);
  const auto same = std::make_shared<LayerCase>(shape);
  const std::size_t size = std::size_t{shape.tokens} * shape.model_dim;
  std::vector<Peer> peers;
  peers.push_back(local_peer(
      "heed", PeerKind::heed, work_of(shape), [same] { same->run(); }, same->y(), size));
  same->check(name);
  for (const char* graph : {"packed_layer", "separate_layer"}) {
    if (auto peer = runtime.layer_peer(graph, shape, *same)) peers.push_back(std::move(*peer));
  }
  measure(name, peers, results);
}

void measure_all(OnnxRuntime& runtime, nlohmann::json& results) {
  const auto square = [&](const char* topic, std::uint32_t head_dim, std::uint32_t rows, Causal causal) {
    const std::string size = "/d:" + std::to_string(head_dim) + "/n:" + std::to_string(rows);
    measure_attention(topic + size, {.queries = rows, .keys = rows, .head_dim = head_dim, .causal = causal}, runtime,
                      results);
  };
  for (const std::uint32_t rows : {64U, 128U, 512U, 1024U, 2048U}) square("prefill", 64, rows, Causal::none);
  for (const std::uint32_t head_dim : {32U, 128U}) {
    for (const std::uint32_t rows : {128U, 512U, 2048U}) square("prefill", head_dim, rows, Causal::none);
  }
  for (const std::uint32_t rows : {256U, 1024U, 2048U}) square("causal", 64, rows, Causal::top_left);
  for (const std::uint32_t keys : {128U, 512U, 2048U, 8192U}) {
    measure_attention("decode/keys:" + std::to_string(keys), {.queries = 1, .keys = keys, .cached = true}, runtime,
                      results);
  }
  measure_layer({}, runtime, results);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail("usage: heed_peers SCRIPTS RESULTS");
  if (!pin_to_core(0)) fail("this process cannot be pinned to a core");
  nlohmann::json results = nlohmann::json::array();
  {
    OnnxRuntime runtime(argv[1], std::filesystem::absolute(argv[2]).parent_path().string());
    measure_all(runtime, results);
  }
  return write_results(results, argv[2]) ? 0 : 1;
}
