# SPDX-License-Identifier: MIT
"""Attention in fixed memory, the same bits on every CPU: the C interface on numpy arrays, without copies.

Arrays are float32 with a contiguous last dimension; other strides are passed on. What the library refuses raises
heed.Error in its words; what it could not see, a wrong shape or type, raises ValueError or TypeError."""
from . import _declarations as declarations
from ._attention import Attended, Attention, attend, mean_over_heads, merge
from ._build import PORT as port
from ._cache import KvCache
from ._declarations import (Activation, Causal, DataType, MaskFormat, ModelInput, Norm, NormPlacement, Pooling,
                            Positions, RotaryLayout, RotaryScaling, ScoreStage, SinusoidLayout, Stage, Status)
from ._errors import Error
from ._layer import MultiHeadAttention
from ._library import c, version
from ._model import Model, load
from ._options import RelativeBias, RelativeBuckets, alibi_slopes
from ._plans import (Numbers, attention_plan, kv_cache_plan, model_plan, multi_head_plan, relative_buckets_plan,
                     rotary_plan)
from ._positions import Rotary, add_learned_positions, add_sinusoidal_positions, embedding_lookup
from ._text import BEGIN_TOKEN, END_TOKEN, Sampler, Tokenizer, argmax, softmax, top_k
from ._text_tokenizer import TextTokenizer
from ._views import aligned
from ._workers import Workers

__version__ = version


def float_environment_is_standard():
    """Whether this thread rounds to nearest and keeps subnormal numbers, which the same bits need."""
    return c.heed_float_environment_is_standard()


__all__ = [name for name in dir() if not name.startswith("_")] + ["__version__"]
