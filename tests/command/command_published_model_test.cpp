// SPDX-License-Identifier: MIT
//
// Trained models from the folders of their makers, packed with no further option, against what others computed of them:
// nano_sort, a GPT-2 (HEED_NANO_SORT, or ../shared/nano_sort), and stories656K, a Llama (HEED_STORIES_656K, or
// ../shared/stories656k). Neither is part of the project; without them the tests are skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "heed/text.hpp"
#include "transformer/built_model.hpp"

namespace heed::test {
namespace {

using nlohmann::json;

/// Of the largest number of a tensor.
constexpr double tolerance = 2e-5;

std::filesystem::path directory(const char* variable, const char* usual) {
  const char* const from_environment = std::getenv(variable);
  return from_environment != nullptr ? from_environment : std::string(HEED_SOURCE_DIR "/../shared/") + usual;
}

/// The numbers of a .npy file of little-endian elements, which come after a header whose length byte 8 has.
template <class Element>
std::vector<Element> npy_numbers(const std::filesystem::path& file) {
  const std::string bytes = read_bytes(file);
  std::uint16_t header = 0;
  std::memcpy(&header, bytes.data() + 8, sizeof header);
  const std::size_t begin = 10U + header;
  std::vector<Element> numbers((bytes.size() - begin) / sizeof(Element));
  std::memcpy(numbers.data(), bytes.data() + begin, numbers.size() * sizeof(Element));
  return numbers;
}

double error_of(std::span<const float> got, std::span<const float> expected) {
  EXPECT_EQ(got.size(), expected.size());
  double largest = 0.0;
  double error = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    largest = std::max(largest, std::fabs(double{expected[i]}));
    error = std::max(error, std::fabs(double{got[i]} - double{expected[i]}));
  }
  return error / largest;
}

class PublishedModel : public CommandTest {
 protected:
  AlignedMemory packed(const std::filesystem::path& folder) const {
    const Ended ended = run("pack '" + folder.string() + "' --out out.heed");
    EXPECT_EQ(ended.code, 0) << ended.error;
    const std::string bytes = read_bytes(path("out.heed"));
    return AlignedMemory(std::as_bytes(std::span(bytes)));
  }
};

/// The rows of every stage, in the order of the tokens.
struct SeenStages {
  std::map<std::pair<std::uint32_t, Stage>, std::vector<float>> rows;

  static void see(void* context, std::uint32_t block, Stage stage, const float* values, std::uint32_t count,
                  std::uint32_t columns) {
    std::vector<float>& all = static_cast<SeenStages*>(context)->rows[{block, stage}];
    all.insert(all.end(), values, values + std::size_t{count} * columns);
  }
};

TEST_F(PublishedModel, NanoSortHasPyTorchsIntermediateResults) {
  const std::filesystem::path folder = directory("HEED_NANO_SORT", "nano_sort");
  if (!std::filesystem::exists(folder / "model.safetensors")) GTEST_SKIP() << folder;
  AlignedMemory file = packed(folder);
  const auto ids = npy_numbers<std::int64_t>(folder / "ids.npy");
  constexpr std::size_t length = 11;
  SeenStages seen;
  for (std::size_t first = 0; first < ids.size(); first += length) {
    BuiltModel built(file.span(), {.rows = 1, .max_keys = length});
    built.model.observe({&seen, &SeenStages::see});
    std::vector<float> logits(built.plan.config.outputs);
    for (std::size_t i = first; i < first + length; ++i) {
      ASSERT_EQ(built.model.decode(static_cast<std::uint32_t>(ids[i]), logits.data()), Status::ok);
    }
  }
  const std::tuple<std::uint32_t, Stage, const char*> goldens[] = {
      {0, Stage::attention, "yProj"}, {0, Stage::mlp, "mlp"},      {0, Stage::block, "block0"},
      {1, Stage::block, "block1"},    {2, Stage::block, "block2"}, {0, Stage::output, "lm_head"}};
  for (const auto& [block, stage, name] : goldens) {
    const double error =
        error_of(seen.rows.at({block, stage}), npy_numbers<float>(folder / (std::string(name) + ".npy")));
    std::printf("%s: %.1e of the largest\n", name, error);
    EXPECT_LE(error, tolerance) << name;
  }
}

TEST_F(PublishedModel, Stories656KHasItsGoldenLogitsAndTexts) {
  const std::filesystem::path folder = directory("HEED_STORIES_656K", "stories656k");
  if (!std::filesystem::exists(folder / "model.safetensors")) GTEST_SKIP() << folder;
  AlignedMemory file = packed(folder);
  const BlockMemory memory{.rows = 1, .max_keys = 256};
  const json golden = json::parse(read_bytes(folder / "logits.json"));
  std::vector<float> all;
  {
    BuiltModel built(file.span(), memory);
    for (const std::uint32_t id : golden.at("ids").get<std::vector<std::uint32_t>>()) {
      all.resize(all.size() + built.plan.config.outputs);
      float* const logits = all.data() + all.size() - built.plan.config.outputs;
      ASSERT_EQ(built.model.decode(id, logits), Status::ok);
    }
  }
  const double error = error_of(all, npy_numbers<float>(folder / "logits.npy"));
  std::printf("logits: %.1e of the largest\n", error);
  EXPECT_LE(error, tolerance);
  for (const json& row : json::parse(read_bytes(folder / "greedy.json"))) {
    BuiltModel built(file.span(), memory);
    std::vector<float> logits(built.plan.config.outputs);
    for (const std::uint32_t id : row.at("prompt").get<std::vector<std::uint32_t>>()) {
      ASSERT_EQ(built.model.decode(id, logits.data()), Status::ok);
    }
    for (const std::uint32_t id : row.at("tokens").get<std::vector<std::uint32_t>>()) {
      ASSERT_EQ(argmax(logits.data(), static_cast<std::uint32_t>(logits.size())), id) << row.at("text");
      ASSERT_EQ(built.model.decode(id, logits.data()), Status::ok);
    }
  }
}

}  // namespace
}  // namespace heed::test
