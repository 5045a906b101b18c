#pragma once
#include <cstdint>
namespace heed { enum class Activation : std::uint8_t { relu, gelu_tanh, gelu_erf, silu }; }
