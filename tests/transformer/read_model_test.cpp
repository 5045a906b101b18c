// SPDX-License-Identifier: MIT
//
// Model files that are cut off, changed or random: each is refused with the name of a field, or is a model that runs;
// nothing outside of the bytes is read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "support/aligned_memory.hpp"
#include "support/effort.hpp"
#include "transformer/tiny_model.hpp"

namespace heed::test {
namespace {

constexpr std::size_t header_bytes = 192;
constexpr std::size_t checksum_at = 12;

/// The smallest files that have every part, because each case reads all of it.
constexpr ModelConfig decoder{.block = {.model_dim = 2,
                                        .heads = 1,
                                        .mlp_dim = 3,
                                        .norm = Norm::rms_norm,
                                        .activation = Activation::silu,
                                        .gated = true},
                              .blocks = 1,
                              .input_dim = 3,
                              .max_positions = 3,
                              .outputs = 3,
                              .positions = Positions::rotary};
constexpr ModelConfig encoder{.block = {.model_dim = 2, .heads = 1, .mlp_dim = 3},
                              .blocks = 1,
                              .input_dim = 3,
                              .max_positions = 3,
                              .outputs = 2,
                              .input = ModelInput::frames,
                              .positions = Positions::learned,
                              .pooling = Pooling::first,
                              .class_token = true,
                              .encoder = true,
                              .embedding_norm = true};

/// The CRC-32 of IEEE 802.3, a byte at a time.
std::uint32_t crc32(std::span<const std::byte> bytes) {
  static const std::vector<std::uint32_t> steps = [] {
    std::vector<std::uint32_t> table(256);
    for (std::uint32_t i = 0; i < 256; ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) table[i] = table[i] >> 1 ^ (0xEDB88320U & (0U - (table[i] & 1)));
    }
    return table;
  }();
  std::uint32_t sum = ~0U;
  for (const std::byte byte : bytes) sum = sum >> 8 ^ steps[(sum ^ static_cast<std::uint32_t>(byte)) & 255];
  return ~sum;
}

void sign(AlignedMemory& file) {
  const std::uint32_t sum = crc32(file.span().subspan(16));
  std::memcpy(&file[checksum_at], &sum, sizeof sum);
}

void set_word(AlignedMemory& file, std::size_t word, std::uint32_t value) {
  std::memcpy(&file[4 * word], &value, sizeof value);
}

/// Either a reason, or a model of just so many bytes, which runs.
bool expect_sound(AlignedMemory& file, std::set<std::string>& fields) {
  const ModelFile read = read_model(file.span());
  if (read.status != Status::ok) {
    EXPECT_STRNE(read.field, "");
    EXPECT_STRNE(to_string(read.status), "unknown status");
    fields.insert(read.field);
    return false;
  }
  ModelPlan plan;
  EXPECT_EQ(make_plan(read.config, {.rows = 3, .max_keys = 3, .max_cross_keys = 1}, plan), Status::ok);
  EXPECT_LE(plan.file.bytes, file.span().size());
  AlignedMemory state(plan.state_bytes);
  AlignedMemory scratch(plan.scratch_bytes);
  Model model;
  EXPECT_EQ(model.init(plan, state.span(), scratch.span(), {file.span(), all_formats}), Status::ok);
  const std::size_t width = std::max(plan.config.outputs, plan.config.block.model_dim);
  std::vector<float> logits(3 * width);
  const std::uint32_t tokens[2] = {0, plan.config.input_dim - 1};
  const std::vector<float> frames(2 * std::size_t{plan.config.input_dim});
  // Which of these the model takes is another question.
  static_cast<void>(model.prefill(tokens, logits.data()));
  static_cast<void>(model.encode(tokens, logits.data()));
  static_cast<void>(model.encode(dense(frames.data(), 2, plan.config.input_dim), 2, logits.data()));
  return true;
}

class ReadModel : public testing::TestWithParam<ModelConfig> {
 protected:
  ReadModel() : model_(GetParam(), true), file_(model_.file()) {}

