# SPDX-License-Identifier: MIT
"""Signatures that help() and editors show in place of **keywords."""
import ctypes
import inspect

from . import _declarations as d

_REST = inspect.Parameter.VAR_KEYWORD


def _shown(function, own, more):
    """`own` parameters of a function, then keywords with their defaults that are not among them."""
    names = {one.name for one in own}
    added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default) for name, default in more
             if name not in names]
    function.__signature__ = inspect.Signature([*own, *added])
    return function


def _own(function):
    return [one for one in inspect.signature(function).parameters.values() if one.kind is not _REST]


def _default(struct, name, kind):
    if name in d.MEMBERS.get(struct, {}):
        return d.MEMBERS[struct][name](0).name
    if kind in (ctypes.c_bool, ctypes.c_float):
        return kind().value
    return 0 if not issubclass(kind, (ctypes.Structure, ctypes.Array)) else {}


def members_of(struct):
    """Of a function whose **keywords are members of a struct of C, where 0 is the default that its header names."""
    return lambda function: _shown(function, _own(function),
                                   [(name, _default(struct, name, kind)) for name, kind in struct._fields_])


def options_of(names):
    """Of a function whose **keywords are not given unless they are said."""
    return lambda function: _shown(function, _own(function), [(name, None) for name in names])


def signature_of(other, without=()):
    """Of a function that hands its **keywords to another one."""
    return lambda function: _shown(function, _own(function), [
        (one.name, one.default) for one in inspect.signature(other).parameters.values()
        if one.name not in without and one.kind is not _REST])
