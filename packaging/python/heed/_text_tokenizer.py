# SPDX-License-Identifier: MIT
"""Tokenizers that `heed pack` makes of a tokenizer.json: in a file of their own, or in a model's."""
import ctypes
import pathlib

import numpy as np

from . import _declarations as d
from ._errors import Error, check
from ._library import c
from ._plans import whole
from ._views import integers, octets


def find_tokenizer(file, name):
    """The part of a model's file, uint8, that is its tokenizer; None where there is none."""
    found, count = ctypes.c_void_p(), ctypes.c_size_t()
    check(c.heed_tokenizer_of(file.ctypes.data, file.size, ctypes.addressof(found), ctypes.addressof(count)),
          f"{name}: what comes after the model")
    return file[file.size - count.value:] if count.value else None


class TextTokenizer:
    """A file of `heed pack --tokenizer`: a path, or the bytes, at an address that is a multiple of 4."""

    def __init__(self, file, name=None):
        given = isinstance(file, np.ndarray)
        self.name = name or ("tokenizer" if given else str(file))
        self._file = octets(file, "file") if given else np.frombuffer(pathlib.Path(file).read_bytes(), np.uint8)
        read = d.TextTokenizerFile()
        status = c.heed_read_text_tokenizer(self._file.ctypes.data, self._file.size, read)
        if status != d.Status.ok:
            raise Error(self.name, status, ctypes.string_at(read.field).decode() if read.field else "")
        self._object = d.TextTokenizerObject()
        check(c.heed_text_tokenizer_bind(self._object, self._file.ctypes.data, self._file.size), self.name)
        self.tokens = c.heed_text_tokenizer_tokens(self._object)

    def encode(self, text, whole_text=True):
        """Tokens of a str, or of bytes in UTF-8: uint32, with those of the template unless whole_text is False."""
        if not isinstance(text, (str, bytes)):
            raise TypeError(f"text: a str is needed, not {type(text).__name__}")
        data = text.encode() if isinstance(text, str) else text
        words = np.empty(18 * len(data) + 48, np.uint32)
        count = ctypes.c_uint32()
        check(c.heed_encode_text(self._object, data, len(data), int(whole_text), words.ctypes.data, words.size,
                                 ctypes.addressof(count)), "encode")
        return words[:count.value].copy()

    def decode(self, tokens, special=False):
        """The text of tokens; special ones are shown if `special`."""
        stream = TokenStream(self, special)
        return "".join([stream.next(int(one)) for one in integers(tokens, (None,), "tokens")] + [stream.finish()])

    def ends_text(self, token):
        """Whether generation ends at a token."""
        return bool(c.heed_ends_text(self._object, whole(token, "token")))

    def prompt(self, text):
        """What a text begins with: the template's last tokens are left to the model."""
        ids = self.encode(text)
        return ids[:ids.size - c.heed_text_tokenizer_end_tokens(self._object)]

    def stream(self):
        return TokenStream(self, False)


class TokenStream:
    """Text from one token after another, in whole characters."""

    def __init__(self, tokenizer, special):
        self._tokenizer = tokenizer  # whose file the decoder reads
        self._decoder = d.TextDecoderObject()
        check(c.heed_text_decoder_bind(self._decoder, tokenizer._object, int(special)), "decoder")
        self._room = np.empty(c.heed_decode_bytes(tokenizer._object), np.uint8)

    def _text(self, function, *token):
        count = ctypes.c_size_t()
        check(function(self._decoder, *token, self._room.ctypes.data, self._room.size, ctypes.addressof(count)),
              f"token {token[0]}" if token else "tokens")
        return self._room[:count.value].tobytes().decode(errors="replace")

    def next(self, token):
        return self._text(c.heed_text_decoder_decode, whole(token, "token"))

    def finish(self):
        return self._text(c.heed_text_decoder_finish)
