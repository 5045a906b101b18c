// SPDX-License-Identifier: MIT
//
// `heed plan --core`: whether a model fits a core's memories, and how fast it would be.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "command/run_models.hpp"

namespace heed::test {
namespace {

using Column = std::map<std::string, double>;

/// A column of a table of tests/figures.
Column column_of(const std::string& table, const std::string& name) {
  std::istringstream text(read_bytes(std::filesystem::path(HEED_SOURCE_DIR) / "tests/figures" / table));
  Column column;
  std::string line;
  int place = -1;
  while (std::getline(text, line)) {
    std::istringstream cells(line);
    std::string first;
    std::string cell;
    std::getline(cells, first, '\t');
    for (int i = 0; std::getline(cells, cell, '\t'); ++i) {
      if (column.empty() && place < 0 && cell == name) {
        place = i;
        break;
      }
      if (i == place && !cell.empty() && cell.find_first_not_of("0123456789.e+-") == std::string::npos) {
        column[first] = std::stod(cell);
      }
    }
  }
  return column;
}

class HeedPlanCore : public HeedRun {
 protected:
  void SetUp() override {
    const std::string sums = HEED_SOURCE_DIR "/examples/sums/sums";
    const std::string pack = "pack --model " + sums + ".json --weights " + sums + ".safetensors --weight-type ";
    ASSERT_EQ(run(pack + "int8 --out sums.heed").code, 0);
    ASSERT_EQ(run(pack + "int8 --activations int8 --out integers.heed").code, 0);
  }

