// SPDX-License-Identifier: MIT
//
// `heed run`, `inspect`, `compare` and `plan` of model files: the library's numbers for tiny random models, the labels
// of KWT-1 (HEED_KWT1, or ../shared/kwt1), and every way to refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "command/model_files.hpp"
#include "heed/heed.hpp"
#include "layer/kwt1.hpp"

namespace heed::test {
namespace {

using nlohmann::json;

class HeedRun : public CommandTest {
 protected:
  /// The file of a model, by way of the library.
  void write_model(const std::string& name, const TinyModel& model) const {
    AlignedBytes file = model.file();
    const std::span<const std::byte> bytes = file.span();
    write_bytes(path(name), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  [[nodiscard]] json parsed(const std::string& arguments) const {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.code, 0) << arguments << '\n' << ended.error;
    return json::parse(ended.out, nullptr, false);
  }

  Random random_{11};
};

TEST_F(HeedRun, GivesTheLibrarysLogitsForFrames) {
  const TinyModel model(tiny_vit, true);
  write_model("m.heed", model);
  const std::vector<float> frames = random_.normals(2 * 4 * 6);
  write_npy("x.npy", {2, 4, 6}, frames);
  AlignedBytes file = model.file();
  BuiltModel<FloatKvCache> built(file.span(), {.rows = 5, .max_keys = 5});
  std::vector<float> expected(14);
  for (std::size_t i = 0; i < 2; ++i) {
    const ConstMatrix entry = dense(frames.data() + i * 24, 4, 6);
    ASSERT_EQ(built.model.encode(entry, 4, expected.data() + i * 7), Status::ok);
  }
  expect_success("run m.heed --input x.npy --output y.npy");
  EXPECT_EQ(read_npy("y.npy", {2, 7}), expected);
  expect_success("run m.heed --input x.npy --output y.npy --workers 3 --scratch-budget 999");
  EXPECT_EQ(read_npy("y.npy", {2, 7}), expected);
  write_npy("one.npy", {4, 6}, std::vector<float>(frames.begin(), frames.begin() + 24));
  expect_success("run m.heed --input one.npy --output y.npy");
  EXPECT_EQ(read_npy("y.npy", {7}), std::vector<float>(expected.begin(), expected.begin() + 7));
}

TEST_F(HeedRun, GivesADecodersLogitsOfTheLastTokenOrOfEvery) {
  const TinyModel model(tiny_llama, false);
  write_model("m.heed", model);
  const std::vector<std::int32_t> tokens{3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
  write_npy("x.npy", {2, 5}, tokens);
  AlignedBytes file = model.file();
  std::vector<float> every;
  for (std::size_t i = 0; i < tokens.size(); i += 5) {
    BuiltModel<FloatKvCache> built(file.span(), {.rows = 1, .max_keys = 5});
    for (std::size_t j = i; j < i + 5; ++j) {
      every.resize(every.size() + 19);
      ASSERT_EQ(built.model.decode(static_cast<std::uint32_t>(tokens[j]), every.data() + every.size() - 19),
                Status::ok);
    }
  }
  expect_success("run m.heed --input x.npy --output y.npy --every");
  EXPECT_EQ(read_npy("y.npy", {2, 5, 19}), every);
  std::vector<float> last(every.begin() + 4 * 19, every.begin() + 5 * 19);
  last.insert(last.end(), every.begin() + 9 * 19, every.end());
  expect_success("run m.heed --input x.npy --output y.npy --rows 2");
  EXPECT_EQ(read_npy("y.npy", {2, 19}), last);
  ModelConfig config = tiny_llama;
  config.pooling = Pooling::every;
  write_model("every.heed", TinyModel(config, false));
  expect_success("run every.heed --input x.npy --output y.npy");
  EXPECT_EQ(read_npy("y.npy", {2, 5, 19}), every);
}

TEST_F(HeedRun, LooksAtAContext) {
  ModelConfig config = tiny_llama;
  config.block.cross_dim = 9;
  const TinyModel model(config, false);
  write_model("m.heed", model);
  const std::vector<std::int64_t> tokens{3, 1, 4};
  write_npy("x.npy", {3}, tokens);
  const std::vector<float> context = random_.normals(4 * 9);
  write_npy("c.npy", {4, 9}, context);
  AlignedBytes file = model.file();
  BuiltModel<FloatKvCache> built(file.span(), {.rows = 3, .max_keys = 3, .max_cross_keys = 4});
  ASSERT_EQ(built.model.set_context(dense(context.data(), 4, 9), 4), Status::ok);
  std::vector<float> expected(19);
  const std::vector<std::uint32_t> ids(tokens.begin(), tokens.end());
  ASSERT_EQ(built.model.prefill(ids, expected.data()), Status::ok);
  expect_success("run m.heed --input x.npy --output y.npy --context c.npy");
  EXPECT_EQ(read_npy("y.npy", {19}), expected);
  expect_failure("run m.heed --input x.npy --output out.npy", {"--context is needed"});
}

TEST_F(HeedRun, PrintsTheLikeliestLabels) {
  write_model("m.heed", TinyModel(tiny_vit, true));
  write_npy("x.npy", {4, 6}, random_.normals(24));
  write_bytes(path("labels.txt"), "a\nb\nc\r\nd\ne\nf\ng g\n");
  const Ended ended = run("run m.heed --input x.npy --output y.npy --labels labels.txt");
  ASSERT_EQ(ended.code, 0) << ended.error;
  const std::vector<float> logits = read_npy("y.npy", {7});
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(double{logit});
  const auto best = static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  char first[32];
  const char* const names[] = {"a", "b", "c", "d", "e", "f", "g g"};
  std::snprintf(first, sizeof first, "%.4f  %s\n", std::exp(double{logits[best]}) / sum, names[best]);
  EXPECT_EQ(ended.out.rfind(first, 0), 0U) << ended.out;
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 5);
  write_bytes(path("labels.txt"), "a\nb\n");
  expect_failure("run m.heed --input x.npy --labels labels.txt", {"--labels: labels.txt: 2 lines", "7 outputs"});
}

TEST_F(HeedRun, LeavesHashesThatCompareFindsTheFirstDifferenceIn) {
  const TinyModel model(tiny_llama, false);
  write_model("m.heed", model);
  write_npy("x.npy", {4}, std::vector<std::int32_t>{1, 2, 3, 4});
  expect_success("run m.heed --input x.npy --stages a.json");
  expect_success("run m.heed --input x.npy --stages b.json --workers 2");
  EXPECT_EQ(read_bytes(path("a.json")), read_bytes(path("b.json")));
  EXPECT_EQ(run("compare a.json b.json").out, "8 stages are the same\n");
  const json stages = json::parse(read_bytes(path("a.json"))).at("stages");
  ASSERT_EQ(stages.size(), 8U);
  EXPECT_EQ(stages[0].at("stage"), "embedding");
  EXPECT_EQ(stages[5].at("block"), 1);

  // A board's console.
  const auto console = [&](std::size_t changed) {
    std::string text = "booted\n";
    for (std::size_t i = 0; i < stages.size(); ++i) {
      std::string hash = stages[i].at("hash");
      if (i == changed) hash[7] = hash[7] == '0' ? '1' : '0';
      text += "stage " + std::to_string(stages[i].at("block").get<int>()) + " " +
              stages[i].at("stage").get<std::string>() + " " + hash + (i % 2 == 0 ? "\r\n" : "\nstages so far\n");
    }
    return text;
  };
  write_bytes(path("board.txt"), console(99));
  EXPECT_EQ(run("compare a.json board.txt").out, "8 stages are the same\n");
  write_bytes(path("board.txt"), console(5));
  expect_failure("compare a.json board.txt", {"stage 5, pass 1: block 1, mlp is the first that differs", "board.txt"});
  write_bytes(path("board.txt"), "stage 0 embedding " + stages[0].at("hash").get<std::string>() + "\n");
  expect_failure("compare a.json board.txt", {"a.json has 8 stages, board.txt has 1"});
  write_bytes(path("board.txt"), "stage 0 mlp 0123456789abcdef\n");
  expect_failure("compare a.json board.txt", {"block 0, embedding where board.txt has block 0, mlp"});

  // A changed weight shows where it is first used.
  TinyModel other(tiny_llama, false);
  std::vector<float> up(other.blocks[1].up, other.blocks[1].up + 240);
  up[3] += 0.5F;
  other.blocks[1].up = up.data();
  write_model("other.heed", other);
  expect_success("run other.heed --input x.npy --stages c.json");
  expect_failure("compare a.json c.json", {"block 1, mlp is the first that differs"});
}

TEST_F(HeedRun, RefusesStagesThatAreNone) {
  write_bytes(path("good.json"), R"({"stages": [{"block": 0, "stage": "mlp", "hash": "0123456789abcdef"}]})");
  const auto refuse = [&](const std::string& text, const std::vector<std::string>& parts) {
    write_bytes(path("bad"), text);
    expect_failure("compare good.json bad", parts);
  };
  refuse("", {"bad: there are no stages"});
  refuse("booted\n", {"bad: there are no stages"});
  refuse("[]", {"bad: there is no list of stages"});
  refuse(R"({"stages": []})", {"bad: there are no stages"});
  refuse(R"({"stages": [{"block": 0, "stage": "mlp"}]})", {"bad: stage 0", "hash"});
  refuse(R"({"stages": [{"block": 0, "stage": "mlq", "hash": "0123456789abcdef"}]})", {"no stage mlq"});
  refuse(R"({"stages": [{"block": 0, "stage": "mlp", "hash": "123"}]})", {"16 hexadecimal digits"});
  refuse("stage 0 mlp\n", {"bad: line 1"});
  refuse("\nstage x mlp 0123456789abcdef\n", {"bad: line 2"});
  refuse("stage 0 mlp 0123456789abcdeg\n", {"bad: line 1"});
  refuse("stage 0 mlp 0123456789abcdef more\n", {"bad: line 1"});
}

TEST_F(HeedRun, Refuses) {
  write_model("vit.heed", TinyModel(tiny_vit, true));
  write_model("llama.heed", TinyModel(tiny_llama, false));
  write_npy("frames.npy", {4, 6}, random_.normals(24));
  write_npy("tokens.npy", {3}, std::vector<std::int32_t>{1, 2, 18});
  write_npy("wild.npy", {3}, std::vector<std::int32_t>{1, 2, 19});
  write_npy("long.npy", {5, 6}, random_.normals(30));
  const auto refuse = [&](const std::string& arguments, const std::vector<std::string>& parts) {
    expect_failure("run " + arguments + " --output out.npy", parts);
  };
  refuse("vit.heed", {"--input"});
  refuse("vit.heed --input none.npy", {"--input: cannot read none.npy"});
  refuse("vit.heed --input tokens.npy", {"--input: tokens.npy"});
  refuse("vit.heed --input long.npy", {"--input", "position"});
  refuse("vit.heed --input frames.npy --rows 2", {"--input"});
  refuse("vit.heed --input frames.npy --every", {"--every"});
  refuse("vit.heed --input frames.npy --context frames.npy", {"--context means nothing"});
  refuse("llama.heed --input frames.npy", {"--input: frames.npy", "int32 or int64"});
  refuse("llama.heed --input wild.npy", {"wild.npy", "token 2 is 19", "vocabulary has 19"});
  refuse("llama.heed --input tokens.npy --kv-type x", {"--kv-type x"});
  refuse("llama.heed --input tokens.npy --every --labels tokens.npy", {"--labels", "rows"});
}

TEST_F(HeedRun, RefusesModelFiles) {
  write_npy("frames.npy", {2, 3}, random_.normals(6));
  const ModelConfig config{.block = {.model_dim = 2, .heads = 1, .mlp_dim = 3},
                           .blocks = 1,
                           .input_dim = 3,
                           .max_positions = 3,
                           .outputs = 2,
                           .input = ModelInput::frames,
                           .causal = false};
  write_model("m.heed", TinyModel(config, true));
  const std::string sound = read_bytes(path("m.heed"));
  const std::string run_it = "run bad.heed --input frames.npy --output out.npy";
  for (std::size_t length = 0; length < sound.size(); length += length < 200 ? 21 : 331) {
    write_bytes(path("bad.heed"), sound.substr(0, length));
    expect_failure(run_it, {"bad.heed: length: ", "not a model file"});
  }
  for (std::size_t at = 0; at < 192; at += 5) {
    std::string changed = sound;
    changed[at] ^= 16;
    write_bytes(path("bad.heed"), changed);
    const char* const field = at < 4 ? "magic number" : at < 8 ? "version" : at < 12 ? "" : "checksum";
    expect_failure(run_it, {std::string("bad.heed: ") + field});
  }
  write_bytes(path("bad.heed"), sound + "more");
  expect_failure(run_it, {"bad.heed: length: 4 bytes come after the model"});
  expect_failure("inspect bad.heed", {"bad.heed: length"});
  expect_failure("plan bad.heed", {"bad.heed: length"});
}

TEST_F(HeedRun, InspectsWhatIsThere) {
  for (const bool biases : {true, false}) {
    const TinyModel model(tiny_vit, biases);
    write_model("m.heed", model);
    const json report = parsed("inspect m.heed --json");
    EXPECT_EQ(report.at("config").at("block").at("head_dim"), 6);
    EXPECT_EQ(report.at("config").at("pooling"), "first");
    // input 72 + class token 12 + positions 60; blocks 4 * 144 + 2 * 240 + norms 24; final norm 12; head 84.
    const std::uint64_t weights = 144 + 2 * (4 * 144 + 2 * 240 + 24) + 12 + 84;
    // input 12; blocks 48 + 20 + 12 + norms 24; final norm 12; head 7.
    const std::uint64_t all_biases = 12 + 2 * (48 + 20 + 12 + 24) + 12 + 7;
    EXPECT_EQ(report.at("totals").at("parameters"), weights + (biases ? all_biases : 0));
    EXPECT_EQ(report.at("totals").at("file"), std::filesystem::file_size(path("m.heed")));
    std::uint64_t bytes = 192 + 2 * 64;  // the headers of the file and of two attentions
    for (const json& part : report.at("parts")) {
      bytes += part.at("bytes").get<std::uint64_t>();
      const bool bias = part.at("name").get<std::string>().find("bias") != std::string::npos;
      EXPECT_EQ(part.at("type"), bias && !biases ? "zeros" : "float32") << part;
    }
    EXPECT_EQ(bytes, std::filesystem::file_size(path("m.heed")));
  }
  const Ended table = run("inspect m.heed");
  EXPECT_EQ(table.code, 0);
  for (const char* part : {"class_token true", "block 1 attention norm", "learned positions", "[5, 12]", "total"}) {
    EXPECT_NE(table.out.find(part), std::string::npos) << part;
  }
}

TEST_F(HeedRun, RunsAndInspectsWeightsInFewBits) {
  write_npy("x.npy", {3}, std::vector<std::int32_t>{3, 1, 18});
  for (const auto& [type, name] :
       {std::pair{WeightType::float16, "float16"}, {WeightType::int4_groups, "int4_groups"}}) {
    ModelConfig config = tiny_llama;
    config.block.weight_type = type;
    config.head_type = type;
    const TinyModel model(config, true);
    write_model("m.heed", model);
    AlignedBytes file = model.file();
    BuiltModel<FloatKvCache> built(file.span(), {.rows = 3, .max_keys = 3});
    std::vector<float> expected(19);
    const std::uint32_t tokens[] = {3, 1, 18};
    ASSERT_EQ(built.model.prefill(tokens, expected.data()), Status::ok);
    expect_success("run m.heed --input x.npy --output y.npy --workers 2");
    EXPECT_EQ(read_npy("y.npy", {19}), expected);
    const json report = parsed("inspect m.heed --json");
    std::uint64_t bytes = 192 + 2 * 64;  // the headers of the file and of two attentions
    for (const json& part : report.at("parts")) {
      bytes += part.at("bytes").get<std::uint64_t>();
      const bool matrix = part.at("shape").size() == 2 && part.at("where") != "embedding";
      EXPECT_EQ(part.at("type"), matrix ? name : "float32") << part;
    }
    EXPECT_EQ(bytes, std::filesystem::file_size(path("m.heed")));
  }
}

/// Children lie inside their parent, one after the other.
void expect_nested(const json& node) {
  std::uint64_t end = node.at("offset");
  for (const json& child : node.value("regions", json::array())) {
    EXPECT_EQ(child.at("offset").get<std::uint64_t>(), end) << child;
    end += child.at("bytes").get<std::uint64_t>() * child.value("copies", 1U);
    expect_nested(child);
  }
  if (node.contains("regions")) {
    EXPECT_EQ(end - node["offset"].get<std::uint64_t>(), node["bytes"].get<std::uint64_t>()) << node;
  }
}

TEST_F(HeedRun, PlansAModel) {
  const TinyModel llama(tiny_llama, false);
  write_model("llama.heed", llama);
  write_model("vit.heed", TinyModel(tiny_vit, true));
  ModelConfig with_cross = tiny_llama;
  with_cross.block.cross_dim = 9;
  with_cross.block.weight_type = WeightType::int8;
  with_cross.head_type = WeightType::int4_groups;
  write_model("cross.heed", TinyModel(with_cross, true));
  for (const char* arguments : {"llama.heed", "vit.heed --workers 3", "cross.heed --rows 5 --max-keys 40",
                                "llama.heed --kv-type int8:f16 --max-keys 100 --scratch-budget 500"}) {
    const json report = parsed(std::string("plan --json ") + arguments);
    for (const json& memory : report.at("memories")) expect_nested(memory);
  }
  ModelPlan<FloatKvCache> floats;
  ASSERT_EQ(make_plan(tiny_llama, {.rows = 4, .max_keys = 30, .workers = 2, .scratch_budget = 999}, floats),
            Status::ok);
  json totals = parsed("plan llama.heed --json --rows 4 --max-keys 30 --workers 2 --scratch-budget 999").at("totals");
  EXPECT_EQ(totals.at("state"), floats.state_bytes);
  EXPECT_EQ(totals.at("scratch"), floats.scratch_bytes);
  EXPECT_EQ(totals.at("flash"), floats.file.bytes);
  EXPECT_EQ(totals.at("ram"), floats.state_bytes + floats.scratch_bytes);
  ModelPlan<KvCache> typed;
  ASSERT_EQ(make_plan(tiny_llama, {.rows = 1, .max_keys = 16, .key_type = DataType::int8, .value_type = DataType::int8},
                      typed),
            Status::ok);
  totals = parsed("plan llama.heed --json --kv-type int8").at("totals");
  EXPECT_EQ(totals.at("state"), typed.state_bytes);
  ASSERT_EQ(make_plan(tiny_vit, {.rows = 5, .max_keys = 5}, floats), Status::ok);
  totals = parsed("plan vit.heed --json").at("totals");
  EXPECT_EQ(totals.at("scratch"), floats.scratch_bytes);
  expect_failure("plan llama.heed --heads 3", {"--heads means nothing for a model file"});
  expect_failure("plan llama.heed --workers 65", {"workers"});
  expect_failure("plan --head-dim 4 --rows 3", {"--rows means nothing for anything but a model file"});
}

TEST_F(HeedRun, GivesTheLabelsOfKwt1) {
  const std::filesystem::path data = data_directory();
  if (!std::filesystem::exists(data / "kwt1.safetensors")) {
    GTEST_SKIP() << "no KWT-1 data in " << data << "; set HEED_KWT1 to its directory";
  }
  write_bytes(path("m.json"), R"({"block": {"model_dim": 64, "heads": 1, "mlp_dim": 256, "norm_epsilon": 1e-6,
    "norm_placement": "after", "activation": "gelu_tanh"}, "blocks": 12, "input_dim": 40, "max_positions": 99,
    "outputs": 12, "input": "frames", "pooling": "first", "class_token": true, "causal": false, "final_norm": false})");
  ASSERT_EQ(run("pack --model m.json --weights '" + (data / "kwt1.safetensors").string() + "' --out m.heed").code, 0);
  EXPECT_EQ(parsed("inspect m.heed --json").at("totals").at("parameters"), 607308);
  const std::vector<std::string> names{"_silence_", "_unknown_", "yes", "no",  "up",   "down",
                                       "left",      "right",     "on",  "off", "stop", "go"};
  std::string labels;
  for (const std::string& name : names) labels += name + "\n";
  write_bytes(path("labels.txt"), labels);
  Tensors clips(data / "fixtures.safetensors");
  std::ifstream stream(data / "fixtures.json");
  std::size_t seen = 0;
  for (const auto& fixture : json::parse(stream)) {
    const std::string clip = fixture.at("clip");
    write_npy("x.npy", {98, 40}, clips[clip + ".features"]);
    const Ended ended = run("run m.heed --input x.npy --output y.npy --labels labels.txt");
    ASSERT_EQ(ended.code, 0) << ended.error;
    char first[32];
    std::snprintf(first, sizeof first, "%.4f  ", fixture.at("probability").get<double>());
    EXPECT_EQ(ended.out.substr(0, ended.out.find('\n')), first + fixture.at("label").get<std::string>()) << clip;
    const std::vector<float> golden = clips[clip + ".logits"];
    expect_near(read_npy("y.npy", {12}), {golden.begin(), golden.end()}, 2e-5);
    ++seen;
  }
  EXPECT_EQ(seen, 11U);
}

}  // namespace
}  // namespace heed::test
