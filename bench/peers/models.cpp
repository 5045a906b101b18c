// SPDX-License-Identifier: MIT
//
// heed_peers_models SCRIPTS RESULTS KWT1 STORIES: measures whole models and their peers, in turns on one core, and
// writes the times of every round: the keyword transformer KWT-1 beside ONNX Runtime, and the language model
// stories260K beside llama2.c, both in floats and in integers. KWT1 and STORIES are the folders of their weights; the
// model files lie beside RESULTS. What is absent is said, and left out. Ends with an error if logits of floats differ
// by more than 2e-5 of the greatest, or tokens at all.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed_model.hpp"
#include "onnxruntime.hpp"
#include "stories.hpp"
#include "turns.hpp"

namespace {

using namespace heed;
using namespace heed::bench;
namespace fs = std::filesystem;

constexpr std::uint32_t frames = 98;
constexpr std::uint32_t frame_width = 40;
constexpr std::uint32_t labels = 12;

/// In parts of the greatest logit.
constexpr double rounding_tolerance = 0.1;

/// A tensor of a safetensors file of float32.
[[nodiscard]] Floats read_tensor(const fs::path& path, const std::string& name, std::size_t size) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), sizeof length);
  std::string header(file ? length : 0, ' ');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  const nlohmann::json entries = nlohmann::json::parse(header, nullptr, false);
  if (!entries.is_object() || !entries.contains(name)) fail(path.string() + " has no tensor " + name);
  file.seekg(static_cast<std::streamoff>(8 + length + entries[name]["data_offsets"][0].get<std::uint64_t>()));
  Floats values(size);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(size * sizeof(float)));
  if (!file) fail(path.string() + " cannot be read");
  return values;
}

/// FLOP of the products that an encoder's logits need, of rows [rows, model_dim]. Of the last block, the head reads one
/// row alone: every row's key and value, and for the rest the one row.
[[nodiscard]] double encoder_flop(const ModelConfig& config, double rows) {
  const double dim = config.block.model_dim;
  const double per_row = 4 * dim * dim + 4 * dim * rows + 4 * dim * config.block.mlp_dim;
  const double keys_and_values = 4 * dim * dim * rows;
  return 2 * frames * frame_width * dim + (config.blocks - 1) * (keys_and_values + rows * per_row) + keys_and_values +
         per_row + 2 * dim * labels;
}

void measure_keywords(OnnxRuntime& runtime, const fs::path& data, const fs::path& models, nlohmann::json& results) {
  HeedModel model(models / "kwt1.heed", frames + 1, frames + 1);
  HeedModel integers(models / "kwt1_integers.heed", frames + 1, frames + 1);
  const Floats features =
      read_tensor(data / "fixtures.safetensors", "right__flite_slt_10.features", std::size_t{frames} * frame_width);
  const Work work{.flop = encoder_flop(model.config(), frames + 1)};
  const auto encoding_peer = [&](const char* name, HeedModel& of, Floats& logits) {
    const auto encode = [&] {
      expect(of.get().encode(dense(features.data(), frames, frame_width), frames, logits.data()), "KWT-1");
    };
    return local_peer(name, PeerKind::heed, work, encode, logits.data(), logits.size());
  };
  Floats logits(labels);
  Floats integer_logits(labels);
  std::vector<Peer> peers;
  peers.push_back(encoding_peer("heed", model, logits));
  for (const char* graph : {"kwt1", "kwt1_int8"}) {
    auto peer = runtime.model_peer(graph, (data / "kwt1.safetensors").string(), features, work, labels);
    if (!peer) fail("ONNX Runtime refuses KWT-1");
    peers.push_back(std::move(*peer));
  }
  peers.push_back(encoding_peer("heed integers", integers, integer_logits));
  expect_equal(peers[1], peers[0], "KWT-1");
  for (const int number : {2, 3}) expect_equal(peers[number], peers[0], "KWT-1 in integers", rounding_tolerance);
  double peak = measure_fused_multiply_add_peak();
  const auto count = [&](std::span<const double> seconds, nlohmann::json& run) {
    run["heed ms"] = seconds[0] * 1e3;
    run["ONNX Runtime ms"] = seconds[1] * 1e3;
    run["ONNX Runtime int8 ms"] = seconds[2] * 1e3;
    run["heed integers ms"] = seconds[3] * 1e3;
    run["versus_onnxruntime"] = seconds[1] / seconds[0];
    run["integers_versus_onnxruntime_int8"] = seconds[2] / seconds[3];
    // The machine may change its clock from round to round: the peak is that of the same round.
    const double before = std::exchange(peak, measure_fused_multiply_add_peak(10));
    run["peak"] = std::max(before, peak) * 1e-9;
    run["peak_percent"] = 100 * work.flop / seconds[0] / std::max(before, peak);
  };
  measure_in_turns("model/KWT-1", peers, count, results);
}

/// Whether the file is there; says so if it is not.
[[nodiscard]] bool present(const fs::path& file, const char* variable) {
  if (fs::exists(file)) return true;
  std::fprintf(stderr, "  there is no %s (%s)\n", file.c_str(), variable);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) fail("usage: heed_peers_models SCRIPTS RESULTS KWT1 STORIES");
  if (!pin_to_core(0)) fail("this process cannot be pinned to a core");
  const fs::path folder = fs::absolute(argv[2]).parent_path();
  const fs::path kwt1 = argv[3];
  const fs::path stories = argv[4];
  nlohmann::json results = nlohmann::json::array();
  if (present(kwt1 / "kwt1.safetensors", "HEED_KWT1")) {
    OnnxRuntime runtime(argv[1], folder.string());
    measure_keywords(runtime, kwt1, folder, results);
  }
#ifdef HEED_LLAMA2C
  if (present(stories / "stories260K.bin", "HEED_STORIES")) measure_stories(stories, folder, results);
#else
  std::fprintf(stderr, "  there is no llama2.c (HEED_LLAMA2C) to measure stories260K beside\n");
#endif
  return write_results(results, argv[2]) ? 0 : 1;
}
