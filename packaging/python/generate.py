# SPDX-License-Identifier: MIT
"""generate.py python <include/heed> <file>: the declarations of heed's C headers for ctypes.
generate.py layout <include/heed> <file>: a program in C that prints sizes, offsets and values.
generate.py symbols <include/heed>: the names that a library must export, one a line."""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import declarations  # noqa: E402  (beside this file)

SCALARS = {
    "float": "c_float", "double": "c_double", "bool": "c_bool", "int": "c_int", "size_t": "c_size_t",
    "ptrdiff_t": "c_ssize_t",
    **{f"{sign}int{bits}_t": f"c_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
HEAD = '''# SPDX-License-Identifier: MIT
# Written by packaging/python/generate.py from the C headers.
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_float, c_int, c_int8, c_int16, c_int32,
                    c_int64, c_size_t, c_ssize_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)
from enum import IntEnum

'''


class PythonWriter:
    def __init__(self, found):
        self.found = found
        self.structs = {struct.name: self.struct_name(struct) for struct in found.structs}
        self.scalars = dict(SCALARS)
        self.scalars.update({name: SCALARS[integer] for name, integer in found.integers.items()})
        self.scalars.update({one.name: SCALARS[one.integer] for one in found.enumerations})

    @staticmethod
    def struct_name(struct):
        """That of C++; an object that C++ has a class for has another one, beside the classes of the module."""
        if struct.cpp_name != struct.name:
            return struct.cpp_name
        return "".join(word.capitalize() for word in struct.name.split("_")[1:]) + "Object"

    def type(self, kind, result=False):
        """A pointer is an address, but for one to a struct."""
        if kind.function is not None:
            inner = ["None"] + [self.type(parameter) for _, parameter in kind.function]
            return f"CFUNCTYPE({', '.join(inner)})"
        if kind.name == "void" and kind.pointers == 0:
            return "None"
        if kind.pointers == 1 and kind.name in self.structs:
            name = f"POINTER({self.structs[kind.name]})"
        elif kind.pointers == 1 and kind.name == "char" and result:
            name = "c_char_p"
        elif kind.pointers:
            name = "c_void_p"
        elif kind.name in self.structs:
            name = self.structs[kind.name]
        else:
            name = self.scalars[kind.name]
        return f"{name} * {kind.array}" if kind.array else name

    def write(self):
        text = HEAD
        for one in self.found.enumerations:
            text += f"\nclass {one.cpp_name}(IntEnum):\n"
            text += "".join(f"    {name} = {i}\n" for i, (_, name) in enumerate(one.values)) + "\n"
        for struct in self.found.structs:
            text += f"\nclass {self.structs[struct.name]}(Structure):\n    _fields_ = [\n"
            text += "".join(f'        ("{name}", {self.type(kind)}),\n' for name, kind in struct.fields) + "    ]\n\n"
        enumerations = {one.name: one.cpp_name for one in self.found.enumerations}
        text += "\n# The enumeration of each member that has one.\nMEMBERS = {\n"
        for struct in self.found.structs:
            named = [f'"{name}": {enumerations[kind.name]}' for name, kind in struct.fields
                     if kind.name in enumerations]
            if named:
                text += f"    {self.structs[struct.name]}: {{{', '.join(named)}}},\n"
        text += "}\n\n# By the names of C.\nSTRUCTS = {\n"
        text += "".join(f'    "{name}": {python},\n' for name, python in self.structs.items())
        text += "}\nENUMERATIONS = {\n"
        for one in self.found.enumerations:
            names = ", ".join(f'"{c_name}"' for c_name, _ in one.values)
            text += f'    "{one.name}": ({one.cpp_name}, {SCALARS[one.integer]}, ({names},)),\n'
        text += "}\n\n# name: (result, types of the arguments)\nFUNCTIONS = {\n"
        for one in self.found.functions:
            arguments = "".join(self.type(kind) + ", " for _, kind in one.parameters)
            # Text of a length of its own ends nowhere else.
            ends = not any(name == "length" for name, _ in one.parameters)
            text += f'    "{one.name}": ({self.type(one.result, ends)}, ({arguments})),\n'
        text += "}\n\n# Constants of the library, of which a program takes the address.\nOBJECTS = (\n"
        text += "".join(f'    "{name}",\n' for name in self.found.objects) + ")\n\nCONSTANTS = {\n"
        text += "".join(f'    "{name}": {value!r},\n' for name, value in self.found.constants.items()) + "}\n"
        return text


def layout_program(found, headers):
    """Prints `struct <name> <bytes>`, `member <struct> <name> <offset> <bytes>` and `value <name> <number>`."""
    lines = ["#include <stddef.h>", "#include <stdio.h>"] + [f'#include "heed/{name}"' for name in headers]
    lines += ["", "int main(void) {"]
    for struct in found.structs:
        lines.append(f'  printf("struct {struct.name} %zu\\n", sizeof({struct.name}));')
        for name, _ in struct.fields:
            lines.append(f'  printf("member {struct.name} {name} %zu %zu\\n", offsetof({struct.name}, {name}), '
                         f"sizeof((({struct.name}*)0)->{name}));")
    for one in found.enumerations:
        lines.append(f'  printf("enum {one.name} %zu\\n", sizeof({one.name}));')
        for c_name, _ in one.values:
            lines.append(f'  printf("value {c_name} %d\\n", (int){c_name});')
    for name, value in found.constants.items():
        if isinstance(value, int):
            lines.append(f'  printf("value {name} %ld\\n", (long){name});')
    return "\n".join(lines + ["  return 0;", "}"]) + "\n"


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in ("python", "layout", "symbols"):
        raise SystemExit(__doc__)
    folder = pathlib.Path(sys.argv[2])
    found = declarations.read_headers(folder)
    if sys.argv[1] == "symbols":
        print("\n".join(sorted([one.name for one in found.functions] + found.objects)))
        return
    headers = sorted(path.name for path in folder.glob("heed_*.h"))
    text = PythonWriter(found).write() if sys.argv[1] == "python" else layout_program(found, headers)
    pathlib.Path(sys.argv[3]).write_text(text)


main()
