// SPDX-License-Identifier: MIT
//
// What rows of integers cost trained models that `heed pack` has packed, against the same models of floats. The models
// are not part of the project; without them the tests are skipped.
#include <gtest/gtest.h>

#include <cmath>

#include "command/command.hpp"
#include "heed/text.hpp"
#include "layer/kwt1.hpp"
#include "text/stories.hpp"
#include "transformer/built_model.hpp"

namespace heed::test {
namespace {

using nlohmann::json;

/// stories656K, a Llama in the files of Hugging Face, from HEED_STORIES_656K or ../shared/stories656k.
std::filesystem::path llama_directory() {
  const char* const from_environment = std::getenv("HEED_STORIES_656K");
  return from_environment != nullptr ? from_environment : HEED_SOURCE_DIR "/../shared/stories656k";
}

json read_json(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return json::parse(stream);
}

class HeedAccuracy : public CommandTest {
 protected:
  /// What `heed pack` writes.
  AlignedMemory packed(const std::string& arguments) const {
    const Ended ended = run("pack --out out.heed " + arguments);
    EXPECT_EQ(ended.code, 0) << ended.error;
    const std::string bytes = read_bytes(path("out.heed"));
    return AlignedMemory(std::as_bytes(std::span(bytes)));
  }
};

/// Logits after each token of some rows, over caches of a type.
std::vector<std::vector<float>> logits_of(std::span<const std::byte> file, const json& rows,
                                          DataType kv_type = DataType::float32) {
  std::vector<std::vector<float>> all;
  for (const auto& row : rows) {
    BuiltModel built(file, {.rows = 1, .max_keys = 256, .key_type = kv_type, .value_type = kv_type});
    for (const std::uint32_t token : row.at("tokens").get<std::vector<std::uint32_t>>()) {
      std::vector<float>& logits = all.emplace_back(built.plan.config.outputs);
      EXPECT_EQ(built.model.decode(token, logits.data()), Status::ok);
    }
  }
  return all;
}

constexpr std::size_t calibration_texts = 64;
constexpr std::size_t calibration_tokens = 256;

/// Texts [calibration_texts, calibration_tokens] that a model draws after token 1, as `heed generate --ignore-end
/// --top-p 1 --seed NUMBER` does with seeds from 1 on: none of them is what is measured.
std::vector<std::int32_t> drawn_texts(std::span<const std::byte> file) {
  std::vector<std::int32_t> texts;
  for (std::size_t seed = 1; seed <= calibration_texts; ++seed) {
    BuiltModel built(file, {.rows = 1, .max_keys = calibration_tokens});
    std::vector<float> logits(built.plan.config.outputs);
    std::vector<std::uint32_t> order(logits.size());
    RandomBits random(seed);
    std::uint32_t token = 1;
    for (std::size_t i = 0; i < calibration_tokens; ++i) {
      texts.push_back(static_cast<std::int32_t>(token));
      EXPECT_EQ(built.model.decode(token, logits.data()), Status::ok);
      EXPECT_EQ(sample_token({.temperature = 1.0F, .top_p = 1.0F}, logits, order, random, token), Status::ok);
    }
  }
  return texts;
}

/// Natural logarithms of the probabilities.
std::vector<double> log_probabilities(const std::vector<float>& logits) {
  double greatest = -INFINITY;
  double sum = 0.0;
  for (const float logit : logits) greatest = std::max(greatest, double{logit});
  for (const float logit : logits) sum += std::exp(double{logit} - greatest);
  std::vector<double> logs;
  for (const float logit : logits) logs.push_back(double{logit} - greatest - std::log(sum));
  return logs;
}

/// Mean of the Kullback-Leibler divergence from the float model.
double divergence(const std::vector<std::vector<float>>& exact, const std::vector<std::vector<float>>& rounded) {
  double sum = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const std::vector<double> p = log_probabilities(exact[i]);
    const std::vector<double> q = log_probabilities(rounded[i]);
    for (std::size_t j = 0; j < p.size(); ++j) sum += std::exp(p[j]) * (p[j] - q[j]);
  }
  return sum / static_cast<double>(exact.size());
}

/// Mean of -ln p of the tokens that follow.
double mean_nll(const std::vector<std::vector<float>>& logits, const json& rows) {
  double sum = 0.0;
  std::size_t count = 0;
  std::size_t at = 0;
  for (const auto& row : rows) {
    const std::vector<std::uint32_t> tokens = row.at("tokens");
    for (std::size_t t = 0; t + 1 < tokens.size(); ++t, ++count) {
      sum -= log_probabilities(logits[at + t])[tokens[t + 1]];
    }
    at += tokens.size();
  }
  return sum / static_cast<double>(count);
}

struct Bound {
  const char* options;
  double divergence;
  double nll;  ///< more than that of floats
  DataType kv_type = DataType::float32;
};

void expect_within(const char* name, const Bound& bound, const std::vector<std::vector<float>>& exact,
                   const std::vector<std::vector<float>>& rounded, const json& rows) {
  const double found = divergence(exact, rounded);
  const double nll = mean_nll(rounded, rows) - mean_nll(exact, rows);
  const char* const attention = bound.kv_type == DataType::float32 ? "" : " --kv-type int8_integer";
  std::printf("| %s | %s%s | %.5f | %+.4f |\n", name, bound.options, attention, found, nll);
  EXPECT_LE(found, bound.divergence) << bound.options;
  EXPECT_LE(nll, bound.nll) << bound.options;
}

TEST_F(HeedAccuracy, OfALlamaInFilesOfHuggingFace) {
  if (!std::filesystem::exists(llama_directory() / "model.safetensors")) GTEST_SKIP() << llama_directory();
  const json rows = read_json(llama_directory() / "greedy.json");
  write_bytes(path("m.json"), R"({"block": {"model_dim": 128, "heads": 8, "kv_heads": 4, "mlp_dim": 384,
    "norm_epsilon": 1e-6}, "blocks": 2, "input_dim": 2048, "max_positions": 512, "outputs": 2048, "tied_head": true,
    "tensors": {"input": "lm_head.weight"}})");
  const std::string model = "--model m.json --weights " + (llama_directory() / "model.safetensors").string() + ' ';
  const AlignedMemory floats = packed(model);
  const auto exact = logits_of(floats.span(), rows);
  write_npy("texts.npy", {calibration_texts, calibration_tokens}, drawn_texts(floats.span()));
  constexpr Bound bounds[] = {
      {"--weight-type int8", 0.0008, 0.006},
      {"--activations int8", 0.0025, 0.01},
      {"--activations int16", 0.0008, 0.006},
      {"--activations int8 --weight-type int8_multipliers", 0.0025, 0.01},
      {"--activations int16 --weight-type int8_multipliers", 0.0008, 0.006},
      {"--activations int8,down=int16", 0.0016, 0.008},
      {"--activations int8,down=float32", 0.0016, 0.008},
      {"--activations int8,output=float32", 0.0025, 0.01},
      {"--activations int8,down=float32,head=float32", 0.0012, 0.008},
      {"--activations int8", 0.0025, 0.01, DataType::int8_integer},
      {"--activations int16", 0.0012, 0.006, DataType::int8_integer},
      {"--weight-type int4_groups", 0.12, 0.12},
      {"--activations int8 --weight-type int4_multipliers", 0.12, 0.12},
      {"--activations int16 --weight-type int4_multipliers", 0.12, 0.12},
      {"--activations int8 --weight-type int4_multipliers --calibrate texts.npy", 0.09, 0.09},
      {"--activations int16 --weight-type int4_multipliers --calibrate texts.npy", 0.09, 0.09},
  };
  for (const Bound& bound : bounds) {
    expect_within("stories656K", bound, exact, logits_of(packed(model + bound.options).span(), rows, bound.kv_type),
                  rows);
  }
  json mixed = json::parse(read_bytes(path("m.json")));
  for (const char* rows_of : {"row_type", "output_row_type", "mlp_row_type", "down_row_type"}) {
    mixed["block"][rows_of] = "int16";
  }
  mixed["block"]["weight_type"] = "int4_multipliers";
  mixed["input_type"] = "int8";
  mixed["head_row_type"] = "int16";
  write_bytes(path("m.json"), mixed.dump());
  expect_within("stories656K", {"blocks int4_multipliers, head int8, rows int16", 0.09, 0.09}, exact,
                logits_of(packed(model).span(), rows), rows);
}

