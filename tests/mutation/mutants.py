# SPDX-License-Identifier: MIT
"""What can be changed in a line of C++, or of Python: one token at a time."""

import hashlib
import io
import pathlib
import re
import tokenize

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
    ("constant", r"\bTrue\b", "False"),
    ("constant", r"\bFalse\b", "True"),
    ("condition", r" and ", " or "),
    ("condition", r" or ", " and "),
    ("off by one", r"(?<![\w.])([0-9]+)(?![\w.])", lambda match: str(int(match[1]) + 1)),
    ("constant", r"(?<![\w.])([1-9][0-9]*\.[0-9]+F)\b", r"(2.0F * \1)"),
)

# A statement of one line that calls or assigns; what declares something would not compile without.
# Python's are left: none of them stands on a line of its own.
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


def python_code(text):
    """The lines without comments and strings, as long as they were."""
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (tokenize.STRING, tokenize.COMMENT):
            continue
        (first, begin), (last, end) = token.start, token.end
        for number in range(first, last + 1):
            line = lines[number - 1]
            from_ = begin if number == first else 0
            to = end if number == last else len(line)
            lines[number - 1] = line[:from_] + "_" * (to - from_) + line[to:]
    return lines


def mutants_of(path, text):
    attributes = re.compile(r"\[\[[^\]]*\]\]|<[\w:, ]*>")
    is_python = path.endswith(".py")
    lines = text.splitlines()
    codes = python_code(text) if is_python else [code_of(line) for line in lines]
    for number, (line, code) in enumerate(zip(lines, codes, strict=True), 1):
        if UNCHANGED.search(code) or not code.strip():
            continue
        code = attributes.sub(lambda match: "_" * len(match[0]), code)
        if STATEMENT.match(line) and not is_python:
            yield Mutant(path, number, "dropped statement", line, re.match(" *", line)[0] + ";")
        for kind, pattern, replacement in REPLACEMENTS:
            for match in re.finditer(pattern, code):
                changed = match.expand(replacement) if isinstance(replacement, str) else replacement(match)
                yield Mutant(path, number, kind, line, line[: match.start()] + changed + line[match.end() :])


def order(seed, mutant):
    return hashlib.sha256(f"{seed} {mutant.key()} {mutant.number}".encode()).digest()


def choose(root, count, seed, only):
    """`count` mutants of the files whose path begins with `only`, in order, at most one of each line."""
    top = root / only.split("/")[0]
    found = []
    for path in sorted([*top.rglob("*.?pp"), *top.rglob("*.py")]):
        name = str(path.relative_to(root))
        if name.startswith(only) and not re.match("ports/boards/|tools/(unicode|drawing)/", name):
            found += mutants_of(name, path.read_text())
    chosen = {}
    for mutant in sorted(found, key=lambda mutant: order(seed, mutant)):
        chosen.setdefault((mutant.path, mutant.number), mutant)
    return list(chosen.values())[:count]


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
