// SPDX-License-Identifier: MIT
//
// Each file of C in this folder is a program whose main() has the file's name here.
#include <gtest/gtest.h>

extern "C" {
int c_api_test(void);
int c_api_layer_test(void);
int c_api_rotary_test(void);
int c_api_options_test(void);
int c_api_biases_test(void);
int c_api_layer_options_test(void);
int c_api_kv_cache_test(void);
int c_api_weights_test(void);
int c_api_model_test(void);
int c_api_text_test(void);
int c_api_null_test(void);
}

namespace {

TEST(CPrograms, Calls) {
  EXPECT_EQ(c_api_test(), 0);
}
TEST(CPrograms, Layers) {
  EXPECT_EQ(c_api_layer_test(), 0);
}
TEST(CPrograms, RotaryPositions) {
  EXPECT_EQ(c_api_rotary_test(), 0);
}
TEST(CPrograms, Options) {
  EXPECT_EQ(c_api_options_test(), 0);
}
TEST(CPrograms, Biases) {
  EXPECT_EQ(c_api_biases_test(), 0);
}
TEST(CPrograms, OptionsOfLayers) {
  EXPECT_EQ(c_api_layer_options_test(), 0);
}
TEST(CPrograms, Caches) {
  EXPECT_EQ(c_api_kv_cache_test(), 0);
}
TEST(CPrograms, Weights) {
  EXPECT_EQ(c_api_weights_test(), 0);
}
TEST(CPrograms, Models) {
  EXPECT_EQ(c_api_model_test(), 0);
}
TEST(CPrograms, Text) {
  EXPECT_EQ(c_api_text_test(), 0);
}
TEST(CPrograms, NullPointers) {
  EXPECT_EQ(c_api_null_test(), 0);
}

}  // namespace