  [[nodiscard]] json core_of(const std::string& arguments) const {
    return parsed("plan --json " + arguments).at("core");
  }
};

TEST_F(HeedPlanCore, AddsUpMemories) {
  const json plan = parsed("plan sums.heed --json --core cortex-m4f");
  const json& core = plan.at("core");
  const Column figures = column_of("expected.tsv", "cortex-m4f-gcc");
  const auto size = [&](const std::string& feature) { return figures.at("code and constants, " + feature + ", -O3"); };
  EXPECT_EQ(core.at("flash").at("file"), plan.at("totals").at("flash"));
  EXPECT_EQ(core.at("flash").at("code"), size("model") + size("int8_layer") - size("layer"));
  EXPECT_EQ(core.at("ram").at("state"), plan.at("totals").at("state"));
  EXPECT_EQ(core.at("ram").at("scratch"), plan.at("totals").at("scratch"));
  EXPECT_EQ(core.at("ram").at("output"), 259 * 4);
  EXPECT_EQ(core.at("ram").at("stack"),
            figures.at("stack, heed_model_encode_frames") + figures.at("stack, weights in few bits, added"));
  for (const char* memory : {"flash", "ram"}) {
    double sum = 0.0;
    for (const auto& [name, bytes] : core.at(memory).items()) sum += name == "bytes" ? 0.0 : bytes.get<double>();
    EXPECT_EQ(core.at(memory).at("bytes"), sum) << memory;
    const auto taken = core.at(memory).at("bytes").get<std::uint64_t>();
    const std::string option = std::string("sums.heed --core cortex-m4f --") + memory + ' ';
    EXPECT_EQ(core_of(option + std::to_string(taken)).at(memory).at("fits"), true);
    EXPECT_EQ(core_of(option + std::to_string(taken - 1)).at(memory).at("fits"), false);
    EXPECT_EQ(core_of(option + "1M").at(memory).at("fits"), true);
  }
  // Its head has rows of floats.
  const json integers = core_of("integers.heed --core cortex-m4f --kv-type int8_integer");
  EXPECT_EQ(integers.at("flash").at("code"), size("model") + size("int8_layer") + size("integer_layer") -
                                                 2 * size("layer") + size("int8_cache") - size("cache"));
  EXPECT_GT(integers.at("ram").at("stack"), core.at("ram").at("stack"));
}

TEST_F(HeedPlanCore, FindsTheLongestCache) {
  ModelConfig config = tiny_llama;
  config.max_positions = 5000;
  write_model("llama.heed", TinyModel(config, false));
  const std::string plan = "llama.heed --core cortex-m33 --kv-type int8 ";
  for (const std::string ram : {"40K", "77777", "2M"}) {
    const auto longest = core_of(plan + "--ram " + ram).at("longest_max_keys").get<std::uint32_t>();
    const auto fits = [&](std::uint32_t keys) {
      return core_of(plan + "--ram " + ram + " --max-keys " + std::to_string(keys)).at("ram").at("fits").get<bool>();
    };
    ASSERT_GT(longest, 0U) << ram;
    EXPECT_TRUE(fits(longest)) << ram;
    EXPECT_TRUE(longest == 5000 || !fits(longest + 1)) << ram;
  }
  EXPECT_EQ(core_of(plan + "--ram 2M").at("longest_max_keys"), 5000);
  EXPECT_EQ(core_of(plan + "--ram 4K").at("longest_max_keys"), 0);
  EXPECT_NE(run("plan " + plan + "--ram 4K").out.find("no --max-keys fits the RAM"), std::string::npos);
  write_model("vit.heed", TinyModel(tiny_vit, true));
  EXPECT_FALSE(core_of("vit.heed --core cortex-m33 --ram 4K").contains("longest_max_keys"));
}

/// The parts of the model in the tree, once more; and what its image counted, which docs/models.md shows: of 37 tokens,
/// the last one of each prompt and all after them have logits, 18.
TEST_F(HeedPlanCore, EstimatesInstructions) {
  for (const auto& [name, counted] : std::vector<std::pair<std::string, double>>{
           {"cortex-m4f", 97747}, {"cortex-m7", 97901}, {"cortex-m33", 97749}, {"cortex-m55", 55431}}) {
    const json core = core_of("sums.heed --core " + name + " --mhz 100 --flash-rate 2M");
    const Column costs = column_of("model_costs.tsv", name + "-gcc");
    const auto of = [&](const std::string& part) { return costs.at("one, " + part); };
    const auto product = [&](double inputs, double outputs) {
      return outputs * (inputs * of("product, int8 by float32") + of("output, floats"));
    };
    const double head = product(24, 259);
    const double block = 4 * product(24, 24) + product(24, 64) + product(64, 24) + 24 * of("width, floats") +
                         3 * of("head, floats") + 64 * of("activation, floats") + of("block, floats");
    const double key = 3 * (16 * of("key number, float32") + of("key, float32"));
    EXPECT_NEAR(core.at("first_instructions"), 2 * (block + key) + head, 1.0) << name;
    EXPECT_NEAR(core.at("last_instructions"), 2 * (block + 12 * key) + head, 1.0) << name;
    const auto mean = core.at("instructions").get<double>();
    EXPECT_NEAR(mean, 2 * (block + 6.5 * key) + head, 1.0) << name;
    EXPECT_NEAR((mean - head * 19 / 37) / counted, 1.0, 0.1) << name;
    EXPECT_NEAR(core.at("tokens_per_second"), 1e8 / mean, 0.01) << name;
    // Blocks and the table that is the head, too.
    EXPECT_NEAR(core.at("flash_bound_tokens_per_second"), 2e6 / 25664, 0.001) << name;
  }
}

TEST_F(HeedPlanCore, HasAllPartsOfEveryCore) {
  write_model("vit.heed", TinyModel(tiny_vit, true));
  for (const char* core : {"cortex-m0plus", "cortex-m3", "cortex-m4f", "cortex-m7", "cortex-m33", "cortex-m55",
                           "riscv32imc", "riscv32imafc"}) {
    const std::string with = std::string(" --core ") + core;
    for (const char* type : {"float32", "float16", "bfloat16", "int8", "int4"}) {
      const json plan = core_of("sums.heed --kv-type " + std::string(type) + with);
      EXPECT_LT(plan.at("first_instructions"), plan.at("last_instructions")) << core << type;
    }
    EXPECT_GT(core_of("integers.heed --kv-type int8_integer" + with).at("instructions"), 20000) << core;
    EXPECT_GT(core_of("vit.heed" + with).at("instructions"), 1000) << core;
  }
  const std::string text = run("plan sums.heed --core cortex-m85 --flash-rate 50M").out;
  EXPECT_NE(text.find("there is no table of instructions for cortex-m85"), std::string::npos);
  EXPECT_NE(text.find(" flash of 50000000 bytes a second"), std::string::npos);
  EXPECT_FALSE(core_of("sums.heed --core cortex-a53").contains("instructions"));
  EXPECT_NE(run("plan sums.heed --core cortex-m7 --mhz 480").out.find("core cortex-m7 at 480 MHz, one worker\n"),
            std::string::npos);
}

TEST_F(HeedPlanCore, RefusesWhatHasNoMeaning) {
  const std::string core = "plan sums.heed --core cortex-m7 ";
  for (const char* option : {"--flash 1M", "--ram 1M", "--mhz 5", "--flash-rate 1M"}) {
    const std::string name = std::string(option).substr(0, std::string(option).find(' '));
    expect_failure(std::string("plan sums.heed ") + option, {name + " means nothing without --core"});
    expect_failure(std::string("plan --head-dim 8 ") + option, {name + " means nothing for anything but a model file"});
  }
  expect_failure("plan --head-dim 8 --core cortex-m7", {"--core means nothing for anything but a model file"});
  expect_failure("plan sums.heed --core m7", {"--core m7: not known", "cortex-m7", "without one: cortex-m85"});
  expect_failure("plan sums.heed --core cortex-m85 --mhz 480",
                 {"--mhz means nothing for --core cortex-m85, of which no instructions were counted"});
  expect_failure(core + "--workers 2", {"--workers means nothing with --core"});
  for (const char* size : {"0", "0K", "K", "-1", "1k", "1.5M", "1KB", "0x10", "99999999999G", "''"}) {
    expect_failure(core + "--flash " + size, {"--flash"});
    expect_failure(core + "--flash-rate " + size, {"--flash-rate"});
  }
  expect_failure(core + "--mhz 0", {"--mhz"});
  EXPECT_NE(run(core + "--flash 3K").out.find(" of 3072: does not fit; "), std::string::npos);
}

}  // namespace
}  // namespace heed::test
