# SPDX-License-Identifier: MIT
"""What the library refuses, in its words."""
import ctypes

from ._declarations import DataType, Status
from ._library import c


class Error(ValueError):
    """The library refused a call, which changed nothing. `status` says why; `member` is the argument, or the member of
    a configuration, that it is about, or empty."""

    def __init__(self, what, status, text="", member=""):
        super().__init__(f"{what}: {c.heed_status_to_string(status).decode()}" + (f": {text}" if text else ""))
        self.status = Status(status)
        self.member = member


# Those that say that an argument has no such value.
_OF_VALUES = (Status.zero_dimension, Status.too_large, Status.bad_length, Status.bad_scale, Status.bad_option,
              Status.keys_exceed_plan, Status.cache_full, Status.bad_sequence, Status.bad_token, Status.bad_base,
              Status.bad_position)


def check(status, what, why=None):
    """`why()` finds which argument it was: (its name, words), or None."""
    if status != Status.ok:
        name, words = (why() if why and status in _OF_VALUES else None) or ("", "")
        raise Error(what, status, words, name)


def _number(value):
    return f"{value:.10g}"


def explained(why, what):
    """The Error of a heed_explanation: "kv_heads 3: must divide heads; 1 to 4 are allowed"."""
    member, rule = (ctypes.string_at(text).decode() for text in (why.member, why.rule))
    if not member:
        return Error(what, why.status, rule)
    if member.endswith("_type") and rule and why.value in list(DataType):
        return Error(what, why.status, f"{member} {DataType(int(why.value)).name}: {rule}", member)
    text = f"{member} {_number(why.value)}: " + (f"{rule}; " if rule else "") + _number(why.least)
    if why.most > why.least:
        text += f" to {_number(why.most)}"
    return Error(what, why.status, text + (" are" if why.most > why.least else " is") + " allowed", member)
