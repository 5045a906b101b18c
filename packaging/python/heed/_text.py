# SPDX-License-Identifier: MIT
"""Tokenizers of llama2.c, probabilities, and tokens drawn from them."""
import codecs
import ctypes
import pathlib

import numpy as np

from . import _declarations as d
from ._errors import Error, check
from ._library import c
from ._plans import real, whole
from ._ranges import first, outside
from ._turn import Turn
from ._views import dense, integers, output

BEGIN_TOKEN = d.CONSTANTS["HEED_BEGIN_TOKEN"]
END_TOKEN = d.CONSTANTS["HEED_END_TOKEN"]


class Tokenizer:
    """A vocabulary in the format of llama2.c: a path, or the file's bytes."""

    def __init__(self, file):
        content = bytes(file) if isinstance(file, (bytes, bytearray, memoryview)) else pathlib.Path(file).read_bytes()
        self._file = np.frombuffer(content, np.uint8)
        name = "tokenizer" if isinstance(file, (bytes, bytearray, memoryview)) else str(file)
        read = d.TokenizerFile()
        status = c.heed_read_tokenizer(self._file.ctypes.data, self._file.size, read)
        if status != d.Status.ok:
            field = ctypes.string_at(read.field).decode() if read.field else ""
            raise Error(name, status, f"{field}, at token {read.token}")
        self._object = d.TokenizerObject()
        check(c.heed_tokenizer_bind(self._object, self._file.ctypes.data, self._file.size), name)
        self.tokens = c.heed_tokenizer_tokens(self._object)

    def encode(self, text):
        """Tokens of a str, or of bytes in UTF-8: uint32, with BEGIN_TOKEN first."""
        if not isinstance(text, (str, bytes)):
            raise TypeError(f"text: a str is needed, not {type(text).__name__}")
        data = text.encode() if isinstance(text, str) else text
        words = np.empty(2 * len(data) + 3, np.uint32)
        count = ctypes.c_uint32()
        check(c.heed_tokenizer_encode(self._object, data, len(data), words.ctypes.data, words.size,
                                      ctypes.addressof(count)), "encode")
        return words[:count.value].copy()

    def piece(self, token, previous=BEGIN_TOKEN):
        """The bytes of a token after another."""
        token, previous = whole(token, "token"), whole(previous, "previous")
        length = ctypes.c_size_t()
        text = c.heed_tokenizer_decode(self._object, previous, token, ctypes.addressof(length))
        if token >= self.tokens or previous >= self.tokens:
            raise ValueError(f"token {max(token, previous)}: the vocabulary has {self.tokens}")
        return ctypes.string_at(text, length.value) if length.value else b""

    def decode(self, tokens):
        """The text of tokens after the first, which begins it."""
        ids = integers(tokens, (None,), "tokens")
        pieces = b"".join(self.piece(int(b), int(a)) for a, b in zip(ids, ids[1:]))
        return pieces.decode(errors="replace")

    def ends_text(self, token):
        """Whether generation ends at a token."""
        return token in (BEGIN_TOKEN, END_TOKEN)

    def prompt(self, text):
        """What a text begins with."""
        return self.encode(text)

    def stream(self):
        return _PieceStream(self)


class _PieceStream:
    """Text from one token after another, without the first; a character is whole."""

    def __init__(self, tokenizer):
        self._tokenizer = tokenizer
        self._previous = None
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def next(self, token):
        previous, self._previous = self._previous, whole(token, "token")
        return "" if previous is None else self._decoder.decode(self._tokenizer.piece(token, previous))

    def finish(self):
        return self._decoder.decode(b"", True)


def _logits(logits, what="logits"):
    return dense(logits, (None,), what)


def softmax(logits, temperature=1.0, out=None):
    """Probabilities of logits [count], with the library's bits; temperature is from 2^-126 to 2^126."""
    temperature = real(temperature, "temperature")
    _logits(logits)
    result = out if out is logits and logits.flags.writeable else output(out, logits.shape, "out", (logits,))
    check(c.heed_softmax(logits.ctypes.data, logits.size, temperature, dense(result, logits.shape, "out").ctypes.data),
          "softmax", lambda: outside("temperature", temperature, 2.0**-126, 2.0**126))
    return result


def argmax(logits):
    """The index of the greatest, the lowest among equals."""
    if _logits(logits).size == 0:
        raise ValueError("logits: there are none")
    return c.heed_argmax(logits.ctypes.data, logits.size)


def top_k(logits, k):
    """Indices of the k greatest, in their order."""
    k = whole(k, "k")
    _logits(logits)
    indices = np.empty(min(k, max(1, logits.size)), np.uint32)
    check(c.heed_top_k(logits.ctypes.data, logits.size, k, indices.ctypes.data), "top_k",
          lambda: outside("k", k, 1, logits.size))
    return indices


class Sampler:
    """Draws tokens: temperature, 0 or 0.001 to 1000, of which 0 takes the likeliest; top_k, of which 0 means all;
    top_p, above 0 and at most 1. The same tokens for the same seed, everywhere."""

    def __init__(self, temperature=1.0, top_k=0, top_p=0.9, seed=1):
        top_p = real(top_p, "top_p")
        if top_p == 0:  # all tokens in C, which the name does not say
            raise ValueError("top_p 0: above 0 and at most 1 is needed; temperature 0 takes the likeliest token")
        self._config = d.Sampling(real(temperature, "temperature"), whole(top_k, "top_k"), top_p)
        self._random = d.RandomBitsObject()
        self._turn = Turn()
        c.heed_seed_random(self._random, whole(seed, "seed", ctypes.c_uint64))
        probe = np.zeros(1, np.float32)
        bits = self._random.state
        self(probe)  # refuses what is out of range
        self._random.state = bits

    def random(self):
        """The next 32 random bits."""
        with self._turn():
            return c.heed_random_next(self._random)

    def __call__(self, logits):
        """A token; the logits stay as they are."""
        work = np.array(_logits(logits))
        order = np.empty(work.size, np.uint32)
        token = ctypes.c_uint32()
        with self._turn():
            check(c.heed_sample_token(self._config, work.ctypes.data, work.size, order.ctypes.data, order.size,
                                      self._random, ctypes.addressof(token)), "sample_token", self._why)
        return token.value

    def _why(self):
        return first(outside("temperature", self._config.temperature, 0.001, 1000, zero="the likeliest"),
                     outside("top_p", self._config.top_p, 0, 1))
