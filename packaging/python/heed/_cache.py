# SPDX-License-Identifier: MIT
"""Keys and values of the tokens so far."""
import ctypes

import numpy as np

from . import _declarations as d
from ._errors import Error, check
from ._library import addresses, c
from ._plans import described, kv_cache_plan, whole
from ._positions import Rotary
from ._ranges import outside
from ._signatures import members_of
from ._turn import Turn
from ._views import byref, dense, fitting, floats, memory, optional_integers, tensor

_FORMATS = {
    d.DataType.float16: "heed_float16_cache", d.DataType.bfloat16: "heed_bfloat16_cache",
    d.DataType.int8: "heed_int8_cache", d.DataType.int4: "heed_int4_cache",
    d.DataType.int8_channels: "heed_int8_channel_keys", d.DataType.int8_integer: "heed_int8_integer_cache",
}


def storage_of(types, ring, pages=True):
    """The heed_kv_storage of caches with these types, each named once."""
    storage = d.KvStorage()
    wanted = sorted({one for one in types if one in _FORMATS})
    for i, one in enumerate(wanted):
        storage.formats[i] = addresses[_FORMATS[one]]
    if ring:
        storage.ring = addresses["heed_kv_ring_with_positions"]
    elif pages:
        storage.pages = addresses["heed_kv_pages"]
    return storage


class CacheCalls:
    """What a cache answers, whoever owns it and has its _turn, its _config and a `pointer` to the heed_kv_cache."""

    def _sequence(self, sequence, what):
        number = whole(sequence, "sequence")
        most = self._config.max_sequences - 1
        if number > most:
            raise Error(what, d.Status.bad_sequence, outside("sequence", number, 0, most)[1], "sequence")
        return number

    def length(self, sequence=0):
        """Slots in use."""
        sequence = self._sequence(sequence, "length")
        with self._turn():
            return self._length(sequence)

    def _length(self, sequence):
        return c.heed_kv_cache_length(self.pointer, sequence)

    def tokens(self, sequence=0):
        """Tokens so far, with those that a ring has overwritten."""
        sequence = self._sequence(sequence, "tokens")
        with self._turn():
            return c.heed_kv_cache_tokens(self.pointer, sequence)

    def position(self, sequence, slot):
        """The number of the token in a slot that is in use."""
        sequence, slot = self._sequence(sequence, "position"), whole(slot, "slot")
        with self._turn():
            if slot >= self._length(sequence):
                raise ValueError(f"slot {slot}: the sequence has {self._length(sequence)} in use")
            return c.heed_kv_cache_position(self.pointer, sequence, slot)

    def truncate(self, sequence, length):
        """Keeps the first `length` tokens."""
        sequence, length = self._sequence(sequence, "truncate"), whole(length, "length")
        with self._turn(changes=True):
            check(c.heed_kv_cache_truncate(self.pointer, sequence, length), "truncate",
                  lambda: outside("length", length, 0, self._most_kept(sequence)))

    def _most_kept(self, sequence):
        tokens = c.heed_kv_cache_tokens(self.pointer, sequence)
        return tokens if tokens <= self._config.max_keys else self._config.sink_tokens

    def reset(self, sequence=0):
        sequence = self._sequence(sequence, "reset")
        with self._turn(changes=True):
            check(c.heed_kv_cache_reset(self.pointer, sequence), "reset")

    def keys_of(self, batch, ids, pages, lengths):
        """The keys of each entry of a call that has its turn."""
        if pages is not None:
            return [int(one) for one in lengths]
        sequences = [self._sequence(one, "attend") for one in (range(batch) if ids is None else ids)]
        return [self._length(one) for one in sequences]

    def room(self, sequence, tokens):
        """Words about a call that has no room for so many tokens."""
        left = self._config.max_keys - self._length(sequence)
        if self._config.ring or tokens <= left:
            return None
        return "tokens", f"{tokens} tokens: sequence {sequence} has room for {left}"


class Snapshots:
    """Objects whose state is a memory without pointers."""

    def snapshot(self):
        """A copy of the state, for restore() of an object with an equal plan, anywhere."""
        with self._turn():
            return self._state.tobytes()

    def restore(self, state):
        """Takes what snapshot() of an object with an equal plan returned; a copy is checked before a byte changes."""
        what = "restore"
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise TypeError(f"{what}: the bytes of snapshot() are needed, not {type(state).__name__}")
        given = np.frombuffer(state, np.uint8)
        if given.size != self._state.size:
            raise ValueError(f"{what}: {given.size} bytes, and the state has {self._state.size}")
        copy = memory(None, given.size, what)
        copy[:] = given
        with self._turn(changes=True):
            self._bind(copy, type(self._object)())
            self._state[:] = copy


class KvCache(CacheCalls, Snapshots):
    """Keywords are members of heed_kv_cache_config. `state` is memory of the caller's, of at least plan.bytes; with
    `bind` what a cache of an equal plan left there is kept. It is this object's from then on."""

    @members_of(d.KvCacheConfig)
    def __init__(self, *, state=None, bind=False, **config):
        self.plan = kv_cache_plan(**config)
        made = self.plan.config
        self._config = self.plan._struct.config
        self._state = memory(state, self.plan.bytes, "state")
        self._storage = storage_of((made.key_type, made.value_type), made.ring)
        self._object = d.KvCacheObject()
        self._turn = Turn()
        if bind:
            self._bind(self._state, self._object)
        else:
            check(c.heed_kv_cache_init(self._object, self.plan._struct, self._state.ctypes.data, self._state.size,
                                       self._storage), "init")
        if state is not None:
            self._turn.take(state)

    def __repr__(self):
        shown = described(self.plan.config, "max_sequences", "kv_heads", "head_dim", "max_keys", "ring", "key_type",
                          "value_type")
        return f"<heed.KvCache {shown}, {self.plan.bytes} bytes>"

    def _bind(self, state, cache):
        check(c.heed_kv_cache_bind(cache, self.plan._struct, state.ctypes.data, state.size, self._storage), "bind")

    @property
    def pointer(self):
        return ctypes.pointer(self._object)

    def set_key_scales(self, scales):
        """Scales per channel, float32 [kv_heads, head_dim], of a cache without tokens."""
        dense(scales, (self._config.kv_heads, self._config.head_dim), "scales")
        with self._turn(changes=True):
            check(c.heed_kv_cache_set_key_scales(self._object, scales.ctypes.data, scales.size), "set_key_scales")

    def append(self, key, value, sequence=0, rotary=None, positions=None):
        """key [kv_heads, tokens, head_dim] and value [kv_heads, tokens, value_dim], rotated if there is a Rotary."""
        sequence = self._sequence(sequence, "append")
        where = optional_integers(positions, "positions")
        if rotary is None and where is not None:
            raise ValueError("positions go with a Rotary")
        if rotary is not None and not isinstance(rotary, Rotary):
            raise TypeError(f"rotary: a Rotary is needed, not {type(rotary).__name__}")
        config = self._config
        floats(key, (config.kv_heads, None, config.head_dim), "key")
        tokens = key.shape[1]
        floats(value, (config.kv_heads, tokens, config.value_dim), "value")
        views = tensor(key[np.newaxis]), tensor(value[np.newaxis])
        places = fitting(where, (tokens,), "positions")
        with self._turn(changes=True):
            if rotary is None:
                status = c.heed_kv_cache_append(self._object, sequence, tokens, *views)
            else:
                status = c.heed_kv_cache_append_rotated(self._object, sequence, tokens, *views, byref(rotary._struct),
                                                        places)
            check(status, "append", lambda: self.room(sequence, tokens))
