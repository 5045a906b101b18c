# SPDX-License-Identifier: MIT
"""What heed's C headers declare: structs, enumerations, constants, objects and functions.

The headers are regular: HEED_STRUCT, HEED_ENUM and HEED_VALUE name each in C and in C++, and what is not C stands
behind HEED_CPP or __cplusplus. Anything that is not understood is an error, never left out."""
import dataclasses
import pathlib
import re


@dataclasses.dataclass
class Type:
    """A type of C: its name, how many pointers there are to it, its bounds as an array, or a function pointer."""
    name: str
    pointers: int = 0
    array: int = 0
    function: object = None


@dataclasses.dataclass
class Function:
    name: str
    result: Type
    parameters: list  # [(name, Type)]


@dataclasses.dataclass
class Enumeration:
    name: str  # in C
    cpp_name: str
    integer: str
    values: list  # [(C name, C++ name)], which count from 0


@dataclasses.dataclass
class Struct:
    name: str
    cpp_name: str  # or the C name, where C++ has a class or nothing
    fields: list  # [(name, Type)]


@dataclasses.dataclass
class Declarations:
    enumerations: list = dataclasses.field(default_factory=list)
    structs: list = dataclasses.field(default_factory=list)
    functions: list = dataclasses.field(default_factory=list)
    objects: list = dataclasses.field(default_factory=list)  # names
    constants: dict = dataclasses.field(default_factory=dict)
    integers: dict = dataclasses.field(default_factory=dict)  # typedefs of integers
    opaque: list = dataclasses.field(default_factory=list)
    inline: list = dataclasses.field(default_factory=list)  # functions that each program compiles


CONDITIONS = {"HEED_CPP": False, "__cplusplus": False}
DROPPED = r"#(include|undef|pragma|error)\b"


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def as_c(text, name, constants):
    """The lines that a compiler of C sees, without directives; adds constants that are whole numbers or text."""
    lines, taken = [], [True]
    for line in without_comments(text).replace("\\\n", " ").splitlines():
        words = line.split()
        directive = words[0] if words and words[0].startswith("#") else ""
        if directive in ("#ifdef", "#ifndef", "#if", "#elif"):
            condition = line.split(None, 1)[1]
            if directive in ("#ifdef", "#ifndef") and condition in CONDITIONS:
                value = CONDITIONS[condition] == (directive == "#ifdef")
            elif directive == "#ifndef":
                value = True  # an include guard
            else:
                value = False  # what compilers have, or C++20: only macros stand there, which mean nothing to Python
            if directive == "#elif":
                taken[-1] = False
            else:
                taken.append(value)
        elif directive == "#else":
            taken[-1] = not taken[-1]
        elif directive == "#endif":
            taken.pop()
        elif directive == "#define":
            number = re.match(r'#define (HEED_\w+) (-?0x[0-9A-Fa-f]+|-?\d+|"[^"]*")$', line.strip())
            if number and all(taken):
                word = number.group(2)
                constants[number.group(1)] = word[1:-1] if word[0] == '"' else int(word, 0)
        elif directive and not re.match(DROPPED, line):
            raise SystemExit(f"{name}: a directive that is not understood: {line}")
        elif all(taken) and not directive:
            lines.append(line)
    if len(taken) != 1:
        raise SystemExit(f"{name}: conditions do not end")
    return "\n".join(lines)


def statements(text, name):
    """Text up to each semicolon outside of brackets."""
    depth, begin = 0, 0
    for i, character in enumerate(text):
        depth += {"{": 1, "}": -1, "(": 1, ")": -1}.get(character, 0)
        ends_body = character == "}" and depth == 0 and text[begin:].lstrip().startswith("static inline")
        if (character == ";" and depth == 0) or ends_body:
            yield " ".join(text[begin:i + 1].rstrip(";").split())
            begin = i + 1
    if text[begin:].strip():
        raise SystemExit(f"{name}: not understood: {text[begin:].strip()[:80]}")


