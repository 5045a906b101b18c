// SPDX-License-Identifier: MIT
//
// `heed pack --activations`, the same in an architecture, and what the other commands say of such a model.
#include <gtest/gtest.h>

#include <cmath>

#include "command/packed_models.hpp"
#include "transformer/integer_model.hpp"

namespace heed::test {
namespace {

constexpr IntegerTypes int8_by_int8{DataType::int8, DataType::int8, DataType::int8};
constexpr IntegerTypes int4_by_int16{DataType::int4_multipliers, DataType::int16, DataType::int16};

class HeedActivations : public HeedPackModel {
 protected:
  /// Untied tokens are looked up in a table that is in no product.
  static TinyModel tiny(ModelConfig config, const IntegerTypes& types, DataType table) {
    config = with_integers(config, types);
    if (config.input == ModelInput::tokens) config.input_type = table;
    return {config, false};
  }
};

TEST_F(HeedActivations, SetsTheRowsOfEveryProduct) {
  const TinyModel bytes = tiny(tiny_llama, int8_by_int8, DataType::int8);
  expect_packed(bytes, stored_llama(bytes), llama_json_, "--activations int8");
  const TinyModel nibbles = tiny(tiny_llama, int4_by_int16, DataType::int4_groups);
  expect_packed(nibbles, stored_llama(nibbles), llama_json_, "--activations int16 --weight-type int4_multipliers");
  const TinyModel floats(completed(tiny_llama), false);
  expect_packed(floats, stored_llama(floats), llama_json_, "--activations float32");
  const TinyModel frames(with_integers(tiny_vit, int8_by_int8), true);
  expect_packed(frames, stored_vit(frames), vit_json_, "--activations int8");
}

TEST_F(HeedActivations, AreMembersOfAnArchitecture) {
  const TinyModel model =
      tiny(tiny_llama, {DataType::int8_multipliers, DataType::int16, DataType::int8}, DataType::float32);
  json typed = with(llama_json_, "block.weight_type", "int8_multipliers");
  for (const char* member : {"block.row_type", "block.mlp_row_type", "head_row_type"}) {
    typed = with(typed, member, "int16");
  }
  for (const char* member : {"block.output_row_type", "block.down_row_type"}) typed = with(typed, member, "int8");
  typed = with(typed, "head_type", "int8_multipliers");
  expect_packed(model, stored_llama(model), typed);
  write_safetensors(path("w.safetensors"), stored_llama(model));
  EXPECT_NE(run(good_).out.find("rows in integers: query, key and value int16 by int8_multipliers, output int8 by "
                                "int8_multipliers, gate and up int16 by int8_multipliers, down int8 by "
                                "int8_multipliers, head int16 by int8_multipliers\n"),
            std::string::npos);

  const json config = json::parse(run("inspect out.heed --json").out).at("config");
  EXPECT_EQ(config.at("block").at("row_type"), "int16");
  EXPECT_EQ(config.at("block").at("down_row_type"), "int8");
  EXPECT_EQ(config.at("head_row_type"), "int16");
  EXPECT_EQ(json::parse(run("plan out.heed --json").out).at("config").at("names"), json({"int8_multiplier_weights"}));
  EXPECT_NE(run("plan out.heed").out.find("rounded rows"), std::string::npos);

  std::filesystem::remove(path("out.heed"));
  const auto refused = [&](const std::string& member, const char* value, const char* why) {
    write_json(with(typed, member, value));
    expect_failure(good_, {why});
  };
  refused("block.row_type", "float16", "block.row_type: one of float32, int8, int16 is needed");
  refused("block.weight_type", "int16", "one of float32, float16");
  refused("block.weight_type", "int4_groups", "must be float32 for weights of this type");
  refused("block.down_row_type", "float32",
          "down_row_type float32: must be int8 or int16 for weights with multipliers");
  refused("input_row_type", "int8", "must be float32 for tokens");
}

TEST_F(HeedActivations, AreChosenByTheErrorOnCalibrationInputs) {
  const TinyModel model(completed(tiny_llama), false);
  write_json(llama_json_);
  write_safetensors(path("w.safetensors"), stored_llama(model));
  write_npy<std::int64_t>("tokens.npy", {2, 6}, {1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1});
  const std::string text = run(good_ + "--activations auto --calibrate tokens.npy").out;
  const auto figure = [&](const std::string& before) {
    const std::size_t place = text.find(before);
    EXPECT_NE(place, std::string::npos) << before << "\n" << text;
    return place == std::string::npos ? 0.0 : std::stod(text.substr(place + before.size()));
  };
  const double finest = figure("error of the outputs to float32's: ");
  const double most = figure("in int16, at most ");
  EXPECT_GT(finest, 0.0);
  EXPECT_NEAR(most, std::sqrt(2.0) * finest, 0.01 * most);

  // The file has what the text says, and each kind is int8 where its error together was small enough.
  const json config = json::parse(run("inspect out.heed --json").out).at("config");
  const std::vector<std::pair<std::string, json>> kinds{
      {"query, key and value", config.at("block").at("row_type")},
      {"output", config.at("block").at("output_row_type")},
      {"gate and up", config.at("block").at("mlp_row_type")},
      {"down", config.at("block").at("down_row_type")},
      {"head", config.at("head_row_type")},
  };
  for (const auto& [name, type] : kinds) {
    const std::size_t line = text.find("  " + name + " in int8: ");
    ASSERT_NE(line, std::string::npos) << name;
    const std::size_t comma = text.find("alone, ", line);
    const double together = std::stod(text.substr(comma + 7));
    EXPECT_EQ(type, together <= most ? "int8" : "int16") << text;
  }
  // The bytes are those of an architecture that says the same.
  const auto chosen = read_bytes(path("out.heed"));
  json typed = with(llama_json_, "block.weight_type", "int8");
  for (const char* member : {"row_type", "output_row_type", "mlp_row_type", "down_row_type"}) {
    typed = with(typed, std::string("block.") + member, config.at("block").at(member));
  }
  for (const char* member : {"head_row_type", "head_type", "input_type"})
    typed = with(typed, member, config.at(member));
  write_json(typed);
  EXPECT_EQ(run(good_).code, 0);
  EXPECT_EQ(read_bytes(path("out.heed")), chosen);
  std::filesystem::remove(path("out.heed"));

  write_json(llama_json_);
  expect_failure(good_ + "--activations auto", {"--activations auto needs --calibrate"});
  expect_failure(good_ + "--activations int8 --calibrate tokens.npy", {"--calibrate means nothing without"});
  expect_failure(good_ + "--weight-type int4_groups --calibrate tokens.npy", {"--calibrate means nothing without"});
  write_npy<std::int64_t>("tokens.npy", {2}, {1, 1000});
  expect_failure(good_ + "--activations int8 --weight-type int4_multipliers --calibrate tokens.npy", {"--calibrate"});
  expect_failure(good_ + "--activations auto --calibrate tokens.npy", {"--calibrate"});
}

TEST_F(HeedActivations, FourBitsOfBlocksAreRoundedByErrorCompensation) {
  // Both orders of norm and branch, with gates and biases and without.
  for (const ModelConfig& config : {tiny_llama, tiny_gpt2}) {
    const bool llama = config.positions == Positions::rotary;
    const TinyModel model(completed(config), !llama);
    write_json(llama ? llama_json_ : with(sizes_, "tied_head", true));
    write_safetensors(path("w.safetensors"), llama ? stored_llama(model) : stored_gpt2(model));
    write_npy<std::int64_t>("tokens.npy", {2, 6}, {1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1});
    const std::string nibbles = "--activations int16 --weight-type int4_multipliers ";
    EXPECT_EQ(run(good_ + nibbles).code, 0);
    const std::string nearest = read_bytes(path("out.heed"));
    const Ended ended = run(good_ + nibbles + "--calibrate tokens.npy");
    ASSERT_EQ(ended.code, 0) << ended.error;
    const std::string compensated = read_bytes(path("out.heed"));
    EXPECT_EQ(compensated.size(), nearest.size());
    EXPECT_NE(compensated, nearest);
    // The header's CRC-32, little-endian: the file is the same whatever compiler made the command.
    EXPECT_EQ(compensated.substr(12, 4), llama ? "MU\xA5v" : "\x18\x18$`");
    EXPECT_EQ(run("inspect out.heed").code, 0);
    for (const char* const kind : {"query, key and value", "output", llama ? "gate and up" : "up", "down"}) {
      const std::string line = "\n  " + std::string(kind) + ": ";
      const std::size_t at = ended.out.find(line);
      ASSERT_NE(at, std::string::npos) << ended.out;
      const std::string numbers = ended.out.substr(at + line.size());
      EXPECT_LT(std::stod(numbers.substr(numbers.find(' '))), std::stod(numbers)) << ended.out;
    }
    // Rows are chosen by the error of these weights, which would be great without the biases.
    const std::string chosen =
        run(good_ + "--activations auto --weight-type int4_multipliers --calibrate tokens.npy").out;
    const std::string before = "error of the outputs to float32's: ";
    ASSERT_NE(chosen.find(before), std::string::npos) << chosen;
    EXPECT_LT(std::stod(chosen.substr(chosen.find(before) + before.size())), 0.2) << chosen;
  }
  std::filesystem::remove(path("out.heed"));
}

TEST_F(HeedActivations, FourBitsOfAnEncoderAreSaidToBeRoundedToTheNearest) {
  const TinyModel model(completed(tiny_vit), true);
  write_json(vit_json_);
  write_safetensors(path("w.safetensors"), stored_vit(model));
  write_npy<float>("frames.npy", {3, 6}, std::vector<float>{1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1, 3, 1, 4, 1, 5, 9});
  const Ended ended = run(good_ + "--activations auto --weight-type int4_multipliers --calibrate frames.npy");
  ASSERT_EQ(ended.code, 0) << ended.error;
  EXPECT_NE(ended.out.find("blocks in int4_multipliers: to the nearest"), std::string::npos) << ended.out;
  std::filesystem::remove(path("out.heed"));
}

TEST_F(HeedActivations, KindsOfProductHaveTypesOfTheirOwn) {
  ModelConfig config = with_integers(tiny_llama, int8_by_int8);
  config.input_type = DataType::int8;
  config.block.down_row_type = config.block.output_row_type = DataType::float32;
  config.block.mlp_row_type = DataType::int16;
  const TinyModel model(config, false);
  expect_packed(model, stored_llama(model), llama_json_, "--activations int8,down=float32,mlp=int16,output=float32");
  write_json(llama_json_);
  write_safetensors(path("w.safetensors"), stored_llama(model));
  EXPECT_NE(
      run(good_ + "--activations int8,down=float32,mlp=int16,output=float32")
          .out.find("rows in integers: query, key and value int8 by int8, gate and up int16 by int8, head int8 by "
                    "int8; rows in float32: output by int8, down by int8\n"),
      std::string::npos);
  EXPECT_EQ(json::parse(run("plan out.heed --json").out).at("config").at("names"),
            json({"int8_weights", "int8_mixed_weights", "int8_integer_weights"}));
  write_npy<std::int64_t>("tokens.npy", {6}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run("run out.heed --input tokens.npy --output rows.npy --stages stages.txt").code, 0);

  const std::string text = run(good_ + "--activations auto,down=float32,head=int16 --calibrate tokens.npy").out;
  EXPECT_NE(text.find(" with every other row in int16, at most "), std::string::npos) << text;
  EXPECT_EQ(text.find("  down in int8: "), std::string::npos) << text;
  EXPECT_EQ(text.find("  head in int8: "), std::string::npos) << text;
  EXPECT_NE(text.find("  output in int8: "), std::string::npos) << text;
  const json chosen = json::parse(run("inspect out.heed --json").out).at("config");
  EXPECT_EQ(chosen.at("block").at("down_row_type"), "float32");
  EXPECT_EQ(chosen.at("head_row_type"), "int16");
  std::filesystem::remove(path("out.heed"));

  const auto refused = [&](const std::string& entry, const char* why) {
    expect_failure(good_ + "--activations " + entry, {why});
  };
  refused("int8,gate=float32", "gate=float32: KIND=TYPE is needed, with one of input, query, output, mlp, down, head");
  refused("int8,down", "down: KIND=TYPE is needed");
  refused("int8,", "KIND=TYPE is needed");
  refused("int8,down=float16", "down: one of float32, int8, int16 is needed");
  refused("int8,down=int16,down=float32", "down is there twice");
  refused("int8,input=float32", "input: the model has no such product");
  refused("down=float32", "one of float32, int8, int16 is needed");
  refused("int8,down=float32 --weight-type int4_multipliers",
          "down_row_type float32: must be int8 or int16 for weights with multipliers");
  refused("float32,down=int8 --weight-type float16", "one of int8, int8_multipliers, int4_multipliers is needed");
}

TEST_F(HeedActivations, RefusesWhatDoesNotGoTogether) {
  const TinyModel model(completed(tiny_llama), false);
  write_json(llama_json_);
  write_safetensors(path("w.safetensors"), stored_llama(model));
  expect_failure(good_ + "--activations int12", {"--activations int12: one of float32, int8, int16 is needed"});
  expect_failure(good_ + "--activations int8 --weight-type int4_groups",
                 {"--weight-type int4_groups: one of int8, int8_multipliers, int4_multipliers is needed"});
  expect_failure(good_ + "--weight-type int8_multipliers",
                 {"head_row_type float32: must be int8 or int16 for weights with multipliers"});
  expect_failure("pack --weights w.safetensors --heads 2 --out out.bin --activations int8", {"--activations"});
}

}  // namespace
}  // namespace heed::test
