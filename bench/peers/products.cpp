// SPDX-License-Identifier: MIT
//
// heed_peers_products SCRIPTS RESULTS: measures products from rows in float32 that are rounded to int8, of this library
// and its peers, in turns on one core, and writes the times of every round: int8 by int8 beside oneDNN, and weights of
// 8 and 4 bits with a scale for every 32 inputs beside ONNX Runtime's MatMulNBits (onnxruntime.js in SCRIPTS). Ends
// with an error if a peer's result differs by more than 2 % of the greatest |output|: each rounds rows in its own way.
// Beside each ratio stands what it would be over the least that the same round allows: of many rows their rounding and
// the products as the port's kernel makes them with everything in the nearest cache, and also the products alone at the
// peak of the machine's instruction; of one row a plain read of the weights.
#include <nlohmann/json.hpp>

#include "machine/integer_peak.hpp"
#include "onnxruntime.hpp"
#include "product_case.hpp"
#include "product_peers.hpp"
#include "turns.hpp"

namespace {

using namespace heed;
using namespace heed::bench;

constexpr double rounding_tolerance = 0.02;

/// What the peer's time is over the least that this moment allows the same product.
void count_limits(const ProductShape& shape, ProductCase& same, double peer_seconds, nlohmann::json& run) {
  if (shape.rows == 1) {
    const Reads reads = same.reads();
    run["limit"] = peer_seconds * measure_read_bandwidth(reads, 3, reads.bytes()) / static_cast<double>(reads.bytes());
    return;
  }
  const double products = work_of(shape).flop / 2;
  const double rounding = seconds_per_call([&same] { same.round(); }, 3);
  const double kernel = products / measure_integer_kernel(shape.type, DataType::int8, 10);
  run["limit"] = peer_seconds / (rounding + kernel);
  run["at the peak"] = peer_seconds * measure_integer_peak(shape.type, DataType::int8, 10) / products;
}

void measure_product(const ProductShape& shape, nlohmann::json& results) {
  const std::string name = "product/rows:" + std::to_string(shape.rows) + "/d:" + std::to_string(shape.dim);
  const auto same = std::make_shared<ProductCase>(shape);
  std::vector<Peer> peers;
  peers.push_back(local_peer(
      "heed", PeerKind::heed, work_of(shape), [same] { same->run(); }, same->y().data(), same->y().size()));
  peers.push_back(onednn_product_peer(*same, false));
  peers.push_back(onednn_product_peer(*same, true));
  for (const Peer& peer : peers) expect_equal(peer, peers[0], name, rounding_tolerance);
  const auto count = [&](std::span<const double> seconds, nlohmann::json& run) {
    for (std::size_t i = 0; i < peers.size(); ++i) {
      run[peers[i].name + " us"] = seconds[i] * 1e6;
      if (i != 0) run["versus_" + peers[i].name] = seconds[i] / seconds[0];
    }
    count_limits(shape, *same, seconds[1], run);
  };
  measure_in_turns(name, peers, count, results);
}

void measure_blocks(const ProductShape& shape, OnnxRuntime& runtime, nlohmann::json& results) {
  const std::string bits = std::to_string(bits_of(shape.type));
  const std::string name =
      "product/bits:" + bits + "/rows:" + std::to_string(shape.rows) + "/d:" + std::to_string(shape.dim);
  const auto same = std::make_shared<ProductCase>(shape);
  std::vector<Peer> peers;
  peers.push_back(local_peer(
      "heed", PeerKind::heed, work_of(shape), [same] { same->run(); }, same->y().data(), same->y().size()));
  const std::optional<Peer> peer = runtime.product_peer(*same);
  if (!peer) return;
  peers.push_back(*peer);
  expect_equal(peers[1], peers[0], name, rounding_tolerance);
  const auto count = [&](std::span<const double> seconds, nlohmann::json& run) {
    run["heed us"] = seconds[0] * 1e6;
    run["MatMulNBits us"] = seconds[1] * 1e6;
    run["versus_MatMulNBits"] = seconds[1] / seconds[0];
    count_limits(shape, *same, seconds[1], run);
  };
  measure_in_turns(name, peers, count, results);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail("usage: heed_peers_products SCRIPTS RESULTS");
  if (!pin_to_core(0)) fail("this process cannot be pinned to a core");
  nlohmann::json results = nlohmann::json::array();
  for (const ProductShape& shape : {ProductShape{1, 4096}, ProductShape{512, 512}}) measure_product(shape, results);
  const std::string path = argv[2];
  OnnxRuntime runtime(argv[1], path.substr(0, path.find_last_of('/')));
  for (const DataType type : {DataType::int8_multipliers, DataType::int4_multipliers}) {
    for (const ProductShape& shape : {ProductShape{1, 4096, type}, ProductShape{512, 512, type}}) {
      measure_blocks(shape, runtime, results);
    }
  }
  return write_results(results, argv[2]) ? 0 : 1;
}
