// SPDX-License-Identifier: MIT
//
// What the desktop command must not take for something else: empty values, zeros, shapes that no data vouches for,
// bytes that a terminal would act on; and the files that it must not touch.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sstream>
#include <string>
#include <vector>

#include "command/command.hpp"

namespace {

using namespace heed::test;

class HeedRefusal : public CommandTest {
 protected:
  static constexpr const char* inputs = "attend --query q.npy --key k.npy --value v.npy --out out.npy ";

  HeedRefusal() {
    for (const char* name : {"q.npy", "k.npy", "v.npy"}) {
      write_npy(name, {1, 2, 3, 4}, std::vector<float>(24, 0.5F));
    }
  }

  /// A .npy file of a header and as many bytes of data.
  void write_header(const std::string& name, const std::string& dictionary, std::size_t data_bytes = 0) const {
    std::string header = dictionary;
    header.resize(117, ' ');
    header += '\n';
    write_bytes(path(name), std::string("\x93NUMPY\x01\0\x76\0", 10) + header + std::string(data_bytes, '\0'));
  }

  void write_shape(const std::string& name, const std::string& shape) const {
    write_header(name, "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }");
  }

  /// Every byte of a text is shown as it is, or is part of a character beyond ASCII.
  static void expect_shown(const std::string& text) {
    for (const char byte : text) EXPECT_TRUE(static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7F) << text;
  }
};

TEST_F(HeedRefusal, WritesNoFileButTheOutput) {
  std::filesystem::rename(path("q.npy"), path("z.npy.tmp"));
  const std::string query = read_bytes(path("z.npy.tmp"));
  expect_success("attend --query z.npy.tmp --key k.npy --value v.npy --out z.npy");
  EXPECT_EQ(read_npy("z.npy", {1, 2, 3, 4}), std::vector<float>(24, 0.5F));
  EXPECT_EQ(read_bytes(path("z.npy.tmp")), query);
  expect_failure("attend --query z.npy.tmp --key k.npy --value v.npy --out out.npy --lse /dev/full", {"/dev/full"});
  std::filesystem::create_directory(path("folder.npy"));
  expect_failure("attend --query z.npy.tmp --key k.npy --value v.npy --out out.npy --lse folder.npy", {"folder.npy"});
  EXPECT_EQ(read_bytes(path("z.npy.tmp")), query);
}

TEST_F(HeedRefusal, GivesOutputsThePermissionsOfNewFiles) {
  const mode_t before = umask(0);
  for (const mode_t hidden : {022U, 027U, 0U}) {
    umask(hidden);
    expect_success(inputs);
    struct stat status {};
    ASSERT_EQ(stat(path("out.npy").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0666U & ~hidden);
  }
  umask(before);
}

// Whatever an option takes, as a value of its own and after an equals sign.
TEST_F(HeedRefusal, RefusesAnEmptyValueOfEveryOption) {
  for (const std::string command : {"demo", "attend", "mha", "pack", "array", "plan"}) {
    int options = 0;
    std::istringstream words(run(command + " --help").out);
    for (std::string word; words >> word;) {
      const std::string option = word.substr(0, word.find_last_not_of(",;.:") + 1);
      if (option.rfind("--", 0) != 0) continue;
      ++options;
      const std::string all = command == "attend" ? inputs : command + " ";
      expect_failure(all + option + " ''", {option + ": the value is empty"});
      expect_failure(all + option + "=", {option + ": the value is empty"});
    }
    EXPECT_GE(options, 1) << command;
  }
}

TEST_F(HeedRefusal, RefusesABaseThatCannotBe) {
  for (const std::string base : {"0", "-0", "-1", "0.5", "inf", "nan"}) {
    expect_failure(inputs + ("--rope " + base), {"--rope " + base, "q.npy", "base", "above 1"});
  }
}

TEST_F(HeedRefusal, ListsTheWordsThatAnOptionTakes) {
  const std::string all = inputs;
  expect_failure(all + "--scores out_s.npy --stage capped", {"--stage", "capped", "raw,softcapped,masked,weights"});
  expect_failure(all + "--causal top", {"--causal top", "none, top-left, bottom-right, onnx"});
  expect_failure(all + "--query-position top", {"--query-position top", "top-left, bottom-right, onnx"});
  expect_failure(all + "--kv-type f8", {"--kv-type f8", "float32, float16, bfloat16, int8, int4"});
  expect_failure(all + "--rope 10000 --rope-scaling dynamic:2", {"linear:", "ntk:", "yarn:", "llama3:"});
}

TEST_F(HeedRefusal, NamesTheOptionOfAFileThatItCannotUse) {
  std::filesystem::create_directory(path("folder"));
  std::filesystem::create_symlink("circle", path("circle"));
  for (const std::string option :
       {"--query", "--mask", "--past-key", "--pre-softcap-bias", "--sink-logits", "--alibi", "--key-lengths"}) {
    std::string line = std::string(inputs) + option + " ";
    if (option == "--query") line = "attend --key k.npy --value v.npy --out out.npy --query ";
    if (option == "--past-key") line = std::string(inputs) + "--past-value v.npy --past-key ";
    expect_failure(line + "gone.npy", {option + ": cannot read gone.npy: No such file"});
    expect_failure(line + "folder", {option + ": cannot read folder: it is a folder"});
    expect_failure(line + "circle", {option + ": cannot read circle: ", "links"});
  }
  expect_failure("mha --weights circle --heads 1 --input q.npy --out out.npy", {"--weights: cannot read circle: "});
  expect_failure(inputs + std::string("--lse folder"), {"--lse: cannot write folder: "});
  expect_failure(inputs + std::string("--lse out.npy"), {"out.npy", "another output"});
}

TEST_F(HeedRefusal, RefusesAZeroThatWouldMeanNotGiven) {
  for (const char* option : {"--heads", "--kv-heads"}) {
    expect_failure(inputs + std::string(option) + " 0", {option, "Value 0"});
  }
  for (const char* option : {"--heads", "--kv-heads", "--head-dim", "--value-dim"}) {
    expect_failure("mha --weights w --input x --out out.npy " + std::string(option) + " 0", {option, "Value 0"});
  }
  for (const char* option : {"--max-sequences", "--workers", "--scratch-budget"}) {
    expect_failure("pack --weights w --heads 1 --out out.npy " + std::string(option) + " 0", {option, "Value 0"});
  }
  for (const char* option : {"--heads", "--kv-heads", "--value-dim", "--max-keys", "--workers", "--scratch-budget"}) {
    expect_failure("plan --head-dim 8 " + std::string(option) + " 0", {option, "Value 0"});
  }
  write_npy("none.npy", {1, 0, 0, 4}, std::vector<float>());
  expect_failure("attend --query q.npy --key none.npy --value none.npy --out out.npy",
                 {"--key none.npy [1, 0, 0, 4]", "number of heads is 0"});
}

// No data vouches for the other sizes of a shape with a 0, and yet memory would be set aside for a batch.
TEST_F(HeedRefusal, RefusesShapesThatNoDataVouchesFor) {
  for (const std::string shape : {"16777217, 0, 1, 4", "4, 0, 4194305, 1", "4294967295, 0, 1, 4",
                                  "4294967295, 4294967295, 4294967295, 0", "0, 4294967295, 4294967295, 4294967295"}) {
    write_shape("empty.npy", shape);
    ASSERT_EQ(std::filesystem::file_size(path("empty.npy")), 128U);
    expect_failure("attend --query empty.npy --key empty.npy --value empty.npy --out out.npy",
                   {"heed: --query: empty.npy: shape [" + shape + "]", "too large"});
    expect_failure(inputs + std::string("--mask empty.npy"), {"heed: --mask: empty.npy: shape", "too large"});
    if (HasFailure()) return;  // the greater shapes would take the machine's memory
  }
  write_shape("more.npy", "4294967295, 4, 1, 4");
  expect_failure("attend --query more.npy --key more.npy --value more.npy --out out.npy",
                 {"more.npy", "274877906880 bytes", "has 0"});
}

TEST_F(HeedRefusal, RefusesAHeaderThatGoesOnBehindTheShape) {
  write_header("q.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3, 4), 'shape': (1, 1, 1, 1)}", 96);
  expect_failure(inputs, {"q.npy", "after the shape"});
}

TEST_F(HeedRefusal, ShowsControlCharactersEscaped) {
  const std::string clear = "\x1b[2J";
  const auto expect_escaped = [&](const std::string& arguments, const std::vector<std::string>& parts) {
    expect_failure(arguments, parts);
    const std::string error = run(arguments).error;
    expect_shown(error.substr(0, error.size() - 1));
  };
  expect_escaped("attend --query 'no" + clear + "\n.npy' --key k.npy --value v.npy --out out.npy",
                 {"no\\x1B[2J\\x0A.npy"});
  expect_escaped("'de" + clear + "no'", {"there is no command de\\x1B[2Jno"});
  expect_escaped(inputs + std::string("--causal '\x7f\xc2\x9b\x9b\xe0\x82\x9b'"),
                 {"--causal \\x7F\\xC2\\x9B\\x9B\\xE0\\x82\\x9B:"});
  expect_escaped(inputs + std::string("--causal 'größe€𝄞'"), {"--causal größe€𝄞:"});
  write_header("type.npy", std::string("{'descr': '") + clear + '\0' + "', 'fortran_order': False, 'shape': (1,), }");
  expect_escaped("attend --query type.npy --key k.npy --value v.npy --out out.npy",
                 {"type.npy", "\\x1B[2J\\x00", "is not supported"});
  write_bytes(path("w"), safetensors_bytes(R"({"a\u001b[2J\u0000b":{"dtype":7}})", ""));
  expect_escaped("pack --weights w --heads 1 --out out.bin", {"w: tensor a\\x1B[2J\\x00b: dtype"});
  write_bytes(path("w"),
              safetensors_bytes(R"({"out_proj.weight":{"dtype":"\u001b\u009b","shape":[],"data_offsets":[0,0]}})", ""));
  expect_escaped("pack --weights w --heads 1 --out out.bin", {"out_proj.weight", "\\x1B\\xC2\\x9B", "not supported"});
}

}  // namespace
