// SPDX-License-Identifier: MIT
//
// RISC-V without floating point (RV32IMC: ESP32-C3, C6).
#pragma once

#if !defined(__riscv_mul) || defined(__riscv_flen)
#error "the riscv_i port is for a RISC-V with multiplications and without floating point: -march=rv32imc -mabi=ilp32"
#endif

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "riscv_i";

}  // namespace heed_own_code
}  // namespace heed::port

#include <soft_floats/lanes.hpp>
