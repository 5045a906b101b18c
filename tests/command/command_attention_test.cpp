// SPDX-License-Identifier: MIT
//
// Attention weights of whole models from outside, as pictures: `--attention` of `heed run` and `heed generate`.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "command/run_models.hpp"
#include "text/tokenizer_file.hpp"

namespace heed::test {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class HeedAttention : public HeedRun {
 protected:
  static int width_of(const std::string& picture) { return std::stoi(picture.substr(picture.find("width=\"") + 7)); }

  static std::string picture_of(const std::string& bytes) {
    // Every `<` opens what the next `>` closes, and groups are closed.
    for (std::size_t begin = bytes.find('<'); begin != std::string::npos; begin = bytes.find('<', begin + 1)) {
      const std::size_t end = bytes.find_first_of("<>", begin + 1);
      if (end == std::string::npos || bytes[end] != '>') ADD_FAILURE() << bytes.substr(begin, 80);
    }
    EXPECT_EQ(count_of(bytes, "<g "), count_of(bytes, "</g>"));
    return bytes;
  }
};

TEST_F(HeedAttention, DrawsBlocksAndHeads) {
  write_model("m.heed", TinyModel(tiny_llama, false));
  write_npy("x.npy", {4}, std::vector<std::int32_t>{3, 1, 18, 1});
  expect_success("run m.heed --input x.npy --attention a.svg --output a.npy");
  expect_success("run m.heed --input x.npy --output b.npy");
  EXPECT_EQ(read_bytes(path("a.npy")), read_bytes(path("b.npy")));
  const std::string picture = picture_of(read_bytes(path("a.svg")));
  EXPECT_NE(picture.find(">Attention weights of m.heed</text>"), std::string::npos);
  EXPECT_NE(picture.find(">Self-attention, block 1</text>"), std::string::npos);
  EXPECT_EQ(count_of(picture, ">head 1</text>"), 2U);
  EXPECT_NE(picture.find("Heads of keys and values: 1, each shared by 2 heads"), std::string::npos);
  // Four maps have the keys of all tokens, the first of a block the queries, too.
  EXPECT_EQ(count_of(picture, "class=\"key\">#18</text>"), 4U);
  EXPECT_EQ(count_of(picture, "class=\"query\">#18</text>"), 2U);
  // What is hidden of four tokens, and the first one's weight, which is 1.
  EXPECT_EQ(count_of(picture, "<path fill=\"#e1e4e8\" d=\"M1 0h3v1h-3zM2 1h2v1h-2zM3 2h1v1h-1z\"/>"), 4U);
  EXPECT_EQ(count_of(picture, "<path fill=\"#08306b\" d=\"M0 0h1v1h-1z"), 4U);
  EXPECT_EQ(count_of(picture, ">1.000</text>"), 2U);

  ModelConfig cross = tiny_llama;
  cross.block.cross_dim = 9;
  write_model("cross.heed", TinyModel(cross, false));
  write_npy("c.npy", {3, 9}, random_.normals(27));
  expect_success("run cross.heed --input x.npy --context c.npy --attention c.svg");
  const std::string both = picture_of(read_bytes(path("c.svg")));
  EXPECT_NE(both.find(">Cross-attention, block 1</text>"), std::string::npos);
  EXPECT_EQ(count_of(both, "class=\"key\">2</text>"), 4U);

  write_model("vit.heed", TinyModel(tiny_vit, true));
  write_npy("frames.npy", {4, 6}, random_.normals(24));
  expect_success("run vit.heed --input frames.npy --attention v.svg");
  const std::string encoder = picture_of(read_bytes(path("v.svg")));
  EXPECT_EQ(count_of(encoder, "class=\"query\">class</text>"), 2U);
  EXPECT_EQ(count_of(encoder, "class=\"key\">3</text>"), 4U);
  EXPECT_EQ(encoder.find("#e1e4e8"), std::string::npos);
}

TEST_F(HeedAttention, SaysWhatAPictureHasNoRoomFor) {
  ModelConfig config = tiny_llama;
  config.max_positions = 600;
  write_model("m.heed", TinyModel(config, false));
  write_npy("x.npy", {520}, std::vector<std::int32_t>(520, 7));
  expect_success("run m.heed --input x.npy --attention a.svg");
  const std::string picture = picture_of(read_bytes(path("a.svg")));
  EXPECT_NE(picture.find("Only the first 512 of 520 queries and the first 512 of 520 keys are shown."),
            std::string::npos);
  // Every fourth has a label, for which there is room; the two heads of a block are below each other.
  EXPECT_EQ(count_of(picture, "class=\"query\""), 2U * 2 * 512 / 4);
  EXPECT_EQ(width_of(picture), 1600);
}

TEST_F(HeedAttention, HasFourHeadsInARow) {
  ModelConfig config = tiny_llama;
  config.block.model_dim = config.input_dim = 12;
  config.block.heads = 6;
  config.max_positions = 100;
  write_model("m.heed", TinyModel(config, false));
  for (const std::size_t tokens : {4U, 100U}) {
    write_npy("x.npy", {tokens}, std::vector<std::int32_t>(tokens, 7));
    expect_success("run m.heed --input x.npy --attention a.svg");
    const std::string picture = picture_of(read_bytes(path("a.svg")));
    EXPECT_LE(width_of(picture), 1600);
    EXPECT_EQ(count_of(picture, ">head 0</text>"), 2U);
    EXPECT_EQ(count_of(picture, ">head 5</text>"), 2U);
    // Of the first and of the fifth head in each block.
    const std::size_t step = tokens == 4 ? 1 : 3;
    EXPECT_EQ(count_of(picture, "class=\"query\""), 2U * 2 * ((tokens + step - 1) / step));
  }
}

TEST_F(HeedAttention, Refuses) {
  write_model("m.heed", TinyModel(tiny_llama, false));
  write_model("vit.heed", TinyModel(tiny_vit, true));
  write_npy("x.npy", {4}, std::vector<std::int32_t>{3, 1, 18, 1});
  write_npy("two.npy", {2, 4}, std::vector<std::int32_t>(8, 2));
  write_npy("frames.npy", {4, 6}, random_.normals(24));
  write_bytes(path("t.bin"), tokenizer_file(std::vector<std::string_view>{" ", "a"}));
  expect_failure("run m.heed --input two.npy --attention a.svg", {"--attention: one entry is needed", "has 2"});
  expect_failure("run m.heed --input two.npy --attention-values a.st", {"--attention-values: one entry is needed"});
  expect_failure("run m.heed --input x.npy --output out.npy --tokenizer t.bin", {"--tokenizer means nothing"});
  expect_failure("run m.heed --input x.npy --attention-values a.st --tokenizer t.bin", {"--tokenizer means nothing"});
  expect_failure("run vit.heed --input frames.npy --attention a.svg --tokenizer t.bin", {"--tokenizer means nothing"});
  expect_failure("run m.heed --input x.npy --attention a.svg --tokenizer none", {"--tokenizer: ", "none"});
}

TEST_F(HeedAttention, GeneratesWithTheTextOfTokens) {
  write_bytes(path("t.bin"), tokenizer_file(std::vector<std::string_view>{" ", "a", "&", "\n"}));
  ModelConfig config = tiny_llama;
  config.input_dim = config.outputs = 264;  // tokens of that file
  write_model("m.heed", TinyModel(config, false));
  const std::string generate = "generate m.heed --tokenizer t.bin --tokens 4 --seed 3 --ignore-end --prompt 'a& a' ";
  EXPECT_EQ(run(generate + "--ids ids.npy --attention a.svg --attention-values a.st").code, 0);
  const std::string picture = picture_of(read_bytes(path("a.svg")));
  EXPECT_EQ(count_of(picture, "class=\"query\">&amp;</text>"), 2U);
  EXPECT_EQ(count_of(picture, "class=\"key\">␣</text>") % 4, 0U);
  EXPECT_GE(count_of(picture, "class=\"key\">␣</text>"), 4U);
  EXPECT_EQ(count_of(picture, "class=\"query\">#1</text>"), 2U);  // what begins the text has none

  // The tokens that it made but the last, in one pass.
  expect_success("run m.heed --input ids.npy --attention b.svg --attention-values b.st --tokenizer t.bin");
  Shape made, given;
  const std::vector<float> in_steps = read_safetensors(path("a.st"), "1.attention", made);
  const std::vector<float> at_once = read_safetensors(path("b.st"), "1.attention", given);
  ASSERT_EQ(made[1] + 1, given[1]);
  for (std::size_t head = 0; head < made[0]; ++head) {
    for (std::size_t row = 0; row < made[1]; ++row) {
      for (std::size_t key = 0; key < made[2]; ++key) {
        EXPECT_EQ(in_steps[(head * made[1] + row) * made[2] + key], at_once[(head * given[1] + row) * given[2] + key]);
      }
    }
  }
}

}  // namespace
}  // namespace heed::test
