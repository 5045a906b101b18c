# SPDX-License-Identifier: MIT
"""Text from a model, piece by piece."""
import numpy as np

from . import _declarations as d
from ._plans import whole
from ._text import Tokenizer
from ._text_tokenizer import TextTokenizer


def generated(model, prompt, tokenizer, tokens, sampler, ignore_end):
    """The pieces of Model.generate(), after a look at what is asked for."""
    if tokenizer is None:
        if model.tokenizer is None:
            raise ValueError(f"{model.name}: there is no tokenizer in it, and `tokenizer` is needed")
        tokenizer = model.tokenizer
    elif not isinstance(tokenizer, (Tokenizer, TextTokenizer)):
        tokenizer = Tokenizer(tokenizer)
    config = model.config
    if config.encoder or config.input != d.ModelInput.tokens or config.block.cross_dim:
        raise ValueError(f"{model.name}: not a decoder of tokens alone, which generation needs")
    # A table of embeddings may be longer than a vocabulary that is not llama2.c's.
    more = isinstance(tokenizer, TextTokenizer) and tokenizer.tokens < config.input_dim
    if config.outputs != config.input_dim or not (more or tokenizer.tokens == config.input_dim):
        raise ValueError(f"tokenizer: {tokenizer.tokens} tokens, and the model has {config.input_dim} and "
                         f"{config.outputs} outputs")
    ids = tokenizer.prompt(prompt)
    if ids.size == 0:
        raise ValueError("prompt: this tokenizer begins a text with no token, and a text is needed")
    most = min(config.max_positions, model.plan.block.memory.max_keys) - ids.size
    if model.plan.block.memory.ring:
        most = config.max_positions - ids.size
    if most <= 0:
        raise ValueError(f"prompt: {ids.size} tokens, and the model has room for {most + ids.size}")
    count = min(most, 256) if tokens is None else whole(tokens, "tokens")
    if count > most:
        raise ValueError(f"tokens {count}: the prompt leaves {most}")
    return _pieces(model, tokenizer, ids, count, sampler, ignore_end)


def _pieces(model, tokenizer, ids, count, sampler, ignore_end):
    changes = model._truncate(0)
    stream = tokenizer.stream()
    for token in ids:
        yield stream.next(int(token))
    logits = model._output(ids.size, None)
    changes = model._prefill(ids, logits, since=changes)
    for made in range(count):
        token = sampler(logits if logits.ndim == 1 else logits[-1])
        if not ignore_end and tokenizer.ends_text(token):
            break
        yield stream.next(token)
        if made + 1 < count:
            logits = np.empty(model.width, np.float32)
            changes = model._decode(token, logits, since=changes)
    rest = stream.finish()
    if rest:
        yield rest
