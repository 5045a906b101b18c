# SPDX-License-Identifier: MIT
"""What can be changed in a line of C++: one token at a time."""

import hashlib
import pathlib
import re

FOLDERS = ("runtime", "ports", "include")

# (name, pattern, replacement). Blanks around an operator tell it from a template's bracket, a pointer or a sign.
REPLACEMENTS = (
    ("comparison", r" < ", " <= "),
    ("comparison", r" <= ", " < "),
    ("comparison", r" > ", " >= "),
    ("comparison", r" >= ", " > "),
    ("comparison", r" == ", " != "),
    ("comparison", r" != ", " == "),
    ("condition", r" && ", " || "),
    ("condition", r" \|\| ", " && "),
    ("condition", r"(?<=[(=,] )!(?=[a-z])|(?<=\()!(?=[a-z])", ""),
    ("sign", r" \+ ", " - "),
    ("sign", r" - ", " + "),
    ("sign", r" \* (?=[a-z0-9(])", " + "),
    ("sign", r" \+= ", " -= "),
    ("sign", r"(?<=[ (,])-(?=[0-9a-z])", ""),
    ("constant", r"\btrue\b", "false"),
    ("constant", r"\bfalse\b", "true"),
    ("off by one", r"(?<![\w.])([0-9]+)(?![\w.])", lambda match: str(int(match[1]) + 1)),
    ("constant", r"(?<![\w.])([1-9][0-9]*\.[0-9]+F)\b", r"(2.0F * \1)"),
)

# A statement of one line that calls or assigns; what declares something would not compile without.
STATEMENT = re.compile(r"^ +(?!return|using|const |constexpr|static|else|for|if|case|namespace|friend|#|//)"
                       r"[\w:.*\[\]>()-]+ ?(\(|[-+*|&]?= ).*;$")

# No code that runs, or nothing that a result depends on.
UNCHANGED = re.compile(r"^\s*(//|#|static_assert|template|using|namespace|///)|prefetch|__builtin_trap|GCC unroll")


class Mutant:
    """One line of one file, and what it becomes."""

    def __init__(self, path, number, kind, before, after):
        self.path = path
        self.number = number
        self.kind = kind
        self.before = before
        self.after = after

    def difference(self):
        return f"{self.path}:{self.number} ({self.kind})\n-{self.before}\n+{self.after}"

    def key(self):
        """The same wherever the line moves to."""
        return f"{self.path}: {self.before.strip()} => {self.after.strip()}"


def code_of(line):
    """The line without its comment and its strings, as long as it was."""
    line = re.sub(r'"[^"]*"', lambda match: '"' + "_" * (len(match[0]) - 2) + '"', line)
    return re.sub(r"//.*", lambda match: " " * len(match[0]), line)


def mutants_of(path, text):
    attributes = re.compile(r"\[\[[^\]]*\]\]|<[\w:, ]*>")
    for number, line in enumerate(text.splitlines(), 1):
        code = code_of(line)
        if UNCHANGED.search(code) or not code.strip():
            continue
        code = attributes.sub(lambda match: "_" * len(match[0]), code)
        if STATEMENT.match(line):
            yield Mutant(path, number, "dropped statement", line, re.match(" *", line)[0] + ";")
        for kind, pattern, replacement in REPLACEMENTS:
            for match in re.finditer(pattern, code):
                changed = match.expand(replacement) if isinstance(replacement, str) else replacement(match)
                yield Mutant(path, number, kind, line, line[: match.start()] + changed + line[match.end() :])


def choose(root, count, seed, only):
    """`count` mutants in the order of a hash with the seed, at most one of each line."""
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.?pp")):
            name = str(path.relative_to(root))
            if name.startswith(only) and not name.startswith("ports/boards/"):
                found += mutants_of(name, path.read_text())
    order = lambda mutant: hashlib.sha256(f"{seed} {mutant.key()} {mutant.number}".encode()).digest()
    chosen = {}
    for mutant in sorted(found, key=order):
        chosen.setdefault((mutant.path, mutant.number), mutant)
    return list(chosen.values())[:count], len(found)


def read_explained(path):
    """The keys of survivors.txt, each with its reason on the line before."""
    explained = {}
    reason = ""
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("#"):
            reason = line[1:].strip()
        elif line.strip():
            explained[line.strip()] = reason
    return explained
