// SPDX-License-Identifier: MIT
//
// Safetensors files whose headers are well-formed JSON and yet do not say, once and for all of the data, what it is.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "command/command.hpp"

namespace {

using namespace heed::test;

class HeedSafetensors : public CommandTest {
 protected:
  /// `"name":{...}` of a float32 vector that lies between two offsets.
  static std::string tensor(const std::string& name, std::size_t begin, std::size_t end) {
    std::ostringstream text;
    text << '"' << name << R"(":{"dtype":"F32","shape":[)" << (end - begin) / 4 << R"(],"data_offsets":[)" << begin
         << ',' << end << "]}";
    return text.str();
  }

  /// A JSON object of these members.
  static std::string object(const std::vector<std::string>& members) {
    std::string text;
    for (const std::string& member : members) {
      text += text.empty() ? '{' : ',';
      text += member;
    }
    text += '}';
    return text;
  }

  void expect_refusal(const std::string& header, std::size_t data_bytes, const std::vector<std::string>& parts) const {
    write_bytes(path("w.safetensors"), safetensors_bytes(header, std::string(data_bytes, '\0')));
    SCOPED_TRACE(header);
    std::vector<std::string> all = parts;
    all.emplace_back("w.safetensors: ");
    expect_failure("pack --weights w.safetensors --heads 1 --out out.bin", all);
  }
};

TEST_F(HeedSafetensors, TakesTensorsInAnyOrderThatCoverTheData) {
  std::string sound =
      object({R"("__metadata__":{"format":"pt"})", tensor("b", 8, 24), tensor("empty", 8, 8), tensor("a", 0, 8)});
  sound += "   ";
  expect_refusal(sound, 24, {"there is no tensor out_proj.weight"});
}

TEST_F(HeedSafetensors, RefusesOverlaps) {
  expect_refusal(object({tensor("a", 0, 12), tensor("b", 8, 24)}), 24, {"tensors a and b overlap"});
  expect_refusal(object({tensor("b", 0, 24), tensor("a", 0, 24)}), 24, {"tensors a and b overlap"});
  expect_refusal(object({tensor("a", 0, 24), tensor("inside", 8, 8)}), 24, {"tensors a and inside overlap"});
}

TEST_F(HeedSafetensors, RefusesDataOfNoTensor) {
  expect_refusal(object({tensor("a", 0, 8), tensor("b", 12, 24)}), 24, {"tensor b", "8..12", "no tensor"});
  expect_refusal(object({tensor("a", 4, 24)}), 24, {"tensor a", "0..4", "no tensor"});
  expect_refusal(object({tensor("a", 0, 20)}), 24, {"last 4 bytes", "no tensor"});
  expect_refusal("{}", 1, {"last 1 bytes", "no tensor"});
}

TEST_F(HeedSafetensors, RefusesNamesThatAreThereTwice) {
  expect_refusal(object({tensor("a", 0, 24), tensor("a", 0, 24)}), 24, {"header has a twice"});
  expect_refusal(object({tensor("a", 0, 24), tensor("\\u0061", 0, 24)}), 24, {"header has a twice"});
  expect_refusal(R"({"a":{"dtype":"F32","shape":[6],"shape":[2,3],"data_offsets":[0,24]}})", 24,
                 {"header has shape twice"});
  expect_refusal(R"({"__metadata__":{"format":"pt"},"__metadata__":{}})", 0, {"header has __metadata__ twice"});
  // In two objects it is no repetition.
  expect_refusal(object({R"("__metadata__":{"a":"a"})", tensor("a", 0, 24)}), 24, {"there is no tensor"});
}

TEST_F(HeedSafetensors, RefusesShapesThatNoDataVouchesFor) {
  expect_refusal(R"({"a":{"dtype":"F32","shape":[4294967295,0],"data_offsets":[0,0]}})", 0,
                 {"tensor a", "[4294967295, 0]", "too large"});
}

TEST_F(HeedSafetensors, RefusesOtherJson) {
  expect_refusal(" {}", 0, {"JSON object"});
  expect_refusal(R"({"__metadata__":{"format":1}})", 0, {"__metadata__"});
  expect_refusal(R"({"__metadata__":[]})", 0, {"__metadata__"});
  expect_refusal(R"({"a":)" + std::string(100, '[') + std::string(100, ']') + "}", 0, {"header", "more than 64 lists"});
}

}  // namespace
