// SPDX-License-Identifier: MIT
#include "model/model.hpp"

namespace heed {

template class TransformerModel<KvCache>;

}  // namespace heed
