// SPDX-License-Identifier: MIT
//
// main() of the programs that hold the tests of a label: <program> [file...] [option of googletest...]. A file is named
// as in tests/, without its folder and suffix: attention_test. Without one, all tests run.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

/// The tests of one file, as googletest's filter has them; empty if there is none.
std::string tests_of(std::string_view name) {
  const std::string end = "/" + std::string(name) + ".cpp";
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int suite = 0; suite < all.total_test_suite_count(); ++suite) {
    const testing::TestSuite& tests = *all.GetTestSuite(suite);
    for (int number = 0; number < tests.total_test_count(); ++number) {
      const testing::TestInfo& test = *tests.GetTestInfo(number);
      if (!std::string_view(test.file()).ends_with(end)) continue;
      filter += std::string(tests.name()) + '.' + test.name() + ':';
    }
  }
  return filter;
}

}  // namespace

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  std::string filter;
  for (int number = 1; number < count; ++number) {
    const std::string tests = tests_of(arguments[number]);
    if (tests.empty()) {
      std::fprintf(stderr, "%s: no test of a file %s.cpp is in this program\n", arguments[0], arguments[number]);
      return 2;
    }
    filter += tests;
  }
  if (count > 1) testing::GTEST_FLAG(filter) = filter;
  return RUN_ALL_TESTS();
}
