// SPDX-License-Identifier: MIT
//
// `heed bench`: figures that agree with one another, and the bits of what is timed.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "command/run_models.hpp"

namespace heed::test {
namespace {

/// Products of a row of tiny_llama in all blocks, and of its head.
constexpr double row_products = 2 * (12 * 12 + 2 * 12 * 6 + 12 * 12 + 3 * 12 * 20);
constexpr double head_products = 19 * 12;

/// tiny_llama with rows and weights of integers in its blocks.
ModelConfig in_integers(DataType weights, DataType rows) {
  ModelConfig config = tiny_llama;
  config.block.weight_type = weights;
  config.block.row_type = config.block.output_row_type = rows;
  config.block.mlp_row_type = config.block.down_row_type = rows;
  return config;
}

class HeedBench : public HeedRun {
 protected:
  /// What the report says of the share of the peaks, once more.
  static double share_of(const json& products, const json& rate, int rows) {
    double seconds = 0.0;
    for (const json& one : products) {
      seconds += one.at("count").get<double>() / one.at("peak_per_second").get<double>();
    }
    return seconds * rate.at("median").get<double>() / rows;
  }
};

TEST_F(HeedBench, TimesAModel) {
  write_model("m.heed", TinyModel(tiny_llama, false));
  const Ended ended = run("bench m.heed --prompt 9 --tokens 7 --repeat 3 --workers 2");
  EXPECT_EQ(ended.code, 0) << ended.error;
  const std::string rate = " +[0-9.]+ tokens/s, [0-9.]+ to [0-9.]+\n";
  const std::string share = "  [0-9]+ % of the [0-9.]+ ";
  EXPECT_TRUE(
      std::regex_match(ended.out, std::regex("port [a-z0-9_]+, 2 workers, median of 3\nprefill of 9" + rate + share +
                                             "billion multiply-adds of floats [^\n]*\ndecode of 7" + rate + share +
                                             "GB/s [^\n]*\nbytes: weights [0-9]+, state [0-9]+, scratch [0-9]+\n"
                                             "hash of all logits [0-9a-f]{16}, the same with one worker\n")))
      << ended.out;

  const json timed = parsed("bench m.heed --json --repeat 1");
  EXPECT_EQ(timed.at("prompt"), 15);
  EXPECT_EQ(timed.at("tokens"), 1);
  EXPECT_EQ(timed.at("weight_bytes"), std::filesystem::file_size(path("m.heed")));
  EXPECT_NEAR(
      share_of(timed.at("products"), timed.at("prefill_per_second"), 15) / timed.at("product_share").get<double>(), 1.0,
      1e-9);
  const double read = timed.at("read_share").get<double>() * timed.at("read_bytes_per_second").get<double>();
  const double once =
      timed.at("decode_per_second").at("median").get<double>() * timed.at("read_bytes_of_a_token").get<double>();
  EXPECT_NEAR(read / once, 1.0, 1e-9);
  EXPECT_EQ(timed.at("hash"), parsed("bench m.heed --json --repeat 2 --rows 3 --scratch-budget 1").at("hash"));
  EXPECT_NE(timed.at("hash"), parsed("bench m.heed --json --repeat 1 --prompt 14").at("hash"));

  write_model("encoder.heed", TinyModel(tiny_vit, true));
  const json encoded = parsed("bench encoder.heed --json --repeat 1");
  EXPECT_EQ(encoded.at("prompt"), tiny_vit.max_positions - 1);
  EXPECT_FALSE(encoded.contains("decode_per_second"));
}

TEST_F(HeedBench, NamesThePeakOfItsProducts) {
  ModelConfig config = in_integers(DataType::int8, DataType::int8);
  config.head_type = DataType::int8;
  config.head_row_type = DataType::int8;
  write_model("all.heed", TinyModel(config, false));
  const std::string all = run("bench all.heed --repeat 1").out;
  EXPECT_TRUE(std::regex_search(
      all, std::regex("\n  [0-9]+ % of the [0-9.]+ billion products of int8 by int8 per second that this machine "
                      "reached beside it\ndecode")))
      << all;
  const json products = parsed("bench all.heed --json --repeat 1 --prompt 9").at("products");
  ASSERT_EQ(products.size(), 1U);
  EXPECT_EQ(products[0].at("count"), 9 * row_products + head_products);
  EXPECT_GT(products[0].at("peak_per_second").get<double>(), 1e6);
}

TEST_F(HeedBench, NamesEveryPeakOfMixedProducts) {
  for (const DataType weights : {DataType::int8, DataType::int8_multipliers, DataType::int4_multipliers}) {
    write_model("some.heed", TinyModel(in_integers(weights, DataType::int16), false));
    const std::string word = weights == DataType::int8               ? "int8"
                             : weights == DataType::int8_multipliers ? "int8_multipliers"
                                                                     : "int4_multipliers";
    const std::string some = run("bench some.heed --repeat 1").out;
    EXPECT_TRUE(std::regex_search(
        some,
        std::regex("\n  [0-9]+ % of what this machine reached beside it, in billions per second: [0-9.]+ products "
                   "of " +
                   word + " by int16, [0-9.]+ multiply-adds of floats\ndecode")))
        << some;
    const json report = parsed("bench some.heed --json --repeat 1 --prompt 9");
    const json& products = report.at("products");
    ASSERT_EQ(products.size(), 2U);
    EXPECT_EQ(products[0].at("weights"), word);
    EXPECT_EQ(products[0].at("rows"), "int16");
    EXPECT_EQ(products[0].at("count"), 9 * row_products);
    EXPECT_GT(products[0].at("peak_per_second").get<double>(), 1e6);
    EXPECT_EQ(products[1].at("rows"), "float32");
    EXPECT_EQ(products[1].at("count"), head_products);
    EXPECT_NEAR(share_of(products, report.at("prefill_per_second"), 9) / report.at("product_share").get<double>(), 1.0,
                1e-9);
  }
}

TEST_F(HeedBench, TimesAContext) {
  write_model("m.heed", TinyModel(tiny_llama, false));
  ModelConfig config = tiny_llama;
  config.block.cross_dim = 9;
  write_model("cross.heed", TinyModel(config, false));
  const std::string text = run("bench cross.heed --context 6 --repeat 1 --workers 2").out;
  EXPECT_TRUE(
      std::regex_search(text, std::regex("\ncontext of 6 +[0-9.]+ rows/s, [0-9.]+ to [0-9.]+\n  [0-9]+ % of the "
                                         "[^\n]*\nprefill of 15 ")))
      << text;
  EXPECT_NE(text.find(", the same with one worker\n"), text.npos);

  const json report = parsed("bench cross.heed --json --context 6 --repeat 1");
  EXPECT_EQ(report.at("context"), 6);
  EXPECT_EQ(report.at("context_products")[0].at("count"), 2 * 6 * (2 * 9 * 6));
  EXPECT_EQ(report.at("products")[0].at("count"), 15 * (row_products + 2 * (2 * 12 * 12)) + head_products);
  EXPECT_NEAR(share_of(report.at("context_products"), report.at("context_per_second"), 6) /
                  report.at("context_share").get<double>(),
              1.0, 1e-9);
  // A token reads the two other matrices of cross-attention and its norm, not those of the context.
  const auto token_bytes = [&](const char* name) {
    return parsed(std::string("bench --json --repeat 1 ") + name).at("read_bytes_of_a_token").get<double>();
  };
  const double more = token_bytes("cross.heed") - token_bytes("m.heed");
  EXPECT_GE(more, 2 * (2 * 12 * 16 + 12) * 4);
  EXPECT_LT(more, 2 * (2 * 12 * 16 + 12 + 2 * 9 * 16) * 4);
  EXPECT_EQ(parsed("bench cross.heed --json --repeat 1").at("context"), 256);
  EXPECT_NE(report.at("hash"), parsed("bench cross.heed --json --context 7 --repeat 1").at("hash"));
}

TEST_F(HeedBench, TimesNothingThatCannotRun) {
  write_model("m.heed", TinyModel(tiny_llama, false));
  write_model("encoder.heed", TinyModel(tiny_vit, true));
  expect_failure("bench m.heed --prompt 16", {"--prompt 16", "16 positions"});
  expect_failure("bench m.heed --prompt 10 --tokens 7", {"--tokens 7", "leaves 6 of the model's 16 positions"});
  expect_failure("bench m.heed --repeat 0", {"--repeat"});
  expect_failure("bench m.heed --workers 0", {"--workers"});
  expect_failure("bench encoder.heed --tokens 2", {"--tokens means nothing to an encoder"});
  expect_failure("bench encoder.heed --prompt 5", {"--prompt"});
  expect_failure("bench m.heed --context 3", {"--context means nothing without cross-attention"});
  expect_failure("bench encoder.heed --context 3", {"--context"});
  expect_failure("bench missing.heed", {"missing.heed"});
}

}  // namespace
}  // namespace heed::test
