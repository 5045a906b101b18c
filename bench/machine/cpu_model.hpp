// SPDX-License-Identifier: MIT
#pragma once

#include <ctime>
#include <fstream>
#include <string>

namespace heed::bench {

/// The CPU's name as the kernel tells it, and whether it has vectors of 512 bits.
[[nodiscard]] inline std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  std::string name = "unknown CPU";
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) name = line.substr(line.find(':') + 2);
    if (line.starts_with("flags")) return name + (line.find(" avx512f") != std::string::npos ? " with AVX-512" : "");
  }
  return name;
}

/// As in 2026-01-31.
[[nodiscard]] inline std::string today() {
  const std::time_t time = std::time(nullptr);
  char text[16] = {};
  std::strftime(text, sizeof text, "%Y-%m-%d", std::localtime(&time));
  return text;
}

}  // namespace heed::bench
