// SPDX-License-Identifier: MIT
#include "transformer/model_extension.hpp"

constinit const heed_model_extension heed_extended_model = {heed::detail::extended_blocks, heed::detail::extended_ends};