def split_list(text):
    """At commas outside of brackets."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return parts + [part.strip()]


def parse_variable(text):
    """(name, Type) of a member or a parameter."""
    text = " ".join(text.replace("HEED_ZERO", "").split()).replace("unsigned char", "uint8_t")
    pointer = re.match(r"void \(\*(\w+)\)\((.*)\)$", text)
    if pointer:
        parameters = [parse_variable(part) for part in split_list(pointer.group(2))]
        return pointer.group(1), Type("void", function=parameters)
    plain = re.match(r"(?:const )?(\w+)((?:\s*\*\s*(?:const)?)*)\s*(\w+)?(?:\[(\d+)\])?$", text)
    if not plain:
        raise SystemExit(f"a declaration is not understood: {text}")
    name, stars, word, bound = plain.groups()
    return word or "", Type(name, stars.count("*"), int(bound or 0))


def parse_values(text):
    values = re.findall(r"HEED_VALUE\(\s*(\w+),\s*(\w+)\s*\)", text)
    if re.sub(r"HEED_VALUE\(\s*\w+,\s*\w+\s*\)|[\s,]", "", text):
        raise SystemExit(f"an enumeration is not understood: {text}")
    return values


def parse_members(body):
    body = re.sub(r"HEED_COMPARED\(\w+\)", "", body)
    return [parse_variable(part) for part in (" ".join(part.split()) for part in body.split(";")) if part]


class Parser:
    def __init__(self):
        self.found = Declarations()
        self.pending = None  # the integer of an enumeration without HEED_ENUM, whose values follow

    def statement(self, text, name):
        found = self.found
        if match := re.match(r"HEED_STRUCT\((\w+), (\w+)\) \{(.*)\}$", text):
            found.structs.append(Struct(match.group(1), match.group(2), parse_members(match.group(3))))
        elif match := re.match(r"HEED_ENUM\((\w+), (\w+), (\w+)\) ?\{(.*)\}$", text):
            found.enumerations.append(Enumeration(*match.groups()[:3], parse_values(match.group(4))))
        elif match := re.match(r"typedef struct (\w+) \{(.*)\} (\w+)$", text):
            found.structs.append(Struct(match.group(1), match.group(1), parse_members(match.group(2))))
        elif match := re.match(r"typedef struct (\w+) (\w+)$", text):
            found.opaque.append(match.group(2))
        elif match := re.match(r"typedef (u?int\d+_t) (\w+)$", text):
            found.integers[match.group(2)] = match.group(1)
            self.pending = match.groups()
        elif match := re.match(r"enum \{(.*)\}$", text):
            integer, c_name = self.pending
            cpp_name = "".join(word.capitalize() for word in c_name.split("_")[1:])
            del found.integers[c_name]
            found.enumerations.append(Enumeration(c_name, cpp_name, integer, parse_values(match.group(1))))
        elif match := re.match(r"extern const (\w+) (\w+)$", text):
            found.objects.append(match.group(2))
        elif match := re.match(r"static inline .*?(\w+)\(", text):
            found.inline.append(match.group(1))
        elif match := re.match(r"(?:HEED_MUST_USE )?((?:const )?\w+\s*\*?)\s*(heed_\w+)\((.*)\)$", text):
            result = parse_variable(match.group(1))[1]
            parameters = [] if match.group(3) == "void" else [parse_variable(p) for p in split_list(match.group(3))]
            found.functions.append(Function(match.group(2), result, parameters))
        else:
            raise SystemExit(f"{name}: not understood: {text[:120]}")


def read_headers(folder: pathlib.Path) -> Declarations:
    """All of heed_*.h, in an order in which each comes after those that it includes."""
    order = []

    def visit(path):
        if path in order:
            return
        for included in re.findall(r'#include "heed/(heed_\w+\.h)"', path.read_text()):
            visit(folder / included)
        order.append(path)

    for path in sorted(folder.glob("heed_*.h")):
        visit(path)
    parser = Parser()
    for path in order:
        text = as_c(path.read_text(), path.name, parser.found.constants)
        for statement in statements(text, path.name):
            parser.statement(statement, path.name)
    return parser.found
