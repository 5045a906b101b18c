// SPDX-License-Identifier: MIT
//
// `heed array` from outside: what compilers read back from its text, and every way to refuse.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "command/programs.hpp"
#include "support/random.hpp"

namespace {

using namespace heed::test;

class HeedArray : public CommandTest {
 protected:
  /// What a program that includes out.h finds in the array `vector`.
  [[nodiscard]] std::string compiled_bytes(const std::string& checks, const std::string& source = "") const {
    expect_program(
        path("."),
        "#include \"out.h\"\n#include <stdio.h>\n"
        "int main(void) {\n"
        "  FILE* file = fopen(\"array.bin\", \"wb\");\n"
        "  if (file == NULL || fwrite(vector, sizeof vector[0], vector_count, file) != vector_count) return 1;\n"
        "  return fclose(file) == 0 && " +
            checks + " ? 0 : 2;\n}\n",
        source);
    return read_bytes(path("array.bin"));
  }
};

TEST_F(HeedArray, ReadsBackToTheSameBitsInBothLanguages) {
  Random random{11};
  using Limits = std::numeric_limits<float>;
  std::vector<float> values{0.0F,
                            -0.0F,
                            1.0F,
                            0.1F,
                            Limits::max(),
                            Limits::lowest(),
                            Limits::min(),
                            Limits::denorm_min(),
                            -Limits::denorm_min()};
  while (values.size() < 600) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random.bits()));
    if (std::isfinite(value)) values.push_back(value);
  }
  write_npy("floats.npy", {20, 30}, values);
  expect_success("array --input floats.npy --c-array vector --out out.h");
  EXPECT_EQ(read_bytes(path("out.h")).find("math.h"), std::string::npos) << "freestanding unless there are infinities";
  EXPECT_EQ(compiled_bytes("vector_dim0 == 20 && vector_dim1 == 30"), bytes_of(values));

  values[3] = Limits::infinity();
  values[7] = -Limits::infinity();
  write_npy("floats.npy", {600}, values);
  expect_success("array --input floats.npy --c-array vector --out out.h");
  EXPECT_EQ(compiled_bytes("vector_dim0 == 600"), bytes_of(values));

  const std::vector<std::int32_t> integers{0, -1, 7, std::numeric_limits<std::int32_t>::min(),
                                           std::numeric_limits<std::int32_t>::max()};
  write_npy("integers.npy", {5, 1}, integers);
  expect_success("array --input integers.npy --c-array vector --out out.h");
  EXPECT_EQ(compiled_bytes("vector_dim0 == 5 && vector_dim1 == 1"), bytes_of(integers));
  const std::string text = read_bytes(path("out.h"));
  write_npy("integers.npy", {5, 1}, std::vector<std::int64_t>(integers.begin(), integers.end()));
  expect_success("array --input integers.npy --c-array vector --out out.h");
  EXPECT_EQ(read_bytes(path("out.h")), text);
}

// Two files that include the header share one array.
TEST_F(HeedArray, DeclaresWhatAnotherFileDefines) {
  const std::vector<float> values{1.0F, 2.5F, -3.0F};
  write_npy("floats.npy", {3}, values);
  expect_success("array --input floats.npy --c-array vector --out out.h --extern out.c");
  EXPECT_EQ(read_bytes(path("out.h")).find("0x"), std::string::npos) << "values in the header";
  write_bytes(path("both.c"),
              "#include \"out.c\"\nconst void* address_of_vector(void);\n"
              "const void* address_of_vector(void) { return vector; }\n");
  write_bytes(path("other.h"), "#ifdef __cplusplus\nextern \"C\"\n#endif\nconst void* address_of_vector(void);\n");
  expect_program(path("."),
                 "#include \"out.h\"\n#include \"other.h\"\n"
                 "int main(void) { return address_of_vector() == vector ? 0 : 1; }\n",
                 "both.c");
  EXPECT_EQ(compiled_bytes("vector_dim0 == 3", "out.c"), bytes_of(values));
}

TEST_F(HeedArray, RefusesWhatHasNoText) {
  write_npy("good.npy", {2}, std::vector<float>{1.0F, 2.0F});
  const std::string good = "array --input good.npy --out out.h ";
  for (const char* name : {"3d", "my-array", "", "int", "class", "restrict", "co_await", "xor", "_Array", "a__b"}) {
    expect_failure(good + "--c-array '" + name + "'", {"--c-array", name});
  }
  expect_failure(good, {"--c-array"});
  // A name that <math.h> may have, which the header includes for infinities alone.
  expect_success("array --input good.npy --out gamma.h --c-array gamma");
  write_npy("infinite.npy", {1}, std::vector<float>{std::numeric_limits<float>::infinity()});
  expect_failure("array --input infinite.npy --out out.h --c-array gamma", {"gamma", "<math.h>"});
  write_npy("nan.npy", {2}, std::vector<float>{1.0F, std::nanf("")});
  expect_failure("array --input nan.npy --out out.h --c-array a", {"--input", "nan.npy", "element 1", "NaN"});
  write_npy("large.npy", {1}, std::vector<std::int64_t>{std::int64_t{1} << 31});
  expect_failure("array --input large.npy --out out.h --c-array a", {"large.npy", "2147483648", "int32_t"});
  write_npy("none.npy", {0, 4}, std::vector<float>());
  expect_failure("array --input none.npy --out out.h --c-array a", {"none.npy", "[0, 4]", "no elements"});
  write_npy("bool.npy", {1}, std::vector<std::uint8_t>{1});
  expect_failure("array --input bool.npy --out out.h --c-array a", {"bool.npy", "|u1"});
  expect_failure("array --input gone.npy --out out.h --c-array a", {"--input", "cannot read gone.npy"});
  expect_failure("array --input good.npy --out no/such/out.h --c-array a", {"--out", "no/such/out.h"});
  expect_failure(good + "--c-array a --extern out.h", {"--extern", "out.h"});
  expect_failure(good + "--c-array a --extern no/such/out.c", {"--extern", "no/such/out.c"});
  expect_failure("array --input good.npy --out 'out\".h' --c-array a --extern out.c", {"--extern", "include"});
}

}  // namespace