TEST_F(HeedAccuracy, OfAModelOfLlama2c) {
  if (const std::string missing = stories_are_missing(); !missing.empty()) GTEST_SKIP() << missing;
  const json rows = golden_stories();
  const std::string model = "--llama2c " + (stories_directory() / "stories260K.bin").string() + ' ';
  const AlignedMemory floats = packed(model);
  const auto exact = logits_of(floats.span(), rows);
  write_npy("texts.npy", {calibration_texts, calibration_tokens}, drawn_texts(floats.span()));
  constexpr Bound bounds[] = {
      {"--weight-type int8", 0.002, 0.006},
      {"--activations int8", 0.005, 0.006},
      {"--activations int16", 0.002, 0.006},
      {"--activations int8 --weight-type int8_multipliers", 0.005, 0.006},
      {"--activations int16 --weight-type int8_multipliers", 0.002, 0.006},
      {"--weight-type int4_groups", 0.2, 0.2},
      {"--activations int8 --weight-type int4_multipliers", 0.2, 0.2},
      {"--activations int16 --weight-type int4_multipliers", 0.2, 0.2},
      {"--activations int8 --weight-type int4_multipliers --calibrate texts.npy", 0.2, 0.2},
      {"--activations int16 --weight-type int4_multipliers --calibrate texts.npy", 0.2, 0.2},
  };
  for (const Bound& bound : bounds) {
    expect_within("stories260K", bound, exact, logits_of(packed(model + bound.options).span(), rows, bound.kv_type),
                  rows);
  }
}

