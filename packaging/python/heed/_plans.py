# SPDX-License-Identifier: MIT
"""Configurations from keywords, and plans, which are constant, with their numbers."""
import ctypes
import math
import operator

import numpy as np

from . import _declarations as d
from ._errors import Error, check, explained
from ._library import c
from ._signatures import members_of

_RANGES = {
    ctypes.c_uint8: (0, 2**8 - 1), ctypes.c_uint16: (0, 2**16 - 1), ctypes.c_uint32: (0, 2**32 - 1),
    ctypes.c_uint64: (0, 2**64 - 1), ctypes.c_int32: (-(2**31), 2**31 - 1), ctypes.c_size_t: (0, 2**64 - 1),
}


def whole(value, what, kind=ctypes.c_uint32):
    """A whole number that the type holds: ctypes would cut it without a word."""
    least, most = _RANGES[kind]
    if isinstance(value, bool):
        raise TypeError(f"{what}: a whole number is needed, not {value}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: a whole number is needed, not {type(value).__name__}") from None
    if not least <= number <= most:
        raise ValueError(f"{what} {number}: {least} to {most} is what it can be")
    return number


def real(value, what, meaning=""):
    """A number as a float32 has it: ctypes takes text as well, and makes 0, which is often a default, of what is too
    small."""
    try:
        if isinstance(value, (bool, str, bytes, bytearray)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError) as raised:
        words = f"{what}: a number is needed, not {type(value).__name__}" + (f"; {meaning}" if meaning else "")
        raise TypeError(words) from raised
    rounded = ctypes.c_float(number).value
    if (rounded == 0) != (number == 0) or math.isinf(rounded) != math.isinf(number):
        raise ValueError(f"{what} {number}: no float32 is as small or as large")
    return rounded


def truth(value, what):
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what}: True or False is needed, not {value!r}")
    return bool(value)


def enumerator(kind, value, what):
    """From its name, "int8", or the enumeration's own."""
    if isinstance(value, str):
        if value in kind.__members__:
            return kind[value]
    elif isinstance(value, kind):
        return value
    raise ValueError(f"{what} {value!r}: one of {', '.join(kind.__members__)} is needed")


def fill(struct, values):
    """Sets members by name; those of structs inside are dicts."""
    kinds = dict(struct._fields_)
    names = d.MEMBERS.get(type(struct), {})
    for name, value in values.items():
        if name not in kinds:
            raise TypeError(f"{type(struct).__name__} has no member {name}; it has {', '.join(kinds)}")
        kind = kinds[name]
        if name in names:
            setattr(struct, name, enumerator(names[name], value, name))
        elif kind is ctypes.c_bool:
            setattr(struct, name, truth(value, name))
        elif kind is ctypes.c_float:
            setattr(struct, name, real(value, name))
        elif isinstance(kind, type) and issubclass(kind, ctypes.Structure):
            if not isinstance(value, dict):
                raise TypeError(f"{name}: a dict of the members of {kind.__name__} is needed")
            fill(getattr(struct, name), value)
        elif isinstance(value, bool) and name in ("ring", "integers"):  # numbers that are not 0 or 0
            setattr(struct, name, int(value))
        else:
            setattr(struct, name, whole(value, name, kind))
    return struct


def _value(struct, name):
    value = getattr(struct, name)
    if type(struct) is d.Region and name == "name":
        return c.heed_region_to_string(struct).decode()
    if name in d.MEMBERS.get(type(struct), {}):
        return d.MEMBERS[type(struct)][name](value)
    if isinstance(value, ctypes.Structure):
        return Numbers(value)
    return tuple(value) if isinstance(value, ctypes.Array) else value


class Numbers:
    """A struct of C that is read only: plan.bytes, plan.config.heads."""

    __slots__ = ("_struct",)

    def __init__(self, struct):
        object.__setattr__(self, "_struct", struct)

    def __getattr__(self, name):
        if name not in dict(self._struct._fields_):
            raise AttributeError(f"{type(self._struct).__name__} has no member {name}")
        return _value(self._struct, name)

    def __setattr__(self, name, value):
        raise AttributeError("a plan is constant")

    def __dir__(self):
        return [name for name, _ in self._struct._fields_] + ["to_dict", "regions"]

    def __eq__(self, other):
        return type(other) is Numbers and self.to_dict() == other.to_dict()

    __hash__ = None

    def to_dict(self):
        values = {name: _value(self._struct, name) for name, _ in self._struct._fields_}
        return {name: value.to_dict() if isinstance(value, Numbers) else value for name, value in values.items()}

    def regions(self):
        """[(what it holds, offset, bytes)] of this struct, without those inside of its structs."""
        found = [getattr(self._struct, name) for name, kind in self._struct._fields_ if kind is d.Region]
        return [(c.heed_region_to_string(one).decode(), one.offset, one.bytes) for one in found if one.bytes]

    def __repr__(self):
        inside = ", ".join(f"{name}={value!r}" for name, value in self.to_dict().items()
                           if not isinstance(value, (dict, tuple)))
        return f"{type(self._struct).__name__}({inside})"


def described(numbers, *names):
    """Members as a repr shows them: types by their names, and nothing that is 0."""
    shown = [(name, getattr(numbers, name)) for name in names]
    return ", ".join(f"{name}={getattr(value, 'name', value)}" for name, value in shown
                     if value or name.endswith("_type"))


def _made(what, write, explain, plan, *configs):
    status = write(*configs, plan)
    if status != d.Status.ok:
        raise explained(explain(*configs), what) if explain else Error(what, status)
    return plan


@members_of(d.AttentionConfig)
def attention_plan(**config):
    """heed_plan_attention()"""
    return Numbers(_made("plan_attention", c.heed_plan_attention, c.heed_explain_attention, d.AttentionPlan(),
                         fill(d.AttentionConfig(), config)))


@members_of(d.KvCacheConfig)
def kv_cache_plan(**config):
    """heed_plan_kv_cache()"""
    return Numbers(_made("plan_kv_cache", c.heed_plan_kv_cache, c.heed_explain_kv_cache, d.KvCachePlan(),
                         fill(d.KvCacheConfig(), config)))


@members_of(d.MultiHeadConfig)
def multi_head_plan(**config):
    """heed_plan_multi_head()"""
    return Numbers(_made("plan_multi_head", c.heed_plan_multi_head, c.heed_explain_multi_head, d.MultiHeadPlan(),
                         fill(d.MultiHeadConfig(), config)))


@members_of(d.RotaryConfig)
def rotary_plan(**config):
    """heed_plan_rotary()"""
    return Numbers(_made("plan_rotary", c.heed_plan_rotary, c.heed_explain_rotary, d.RotaryPlan(),
                         fill(d.RotaryConfig(), config)))


@members_of(d.BlockMemory)
def model_plan(config, **memory):
    """heed_plan_model() of the members of a heed_model_config, and those of a heed_block_memory."""
    return model_plan_of(fill(d.ModelConfig(), config), memory)


def model_plan_of(config, memory):
    return Numbers(_made("plan_model", c.heed_plan_model, c.heed_explain_model, d.ModelPlan(), config,
                         fill(d.BlockMemory(), memory)))


@members_of(d.RelativeBucketsConfig)
def relative_buckets_plan(**config):
    """heed_plan_relative_buckets()"""
    plan = d.RelativeBucketsPlan()
    check(c.heed_plan_relative_buckets(fill(d.RelativeBucketsConfig(), config), plan), "plan_relative_buckets")
    return Numbers(plan)