  TinyModel model_;
  AlignedMemory file_;
  std::set<std::string> fields_;
};

TEST_P(ReadModel, TakesTheWholeFile) {
  AlignedMemory file(file_.span());
  EXPECT_TRUE(expect_sound(file, fields_)) << *fields_.begin();
}

TEST_P(ReadModel, RefusesEveryTruncation) {
  for (std::size_t length = 0; length < file_.span().size(); ++length) {
    AlignedMemory cut(file_.span().first(length));
    const ModelFile read = read_model(cut.span());
    ASSERT_NE(read.status, Status::ok) << length;
    ASSERT_STREQ(read.field, "length") << length;
  }
}

TEST_P(ReadModel, RefusesEveryChangedByte) {
  for (std::size_t at = 0; at < file_.span().size(); ++at) {
    AlignedMemory changed(file_.span());
    changed[at] ^= std::byte{static_cast<unsigned char>(1U << at % 8)};
    std::set<std::string> field;
    ASSERT_FALSE(expect_sound(changed, field)) << at;
    ASSERT_TRUE(at < 12 || *field.begin() == "checksum") << at;
    fields_.merge(field);
  }
  EXPECT_EQ(fields_, (std::set<std::string>{"magic number", "version", "length", "checksum"}));
}

// As a hostile file has it: the checksum is right.
TEST_P(ReadModel, ChecksAHeaderWhoseChecksumIsRight) {
  for (std::size_t at = 0; at < header_bytes; ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      AlignedMemory changed(file_.span());
      changed[at] ^= std::byte{static_cast<unsigned char>(1U << bit)};
      sign(changed);
      expect_sound(changed, fields_);
    }
  }
  for (const char* field :
       {"block.norm", "block.gated", "positions", "causal", "configuration", "header's last words"}) {
    EXPECT_EQ(fields_.count(field), 1U) << field;
  }
}

TEST_P(ReadModel, ReadsNothingOutsideOfRandomHeaders) {
  constexpr std::uint32_t edges[] = {0, 1, 2, 3, 16, 17, 255, 65535, 65536, 65537, 1U << 30, (1U << 30) + 1, ~0U};
  Random random(3);
  std::uint32_t accepted = 0;
  for (std::uint32_t i = 0; i < 25000 / case_divisor(); ++i) {
    AlignedMemory changed(file_.span());
    for (std::uint32_t words = random.between(1, 4); words > 0; --words) {
      const std::uint32_t word = random.between(0, header_bytes / 4 - 1);
      const std::uint32_t kind = random.between(0, 2);
      const auto any = static_cast<std::uint32_t>(random.bits());
      set_word(changed, word, kind == 0 ? any : kind == 1 ? edges[any % std::size(edges)] : any % 24);
    }
    sign(changed);
    if (expect_sound(changed, fields_)) ++accepted;
  }
  std::printf("%u of the files are models all the same\n", accepted);
}

TEST_P(ReadModel, ReadsNothingOutsideOfRandomBytes) {
  Random random(4);
  for (std::uint32_t i = 0; i < 50000 / case_divisor(); ++i) {
    AlignedMemory bytes(random.between(0, 600));
    for (std::byte& byte : bytes.span()) byte = std::byte{static_cast<unsigned char>(random.bits())};
    if (bytes.span().size() >= header_bytes && i % 2 == 0) {
      std::memcpy(bytes.span().data(), file_.span().data(), 8);
      set_word(bytes, 2, static_cast<std::uint32_t>(bytes.span().size()));
      sign(bytes);
    }
    ASSERT_FALSE(expect_sound(bytes, fields_));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ReadModel, testing::Values(decoder, encoder));

TEST(ReadModelAddress, IsAligned) {
  EXPECT_EQ(read_model({}).status, Status::null_pointer);
  AlignedMemory bytes(256);
  EXPECT_EQ(read_model(bytes.span().subspan(4)).status, Status::arena_misaligned);
  EXPECT_STREQ(read_model(bytes.span().subspan(4)).field, "address");
}

}  // namespace
}  // namespace heed::test
