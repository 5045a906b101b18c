// SPDX-License-Identifier: MIT
//
// `heed pack --activations`, the same in an architecture, and what the other commands say of such a model.
#include <gtest/gtest.h>

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
  refused("block.down_row_type", "float32", "needs rows of int8 or int16");
  refused("input_row_type", "int8", "must be float32 for tokens");
}

TEST_F(HeedActivations, RefusesWhatDoesNotGoTogether) {
  const TinyModel model(completed(tiny_llama), false);
  write_json(llama_json_);
  write_safetensors(path("w.safetensors"), stored_llama(model));
  expect_failure(good_ + "--activations int12", {"--activations int12: one of float32, int8, int16 is needed"});
  expect_failure(good_ + "--activations int8 --weight-type int4_groups",
                 {"--weight-type int4_groups: one of int8, int8_multipliers, int4_multipliers is needed"});
  expect_failure(good_ + "--weight-type int8_multipliers", {"int8_multipliers", "needs rows of int8 or int16"});
  expect_failure("pack --weights w.safetensors --heads 2 --out out.bin --activations int8", {"--activations"});
}

}  // namespace
}  // namespace heed::test
