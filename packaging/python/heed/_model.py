# SPDX-License-Identifier: MIT
"""Whole models from .heed files."""
import contextlib
import ctypes
import mmap
import os

import numpy as np

from . import _declarations as d
from ._cache import Snapshots, storage_of
from ._errors import Error, check
from ._generate import generated
from ._library import addresses, c
from ._plans import described, model_plan_of, whole
from ._ranges import first, outside
from ._signatures import members_of, signature_of
from ._text import Sampler
from ._text_tokenizer import TextTokenizer, find_tokenizer
from ._turn import Turn
from ._views import aligned, dense, floats, integers, matrix, memory, octets, output
from ._weights import WEIGHT_FORMATS
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

    @members_of(d.BlockMemory)
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
        self._turn = Turn(scratch)
        self._observer = None
        self._failure = None
        (self._bind if bind else self._init)(self._state, self._object)
        if state is not None:
            self._turn.take(state)

    def __repr__(self):
        block, plan = self.config.block, self.plan
        kind = "encoder" if self.config.encoder else "decoder"
        types = described(block, "weight_type", "row_type")
        types += ", " + described(plan.block.memory, "key_type", "value_type", "max_keys", "workers")
        return (f"<heed.Model {self.name}: {kind} of {self.config.blocks} blocks of {block.model_dim}, {types}, "
                f"{self._file.size} bytes of file, {plan.state_bytes} of state, {plan.scratch_bytes} of scratch>")

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
        config = self.plan._struct.config
        return config.outputs or config.block.model_dim

    @property
    def tokens(self):
        """A decoder's so far; an observer of a call may ask, too."""
        return c.heed_model_tokens(self._object)

    def truncate(self, length=0):
        """Removes a decoder's tokens from number `length` on."""
        self._truncate(whole(length, "length"))

    def _truncate(self, length):
        with self._turn(changes=True):
            check(c.heed_model_truncate(self._object, length), "truncate",
                  lambda: outside("length", length, 0, c.heed_model_tokens(self._object)))
            return self._turn.changes

    def _run(self, what, function, *arguments, kept=(), why=None, since=None):
        """Calls C with the model first and the executor last. Returns how often the model's state has changed; `kept`
        lives as long as the call."""

        def call(executor, _kept=kept):
            with self._turn(changes=True, since=since):
                self._failure = None
                status = function(self._object, *arguments, executor)
                failure, self._failure = self._failure, None
                check(status, what, why)
                if failure is not None:
                    raise failure
                return self._turn.changes

        return self._workers.run(call, calls_back=self._observer is not None)

    def _output(self, rows, out, inputs=()):
        every = self.config.pooling == d.Pooling.every
        shape = (rows, self.width) if every else (self.width,)
        return dense(output(out, shape, "out", inputs), shape, "out")

    def prefill(self, tokens, out=None):
        """A decoder: appends tokens [count]; logits [outputs] of the last, or [count, outputs] where the model gives
        every row."""
        ids = integers(tokens, (None,), "tokens")
        result = self._output(ids.size, out)
        self._prefill(ids, result)
        return result

    def _prefill(self, ids, result, since=None):
        return self._run("prefill", c.heed_model_prefill, ids.ctypes.data, ids.size, result.ctypes.data,
                         kept=(ids, result), why=lambda: self._why(ids), since=since)

    def decode(self, token, out=None):
        """Prefill of one token: logits [outputs]."""
        token = whole(token, "token")
        if out is None:
            out = np.empty(self.width, np.float32)
        else:
            dense(out, (self.width,), "out", writeable=True)
        self._decode(token, out)
        return out

    def _decode(self, token, out, since=None):
        return self._run("decode", c.heed_model_decode, token, out.ctypes.data, kept=out,
                         why=lambda: self._why(token), since=since)

    def _why(self, tokens, types=None):
        """Which of a call's tokens has been refused."""
        name = "token" if np.ndim(tokens) == 0 else "tokens"
        return first(outside(name, tokens, 0, self.config.input_dim - 1),
                     None if types is None else outside("types", types, 0, self.config.token_types - 1),
                     self._no_room(name, np.size(tokens)))

    def _no_room(self, name, count):
        made = self.plan.block.memory
        room = d.CONSTANTS["HEED_MAX_TOKENS"] if made.ring else made.max_keys
        if self.config.positions == d.Positions.learned:
            room = min(room, self.config.max_positions)
        room = min(room, made.rows) if self.config.encoder else room - c.heed_model_tokens(self._object)
        return (name, f"{count} {name}: the model has room for {room}") if count > room else None

    def encode(self, x, out=None, types=None):
        """An encoder of tokens [count], or of frames, float32 [count, input_dim]. `types` [count] are those of tokens,
        for a model that has token_types; 0 unless given."""
        if self.config.input == d.ModelInput.frames:
            if types is not None:
                raise ValueError("types: the model reads no tokens")
            return self._encode_frames(x, out)
        ids = integers(x, (None,), "tokens")
        kinds = None if types is None else integers(types, ids.shape, "types")
        result = self._output(ids.size, out)
        given = (ids.ctypes.data,) if kinds is None else (ids.ctypes.data, kinds.ctypes.data)
        function = c.heed_model_encode_tokens if kinds is None else c.heed_model_encode_typed_tokens
        self._run("encode", function, *given, ids.size, result.ctypes.data, kept=(ids, kinds, result),
                  why=lambda: self._why(ids, kinds))
        return result

    def _encode_frames(self, x, out):
        floats(x, (None, self.config.input_dim), "frames")
        rows = x.shape[0] + (1 if self.config.class_token else 0) + self.config.registers
        result = self._output(rows, out, (x,))
        self._run("encode", c.heed_model_encode_frames, matrix(x[np.newaxis]), x.shape[0], result.ctypes.data,
                  kept=(x, result), why=lambda: self._no_room("rows", rows))
        return result

    def set_context(self, rows):
        """What cross-attention looks at: float32 [count, cross_dim]."""
        floats(rows, (None, self.config.block.cross_dim), "rows")
        self._run("set_context", c.heed_model_set_context, matrix(rows[np.newaxis]), rows.shape[0], kept=rows)

    @contextlib.contextmanager
    def observed(self, see):
        """see(block, stage, values) for every intermediate result of the calls inside, with values float32 [rows,
        columns], which are the library's and end with the call of `see`. It runs in a thread of the model's workers."""

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
        with self._turn():
            if self._observer is not None:
                raise RuntimeError("somebody looks at the stages already")
            self._observer = callback
            c.heed_model_observe(self._object, d.StageObserver(None, callback))
        try:
            yield
        finally:
            with self._turn():
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
        model's file; a Tokenizer, a TextTokenizer, or the path of a vocabulary of llama2.c. Between two pieces nobody
        else may change the model's state, another text of it included: the next piece raises RuntimeError then."""
        return generated(self, prompt, tokenizer, tokens, Sampler(temperature, top_k, top_p, seed), ignore_end)


@signature_of(Model.__init__, without=("self",))
def load(file, **memory_given):
    """A Model of a .heed file, or of its bytes in a uint8 array on a 64-byte boundary."""
    return Model(file, **memory_given)
