// SPDX-License-Identifier: MIT
//
// `heed pack` of whole models: a tiny one and its architecture.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command/model_files.hpp"

namespace heed::test {

using nlohmann::json;

class HeedPackModel : public CommandTest {
 protected:
  static std::string bytes_of_file(const TinyModel& model) {
    AlignedMemory file = model.file();
    const std::span<const std::byte> bytes = file.span();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  void write_json(const json& architecture) const { write_bytes(path("m.json"), architecture.dump()); }

  /// Packs the tensors as the architecture says, and expects what the library packs.
  void expect_packed(const TinyModel& model, const std::vector<StoredTensor>& tensors, const json& architecture,
                     const std::string& more = "", const std::string& unused = "") const {
    write_json(architecture);
    write_safetensors(path("w.safetensors"), tensors);
    const Ended ended = run("pack --model m.json --weights w.safetensors --out out.heed " + more);
    ASSERT_EQ(ended.code, 0) << ended.error;
    EXPECT_EQ(ended.error, "");
    EXPECT_NE(ended.out.find("out.heed: "), std::string::npos) << ended.out;
    EXPECT_EQ(ended.out.find("not used:") != std::string::npos, !unused.empty()) << ended.out;
    EXPECT_NE(ended.out.find(unused), std::string::npos) << ended.out;
    EXPECT_EQ(read_bytes(path("out.heed")), bytes_of_file(model));
    std::filesystem::remove(path("out.heed"));
  }

  const json llama_json_{{"block",
                          {{"model_dim", 12},
                           {"heads", 2},
                           {"kv_heads", 1},
                           {"mlp_dim", 20},
                           {"norm", "rms_norm"},
                           {"activation", "silu"},
                           {"gated", true}}},
                         {"blocks", 2},
                         {"input_dim", 19},
                         {"max_positions", 16},
                         {"outputs", 19},
                         {"positions", "rotary"}};
  /// An architecture with another member, "block.norm" or "causal".
  [[nodiscard]] static json with(json architecture, const std::string& member, const json& value) {
    if (member.rfind("block.", 0) == 0) {
      architecture["block"][member.substr(6)] = value;
    } else {
      architecture[member] = value;
    }
    return architecture;
  }

  /// Refuses an architecture for the tensors in w.safetensors.
  void refuse(const json& architecture, const std::vector<std::string>& parts) const {
    write_json(architecture);
    expect_failure(good_, parts);
  }

  void refuse(const json& architecture, const std::vector<StoredTensor>& tensors,
              const std::vector<std::string>& parts) const {
    write_safetensors(path("w.safetensors"), tensors);
    refuse(architecture, parts);
  }

  /// How wide and deep the tiny models are, and nothing that a family has.
  const json sizes_{{"block", {{"model_dim", 12}, {"heads", 2}, {"mlp_dim", 20}}},
                    {"blocks", 2},
                    {"input_dim", 19},
                    {"max_positions", 16},
                    {"outputs", 19}};
  const json vit_json_{{"block", {{"model_dim", 12}, {"heads", 2}, {"mlp_dim", 20}}},
                       {"blocks", 2},
                       {"input_dim", 6},
                       {"max_positions", 5},
                       {"outputs", 7},
                       {"input", "frames"},
                       {"positions", "learned"},
                       {"pooling", "first"},
                       {"class_token", true},
                       {"causal", false}};
  const std::string good_ = "pack --model m.json --weights w.safetensors --out out.heed ";
};

}  // namespace heed::test
