# SPDX-License-Identifier: MIT
"""The shared library, with every function that the C headers declare under its name of C: heed.c.heed_attend().

They are C: a wrong address ends the program. The rest of the module checks what it hands to them."""
import ctypes
import pathlib
import types

from . import _build, _declarations


def _require_instructions():
    """A processor without the port's instructions would end the program without a word."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return
    flags = next((line.split(":", 1)[1].split() for line in lines if line.startswith("flags")), None)
    missing = [] if flags is None else [name for name in _build.INSTRUCTIONS if name not in flags]
    if missing:
        raise ImportError(f"heed: this library has the port {_build.PORT}, and this processor has no "
                          f"{', '.join(missing)}; build heed for it")


def _open():
    beside = pathlib.Path(__file__).with_name(_build.LIBRARY)
    return ctypes.CDLL(str(beside) if beside.exists() else _build.LIBRARY)


def _bind(library):
    functions = types.SimpleNamespace()
    for name, (result, arguments) in _declarations.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
        setattr(functions, name, function)
    return functions


_require_instructions()
_loaded = _open()
c = _bind(_loaded)
version = c.heed_version().decode()
if version.split(".")[:2] != _declarations.CONSTANTS["HEED_VERSION"].split(".")[:2]:
    raise ImportError(f"heed: the library is {version}, and the module was made for "
                      f"{_declarations.CONSTANTS['HEED_VERSION']}")

# Addresses of the library's constants by their names of C, and what a program names to have them all.
addresses = {name: ctypes.addressof(ctypes.c_char.in_dll(_loaded, name)) for name in _declarations.OBJECTS}
