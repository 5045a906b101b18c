// SPDX-License-Identifier: MIT
//
// Apart from the tests, because the headers of xtensor and JSON are long.
#include "command/command.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xnpy.hpp>

namespace heed::test {

std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << file;
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

CommandTest::CommandTest() {
  const testing::TestInfo* const info = testing::UnitTest::GetInstance()->current_test_info();
  std::string name =
      std::string("heed_") + info->test_suite_name() + "_" + info->name() + "_" + std::to_string(getpid());
  std::replace(name.begin(), name.end(), '/', '_');  // of a test with parameters
  folder_ = std::filesystem::temp_directory_path() / name;
  std::filesystem::create_directories(folder_);
}

CommandTest::~CommandTest() {
  std::filesystem::remove_all(folder_);
}

CommandTest::Ended CommandTest::run(const std::string& arguments) const {
  const std::string line =
      "cd '" + folder_.string() + "' && '" HEED_COMMAND_PATH "' " + arguments + " > standard_output 2> standard_error";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_bytes(path("standard_output")),
          read_bytes(path("standard_error"))};
}

void CommandTest::expect_success(const std::string& arguments) const {
  const Ended ended = run(arguments);
  EXPECT_EQ(ended.code, 0) << arguments << '\n' << ended.error;
  EXPECT_EQ(ended.error, "");
}

void CommandTest::expect_failure(const std::string& arguments, const std::vector<std::string>& parts) const {
  const Ended ended = run(arguments);
  EXPECT_EQ(ended.code, 2) << arguments;
  EXPECT_EQ(ended.error.rfind("heed: ", 0), 0U) << ended.error;
  EXPECT_EQ(ended.error.find('\n'), ended.error.size() - 1) << ended.error;
  for (const std::string& part : parts) EXPECT_NE(ended.error.find(part), std::string::npos) << part << ended.error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    EXPECT_NE(name.rfind("out", 0), 0U) << arguments << " left " << name;
    EXPECT_EQ(name.find(".heed-"), std::string::npos) << arguments << " left " << name;
  }
}

void CommandTest::expect_difference(const std::string& arguments, const std::vector<std::string>& parts) const {
  const Ended ended = run(arguments);
  EXPECT_EQ(ended.code, 1) << arguments;
  EXPECT_EQ(ended.error, "");
  for (const std::string& part : parts) EXPECT_NE(ended.out.find(part), std::string::npos) << part << ended.out;
}

template <class Element>
void CommandTest::write_npy(const std::string& name, const Shape& shape, const std::vector<Element>& values) const {
  xt::dump_npy(path(name), xt::adapt<xt::layout_type::row_major>(values, shape));
}
template void CommandTest::write_npy(const std::string&, const Shape&, const std::vector<float>&) const;
template void CommandTest::write_npy(const std::string&, const Shape&, const std::vector<double>&) const;
template void CommandTest::write_npy(const std::string&, const Shape&, const std::vector<std::int32_t>&) const;
template void CommandTest::write_npy(const std::string&, const Shape&, const std::vector<std::int64_t>&) const;
template void CommandTest::write_npy(const std::string&, const Shape&, const std::vector<std::uint8_t>&) const;
template void CommandTest::write_npy(const std::string&, const Shape&, const std::vector<std::uint16_t>&) const;

void CommandTest::write_fortran_npy(const std::string& name, const Shape& shape,
                                    const std::vector<float>& values) const {
  const xt::xarray<float, xt::layout_type::column_major> array = xt::adapt<xt::layout_type::row_major>(values, shape);
  xt::dump_npy(path(name), array);
}

std::vector<float> CommandTest::read_npy(const std::string& name, const Shape& shape) const {
  const auto array = xt::load_npy<float>(path(name));
  EXPECT_EQ(Shape(array.shape().begin(), array.shape().end()), shape) << name;
  return {array.begin(), array.end()};
}

void expect_near(const std::vector<float>& got, const std::vector<double>& expected, const std::vector<double>& bound) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isinf(expected[i])) {
      EXPECT_EQ(static_cast<double>(got[i]), expected[i]) << i;
    } else {
      EXPECT_NEAR(static_cast<double>(got[i]), expected[i], bound[i]) << i;
    }
  }
}

void expect_near(const std::vector<float>& got, const std::vector<double>& expected, double bound) {
  expect_near(got, expected, std::vector<double>(expected.size(), bound));
}

std::string safetensors_bytes(const std::string& header, const std::string& data) {
  return bytes_of(std::vector<std::uint64_t>{header.size()}) + header + data;
}

void write_safetensors(const std::filesystem::path& file, const std::vector<StoredTensor>& tensors) {
  nlohmann::json header{{"__metadata__", {{"format", "pt"}}}};
  std::string data;
  for (const StoredTensor& tensor : tensors) {
    const std::size_t begin = data.size();
    data += tensor.bytes;
    header[tensor.name] = {{"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  write_bytes(file, safetensors_bytes(header.dump(), data));
}

std::vector<float> read_safetensors(const std::filesystem::path& file, const std::string& tensor, Shape& shape) {
  const std::string bytes = read_bytes(file);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  const nlohmann::json entry = nlohmann::json::parse(bytes.substr(sizeof(length), length)).at(tensor);
  const std::size_t begin = entry["data_offsets"][0];
  const std::size_t end = entry["data_offsets"][1];
  shape = entry["shape"].get<Shape>();
  std::vector<float> values((end - begin) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + sizeof(length) + length + begin, end - begin);
  return values;
}

}  // namespace heed::test
