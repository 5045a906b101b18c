// SPDX-License-Identifier: MIT
#include "heed/block.hpp"

#include "model/block.hpp"

namespace heed {

template class TransformerBlock<FloatKvCache>;

}  // namespace heed
