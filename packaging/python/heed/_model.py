# SPDX-License-Identifier: MIT
"""Whole models from .heed files."""
import contextlib
import ctypes
import mmap
import os
import threading

import numpy as np

from . import _declarations as d
from ._cache import Snapshots, storage_of
from ._errors import Error, check
from ._layer import WEIGHT_FORMATS
from ._library import addresses, c
from ._plans import model_plan_of, whole
from ._text import Sampler, Tokenizer
from ._text_tokenizer import TextTokenizer, find_tokenizer
from ._views import aligned, dense, floats, integers, matrix, memory, octets, output
from ._workers import workers_of

# A file of so many bytes is not mapped: numpy asks for huge pages for an array of 4 MiB.
LARGE = 1 << 22

_See = dict(d.StageObserver._fields_)["see"]


def _hash(values):
    """FNV-1a of the bytes of floats, as in `heed run --stages`."""
    number = 0xCBF29CE484222325
    for byte in values.tobytes():
        number = ((number ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{number:016x}"


def _read(file):
    """(uint8 array on a boundary, its name)"""
    if isinstance(file, np.ndarray):
        return octets(file, "file"), "file"
    with open(file, "rb") as handle:
        size = os.fstat(handle.fileno()).st_size
        if size == 0:
            raise ValueError(f"{file}: the file is empty")
        if size < LARGE:
            return np.frombuffer(mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ), np.uint8), os.fspath(file)
        content = aligned(size)
        return content[:handle.readinto(content)], os.fspath(file)


class Model(Snapshots):
    """heed.load(): a model file, a large one in memory of its own; keywords are members of heed_block_memory.
    Unless given, max_keys is what the model was trained for, and rows are all of an encoder's, or 32."""

    def __init__(self, file, *, state=None, scratch=None, bind=False, threads=None, **given):
        self._file, self.name = _read(file)
        config, field = d.ModelConfig(), ctypes.c_char_p()
        status = c.heed_read_model(self._file.ctypes.data, self._file.size, config, ctypes.addressof(field))
        if status != d.Status.ok:
            raise Error(self.name, status, (field.value or b"").decode())
        given.setdefault("max_keys", config.max_positions)
        given.setdefault("rows", config.max_positions if config.encoder else min(32, config.max_positions))
        if config.block.cross_dim:
            given.setdefault("max_cross_keys", config.max_positions)
        self.plan = model_plan_of(config, given)
        section = find_tokenizer(self._file, self.name)
        self.tokenizer = None if section is None else TextTokenizer(section, f"{self.name}: its tokenizer")
        self.config = self.plan.config
        self._workers = workers_of(self.plan.block.memory.workers, threads)
        made = self.plan.block.memory
        types = [made.key_type, made.value_type] + ([made.cross_type] if config.block.cross_dim else [])
        self._storage = storage_of(types, made.ring, pages=False)
        self._formats = self._named_formats(config)
        self._state = memory(state, self.plan.state_bytes, "state")
        self._scratch = memory(scratch, self.plan.scratch_bytes, "scratch")
        self._object = d.ModelObject()
        self._lock = threading.RLock()
        self._observer = None
        self._failure = None
        (self._bind if bind else self._init)(self._state, self._object)

    @staticmethod
    def _named_formats(config):
        """What reads the file's weights."""
        names = {*WEIGHT_FORMATS.values(), "heed_int8_integer_weights", "heed_int8_mixed_weights"}
        found = {addresses[name] for name in names}
        return (ctypes.c_void_p * len(found))(*sorted(found))

    def _start(self, function, state, model, what):
        extension = addresses.get("heed_extended_model")
        file = d.PackedModel(self._file.ctypes.data, self._file.size, ctypes.addressof(self._formats),
                             len(self._formats), extension)
        check(function(model, self.plan._struct, state.ctypes.data, state.size, self._scratch.ctypes.data,
                       self._scratch.size, file, self._storage), f"{self.name}: {what}")

    def _init(self, state, model):
        self._start(c.heed_model_init, state, model, "init")

    def _bind(self, state, model):
        self._start(c.heed_model_bind, state, model, "bind")

    @property
    def width(self):
        """Of a row of the output."""
        return self.config.outputs or self.config.block.model_dim

    @property
    def tokens(self):
        """A decoder's so far."""
        return c.heed_model_tokens(self._object)

    def truncate(self, length=0):
        """Removes a decoder's tokens from number `length` on."""
        with self._lock:
            check(c.heed_model_truncate(self._object, whole(length, "length")), "truncate")

    def _called(self, status, what):
        failure, self._failure = self._failure, None
        check(status, what)
        if failure is not None:
            raise failure

    def _output(self, rows, out, inputs=()):
        every = self.config.pooling == d.Pooling.every
        shape = (rows, self.width) if every else (self.width,)
        return dense(output(out, shape, "out", inputs), shape, "out")

    def prefill(self, tokens, out=None):
        """A decoder: appends tokens [count]; logits [outputs] of the last, or [count, outputs] where the model gives
        every row."""
        ids = integers(tokens, (None,), "tokens")
        result = self._output(ids.size, out, (ids,))
        with self._lock:
            self._called(c.heed_model_prefill(self._object, ids.ctypes.data, ids.size, result.ctypes.data,
                                              self._workers.executor), "prefill")
        return result

    def decode(self, token, out=None):
        """Prefill of one token: logits [outputs]."""
        if out is None:
            out = np.empty(self.width, np.float32)
        else:
            dense(out, (self.width,), "out", writeable=True)
        token = whole(token, "token")
        with self._lock:
            self._called(c.heed_model_decode(self._object, token, out.ctypes.data, self._workers.executor), "decode")
        return out

    def encode(self, x, out=None, types=None):
        """An encoder of tokens [count], or of frames, float32 [count, input_dim]. `types` [count] are those of tokens,
        for a model that has token_types; 0 unless given."""
        frames = self.config.input == d.ModelInput.frames
        if types is not None:
            if frames:
                raise ValueError("types: the model reads no tokens")
            x = integers(x, (None,), "tokens")
            types = integers(types, x.shape, "types")
        if frames:
            floats(x, (None, self.config.input_dim), "frames")
            rows = x.shape[0] + (1 if self.config.class_token else 0) + self.config.registers
        else:
            x = integers(x, (None,), "tokens")
            rows = x.size
        result = self._output(rows, out, (x,))
        with self._lock:
            if frames:
                status = c.heed_model_encode_frames(self._object, matrix(x[np.newaxis]), x.shape[0],
                                                    result.ctypes.data, self._workers.executor)
            elif types is not None:
                status = c.heed_model_encode_typed_tokens(self._object, x.ctypes.data, types.ctypes.data, x.size,
                                                          result.ctypes.data, self._workers.executor)
            else:
                status = c.heed_model_encode_tokens(self._object, x.ctypes.data, x.size, result.ctypes.data,
                                                    self._workers.executor)
            self._called(status, "encode")
        return result

    def set_context(self, rows):
        """What cross-attention looks at: float32 [count, cross_dim]."""
        floats(rows, (None, self.config.block.cross_dim), "rows")
        with self._lock:
            self._called(c.heed_model_set_context(self._object, matrix(rows[np.newaxis]), rows.shape[0],
                                                  self._workers.executor), "set_context")

    @contextlib.contextmanager
    def observed(self, see):
        """see(block, stage, values) for every intermediate result of the calls inside, with values float32 [rows,
        columns], which are the library's and end with the call of `see`."""

        def show(_context, block, stage, values, rows, columns):
            if self._failure is not None:
                return
            try:
                array = np.ctypeslib.as_array(ctypes.cast(values, ctypes.POINTER(ctypes.c_float)), (rows, columns))
                array.flags.writeable = False
                see(block, c.heed_stage_to_string(stage).decode(), array)
            except BaseException as failure:  # C cannot pass it on; the call that is under way raises it
                self._failure = failure

        callback = _See(show)
        with self._lock:
            if self._observer is not None:
                raise RuntimeError("somebody looks at the stages already")
            self._observer = callback
            c.heed_model_observe(self._object, d.StageObserver(None, callback))
        try:
            yield
        finally:
            with self._lock:
                c.heed_model_observe(self._object, None)
                self._observer = None

    @contextlib.contextmanager
    def stages(self):
        """`with model.stages() as hashes:` a dict of the calls inside, {(block, stage): [hash of each time]}."""
        hashes = {}
        with self.observed(lambda block, stage, values: hashes.setdefault((block, stage), []).append(_hash(values))):
            yield hashes

    def generate(self, prompt="", *, tokenizer=None, tokens=None, temperature=1.0, top_k=0, top_p=0.9, seed=1,
                 ignore_end=False):
        """Text, piece by piece, the prompt's first, as `heed generate` with the same numbers has it. Begins anew; ends
        after `tokens`, 256 unless given, or at the token that ends a text. `tokenizer`: unless given, that in the
        model's file; a Tokenizer, a TextTokenizer, or the path of a vocabulary of llama2.c."""
        if tokenizer is None:
            if self.tokenizer is None:
                raise ValueError(f"{self.name}: there is no tokenizer in it, and `tokenizer` is needed")
            tokenizer = self.tokenizer
        elif not isinstance(tokenizer, (Tokenizer, TextTokenizer)):
            tokenizer = Tokenizer(tokenizer)
        config = self.config
        if config.encoder or config.input != d.ModelInput.tokens or config.block.cross_dim:
            raise ValueError(f"{self.name}: not a decoder of tokens alone, which generation needs")
        # A table of embeddings may be longer than a vocabulary that is not llama2.c's.
        more = isinstance(tokenizer, TextTokenizer) and tokenizer.tokens < config.input_dim
        if config.outputs != config.input_dim or not (more or tokenizer.tokens == config.input_dim):
            raise ValueError(f"tokenizer: {tokenizer.tokens} tokens, and the model has {config.input_dim} and "
                             f"{config.outputs} outputs")
        ids = tokenizer.prompt(prompt)
        if ids.size == 0:
            raise ValueError("prompt: this tokenizer begins a text with no token, and a text is needed")
        most = min(config.max_positions, self.plan.block.memory.max_keys) - ids.size
        if self.plan.block.memory.ring:
            most = config.max_positions - ids.size
        if most <= 0:
            raise ValueError(f"prompt: {ids.size} tokens, and the model has room for {most + ids.size}")
        count = min(most, 256) if tokens is None else whole(tokens, "tokens")
        if count > most:
            raise ValueError(f"tokens {count}: the prompt leaves {most}")
        sampler = Sampler(temperature, top_k, top_p, seed)
        return self._generated(tokenizer, ids, count, sampler, ignore_end)

    def _generated(self, tokenizer, ids, count, sampler, ignore_end):
        self.truncate(0)
        stream = tokenizer.stream()
        for token in ids:
            yield stream.next(int(token))
        logits = self.prefill(ids)
        for made in range(count):
            token = sampler(logits if logits.ndim == 1 else logits[-1])
            if not ignore_end and tokenizer.ends_text(token):
                break
            yield stream.next(token)
            if made + 1 < count:
                logits = self.decode(token)
        rest = stream.finish()
        if rest:
            yield rest


def load(file, **memory_given):
    """A Model of a .heed file, or of its bytes in a uint8 array on a 64-byte boundary."""
    return Model(file, **memory_given)
