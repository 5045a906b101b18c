// SPDX-License-Identifier: MIT
#include "model/block.hpp"

namespace heed {

template class TransformerBlock<KvCache>;

}  // namespace heed