TEST_F(HeedAccuracy, OfAKeywordSpotter) {
  if (!std::filesystem::exists(data_directory() / "kwt1.safetensors")) GTEST_SKIP() << data_directory();
  const std::string model = "--model " HEED_SOURCE_DIR "/examples/firmware/kwt1.json --weights " +
                            (data_directory() / "kwt1.safetensors").string() + ' ';
  const json fixtures = read_json(data_directory() / "fixtures.json");
  Tensors clips(data_directory() / "fixtures.safetensors");
  const std::pair<const char*, double> bounds[] = {
      {"--activations int8", 1.0},
      {"--activations int16", 0.2},
      {"--activations int8 --weight-type int8_multipliers", 1.0},
      {"--activations int16 --weight-type int8_multipliers", 0.2},
      {"--activations int16 --weight-type int4_multipliers", 2.0},
  };
  for (const auto& [options, most] : bounds) {
    AlignedMemory file = packed(model + options);
    BuiltModel built(file.span(), {.rows = 99, .max_keys = 99});
    double worst = 0.0;
    for (const auto& fixture : fixtures.is_array() ? fixtures : fixtures.at("fixtures")) {
      const std::string clip = fixture.at("clip");
      const std::vector<float> features = clips[clip + ".features"];
      const std::vector<float> expected = clips[clip + ".logits"];
      std::vector<float> logits(expected.size());
      EXPECT_EQ(built.model.encode(dense(features.data(), 98, 40), 98, logits.data()), Status::ok);
      for (std::size_t i = 0; i < logits.size(); ++i) {
        worst = std::max(worst, std::abs(double{logits[i]} - double{expected[i]}));
      }
      EXPECT_EQ(argmax(logits.data(), 12), fixture.at("index").get<std::uint32_t>()) << clip << ' ' << options;
    }
    std::printf("| KWT-1 | %s | greatest error of a logit %.3f |\n", options, worst);
    EXPECT_LE(worst, most) << options;
  }
}

}  // namespace
}  // namespace heed::test
