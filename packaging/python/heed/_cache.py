# SPDX-License-Identifier: MIT
"""Keys and values of the tokens so far."""
import ctypes
import threading

import numpy as np

from . import _declarations as d
from ._errors import check
from ._library import addresses, c
from ._plans import kv_cache_plan, whole
from ._views import address, byref, dense, floats, memory, optional_integers, tensor

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
    """What a cache answers, whoever owns it."""

    pointer = None  # to a heed_kv_cache

    def length(self, sequence=0):
        """Slots in use."""
        return c.heed_kv_cache_length(self.pointer, whole(sequence, "sequence"))

    def tokens(self, sequence=0):
        """Tokens so far, with those that a ring has overwritten."""
        return c.heed_kv_cache_tokens(self.pointer, whole(sequence, "sequence"))

    def position(self, sequence, slot):
        """The number of the token in a slot."""
        return c.heed_kv_cache_position(self.pointer, whole(sequence, "sequence"), whole(slot, "slot"))

    def truncate(self, sequence, length):
        """Keeps the first `length` tokens."""
        sequence, length = whole(sequence, "sequence"), whole(length, "length")
        with self._lock:
            check(c.heed_kv_cache_truncate(self.pointer, sequence, length), "truncate")

    def reset(self, sequence=0):
        sequence = whole(sequence, "sequence")
        with self._lock:
            check(c.heed_kv_cache_reset(self.pointer, sequence), "reset")


class Snapshots:
    """Objects whose state is a memory without pointers."""

    def snapshot(self):
        """A copy of the state, for restore() of an object with an equal plan, anywhere."""
        with self._lock:
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
        with self._lock:
            self._bind(copy, type(self._object)())
            self._state[:] = copy


class KvCache(CacheCalls, Snapshots):
    """Keywords are members of heed_kv_cache_config. `state` is memory of the caller's, of at least plan.bytes; with
    `bind` what a cache of an equal plan left there is kept."""

    def __init__(self, *, state=None, bind=False, **config):
        self.plan = kv_cache_plan(**config)
        made = self.plan.config
        self._state = memory(state, self.plan.bytes, "state")
        self._storage = storage_of((made.key_type, made.value_type), made.ring)
        self._object = d.KvCacheObject()
        self._lock = threading.RLock()
        if bind:
            self._bind(self._state, self._object)
        else:
            check(c.heed_kv_cache_init(self._object, self.plan._struct, self._state.ctypes.data, self._state.size,
                                       self._storage), "init")

    def _bind(self, state, cache):
        check(c.heed_kv_cache_bind(cache, self.plan._struct, state.ctypes.data, state.size, self._storage), "bind")

    @property
    def pointer(self):
        return ctypes.pointer(self._object)

    def set_key_scales(self, scales):
        """Scales per channel, float32 [kv_heads, head_dim], of a cache without tokens."""
        dense(scales, (self.plan.config.kv_heads, self.plan.config.head_dim), "scales")
        with self._lock:
            check(c.heed_kv_cache_set_key_scales(self._object, scales.ctypes.data, scales.size), "set_key_scales")

    def append(self, key, value, sequence=0, rotary=None, positions=None):
        """key [kv_heads, tokens, head_dim] and value [kv_heads, tokens, value_dim], rotated if there is a Rotary."""
        config = self.plan.config
        floats(key, (config.kv_heads, None, config.head_dim), "key")
        tokens = key.shape[1]
        floats(value, (config.kv_heads, tokens, config.value_dim), "value")
        views = tensor(key[np.newaxis]), tensor(value[np.newaxis])
        sequence = whole(sequence, "sequence")
        if rotary is None and positions is not None:
            raise ValueError("positions go with a Rotary")
        given = optional_integers(positions, (tokens,), "positions")
        with self._lock:
            if rotary is None:
                status = c.heed_kv_cache_append(self._object, sequence, tokens, *views)
            else:
                status = c.heed_kv_cache_append_rotated(self._object, sequence, tokens, *views, byref(rotary._struct),
                                                        address(given))
        check(status, "append")
