# SPDX-License-Identifier: MIT
"""What the library refuses, in its words."""
import ctypes

from ._declarations import DataType, Status
from ._library import c


class Error(ValueError):
    """The library refused a call, which changed nothing. `status` says why; `member` is that of a configuration which
    has no plan, or empty."""

    def __init__(self, what, status, text="", member=""):
        super().__init__(f"{what}: {c.heed_status_to_string(status).decode()}" + (f": {text}" if text else ""))
        self.status = Status(status)
        self.member = member


def check(status, what):
    if status != Status.ok:
        raise Error(what, status)


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
